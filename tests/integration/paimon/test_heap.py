"""The heap of the core's JVM by bucket: estimated from files and options, sufficient, and within the limit."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest

from engine.domain.runs.run import GroupState, RunState
from engine.formats.base import Condition, Engine
from engine.formats.paimon.rewrite import tasks
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.formats.paimon.rewrite.heap import REMEDY
from engine.formats.paimon.table import PaimonTable
from engine.formats.paimon.task.contract import CoreTask
from engine.formats.paimon.task.core_process import CORE_PROCESSES
from engine.formats.paimon.view import TableView
from tests.interleaving.checks import check
from tests.support.format_subjects import local_core
from tests.support.paimon.compactions import compact
from tests.support.paimon.edits import edit_json
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.paimon.rewrites import opened, planned
from tests.support.paimon.worlds import TwinLake
from tests.support.world import World

MIB = 2**20
COLUMNS = [("id", "BIGINT NOT NULL"), ("text", "STRING")]

pytestmark = pytest.mark.usefixtures("core_child", "redis")


def task_of(lake: PaimonLake) -> CoreTask:
    ((_, task),) = planned(opened(lake), full=True)
    assert isinstance(task, CoreTask)
    return task


def filled(lake: PaimonLake, runs: int, mib: int, **options: str) -> PaimonLake:
    """Write a bucket of sorted runs with together about so many MiB."""
    lake.create(COLUMNS, primary_keys=["id"], bucket="1", write_only="true", **options)
    for seed in range(runs):
        lake.call("fill", rows=mib * MIB * 2 // 10_000 // runs + 1, text_bytes=10_000, seed=seed)
    return lake


def set_options(lake: PaimonLake, options: Mapping[str, str]) -> None:
    """Write options into the schema, also those that no client of the table could set."""
    schema = lake.folder / "schema" / "schema-0"
    edit_json(schema, options={**json.loads(schema.read_text())["options"], **options})


def count_sizes(table: PaimonTable, monkeypatch: pytest.MonkeyPatch, size_of: Callable[[int], int]) -> None:
    """Let every live file of a table have a size by its bucket."""
    live = table._view.live
    at = live.files.schema.get_field_index("file_bytes")
    sizes = [size_of(bucket) for bucket in live.files["bucket"].to_pylist()]
    changed = live.files.set_column(at, live.files.schema.field(at), [sizes])
    monkeypatch.setitem(table._view.__dict__, "live", replace(live, files=changed))


def test_a_small_bucket_asks_for_the_least_heap(lake: PaimonLake) -> None:
    task = task_of(filled(lake, 2, 1))
    assert (task.heap_bytes, task.heap_limit_bytes) == (256 * MIB, local_core().heap_limit_bytes)


def test_sizes_beyond_every_file_are_no_damage(lake: PaimonLake) -> None:
    filled(lake, 2, 1)
    set_options(lake, {"file.block-size": "8000000 tb", "sort-spill-threshold": "2147483647"})
    assert task_of(lake).heap_bytes == 256 * MIB


@pytest.mark.deep
def test_the_estimate_is_enough_for_a_bucket_that_the_least_heap_is_too_small_for(lake: PaimonLake) -> None:
    """Eight runs of 18 MiB: the core ends in 192 MiB."""
    task = task_of(filled(lake, 8, 144))
    assert task.heap_bytes == 512 * MIB
    CORE_PROCESSES.close()
    assert "OutOfHeap" in str(compact(replace(task, heap_bytes=160 * MIB, heap_limit_bytes=0)).reason)
    result = compact(replace(task, heap_limit_bytes=task.heap_bytes))
    assert (result.outcome, result.reason) == ("written", None)


@pytest.mark.parametrize(
    ("options", "heap"),
    [
        ({}, 512),  # eight runs are read at once
        ({"sort-spill-threshold": "2", "file.block-size": "64 mb"}, 256),
        ({"sort-spill-threshold": "24"}, 768),
        ({"num-sorted-run.stop-trigger": "2147483647"}, 768),
        ({"changelog-producer": "full-compaction"}, 512),
        ({"sort-spill-threshold": "2", "file.block-size": "4 mb"}, 256),
    ],
)
def test_options_that_decide_about_buffers_count(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch, options: Mapping[str, str], heap: int
) -> None:
    """24 runs whose files are counted as 8 MiB each."""
    lake = made_once(lake.core, lake.root, "24 runs", lambda made: filled(made, 24, 1))
    set_options(lake, options)
    table = opened(lake)
    count_sizes(table, monkeypatch, lambda _bucket: 8 * MIB)
    ((_, task),) = planned(table, full=True)
    assert task.heap_bytes == heap * MIB  # type: ignore[union-attr]


def test_explain_names_the_largest_heap_and_the_buckets_above_the_limit(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bucket of two is too large: the other one is compacted, so that the condition holds."""
    lake.create(COLUMNS, primary_keys=["id"], bucket="2", write_only="true")
    for _ in range(3):
        lake.write([[number, "a"] for number in range(20)])
    table = opened(lake)
    count_sizes(table, monkeypatch, lambda bucket: 200 * MIB if bucket else MIB)

    def condition() -> Condition:
        (found,) = [each for each in table.engines[Engine.NATIVE].conditions() if each.name == "native_heap"]
        return found

    said = "the largest of 2 buckets needs about 768 MiB of heap, of "
    assert (condition().holds, condition().detail) == (True, f"{said}1024 MiB")
    monkeypatch.setattr(CoreCalls, "heap_limit_bytes", 512 * MIB)
    assert condition().holds
    assert condition().detail == f"{said}512 MiB; 1 need more and are refused: {REMEDY}"
    monkeypatch.setattr(CoreCalls, "heap_limit_bytes", 128 * MIB)
    assert not condition().holds


async def test_buckets_that_need_more_heap_than_the_limit_are_refused_and_others_committed(
    world: World[TwinLake], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = tasks.needed_heap

    def needed(view: TableView, *, partition: bytes, bucket: int, trigger: int) -> int:
        found = real(view, partition=partition, bucket=bucket, trigger=trigger)
        return 3 * 2**30 if bucket else found

    monkeypatch.setattr(tasks, "needed_heap", needed)
    run = await world.rewrite()
    assert run.result.groups_committed == 2
    async with world.container.database.read() as unit:
        groups = await unit.groups.list(run.id)
    reasons = {str(each.reason) for each in groups if each.state is GroupState.DROPPED}
    assert len(reasons) == 1
    assert "the bucket needs about 3072 MiB of heap, and PACKHOUSE_PAIMON_HEAP_BYTES allows 1024 MiB" in reasons.pop()
    check(world, run, world.lake.twin_rows())


async def test_a_table_whose_buckets_all_need_more_is_refused(
    world: World[TwinLake], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CoreCalls, "heap_limit_bytes", 64 * MIB)
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "the largest of 4 buckets needs about 256 MiB of heap, of 64 MiB; 4 need more" in (run.detail or "")
