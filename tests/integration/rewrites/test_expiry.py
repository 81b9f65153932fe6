"""Expiry of snapshots: metadata only, by the stricter of policy and table, proven, resumed, explained."""

import asyncio
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Away, InvalidInput, NotEligible, OutcomeUnknown
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.policies import PolicyDocument
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from engine.domain.tables.watches import Verdict
from engine.formats.iceberg.commits import expiry as expiries
from engine.formats.iceberg.upkeep.expiries import TableExpiry
from engine.services.operations.metadata import attempts
from engine.services.operations.metadata.expiry import ExpiryAttempt
from engine.services.runs.attempts import AttemptStop, Stop
from tests.support.attempts import (
    advanced,
    append_files,
    content,
    explained,
    resumed_from,
    set_properties,
    snapshot_ids,
)
from tests.support.iceberg_tables import edit_metadata
from tests.support.statements import texts_of
from tests.support.watching import DAY, Watching, finish_live, runs_of, set_policy
from tests.support.world import World

EXPIRE = RunRequest(Operation.EXPIRE_SNAPSHOTS)
NOW = {"older_than": "30m", "keep_last": 2, "interval": "1h"}


pytestmark = pytest.mark.usefixtures("later")  # the table was written an hour ago


async def submitted(world: World, **rule: Any) -> Run:
    await world.set_policy({"maintenance": {"expire_snapshots": NOW | rule}})
    return await world.submit(EXPIRE)


async def expire(world: World, **rule: Any) -> Run:
    return await world.finish((await submitted(world, **rule)).id)


@pytest.fixture
def before(world: World) -> list[int]:
    """The ids of the six snapshots."""
    return snapshot_ids(world)


async def test_old_snapshots_leave_the_metadata_and_every_kept_one_stays_readable(
    world: World, before: list[int]
) -> None:
    """Explain shows before that it is due."""
    kept, files = {each: content(world, each) for each in before[-2:]}, set(world.lake.paths())
    run, found = await submitted(world), await explained(world)
    due = {each["operation"]: each["due"] for each in found["upkeep"]}
    assert due == {Operation.REWRITE_MANIFESTS: False, Operation.EXPIRE_SNAPSHOTS: True}
    assert any("It is due to expire snapshots" in line for line in texts_of(found))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert snapshot_ids(world) == before[-2:]
    assert {each: content(world, each) for each in kept} == kept
    assert set(world.lake.paths()) == files
    assert run.result.expired_snapshots == len(before) - 2
    assert run.result.document["kept_snapshots"] == 2
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert run.plan["expired_total"] == len(before) - 2


async def test_nothing_is_expired_that_the_rule_keeps(world: World) -> None:
    before = world.lake.table.metadata_location
    run = await expire(world, older_than="1d")
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert world.lake.table.metadata_location == before


@pytest.mark.parametrize("next_row_id", [0, None])
async def test_snapshots_of_a_table_of_version_3_expire_unless_it_has_no_next_row_id(
    world: World, before: list[int], next_row_id: int | None
) -> None:
    edit_metadata(world.lake.table, lambda body: body.update({"format-version": 3, "next-row-id": next_row_id}))
    rows = content(world, before[-1])
    run = await expire(world)
    if next_row_id is None:
        assert (run.state, run.reason, run.attempt) == (RunState.REFUSED, "not_eligible", 1)
        assert "has no next-row-id" in (run.detail or "")
        with pytest.raises(NotEligible, match="next-row-id"):
            await world.container.upkeep.plan(SYSTEM, world.table_id, Operation.EXPIRE_SNAPSHOTS)
        return
    assert (run.state, run.reason) == (RunState.SUCCEEDED, "committed")
    assert (snapshot_ids(world), content(world, before[-1])) == (before[-2:], rows)


async def test_branches_tags_and_the_tables_own_retention_hold(world: World, before: list[int]) -> None:
    table = world.lake.table
    table.manage_snapshots().create_tag(before[1], "audit").commit()
    table.manage_snapshots().create_branch(before[4], "work", min_snapshots_to_keep=3).commit()
    set_properties(world, {"history.expire.min-snapshots-to-keep": "3"})
    await expire(world, keep_last=1)
    assert snapshot_ids(world) == sorted({before[1], *before[2:5], *before[-3:]}, key=before.index)


@pytest.mark.parametrize(
    "properties", [{"gc.enabled": "false"}, {"gc.enabled": "no"}, {"history.expire.max-snapshot-age-ms": "5 days"}]
)
async def test_a_table_that_forbids_expiry_keeps_its_history(world: World, properties: dict[str, str]) -> None:
    set_properties(world, properties)
    before = world.lake.table.metadata_location
    run = await expire(world)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert next(iter(properties)) in (run.detail or "")
    assert world.lake.table.metadata_location == before


async def test_a_run_needs_the_setting_and_takes_no_fields_of_a_rewrite(world: World) -> None:
    with pytest.raises(InvalidInput, match="switched off for this table") as refused:
        await world.submit(EXPIRE)
    assert "maintenance.expire_snapshots: off" in refused.value.problems[0].message
    await world.set_policy({"maintenance": {"expire_snapshots": NOW}})
    with pytest.raises(InvalidInput, match="force_full"):
        await world.submit(RunRequest(Operation.EXPIRE_SNAPSHOTS, force_full=True))


async def test_a_policy_that_was_switched_off_meanwhile_expires_nothing(world: World, before: list[int]) -> None:
    run = await submitted(world)
    off = PolicyDocument.model_validate({"maintenance": {"expire_snapshots": "off"}})
    await world.container.policies.replace(SYSTEM, world.table_id, off, if_match=1, if_none_match=False)
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.SKIPPED, "disabled")
    assert snapshot_ids(world) == before


async def test_f53_a_lost_answer_of_a_commit_that_took_effect_is_no_failed_attempt(
    world: World, before: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    proof = expiries._proof
    answers = iter([OutcomeUnknown("the answer was lost")])

    def lost(*given: Any) -> Any:
        if (error := next(answers, None)) is not None:
            raise error
        return proof(*given)

    monkeypatch.setattr(expiries, "_proof", lost)
    run = await expire(world)
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1)
    assert run.result.expired_snapshots == len(before) - 2
    assert [each["ok"] for each in run.result.verifications] == [True]
    assert snapshot_ids(world) == before[-2:]


async def test_f53_a_lost_answer_and_a_catalog_that_is_away_afterwards_are_no_failed_attempt(
    world: World, before: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The outcome is read when the catalog answers again: the run waits for it as in any outage."""

    def lost(*given: Any) -> Any:
        raise OutcomeUnknown("the answer was lost")

    def away(*given: Any) -> Any:
        raise Away(DependencyKind.CATALOG, "the catalog does not answer")

    monkeypatch.setattr(attempts, "OUTCOME_PAUSES", (0.0, 0.0))
    run = await submitted(world, delete_files=False)
    with monkeypatch.context() as patched:
        patched.setattr(expiries, "_proof", lost)
        patched.setattr(TableExpiry, "retained", away)
        run = await advanced(world, run)
    assert (run.state, run.waiting_for, run.failures) == (RunState.QUEUED, WaitingFor.CATALOG, 0)
    run = await world.finish(run.id)
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 2)
    assert run.result.expired_snapshots == len(before) - 2


@pytest.mark.parametrize("step", ["planned", "before_commit", "after_commit", "before_end"])
async def test_an_attempt_that_dies_at_any_step_is_resumed(world: World, before: list[int], step: str) -> None:
    run = await resumed_from(world, await submitted(world), step)
    assert run.state is RunState.SUCCEEDED
    assert run.result.expired_snapshots == len(before) - 2
    assert snapshot_ids(world) == before[-2:]


async def test_a_tag_that_is_set_while_the_commit_is_sent_keeps_its_snapshot(
    world: World, before: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    updates = expiries._updates
    tags = iter([before[0]])

    def tagged(*given: Any) -> Any:
        if (at := next(tags, None)) is not None:
            world.lake.table.manage_snapshots().create_tag(at, "audit").commit()
        return updates(*given)

    monkeypatch.setattr(expiries, "_updates", tagged)
    run = await expire(world)
    assert run.state is RunState.SUCCEEDED
    assert snapshot_ids(world) == [before[0], *before[-2:]]
    assert world.lake.table.refs()["audit"].snapshot_id == before[0]


async def test_snapshots_that_are_all_tagged_after_the_plan_stay(world: World, before: list[int]) -> None:

    def tag_all() -> None:
        for number, each in enumerate(before):
            world.lake.table.manage_snapshots().create_tag(each, f"t{number}").commit()

    world.at("before_commit", tag_all)
    run = await expire(world)
    assert (run.state, run.attempt, run.result.expired_snapshots) == (RunState.SUCCEEDED, 1, 0)
    assert snapshot_ids(world) == before


async def test_a_worker_that_stops_between_two_commits_leaves_the_rest_to_another(
    world: World, before: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.services.operations.metadata.expiry.MOST_AT_ONCE", 2)
    run = await submitted(world)
    world.at("after_commit", world.container.worker.stop)
    parked = await advanced(world, run)
    assert (parked.state, parked.reason, parked.failures) == (RunState.QUEUED, "worker_stopped", 0)
    assert snapshot_ids(world) == before[2:]


@pytest.mark.parametrize("step", ["claimed", "planned", "after_commit"])
async def test_a_cancelled_expiry_ends_as_cancelled_and_removes_no_more(
    world: World, before: list[int], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    monkeypatch.setattr("engine.services.operations.metadata.expiry.MOST_AT_ONCE", 2)
    run = await submitted(world)
    world.at(step, world.cancel_soon(run.id))
    run = await world.finish(run.id)
    assert (run.state, run.reason) == (RunState.CANCELLED, "cancelled")
    assert snapshot_ids(world) == (before[2:] if step == "after_commit" else before)


@pytest.mark.parametrize("stop", [Stop.CANCELLED, Stop.SHUTDOWN])
async def test_a_stop_that_comes_between_plan_and_request_is_obeyed(
    world: World, before: list[int], monkeypatch: pytest.MonkeyPatch, stop: Stop
) -> None:
    """The permission to send is asked for in the middle of reading the table: a stop is no fault of the table."""
    asked = ExpiryAttempt._prove_lease

    def stopped(self: ExpiryAttempt) -> None:
        self._attempt.request_stop(AttemptStop(stop))
        asked(self)

    monkeypatch.setattr(ExpiryAttempt, "_prove_lease", stopped)
    ended = await advanced(world, await submitted(world))
    wanted = (RunState.CANCELLED, "cancelled") if stop is Stop.CANCELLED else (RunState.QUEUED, "worker_stopped")
    assert (ended.state, ended.reason) == wanted, ended.detail
    assert snapshot_ids(world) == before


async def test_a_commit_in_between_is_kept(world: World, before: list[int]) -> None:
    world.at("before_commit", lambda: world.lake.append(day=DAY))
    run = await expire(world)
    assert run.state is RunState.SUCCEEDED
    assert len(snapshot_ids(world)) == 3
    assert snapshot_ids(world)[:2] == before[-2:]


async def test_more_snapshots_than_fit_one_commit_expire_in_several(
    world: World, before: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.services.operations.metadata.expiry.MOST_AT_ONCE", 3)
    run = await expire(world, keep_last=1)
    assert run.result.expired_snapshots == len(before) - 1
    assert len(run.result.verifications) == -(-(len(before) - 1) // 3)


async def test_the_coordinator_starts_an_expiry_at_its_interval(world: World, watching: Watching) -> None:
    await set_policy(world, triggers=[], maintenance={"expire_snapshots": NOW})
    seen = await watching.look()
    assert seen.verdict is Verdict.SUBMITTED
    (run,) = await runs_of(world)
    assert (run.operation, run.request["cause"]["rule"]) == (EXPIRE.operation, "maintenance.expire_snapshots")
    ended = await finish_live(world)
    assert ended.state is RunState.SUCCEEDED
    await asyncio.to_thread(world.lake.append, day=DAY)
    again = await watching.look(wake=True)
    assert again.verdict is Verdict.NOT_DUE
    assert again.reconsider_at is not None
    assert ended.started_at is not None
    assert (again.reconsider_at - ended.started_at).total_seconds() == pytest.approx(3600, abs=60)


async def test_a_rewrite_is_queued_beside_an_expiry_that_waits_for_a_worker(world: World, watching: Watching) -> None:
    await set_policy(world, maintenance={"expire_snapshots": NOW})
    await watching.look()
    await finish_live(world)
    for _ in range(2):
        assert (await watching.look(wake=True)).verdict is Verdict.SUBMITTED
        append_files(world.lake, DAY, 5)
    waiting = [run for run in await runs_of(world) if not run.is_terminal]
    assert sorted(run.operation for run in waiting) == [Operation.EXPIRE_SNAPSHOTS, Operation.REWRITE]
    assert (await watching.look(wake=True)).code == "run_waits"
    for run in waiting:
        assert (await world.finish(run.id)).state is RunState.SUCCEEDED
