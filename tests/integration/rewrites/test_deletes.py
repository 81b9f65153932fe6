"""Runs that rewrite delete files: the same rows, proven, resumed, cancelled, scheduled, explained."""

from collections.abc import Callable
from typing import Any

import pytest
from pyiceberg.manifest import DataFileContent
from pyiceberg.table import Table

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput, OutcomeUnknown
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict
from engine.formats.base import Condition, DeleteProof, RollBack
from engine.formats.iceberg.commits.tries import CommitTries
from engine.formats.iceberg.table import IcebergTable
from engine.services.operations.metadata.deletes import DeleteAttempt
from engine.services.runs.attempts import Stop
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.support.watching import DAY, Watching, finish_live, runs_of, set_policy
from tests.support.world import World

DELETES = RunRequest(Operation.REWRITE_DELETES)
ON = {"rewrite_deletes": {"interval": "1h", "at_least_files": 5}}


def delete_rows(table: Table, *, times: int = 3) -> None:
    """Commit delete files for the first rows of some data files, several for each."""
    tasks = sorted(table.scan().plan_files(), key=lambda task: task.file.file_path)[:4]
    for at in range(times):
        for task in tasks:
            file = delete_file(table, [(task.file.file_path, at)], partition=task.file.partition)
            commit_deletes(table.refresh(), file)


def count(world: World) -> int:
    """Return the number of live delete files of the head."""
    table = world.lake.table
    head = table.current_snapshot()
    assert head is not None
    entries = (each for m in head.manifests(table.io) for each in m.fetch_manifest_entry(table.io))
    return sum(each.data_file.content != DataFileContent.DATA for each in entries)


def snapshots_of(world: World, run: Run) -> list[int]:
    return [
        each.snapshot_id
        for each in world.lake.table.snapshots()
        if each.summary is not None and each.summary.get("packhouse.run-id") == run.id
    ]


def strays(world: World, run: Run) -> set[str]:
    """Return the stored files of a run that no snapshot lists."""
    table, listed = world.lake.table, set()
    for snapshot in table.snapshots():
        manifests = snapshot.manifests(table.io)
        listed |= {snapshot.manifest_list, *(each.manifest_path for each in manifests)}
        listed |= {each.data_file.file_path for m in manifests for each in m.fetch_manifest_entry(table.io)}
    names = {path.rpartition("/")[2] for path in listed}
    stored = {path.rpartition("/")[2] for path in world.lake.stored_files()}
    return {name for name in stored if run.id in name and not name.endswith(".metadata.json")} - names


@pytest.fixture
async def before(world: World) -> int:
    """Return the number of delete files of a table with the setting switched on."""
    await world.set_policy({"maintenance": ON})
    delete_rows(world.lake.table)
    return count(world)


async def rewritten(world: World) -> Run:
    return await world.finish((await world.submit(DELETES)).id)


async def test_u17_delete_files_become_fewer_and_rows_stay(world: World, before: int) -> None:
    ids, paths = world.lake.ids(), sorted(world.lake.paths())
    run = await rewritten(world)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    assert (world.lake.ids(), sorted(world.lake.paths())) == (ids, paths)
    result = run.result.document
    assert result["delete_files"] == {"before": before, "after": count(world)}
    assert result["rewritten_delete_files"] == before > count(world) == result["added_delete_files"]
    assert result["deleted_positions"] == {"read": before, "kept": before}
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert run.plan["rewritten_delete_files"] == before
    assert strays(world, run) == set()
    again = await rewritten(world)
    assert (again.state, again.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert "can be merged or dropped" in (again.detail or "")


async def test_a_rewrite_follows_and_applies_the_merged_deletes(world: World, before: int) -> None:
    ids = world.lake.ids()
    await rewritten(world)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert world.lake.ids() == ids


async def test_a_run_takes_no_fields_of_a_rewrite_and_needs_its_setting(world: World) -> None:
    with pytest.raises(InvalidInput, match="switched off for this table"):
        await world.submit(DELETES)
    await world.set_policy({"maintenance": ON})
    with pytest.raises(InvalidInput, match="force_full"):
        await world.submit(RunRequest(Operation.REWRITE_DELETES, force_full=True))


@pytest.mark.parametrize("step", ["claimed", "planned", "before_commit", "after_commit", "before_end"])
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, before: int, step: str) -> None:
    """Committed once, whatever the first attempt did, and no file is left."""
    ids = world.lake.ids()
    run = await world.submit(DELETES)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert (world.lake.ids(), len(snapshots_of(world, run))) == (ids, 1)
    assert run.result.document["rewritten_delete_files"] == before
    assert strays(world, run) == set()


@pytest.mark.parametrize("arrives", [True, False])
async def test_a_lost_answer_is_read_from_the_table(
    world: World, before: int, monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    send = CommitTries._send
    left = [1]

    def lost(self: CommitTries, *given: Any) -> bool:
        if not left:
            return send(self, *given)
        left.clear()
        if arrives:
            send(self, *given)
        raise OutcomeUnknown("the answer was lost")

    monkeypatch.setattr(CommitTries, "_send", lost)
    ids = world.lake.ids()
    run = await rewritten(world)
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 2), run.detail
    assert (world.lake.ids(), len(snapshots_of(world, run))) == (ids, 1)
    assert run.unsettled == frozenset()
    assert strays(world, run) == set()


async def test_a_commit_that_arrives_late_is_refused(
    world: World, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = CommitTries._send
    late: list[Callable[[], bool]] = []

    def delayed(self: CommitTries, *given: Any) -> bool:
        if late:
            return send(self, *given)
        late.append(lambda: send(self, *given))
        raise OutcomeUnknown("the answer was lost")

    monkeypatch.setattr(CommitTries, "_send", delayed)
    ids = world.lake.ids()
    run = await rewritten(world)
    assert late[0]() is False
    assert (run.state, world.lake.ids(), len(snapshots_of(world, run))) == (RunState.SUCCEEDED, ids, 1)


@pytest.mark.parametrize("step", ["claimed", "planned"])
async def test_a_cancelled_run_changes_nothing(world: World, before: int, step: str) -> None:
    location = world.lake.table.metadata_location
    run = await world.submit(DELETES)
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.CANCELLED, "cancelled")
    assert world.lake.table.metadata_location == location


@pytest.mark.parametrize("stop", [Stop.CANCELLED, Stop.SHUTDOWN])
async def test_a_stop_between_plan_and_request_is_obeyed(
    world: World, before: int, monkeypatch: pytest.MonkeyPatch, stop: Stop
) -> None:
    location, asked = world.lake.table.metadata_location, DeleteAttempt._may_send

    def stopped(self: DeleteAttempt) -> None:
        self._attempt.stop(stop)
        asked(self)

    monkeypatch.setattr(DeleteAttempt, "_may_send", stopped)
    run = await world.submit(DELETES)
    await world.container.worker.advance(run.id)
    ended = await world.get(run.id)
    wanted = (RunState.CANCELLED, "cancelled") if stop is Stop.CANCELLED else (RunState.QUEUED, "worker_stopped")
    assert (ended.state, ended.reason) == wanted, ended.detail
    assert world.lake.table.metadata_location == location
    assert strays(world, ended) == set()


async def test_f7_deletes_and_appends_between_plan_and_commit_are_kept(world: World, before: int) -> None:
    ids = len(world.lake.ids())

    def write() -> None:
        world.lake.append(day=DAY)
        table = world.lake.table
        task = min(table.scan().plan_files(), key=lambda each: each.file.file_path)
        file = delete_file(table, [(task.file.file_path, 20)], partition=task.file.partition)
        commit_deletes(table, file)

    world.at("before_commit", write)
    run = await rewritten(world)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(world.lake.ids()) == ids + 50 - 1


def failing(*_: Any) -> DeleteProof:
    return DeleteProof((Condition("same_deleted_positions", False, "1 position is missing"),), None)


async def test_a_snapshot_that_fails_its_proof_is_rolled_back(
    world: World, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    head, rows = world.lake.table.metadata.current_snapshot_id, world.lake.rows()
    monkeypatch.setattr(IcebergTable, "prove_deletes", failing)
    run = await rewritten(world)
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")
    assert "it was rolled back" in (run.detail or "")
    assert (world.lake.table.metadata.current_snapshot_id, world.lake.rows()) == (head, rows)


async def test_a_table_that_can_not_be_rolled_back_is_frozen(
    world: World, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(IcebergTable, "prove_deletes", failing)
    monkeypatch.setattr(IcebergTable, "roll_back", lambda *_: RollBack.FOLLOWED)
    run = await rewritten(world)
    assert "the table is frozen" in (run.detail or "")


async def test_the_coordinator_merges_many_delete_files_and_then_leaves_them(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[], maintenance={**ON, "rewrite_manifests": "off"})
    delete_rows(world.lake.table)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    (run,) = await runs_of(world)
    assert (run.operation, run.request["cause"]["rule"]) == (Operation.REWRITE_DELETES, "maintenance.rewrite_deletes")
    assert (await finish_live(world)).state is RunState.SUCCEEDED
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_few_delete_files_start_nothing_and_explain_states_the_limit(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[], maintenance={**ON, "rewrite_manifests": "off"})
    delete_rows(world.lake.table, times=1)
    assert (await watching.look()).verdict is Verdict.NOT_DUE
    (upkeep,) = (await world.container.explain.explain(SYSTEM, world.table_id))["upkeep"]
    assert "too few to start automatically (at_least_files: 5)" in upkeep["detail"]
