"""New rows of key tables, kept by a coordinator: when readers see them, and when writers are asked to slow down."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import make_url

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.watches import Verdict
from engine.services.tables.backpressure import BucketLoad
from tests.support.moved_clock import MovedClock
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.worlds import Kind, TwinLake, served
from tests.support.passing_time import PassingTime
from tests.support.settings import settings_of
from tests.support.watching import AT_ONCE, Watching, finish_live
from tests.support.world import World, open_on

pytestmark = pytest.mark.usefixtures("core_child")

BASE_ROWS: Final = 2000
LOOKUP, FORCED_EVERY = "rewrite.key_tables.lookup", "rewrite.key_tables.forced_every"
VECTORS: Final = {"deletion-vectors.enabled": "true"}


@dataclass
class Kept:
    """A table of one bucket, its writer, and a coordinator."""

    world: World[TwinLake]
    time: PassingTime
    next_id: int = 0

    @property
    def lake(self) -> PaimonLake:
        return self.world.lake.ours

    async def write(self, rows: int = 5) -> None:
        """Commit rows with new keys, one file of level 0."""
        values = [[number, 0.5] for number in range(self.next_id, self.next_id + rows)]
        self.next_id += rows
        await asyncio.to_thread(self.lake.write, values)

    async def verdict(self) -> Verdict:
        return (await self.time.watching.look(wake=True)).verdict

    async def compacted(self) -> Run:
        """Let the run that began come to its end."""
        run = await finish_live(self.world)
        assert run.state is RunState.SUCCEEDED, (run.reason, run.detail)
        return run

    async def read(self, view: str = "") -> int:
        """Return the number of rows that a reader finds; `$ro`: in the read-optimized view."""
        lake = self.lake
        table = f"{lake.name}{view}"
        return len(await asyncio.to_thread(lake.core.call, "values", warehouse=lake.warehouse, table=table))

    def levels(self) -> list[int]:
        return sorted(self.lake.open().digest()["level"].to_pylist())

    async def load(self) -> tuple[bool, BucketLoad]:
        """Return whether writers should slow down, and the fullest bucket as last measured."""
        advised = await self.world.container.backpressure.advise(SYSTEM, self.world.table_id)
        assert advised.load is not None
        return advised.slow_down, advised.load


Opener = Callable[..., AbstractAsyncContextManager[Kept]]


@pytest.fixture
def opener(paimon_core: PaimonCore, sqlite_url: str, redis_url: str, tmp_path: Path) -> Opener:
    """Return an opener of a new table with options, under a policy; each has a record of its own."""
    empty = Path(str(make_url(sqlite_url).database)).read_bytes()

    @asynccontextmanager
    async def opened(options: dict[str, str], number: int = 0, **policy: Any) -> AsyncIterator[Kept]:
        folder = tmp_path / str(number)
        folder.mkdir()
        lake = PaimonLake(paimon_core, folder / "warehouse")
        columns = [("id", "BIGINT NOT NULL"), ("v", "DOUBLE")]
        options = {"bucket": "1", "write-only": "true", **options}
        lake.call("create", columns=columns, partition_keys=[], primary_keys=["id"], options=options)
        (folder / "record.db").write_bytes(empty)
        database = f"sqlite+aiosqlite:///{folder / 'record.db'}"
        settings = settings_of(
            folder / "state", database_url=database, redis_url=redis_url, lease_seconds=30, watch=False
        )
        async with open_on(TwinLake(Kind(("id",), options), lake, lake), settings, formats=served) as world:
            if policy:
                await world.set_policy(policy)
            watching = Watching(world)
            yield Kept(world, PassingTime(watching, await MovedClock.of(world.container.database)))
            await watching.service.close()

    return opened


@pytest.mark.parametrize(
    "options",
    [VECTORS, {"merge-engine": "first-row"}, {"changelog-producer": "lookup"}],
    ids=["vectors", "first row", "changelog"],
)
async def test_p20_new_rows_are_compacted_at_each_commit_without_the_rest_of_their_bucket(
    opener: Opener, options: dict[str, str]
) -> None:
    """The table's options alone ask for it: no policy names `lookup`, and no trigger holds."""
    async with opener(options, schedule=AT_ONCE) as kept:
        is_hidden = "changelog-producer" not in options
        await kept.write(BASE_ROWS)
        assert await kept.read() == (0 if is_hidden else BASE_ROWS)
        assert await kept.verdict() is Verdict.SUBMITTED
        assert (await kept.compacted()).request["cause"]["rule"] == LOOKUP
        assert (await kept.read(), await kept.read("$ro"), kept.levels()) == (BASE_ROWS, BASE_ROWS, [5])
        assert await kept.verdict() is Verdict.NOT_DUE
        await kept.write()
        assert await kept.verdict() is Verdict.SUBMITTED
        await kept.compacted()
        assert kept.levels() == [4, 5]  # the new rows alone were written
        assert (await kept.read(), await kept.read("$ro")) == (BASE_ROWS + 5, BASE_ROWS)
        assert await kept.verdict() is Verdict.NOT_DUE


async def test_p20_new_rows_are_read_a_minimum_interval_and_a_look_after_their_commit(opener: Opener) -> None:
    """With no policy at all: the longest wait is the 10 minutes of `balanced`, until the next look, and the run."""
    async with opener(VECTORS) as kept:
        await kept.world.container.tables.get(SYSTEM, kept.world.table_id)
        await kept.time.clock.pass_by(minutes=16)  # new tables wait 15 minutes before their first run
        await kept.write()
        assert await kept.verdict() is Verdict.SUBMITTED
        first = await kept.compacted()
        await kept.write()
        assert await kept.read() == 5
        assert first.started_at is not None
        again = await kept.time.until(first.started_at + timedelta(minutes=11))
        assert again is not None
        assert timedelta(minutes=10) <= again.created_at - first.started_at <= timedelta(minutes=11)
        await kept.compacted()
        assert await kept.read() == 10


GENTLE: Final = {"lookup-compact": "gentle", "lookup-compact.max-interval": "3"}


@pytest.mark.parametrize(
    ("options", "settings"),
    [(VECTORS, {"lookup": "lazy", "forced_every": 3}), (VECTORS | GENTLE, {})],
    ids=["policy", "options of the table"],
)
async def test_p21_p22_gently_new_rows_wait_for_a_number_of_commits_which_begins_a_run(
    opener: Opener, options: dict[str, str], settings: dict[str, Any]
) -> None:
    async with opener(options, schedule=AT_ONCE, rewrite={"key_tables": settings}) as kept:
        for _ in range(3):
            await kept.write()
            assert await kept.verdict() is Verdict.NOT_DUE
        assert await kept.read() == 0
        await kept.write()
        assert await kept.verdict() is Verdict.SUBMITTED
        assert (await kept.compacted()).request["cause"]["rule"] == FORCED_EVERY
        assert (await kept.read(), kept.levels()) == (20, [5])
        assert await kept.verdict() is Verdict.NOT_DUE


async def test_p22_an_interval_is_refused_for_a_table_that_is_not_gentle(opener: Opener) -> None:
    async with opener(VECTORS) as kept:
        with pytest.raises(InvalidInput) as refused:
            await kept.world.set_policy({"rewrite": {"key_tables": {"forced_every": 5}}})
        (problem,) = refused.value.problems
        assert problem.pointer == "/rewrite/key_tables/forced_every"
        assert "'eager', table property" in problem.message
        assert "set rewrite.key_tables.lookup to 'lazy'" in str(problem.hint)
        await kept.world.set_policy({"rewrite": {"key_tables": {"lookup": "lazy", "forced_every": 5}}})


async def stalls_of_a_writer(kept: Kept, commits: int) -> tuple[int, int]:
    """Write to a table whose compaction ends only while the writer waits.

    Returns:
        How often the writer, which obeys back-pressure, waited, and the most sorted runs that a reader merged.
    """
    stalls = most = 0
    for _ in range(commits):
        await kept.write()
        await kept.verdict()
        slow_down, load = await kept.load()
        most = max(most, load.fullest.sorted_run_count)
        if slow_down:
            stalls += 1
            await kept.compacted()
            await kept.verdict()
            slow_down, _ = await kept.load()
        assert not slow_down
    return stalls, most


async def test_p23_a_larger_stop_trigger_makes_a_writer_wait_less_often_and_its_readers_merge_more(
    opener: Opener,
) -> None:
    """Three above the trigger, as the table's option has it, and as the policy has it in spite of the table's."""
    option = {"num-sorted-run.stop-trigger": "7"}
    found = []
    for number, (options, settings) in enumerate([({}, {}), (option, {}), (option, {"stop_trigger": 9})]):
        document = {
            "rewrite": {"key_tables": {"sorted_run_trigger": 2, **settings}},
            "triggers": [{"name": "runs", "all": [{"metric": "sorted_run_count", "at_least": 2}]}],
            "schedule": AT_ONCE,
        }
        async with opener(options, number, **document) as kept:
            found.append(await stalls_of_a_writer(kept, 9))
            assert await kept.read() == 45
    assert found == [(2, 5), (1, 7), (1, 9)]


async def test_p25_more_sorted_runs_cost_fewer_rewritten_bytes_and_a_reader_merges_more_of_them(
    opener: Opener,
) -> None:
    """The same stream under the three presets of Paimon, each compaction at once."""
    found = []
    for number, preset in enumerate(("paimon-low-latency", "paimon-universal", "paimon-write-heavy")):
        runs = rewritten = most = 0
        async with opener({}, number, preset=preset, schedule=AT_ONCE) as kept:
            for _ in range(11):
                await kept.write()
                submitted = await kept.verdict() is Verdict.SUBMITTED
                most = max(most, (await kept.load())[1].fullest.sorted_run_count)
                if submitted:
                    run = await kept.compacted()
                    runs, rewritten = runs + 1, rewritten + run.result.rewritten_bytes
            assert await kept.read() == 55
        found.append((runs, rewritten, most))
    all_runs, all_rewritten, all_most = zip(*found, strict=True)
    assert all_most == (3, 5, 10)
    assert all_runs == (5, 2, 1)
    assert all_rewritten[0] > all_rewritten[1] > all_rewritten[2] > 0
