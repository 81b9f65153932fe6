"""Faults around calls of a procedure: what it says is one thing, what the table holds is another, and that counts.

The procedure is played by the kernel's own writer and commit, unsigned, on the real table (`PlayedProcedures`); real
ones on real Spark are in `tests/spark/test_native_rewrites.py`.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from redis.asyncio import Redis

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Interrupted, NotEligible, SparkFailed, Transient
from engine.domain.fleet.limits import FleetLimits
from engine.domain.ids import RunId
from engine.domain.runs.procedures import PartitionTest, ProcedureCall, SparkTable
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState, WaitingFor
from engine.domain.tables.table import TableRef
from engine.formats.iceberg import IcebergFormat
from engine.formats.iceberg.commits import commit
from engine.services.runs.attempts import AttemptStop, Stop
from engine.spark.dispatch import Ticket
from tests.support.attempts import advanced, content, raising
from tests.support.eventually import eventually
from tests.support.iceberg_tables import (
    edit_metadata,
    groups_by_partition,
    nothing,
    request_of,
    write_group,
    write_parquet,
)
from tests.support.settings import settings_of
from tests.support.world import Lake, World, make_lake, open_on

APPLICATION = "local-1"


@dataclass
class PlayedProcedures:
    """Procedures that change the lake; `before` and `after` run around a call that commits, each once."""

    lake: Lake
    before: list[Callable[[], None]] = field(default_factory=list)
    after: list[Callable[[], None]] = field(default_factory=list)
    calls: list[ProcedureCall] = field(default_factory=list)
    lost_rows: int = 0
    does_nothing: bool = False

    def application(self, _ticket: Ticket) -> str:
        return APPLICATION

    def check_table(self, _ticket: Ticket, table: SparkTable, snapshot_id: int) -> None:
        if self.lake.table.snapshot_by_id(snapshot_id) is None:
            message = f"{table} has no snapshot {snapshot_id}"
            raise NotEligible(message)

    def refresh(self, _ticket: Ticket, _table: SparkTable) -> None:
        """Nothing is held."""

    def count_rows(self, _ticket: Ticket, _t: SparkTable, _snapshot_id: int, _where: Sequence[PartitionTest]) -> int:
        message = "no test compares rows on this path"
        raise AssertionError(message)

    def call(self, _ticket: Ticket, asked: ProcedureCall) -> None:
        self.calls.append(asked)
        if self.before:
            self.before.pop(0)()
        if not self.does_nothing:
            self._rewrite(asked)
        if self.after:
            self.after.pop(0)()

    def _rewrite(self, asked: ProcedureCall) -> None:
        opened = IcebergFormat().connect("lake", self.lake.properties).open_table(TableRef("lake", ("lake",), "events"))
        (test,) = asked.where
        partition = f'{{"day":"{test.value}"}}'
        group = next(each for each in groups_by_partition(opened) if each.partition == partition)
        written = write_group(opened, group, attempt=len(self.calls))
        if self.lost_rows:
            (whole,) = written.outputs
            rows = pq.read_table(whole.path.removeprefix("file://"))
            written = replace(written, outputs=(write_parquet(whole.path, rows.slice(self.lost_rows)),))
        opened.commits.commit(request_of(opened, written), before_try=nothing)
        edit_metadata(self.lake.table, _unsign)


def _unsign(metadata: dict[str, Any]) -> None:
    summary = metadata["snapshots"][-1]["summary"]
    for name in [each for each in summary if each.startswith("packhouse.")]:
        del summary[name]
    summary["app-id"] = APPLICATION


@pytest.fixture
async def lake(tmp_path: Path) -> Lake:
    made = await asyncio.to_thread(make_lake, tmp_path / "w", days=3)
    made.properties["packhouse.spark-catalog"] = "lake"
    return made


@pytest.fixture
def played(lake: Lake) -> PlayedProcedures:
    return PlayedProcedures(lake)


@pytest.fixture
async def world(
    sqlite_url: str, redis: Redis, redis_url: str, played: PlayedProcedures, tmp_path: Path
) -> AsyncIterator[World]:
    """A container whose table is rewritten by the played procedure."""
    settings = settings_of(tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, watch=False)
    async with open_on(played.lake, settings, procedures=played) as opened:
        await opened.set_policy({"rewrite": {"engine": "native"}})
        yield opened


def replaces(lake: Lake) -> int:
    return len(lake.replaces())


async def test_each_partition_is_a_call_and_every_one_is_proven(world: World, played: PlayedProcedures) -> None:
    """U3: each partition is committed separately."""
    before = content(world)
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert {call.where[0].value for call in played.calls} == {"2026-11-01", "2026-11-02", "2026-11-03"}
    assert all(proof["ok"] for proof in run.result.verifications)
    assert run.unsettled == frozenset()
    assert (run.result.rewritten_files, run.result.added_files) == (18, 3)
    assert content(world) == before


async def test_l17_a_call_has_no_more_tasks_than_the_fleet_and_holds_a_slot_for_each(
    world: World, played: PlayedProcedures
) -> None:
    limits, database = world.container.limits, world.container.database
    await limits.replace(SYSTEM, FleetLimits(parallel_groups=3), version=(await limits.get(SYSTEM)).version)
    loop, held = asyncio.get_running_loop(), list[int]()

    async def in_use() -> int:
        async with database.read() as unit:
            return await unit.task_slots.in_use()

    def look() -> None:
        held.append(asyncio.run_coroutine_threadsafe(in_use(), loop).result(timeout=30))

    played.before += [look] * 3
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    assert [call.options["max-concurrent-file-group-rewrites"] for call in played.calls] == [3, 3, 3]
    assert (held, await in_use()) == ([3, 3, 3], 0)


async def test_rules_of_a_table_for_the_procedure_are_judged_by_its_policy(world: World) -> None:
    """The procedure takes whole partitions as groups: sizes beyond those that a policy can have."""
    health = await world.container.observations.health(SYSTEM, world.table_id)
    explained = await world.container.explain.explain(SYSTEM, world.table_id)
    assert [rule["name"] for rule in explained["triggers"]["rules"]]
    assert explained["now"]["outcome"] == "rewrite"
    assert health["due"]["is_due"] == explained["due"]
    run = await world.submit(RunRequest(only_due=True))
    assert (await world.finish(run.id)).reason != "internal_error"


async def test_f3_a_call_that_says_yes_and_does_nothing_is_no_success(world: World, played: PlayedProcedures) -> None:
    played.does_nothing = True
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.REFUSED, "groups_refused")
    assert "replaced no file" in (run.detail or "")
    assert replaces(world.lake) == 0


async def test_f2_a_call_that_says_no_after_it_committed_counts_as_what_it_did(
    world: World, played: PlayedProcedures
) -> None:
    played.after.append(raising(SparkFailed("CommitStateUnknownException: no answer")))
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert len(played.calls) == 3


async def test_f1_what_a_failed_call_said_is_the_runs_reason(world: World, played: PlayedProcedures) -> None:
    played.before.append(raising(SparkFailed("java.lang.OutOfMemoryError: heap")))
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.FAILED, "groups_failed")
    assert "OutOfMemoryError" in (run.detail or "")
    assert run.result.groups_committed == replaces(world.lake) == 2


async def test_f18_a_lost_race_cools_the_partition_down(world: World, played: PlayedProcedures) -> None:
    conflict = {"text": "Caused by: org.apache.iceberg.exceptions.ValidationException: Missing required files"}
    played.before += [raising(SparkFailed("ValidationException", details=conflict)) for _ in range(3)]
    run = await world.submit()
    run = await advanced(world, run)
    assert (run.state, run.waiting_for) == (RunState.QUEUED, WaitingFor.CONFLICT_BACKOFF), run.detail
    assert run.result.races.groups_lost == 3
    assert run.unsettled == frozenset()


async def test_f14_a_lost_answer_is_read_from_the_table_and_nothing_is_called_twice(
    world: World, played: PlayedProcedures
) -> None:
    played.after.append(raising(Transient("Spark is away")))
    run = await world.submit()
    parked = await advanced(world, run)
    assert (parked.state, len(parked.unsettled)) == (RunState.QUEUED, 1)
    run = await world.finish(run.id)
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert replaces(world.lake) == len(played.calls) == 3


async def test_f5_a_call_that_lost_rows_is_rolled_back_and_the_run_fails(
    world: World, played: PlayedProcedures, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(world)
    monkeypatch.setattr(commit, "check_rows", lambda _request: None)  # the played procedure has no such guard
    played.lost_rows = 1
    run = await world.rewrite()
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken"), run.detail
    assert "rolled back" in (run.detail or "")
    assert content(world) == before


async def test_a_cancel_between_calls_keeps_what_is_committed(world: World, played: PlayedProcedures) -> None:
    before = content(world)
    run = await world.submit()
    played.after.append(world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert run.state is RunState.CANCELLED
    assert run.result.groups_committed == replaces(world.lake) == len(played.calls)
    assert len(played.calls) < 3
    assert content(world) == before


async def test_a_foreign_rewrite_of_the_same_partition_is_not_taken_for_ours(
    world: World, played: PlayedProcedures
) -> None:
    """Another application replaced the files that the call was to replace, and the call failed for that."""

    def other() -> None:
        played._rewrite(played.calls[-1])
        edit_metadata(world.lake.table, lambda m: m["snapshots"][-1]["summary"].update({"app-id": "somebody"}))
        text = "Caused by: org.apache.iceberg.exceptions.ValidationException: Missing required files to delete"
        raise SparkFailed("ValidationException", details={"text": text})

    played.before.append(other)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED
    assert (run.result.groups_committed, run.result.races.groups_lost) == (2, 1)


async def test_a_table_that_was_rolled_back_under_a_lost_call_does_not_hold_the_run_for_ever(
    world: World, played: PlayedProcedures
) -> None:
    before = content(world)
    parent = world.lake.table.metadata.snapshots[-2].snapshot_id

    def roll_back_and_vanish() -> None:
        with world.lake.table.manage_snapshots() as manage:
            manage.set_current_snapshot(snapshot_id=parent)
        message = "Spark is away"
        raise Transient(message)

    played.after.append(roll_back_and_vanish)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert run.unsettled == frozenset()
    assert len(content(world)) < len(before)  # the last append was rolled back, by somebody else
    assert run.result.groups_committed == 3


@pytest.mark.parametrize(("stops", "committed"), [(False, 1), (True, 0)])
async def test_a_pause_acts_between_calls_or_interrupts_one_and_the_run_goes_on_after_it(
    world: World, played: PlayedProcedures, stops: bool, committed: int
) -> None:
    before = content(world)
    loop = asyncio.get_running_loop()
    columns = f"paused_at = created_at, paused_by = 'op', pause_reason = 'backfill', pause_stops = {stops}"

    def pause() -> None:
        world.execute(f"UPDATE tables SET {columns} WHERE id = :id", RunId(world.table_id))
        (attempt,) = world.container.worker._attempts
        stop = AttemptStop(Stop.INTERRUPTED if stops else Stop.DRAINED)
        loop.call_soon_threadsafe(attempt.request_stop, stop)
        if stops:
            eventually(attempt.interrupted.is_set)
            message = "the Spark operation was interrupted"
            raise Interrupted(message)

    played.before.append(pause)
    run = await world.submit()
    parked = await advanced(world, run)
    assert (parked.state, parked.waiting_for, parked.failures) == (RunState.QUEUED, WaitingFor.PAUSED, 0), parked.detail
    assert replaces(world.lake) == committed
    assert parked.unsettled == frozenset()
    await world.container.pauses.resume_table(SYSTEM, world.table_id)
    ended = await world.finish(run.id)
    assert (ended.state, ended.result.groups_committed) == (RunState.SUCCEEDED, 3), ended.detail
    assert replaces(world.lake) == 3
    assert content(world) == before
