"""L6, L7: a partition of many times `max_group_bytes` is one order after one run, also where it does not fit memory."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.typedef import Record
from redis.asyncio import Redis

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.formats.iceberg.rewrite import tasks
from engine.rewriting.kernel import entry
from engine.rewriting.kernel import task as kernel_task
from engine.rewriting.kernel.contract import RowOrder, SortColumn
from engine.rewriting.kernel.ordering.arranging import Arrangement
from engine.rewriting.kernel.ordering.keys import keys_of
from engine.rewriting.kernel.ordering.ranges import Columns
from engine.rewriting.kernel.reading.rows import Rows
from tests.support.attempts import append_tables, content
from tests.support.databases import FreshDatabase
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.world import World, open_world

DAYS = ("2026-11-01", "2026-11-02")
FILES, ROWS, MIB = 10, 40_000, 2**20
SMALL = {"target_file_bytes": MIB, "max_group_bytes": MIB, "min_input_files": 2}
FULL = RunRequest(force_full=True)
DEEP_ORDERS = (("zorder", "disk"), ("hilbert", "disk"), ("sort", "memory"), ("hilbert", "memory"))
ORDERS = {
    "sort": RowOrder("sort", (SortColumn(4, descending=True, nulls_first=False), SortColumn(3), SortColumn(1))),
    "zorder": RowOrder("zorder", (SortColumn(1), SortColumn(3))),
    "hilbert": RowOrder("hilbert", (SortColumn(1), SortColumn(3))),
}
POLICIES: dict[str, dict[str, Any]] = {
    "sort": {"strategy": "sort", "columns": [{"name": "note", "direction": "desc", "nulls": "last"}, "value", "id"]},
    "zorder": {"strategy": "zorder", "columns": ["id", "value"]},
    "hilbert": {"strategy": "hilbert", "columns": ["id", "value"]},
}


class Looked(Arrangement):
    """An arrangement that can be looked at afterwards; `at_ranges` is called when its rows are on disk."""

    made: list["Looked"]
    at_ranges: Callable[[], None]

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.made.append(self)

    def _from_disk(self) -> Iterator[Rows]:
        self.at_ranges()
        return super()._from_disk()


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Looked]]:
    """Let every group go through the disk, in a fiftieth of its size, and return what orders them.

    A stop can end a task's thread within its cleanup: a process would end with it, and its files too.
    """
    Looked.made, Looked.at_ranges = [], staticmethod(lambda: None)
    monkeypatch.setattr(tasks, "RowOrder", partial(RowOrder, memory_bytes=MIB))
    monkeypatch.setattr(kernel_task, "Arrangement", Looked)
    monkeypatch.setattr(entry, "at_low_priority", lambda work: work())  # a stop reaches a task's first thread only
    yield Looked
    for made in Looked.made:
        made._spilled.close()
    Looked.made = []


@pytest.fixture
async def world(fresh_database: FreshDatabase, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Two partitions of ten files of about 700 kB, every file with rows from all over the order."""
    folder = tmp_path / "world"
    async with open_world(folder, database_url=fresh_database.url, redis_url=redis_url, days=0) as opened:
        await asyncio.to_thread(fill, opened)
        yield opened


def fill(world: World) -> None:
    random = np.random.default_rng(8)
    schema = world.lake.table.schema().as_arrow()
    texts = pa.array([f"note {at}" for at in range(7)])
    made, count = list[pa.Table](), ROWS * len(DAYS)
    for number in range(FILES):
        columns = {
            "id": (np.arange(count) * FILES + number) * 2_654_435_761 % 2**40,  # all different, from all over
            "day": np.repeat(DAYS, ROWS),
            "value": pa.array(random.normal(0, 1, count), mask=random.random(count) < 0.1),
            "note": texts.take(pa.array(random.integers(0, 7, count), mask=random.random(count) < 1 / 13)),
        }
        made.append(pa.table({name: pa.array(columns[name]) for name in columns}).cast(schema))
    append_tables(world.lake, made)


def live_files(world: World, day: str) -> list[str]:
    return sorted(path for path in world.lake.paths() if day in path)


def key_ranges(paths: Sequence[str], order: RowOrder, ranked_by: Columns) -> list[tuple[int, int]]:
    """Return the least and the greatest key of each file, among all of them."""
    tables = [pq.read_table(path.removeprefix("file://"), partitioning=None) for path in paths]
    names = {1: "id", 3: "value", 4: "note"}
    whole = pa.concat_tables(tables)
    keys = keys_of([whole[names[column.field_id]] for column in order.columns], order, sample=ranked_by).values
    parts = np.split(keys, np.cumsum([table.num_rows for table in tables])[:-1])
    return sorted((int(part.min()), int(part.max())) for part in parts)


def check_no_overlap(world: World, strategy: str, made: Sequence[Looked] = ()) -> None:
    """Hold that files of a partition follow one another in the order: at most the ends of two are equal."""
    for day in DAYS:
        paths = live_files(world, day)
        assert len(paths) >= 4
        samples = [one.ranked_by for one in made] or [()]
        found = [key_ranges(paths, ORDERS[strategy], sample) for sample in samples]
        # of several partitions each has a sample of its own, and is in order by that
        assert any(all(one[1] <= other[0] for one, other in pairwise(ranges)) for ranges in found)


async def in_full(world: World) -> Run:
    return await world.finish((await world.submit(FULL)).id)


@pytest.mark.parametrize(
    ("strategy", "through"),
    [("sort", "disk"), ("zorder", "memory"), *(pytest.param(*case, marks=pytest.mark.deep) for case in DEEP_ORDERS)],
)
async def test_a_partition_of_many_groups_is_one_order_after_one_run_and_no_row_is_lost(
    world: World, strategy: str, through: str, request: pytest.FixtureRequest
) -> None:
    """L6, L7: the output files of a partition do not overlap."""
    made = request.getfixturevalue("on_disk").made if through == "disk" else ()
    for day, rows in zip(DAYS, ((3, 77, 30_000), (0,)), strict=True):
        victim = live_files(world, day)[4]
        deletes = delete_file(world.lake.table, [(victim, row) for row in rows], partition=Record(day))
        commit_deletes(world.lake.table, deletes)
    before = content(world)
    assert before.num_rows == len(DAYS) * FILES * ROWS - 4
    await world.set_policy({"rewrite": SMALL | POLICIES[strategy], "verification": "content"})
    run = await in_full(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert (run.plan["groups"], run.result.document["deleted_rows"]) == (len(DAYS), 4)
    assert run.plan["prediction"]["input_bytes"] > 5 * len(DAYS) * MIB
    assert run.result.document["checked"]["groups"] == len(DAYS)
    assert content(world) == before
    check_no_overlap(world, strategy, made)
    again = await in_full(world)
    assert (again.state, again.reason) == (RunState.SKIPPED, "nothing_to_do")


async def test_inputs_are_read_once_however_often_rows_go_through_the_disk(world: World, on_disk: type[Looked]) -> None:
    await world.set_policy({"rewrite": SMALL | POLICIES["hilbert"]})
    run = await in_full(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(on_disk.made) == len(DAYS)
    assert run.result.document["measured"]["bytes_read"] == run.result.rewritten_bytes


async def test_a_partition_above_max_ordered_bytes_becomes_several_groups(world: World) -> None:
    before = content(world)
    await world.set_policy({"rewrite": SMALL | POLICIES["sort"] | {"max_ordered_bytes": "3MiB"}})
    run = await in_full(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert run.plan["groups"] >= 2 * len(DAYS)
    assert content(world) == before
    with pytest.raises(AssertionError):  # as every file has rows from all over
        check_no_overlap(world, "sort")


async def test_a_cancel_while_rows_are_on_disk_leaves_nothing_half_done(world: World, on_disk: type[Looked]) -> None:
    """One partition may be committed by then; of the other nothing is."""
    before, paths = content(world), set(world.lake.stored_files())
    await world.set_policy({"rewrite": SMALL | POLICIES["sort"], "limits": {"parallel_groups": 1}})
    run = await world.submit(FULL)
    reached = threading.Event()

    def cancel() -> None:
        reached.set()
        world.cancel_soon(run.id)()
        for _ in range(3000):  # until this thread is stopped
            threading.Event().wait(0.02)

    on_disk.at_ranges = staticmethod(cancel)
    ended = await world.finish(run.id)
    assert reached.is_set()
    assert ended.state is RunState.CANCELLED
    assert world.lake.stored_files() == paths
    assert content(world) == before


async def test_a_task_that_died_while_it_ordered_is_done_again_and_leaves_nothing(
    world: World, on_disk: type[Looked]
) -> None:
    """The second partition's task fails each time: the first is committed whole, the second is as it was."""
    before = content(world)
    await world.set_policy({"rewrite": SMALL | POLICIES["zorder"], "limits": {"parallel_groups": 1}})
    deaths = 0

    def die() -> None:
        nonlocal deaths
        if len(on_disk.made) >= 2:
            deaths += 1
            raise OSError(28, "No space left on device")

    on_disk.at_ranges = staticmethod(die)
    run = await in_full(world)
    assert (run.state, run.reason, deaths) == (RunState.FAILED, "groups_failed", 2)
    assert (run.result.groups_committed, len(world.lake.replaces())) == (1, 1)
    assert content(world) == before
    assert sorted(len(live_files(world, day)) == FILES for day in DAYS) == [False, True]
    live = {path.removeprefix("file://") for path in world.lake.paths()}
    written = {path for path in world.lake.stored_files() if run.id in path}
    assert written == {path for path in live if run.id in path}
