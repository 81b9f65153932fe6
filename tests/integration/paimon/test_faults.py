"""Faults during whole runs on Paimon tables: JVMs that end, damaged manifests, and tables with very many buckets."""

import json
import os
import signal
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from engine.domain.policies import Strategy
from engine.domain.runs.hot_partitions import NONE_HOT
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import GroupState, Run, RunState
from engine.formats.paimon.task.core_process import CORE_PROCESSES, CoreProcess
from engine.formats.paimon.task.tables import BucketCalls
from engine.planning.predictions.run_statistics import NO_STATISTICS
from engine.services.planning.engines import choose_engine
from engine.services.planning.planner import plan_run
from engine.spark.dispatch import Ticket
from tests.interleaving.checks import check
from tests.support.local_dispatch import LocalDispatcher
from tests.support.paimon.edits import newest
from tests.support.paimon.lakes import PaimonLake
from tests.support.paimon.rewrites import committed, opened, rewritten
from tests.support.paimon.worlds import TwinLake
from tests.support.planning import policy_of
from tests.support.world import World

TOO_SMALL: Final = 24 * 2**20
"""A heap in which the core starts, and is too small to merge a bucket."""
FAILING: Final = 2
"""The ordinal of the group whose tasks fail."""
BUCKETS: Final = 10_000 if "PACKHOUSE_DEEP" in os.environ else 100

pytestmark = pytest.mark.usefixtures("core_child", "redis")


def change_tasks(monkeypatch: pytest.MonkeyPatch, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the payload of the failing group's tasks before they run."""
    real = LocalDispatcher.run

    def changed(
        self: LocalDispatcher, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]
    ) -> list[str]:
        asked = [json.loads(payload) for payload in payloads]
        for each in asked:
            if each.get("group") == FAILING:
                change(each)
        return real(self, ticket, function, [json.dumps(each) for each in asked])

    monkeypatch.setattr(LocalDispatcher, "run", changed)


async def check_that_only_one_group_failed(world: World[TwinLake], run: Run) -> None:
    assert (run.state, run.reason) == (RunState.FAILED, "groups_failed"), run.detail
    async with world.container.database.read() as unit:
        groups = await unit.groups.list(run.id)
    assert {each.ordinal for each in groups if each.state is GroupState.DROPPED} == {FAILING}
    assert run.result.groups_committed == len(groups) - 1 == 3
    check(world, run, world.lake.twin_rows())


@pytest.mark.deep  # `core/test_core_process` shows it of a task
async def test_a_heap_that_is_too_small_for_one_bucket_fails_its_group_only(
    world: World[TwinLake], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The JVM ends by running out of memory, in the second try too; the other buckets are committed."""
    world.lake.both("add_column", name="text", kind="STRING")
    world.lake.write("2026-11-02", first=0, rows=60)

    def shrink(task: dict[str, Any]) -> None:
        task.update(heap_bytes=TOO_SMALL, heap_limit_bytes=TOO_SMALL)

    real = CoreProcess.serves

    def serves(self: CoreProcess, path: str, heap_bytes: int) -> bool:
        is_larger = heap_bytes == TOO_SMALL < self._heap_bytes  # that of a task before it would do
        return not is_larger and real(self, path, heap_bytes)

    monkeypatch.setattr(CoreProcess, "serves", serves)
    change_tasks(monkeypatch, shrink)
    run = await world.rewrite()
    await check_that_only_one_group_failed(world, run)
    assert "the heap of Paimon's core, 24 MiB, is too small for this bucket" in (run.detail or "")


@pytest.mark.parametrize("times", [1, 9])
async def test_a_jvm_that_is_killed_during_a_compaction_is_started_again(
    world: World[TwinLake], monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Once: the second try succeeds. Always: the group fails, the others are committed."""
    kills, real = [signal.SIGKILL] * times, BucketCalls.compact

    def compact(self: BucketCalls, scratch: str) -> Any:
        child = CORE_PROCESSES._child
        if self._task.group == FAILING and kills and child is not None:
            killer = threading.Timer(0.0, os.kill, (child.pid, kills.pop()))
            killer.start()
            killer.join()
        return real(self, scratch)

    monkeypatch.setattr(BucketCalls, "compact", compact)
    run = await world.rewrite()
    if times == 1:
        assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 4), run.detail
        check(world, run, world.lake.twin_rows())
    else:
        await check_that_only_one_group_failed(world, run)
        assert "the JVM of Paimon's core ended with code -9" in (run.detail or "")


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("before_commit", "gave_up"),
        pytest.param("commit_marked", "gave_up", marks=pytest.mark.deep),
        ("after_commit", "table_unreadable"),
    ],
)
async def test_a_manifest_that_is_damaged_during_a_run(world: World[TwinLake], step: str, reason: str) -> None:
    """The run ends with the file's name; once the file is whole again, another run succeeds, and no row is lost."""
    damaged: list[tuple[Path, bytes]] = []

    def damage() -> None:
        folder = world.lake.ours.folder
        name = json.loads(newest(folder).read_text())["deltaManifestList"]
        path = folder / "manifest" / name
        damaged.append((path, path.read_bytes()))
        path.write_bytes(damaged[0][1][: len(damaged[0][1]) // 2])

    world.at(step, damage)
    run = await world.rewrite()
    for path, content in damaged:
        path.write_bytes(content)
    assert (run.state, run.reason) == (RunState.FAILED, reason), run.detail
    assert damaged[0][0].name in (run.detail or "")
    again = await world.rewrite()
    assert again.state in (RunState.SUCCEEDED, RunState.SKIPPED), again.detail
    check(world, again, world.lake.twin_rows())


def test_a_few_of_very_many_buckets_are_compacted(lake: PaimonLake) -> None:
    """Only buckets with many sorted runs are planned; nothing of the others changes."""
    lake.create(
        [("id", "BIGINT NOT NULL"), ("v", "INT")],
        primary_keys=["id"],
        bucket=str(BUCKETS),
        write_only="true",
        file__format="avro",
    )
    for turn in range(6):
        lake.write([[number, turn] for number in range(BUCKETS if turn == 0 else 3)])
    before, values = lake.open().digest(), lake.call("values")
    table = opened(lake)
    chosen = choose_engine(table, policy_of({"rewrite": {"strategy": Strategy.BINPACK.value}}))
    plan = plan_run(chosen, RunRequest(), NO_STATISTICS, NONE_HOT)
    assert sorted(len(group.inputs) for group in plan.groups) == [6, 6, 6]
    proof = committed(lake, table, rewritten(table, full=False))
    assert proof.ok, proof.checks
    assert lake.call("values") == values
    after = set(lake.open().digest()["path"].to_pylist())
    untouched = set(before["path"].to_pylist()) - {each.path for group in plan.groups for each in group.inputs}
    assert untouched <= after
    assert len(untouched) > 0.5 * BUCKETS
