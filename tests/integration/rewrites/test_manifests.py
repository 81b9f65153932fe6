"""Runs that rewrite manifests: the same files in fewer manifests, proven, resumed, cancelled, scheduled, explained."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import InvalidInput, OutcomeUnknown
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict
from engine.formats.base import Condition, ManifestProof, RollBack
from engine.formats.iceberg.commits.tries import CommitTries
from engine.formats.iceberg.table import IcebergTable
from engine.services.operations.metadata.manifests import ManifestAttempt
from engine.services.runs.attempts import Stop
from tests.interleaving.writers import ACTIONS
from tests.support.watching import DAY, Watching, finish_live, runs_of, set_policy
from tests.support.world import World

MANIFESTS = RunRequest(Operation.REWRITE_MANIFESTS)


def count(world: World) -> int:
    head = world.lake.table.current_snapshot()
    assert head is not None
    return len(head.manifests(world.lake.table.io))


def snapshots_of(world: World, run: Run) -> list[int]:
    return [
        each.snapshot_id
        for each in world.lake.table.snapshots()
        if each.summary is not None and each.summary.get("packhouse.run-id") == run.id
    ]


def unlisted(world: World) -> set[str]:
    """Return the names of stored manifests and lists that no snapshot has."""
    table = world.lake.table
    listed = {
        path.rpartition("/")[2]
        for snapshot in table.snapshots()
        for path in (snapshot.manifest_list, *(each.manifest_path for each in snapshot.manifests(table.io)))
    }
    stored = {path.rpartition("/")[2] for path in world.lake.stored_files()}
    return {name for name in stored if name.endswith(".avro")} - listed


async def rewritten(world: World) -> Run:
    return await world.finish((await world.submit(MANIFESTS)).id)


@pytest.mark.parametrize("dies", [False, True])
async def test_a_snapshot_that_another_program_rolled_back_is_no_failed_proof(world: World, dies: bool) -> None:
    """The table is not frozen and nothing is rolled back; a next attempt does not repeat it."""
    run = await world.submit(MANIFESTS)
    world.at("after_commit", lambda: ACTIONS["roll_back"](world))
    if dies:
        world.at("taken_back", world.steal_lease(run.id))
        await world.container.worker.advance(run.id)
        await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.FAILED, "taken_back"), run.detail
    assert "another program rolled the table back" in (run.detail or "")
    assert len(snapshots_of(world, run)) == 1
    assert (await world.container.tables.get(SYSTEM, world.table_id)).freeze is None


async def test_manifests_become_one_and_rows_stay(world: World) -> None:
    """L21: metadata only, with the counts before and after."""
    before, ids, paths = count(world), world.lake.ids(), sorted(world.lake.paths())
    run = await rewritten(world)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed"), run.detail
    assert (count(world), world.lake.ids(), sorted(world.lake.paths())) == (1, ids, paths)
    result = run.result.document
    assert (result["rewritten_manifests"], result["added_manifests"]) == (before, 1)
    assert result["manifests"] == {"before": before, "after": 1}
    assert result["manifest_entries"] == len(paths)
    assert result["manifest_read_seconds"].keys() == {"before", "after"}
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert run.result.snapshot_ids == tuple(map(str, snapshots_of(world, run)))
    assert run.plan["rewritten_manifests"] == before
    assert unlisted(world) == set()


async def test_a_table_that_was_just_rewritten_is_skipped(world: World) -> None:
    await rewritten(world)
    before = world.lake.table.metadata_location
    run = await rewritten(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert "none of 1 manifest can be merged" in (run.detail or "")
    assert world.lake.table.metadata_location == before


async def test_a_rewrite_follows_a_rewrite_of_manifests_and_the_other_way_round(world: World) -> None:
    ids = world.lake.ids()
    await rewritten(world)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    await rewritten(world)
    assert world.lake.ids() == ids
    assert all(each["ok"] for each in run.result.verifications)


async def test_a_run_takes_no_fields_of_a_rewrite_and_needs_its_setting(world: World) -> None:
    with pytest.raises(InvalidInput, match="force_full"):
        await world.submit(RunRequest(Operation.REWRITE_MANIFESTS, force_full=True))
    await world.set_policy({"maintenance": {"rewrite_manifests": "off"}})
    with pytest.raises(InvalidInput, match="switched off for this table"):
        await world.submit(MANIFESTS)


@pytest.mark.parametrize("step", ["claimed", "planned", "before_commit", "after_commit", "before_end"])
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, step: str) -> None:
    """Committed once, whatever the first attempt did, and no file is left."""
    ids = world.lake.ids()
    run = await world.submit(MANIFESTS)
    world.at(step, world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    await world.expire_lease(run.id)
    run = await world.finish(run.id)
    assert run.state is RunState.SUCCEEDED, run.detail
    assert (count(world), world.lake.ids(), len(snapshots_of(world, run))) == (1, ids, 1)
    assert run.result.document["added_manifests"] == 1
    assert unlisted(world) == set()


async def test_a_stale_holder_sends_nothing_and_leaves_no_file(world: World) -> None:
    """Its successor deletes what it wrote: a commit of it afterwards would lack its manifests."""
    before = world.lake.table.metadata_location
    run = await world.submit(MANIFESTS)
    world.at("before_commit", world.steal_lease(run.id))
    await world.container.worker.advance(run.id)
    assert world.lake.table.metadata_location == before
    assert unlisted(world) == set()


@pytest.mark.parametrize("arrives", [True, False])
async def test_a_lost_answer_is_read_from_the_table(
    world: World, monkeypatch: pytest.MonkeyPatch, arrives: bool
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
    assert (count(world), world.lake.ids(), len(snapshots_of(world, run))) == (1, ids, 1)
    assert run.unsettled == frozenset()
    assert unlisted(world) == set()


async def test_a_commit_that_arrives_late_is_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert (run.state, count(world), world.lake.ids()) == (RunState.SUCCEEDED, 1, ids)
    assert len(snapshots_of(world, run)) == 1


@pytest.mark.parametrize("step", ["claimed", "planned"])
async def test_a_cancelled_run_changes_nothing(world: World, step: str) -> None:
    before = world.lake.table.metadata_location
    run = await world.submit(MANIFESTS)
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.CANCELLED, "cancelled")
    assert world.lake.table.metadata_location == before


async def test_a_cancel_after_the_commit_leaves_it_committed(world: World) -> None:
    run = await world.submit(MANIFESTS)
    world.at("after_commit", world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert (run.state, count(world)) == (RunState.SUCCEEDED, 1)


@pytest.mark.parametrize("stop", [Stop.CANCELLED, Stop.SHUTDOWN])
async def test_a_stop_between_plan_and_request_is_obeyed(
    world: World, monkeypatch: pytest.MonkeyPatch, stop: Stop
) -> None:
    before, asked = world.lake.table.metadata_location, ManifestAttempt._may_send

    def stopped(self: ManifestAttempt) -> None:
        self._attempt.stop(stop)
        asked(self)

    monkeypatch.setattr(ManifestAttempt, "_may_send", stopped)
    run = await world.submit(MANIFESTS)
    await world.container.worker.advance(run.id)
    ended = await world.get(run.id)
    wanted = (RunState.CANCELLED, "cancelled") if stop is Stop.CANCELLED else (RunState.QUEUED, "worker_stopped")
    assert (ended.state, ended.reason) == wanted, ended.detail
    assert ended.unsettled == frozenset()
    assert world.lake.table.metadata_location == before
    assert unlisted(world) == set()


async def test_appends_between_plan_and_commit_are_kept(world: World) -> None:
    ids = len(world.lake.ids())
    world.at("before_commit", lambda: world.lake.append(day=DAY))
    run = await rewritten(world)
    assert run.state is RunState.SUCCEEDED
    assert len(world.lake.ids()) > ids


def failing(*_: Any) -> ManifestProof:
    return ManifestProof((Condition("same_live_files", False, "1 live file is missing"),), None)


async def test_a_snapshot_that_fails_its_proof_is_rolled_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    before, rows = world.lake.table.metadata.current_snapshot_id, world.lake.rows()
    monkeypatch.setattr(IcebergTable, "prove_manifests", failing)
    run = await rewritten(world)
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")
    assert "it was rolled back" in (run.detail or "")
    assert (world.lake.table.metadata.current_snapshot_id, world.lake.rows()) == (before, rows)


async def test_a_table_that_can_not_be_rolled_back_is_frozen(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(IcebergTable, "prove_manifests", failing)
    monkeypatch.setattr(IcebergTable, "roll_back", lambda *_: RollBack.FOLLOWED)
    run = await rewritten(world)
    assert (run.state, run.reason) == (RunState.FAILED, "invariant_broken")
    assert "the table is frozen" in (run.detail or "")
    async with world.container.database.read() as unit:
        table = await unit.tables.get(world.table_id)
    assert table is not None
    assert table.freeze is not None


async def test_the_coordinator_merges_many_small_manifests_and_then_leaves_them(
    world: World, watching: Watching
) -> None:
    await set_policy(world, triggers=[], maintenance={"rewrite_manifests": {"interval": "off", "above_count": 5}})
    while count(world) < 12:
        await asyncio.to_thread(world.lake.append, day=DAY)
    seen = await watching.look()
    assert seen.verdict is Verdict.SUBMITTED
    (run,) = await runs_of(world)
    assert (run.operation, run.request["cause"]["rule"]) == (
        Operation.REWRITE_MANIFESTS,
        "maintenance.rewrite_manifests",
    )
    assert (await finish_live(world)).state is RunState.SUCCEEDED
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_few_manifests_start_nothing_and_explain_says_why(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[], maintenance={"rewrite_manifests": {"interval": "1h"}})
    run = await rewritten(world)
    assert run.state is RunState.SUCCEEDED
    for _ in range(3):
        await asyncio.to_thread(world.lake.append, day=DAY)
    assert (await watching.look()).verdict is Verdict.NOT_DUE
    told = await world.container.explain.explain(SYSTEM, world.table_id)
    (upkeep,) = told["upkeep"]
    assert (upkeep["operation"], upkeep["due"], upkeep["due_at"]) == (Operation.REWRITE_MANIFESTS, False, None)
    assert "4 of 4 manifests can become 1" in upkeep["detail"]
    assert "too few to start automatically (10 fewer are needed)" in upkeep["detail"]


async def test_a_dry_run_counts_and_changes_nothing(world: World) -> None:
    before = world.lake.table.metadata_location
    plan = await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.REWRITE_MANIFESTS)
    assert (plan["count"], plan["details"]["added_manifests"]) == (count(world), 1)
    assert world.lake.table.metadata_location == before
