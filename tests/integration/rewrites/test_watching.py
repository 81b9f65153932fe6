"""The coordinator decides by itself when to run: real database, Redis and tables."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from engine.domain.access.audit import AuditFilter
from engine.domain.access.callers import COORDINATOR, SYSTEM
from engine.domain.errors import Transient
from engine.domain.policies import PolicyDocument
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import RunState
from engine.domain.tables.signals import CommitSeen, SignalKind
from engine.domain.tables.watches import LONGEST_SECONDS, Verdict
from tests.support.attempts import append_files, content, raising
from tests.support.eventually import seen_when
from tests.support.watching import AT_ONCE, DAY, Watching, die, finish_live, runs_of, set_policy
from tests.support.world import NAME, SCHEMA, SPEC, World


async def test_a_due_table_is_rewritten_without_a_request_and_then_left_alone(world: World, watching: Watching):
    """U1, L26: the coordinator starts the run, and no second one when nothing is due any more."""
    rows = content(world)
    await set_policy(world)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    run = await finish_live(world)
    assert (run.state, run.requested_by) == (RunState.SUCCEEDED, COORDINATOR.subject)
    assert (len(world.lake.paths()), content(world)) == (3, rows)
    assert (await watching.look()).verdict is Verdict.NOT_DUE
    assert len(await runs_of(world)) == 1


async def test_a_table_below_the_trigger_is_left_alone_until_enough_files_come(world: World, watching: Watching):
    """M4: every look judges the number and the size of the files."""
    seen = await watching.look()
    assert (seen.verdict, seen.due_since, await runs_of(world)) == (Verdict.NOT_DUE, None, [])
    append_files(world.lake, DAY, 14, rows=5)
    seen = await watching.look()
    assert (seen.verdict, seen.changed_at is not None) == (Verdict.SUBMITTED, True)
    run = await finish_live(world)
    assert run.request["cause"] == {"rule": "many small files", "partition": f'{{"day":"{DAY}"}}', "due_partitions": 1}
    assert len([path for path in world.lake.paths() if DAY in path]) == 1
    assert len(world.lake.paths()) == 13  # the other partitions are as they were: no rule makes them due


async def test_events_and_audit_say_which_rule_began_a_run(world: World, watching: Watching):
    """U18: the coordinator's decision is recorded apart from the work of the run."""
    await set_policy(world)
    await watching.look()
    (run,) = await runs_of(world)
    cause = {"rule": "few", "partition": f'{{"day":"{DAY}"}}', "due_partitions": 3}
    events = await world.container.runs.events(SYSTEM, run.id, after_sequence=0, limit=10)
    assert events[0].details == {"cause": cause}
    async with world.container.database.read() as unit:
        entries = await unit.audit.list(AuditFilter(action="run.submit"), before=None, limit=10)
    assert [(entry.caller, (entry.after or {})["cause"]) for entry, _ in entries] == [("coordinator", cause)]


async def test_an_unchanged_pointer_is_not_evaluated_and_looked_at_ever_less(world: World, watching: Watching):
    """U8: looks go on at growing intervals, and evaluate nothing while the table does not change; then more often."""
    await watching.look()
    world.at("decided", die)
    seconds = [(await watching.look()).interval_seconds for _ in range(8)]
    assert seconds == sorted(seconds)
    assert seconds[-1] == LONGEST_SECONDS
    assert len(world.actions["decided"]) == 1
    world.actions["decided"].clear()
    for expected in (LONGEST_SECONDS // 2, LONGEST_SECONDS // 4):
        await asyncio.to_thread(world.lake.append, day=DAY)
        assert (await watching.look()).interval_seconds == expected


@pytest.mark.parametrize(
    ("document", "verdict", "code"),
    [
        ({"enabled": False}, Verdict.DISABLED, "disabled"),
        ({"seal": {"quiet_for": "2h"}}, Verdict.NOT_DUE, None),
        ({"triggers": []}, Verdict.NOT_DUE, None),
    ],
)
async def test_what_the_policy_forbids_does_not_begin(
    world: World, watching: Watching, document: dict[str, Any], verdict: Verdict, code: str | None
):
    await set_policy(world, **document)
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (verdict, code, [])
    if "seal" in document:  # a run can begin when it is there
        assert seen.reconsider_at is not None
        assert 7000 < (seen.reconsider_at - (seen.looked_at or seen.reconsider_at)).total_seconds() <= 7202


async def test_quiet_hours_hold_a_due_table_back_until_they_end_or_it_is_urgent(world: World, watching: Watching):
    now = datetime.now(UTC)
    window = {"from": f"{now - timedelta(hours=2):%H:%M}", "to": f"{now + timedelta(hours=2):%H:%M}"}
    urgent = {"quiet_hours": [window], "schedule": {**AT_ONCE, "urgent_after": "1h"}}
    await set_policy(world, **urgent)
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (Verdict.HELD, "quiet_hours", [])
    assert seen.due_since is not None
    assert seen.reconsider_at == seen.due_since + timedelta(hours=1)
    await watching.has_been_due(hours=2)
    seen = await watching.look(wake=True)
    (run,) = await runs_of(world)
    assert (seen.verdict, run.due_since) == (Verdict.SUBMITTED, seen.due_since)
    assert run.urgent_at == run.due_since + timedelta(hours=1)
    assert (await finish_live(world)).state is RunState.SUCCEEDED


async def test_a_paused_catalog_or_table_begins_nothing_until_it_is_resumed(world: World, watching: Watching):
    pauses = world.container.pauses
    await set_policy(world)
    await pauses.pause_catalog(SYSTEM, "lake", reason="migration", stops=False)
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (Verdict.HELD, "catalog_paused", [])
    await pauses.pause_table(SYSTEM, world.table_id, reason="migration", stops=False)
    await pauses.resume_catalog(SYSTEM, "lake")
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (Verdict.HELD, "table_paused", [])
    assert seen.due_since is not None
    await pauses.resume_table(SYSTEM, world.table_id)
    await watching.service.turn()
    await watching.service.finish()
    (run,) = await runs_of(world)
    assert run.due_since == seen.due_since


async def test_looks_evaluations_and_runs_are_counted_by_what_they_came_to(world: World, watching: Watching):
    await set_policy(world)
    assert (await watching.look()).verdict is Verdict.SUBMITTED
    assert (await watching.look(wake=True)).verdict is Verdict.HELD  # by its run, without an evaluation
    await watching.look()
    shown = watching.service._metrics.render().decode().splitlines()
    assert {
        'packhouse_watch_looks_total{verdict="submitted"} 1.0',
        'packhouse_watch_looks_total{verdict="held"} 1.0',
        'packhouse_watch_looks_total{verdict="unchanged"} 1.0',
        'packhouse_watch_held_total{code="run_waits"} 1.0',
        "packhouse_watch_evaluation_seconds_count 1.0",
        'packhouse_runs_begun_total{rule="few"} 1.0',
    } <= set(shown)


async def test_min_interval_counts_from_the_last_start(world: World, watching: Watching):
    await set_policy(world, schedule={"min_interval": "1h"})
    await watching.look()
    run = await finish_live(world)
    append_files(world.lake, DAY)
    seen = await watching.look()
    assert (seen.verdict, seen.code) == (Verdict.HELD, "min_interval")
    assert run.started_at is not None
    assert seen.reconsider_at is not None
    assert (seen.reconsider_at - run.started_at).total_seconds() == pytest.approx(3600, abs=0.01)
    assert seen.next_at <= seen.reconsider_at


async def test_cron_is_a_time_to_look_at_as_well(world: World, watching: Watching):
    await world.set_policy({"schedule": {"cron": "* * * * *"}})
    seen = await watching.look()
    assert seen.verdict is Verdict.NOT_DUE
    assert seen.reconsider_at is not None
    assert seen.reconsider_at.second == 0
    assert seen.next_at <= seen.reconsider_at


async def test_a_live_run_of_somebody_is_waited_for(world: World, watching: Watching):
    await set_policy(world)
    await world.submit()
    seen = await watching.look()
    assert (seen.verdict, seen.code, len(await runs_of(world))) == (Verdict.HELD, "run_waits", 1)


async def test_a_table_with_a_live_run_is_not_evaluated_and_what_came_meanwhile_is_seen_afterwards(
    world: World, watching: Watching
):
    await set_policy(world)
    await watching.look()
    run = (await runs_of(world))[0]
    pointer = (await watching.watch()).pointer
    world.lake.append(day=DAY)
    evaluated: list[str] = []
    world.at("decided", lambda: evaluated.append("while the run was live"))
    held = await watching.look(wake=True)
    assert (held.verdict, held.code, held.pointer) == (Verdict.HELD, "run_waits", pointer)
    assert held.due_since is not None
    assert held.next_at <= held.reconsider_at  # type: ignore[operator]
    assert not evaluated
    await world.finish(run.id)
    after = await watching.look(wake=True)
    assert evaluated
    assert after.verdict is Verdict.NOT_DUE
    assert after.pointer != pointer


@pytest.mark.parametrize("at_once", [1, 10])
async def test_a_second_table_is_looked_at_in_the_same_turn_also_if_fewer_are_asked_for_at_once(
    world: World, watching: Watching, monkeypatch: pytest.MonkeyPatch, at_once: int
):
    monkeypatch.setattr("engine.services.watching.service.TABLES_AT_ONCE", at_once)
    await asyncio.to_thread(lambda: world.lake.catalog.create_table((NAME[0], "empty"), SCHEMA, partition_spec=SPEC))
    other = await world.register("empty")
    watching.service._rest_seconds = 60  # so that each is looked at once
    assert (await watching.look(also=other.id)).verdict is not Verdict.NEW
    assert (await watching.watch(other.id)).verdict is Verdict.NOT_DUE


async def test_a_run_that_fails_again_and_again_is_not_submitted_in_a_hot_loop(world: World, watching: Watching):
    await set_policy(world)
    for file in world.lake.paths():
        Path(file.removeprefix("file://")).unlink()
    await watching.look()
    run = await finish_live(world)
    assert run.state is RunState.FAILED
    waits = []
    for failures in range(1, 4):
        for _ in range(3):
            seen = await watching.look(wake=True)
        assert (seen.verdict, seen.code, len(await runs_of(world))) == (Verdict.HELD, "runs_in_vain", failures)
        assert seen.reconsider_at is not None
        waits.append((seen.reconsider_at - (seen.looked_at or seen.reconsider_at)).total_seconds())
        again, _ = await world.container.runs.submit(SYSTEM, world.table_id, RunRequest(), priority=None)
        await world.finish(again.id)
    assert waits == pytest.approx([300, 600, 1200], abs=30)


async def test_a_due_table_with_nothing_worth_a_rewrite_begins_nothing(world: World, watching: Watching):
    rule = {"name": "many snapshots", "all": [{"metric": "snapshot_count", "at_least": 1}]}
    await world.set_policy({"triggers": [rule], "schedule": AT_ONCE, "rewrite": {"min_input_files": 100}})
    seen = await watching.look()
    assert (seen.verdict, seen.code, await runs_of(world)) == (Verdict.HELD, "nothing_to_do", [])


async def test_a_full_rewrite_begins_by_itself_when_its_setting_is_due(world: World, watching: Watching):
    """P26: a full rewrite has its own settings, cause and run."""
    await set_policy(world, triggers=[], rewrite={"full": {"interval": "1d"}})
    await watching.look()
    run = await finish_live(world)
    assert (run.state, run.request["force_full"], run.request["only_due"]) == (RunState.SUCCEEDED, True, True)
    assert run.request["cause"]["rule"] == "rewrite.full.interval"
    assert (await watching.look(wake=True)).verdict is Verdict.NOT_DUE


async def test_a_run_by_itself_for_which_nothing_is_due_any_more_says_so(world: World, watching: Watching):
    await set_policy(world)
    await watching.look()
    async with world.container.database.begin() as unit:
        await unit.policies.replace(world.table_id, PolicyDocument(), "test", 1)
    run = await finish_live(world)
    assert (run.state, run.reason) == (RunState.SKIPPED, "nothing_to_do")
    assert "no rule of the policy makes it due now" in (run.detail or "")


async def test_partitions_that_a_run_took_on_are_finished_although_they_are_not_due_any_more(
    world: World, watching: Watching
):
    await set_policy(world)
    await watching.look()
    (run,) = await runs_of(world)
    world.at("rewriting", raising(Transient("Spark went away")))
    await world.container.worker.advance(run.id)
    async with world.container.database.begin() as unit:
        await unit.policies.replace(world.table_id, PolicyDocument.model_validate({"triggers": []}), "test", 1)
    world.make_due(run.id)
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    assert len(world.lake.paths()) == 3


async def test_a_commit_that_is_told_is_looked_at_at_once(world: World, watching: Watching):
    """U8: a commit signal does not wait for the interval."""
    await set_policy(world)
    for _ in range(3):
        await watching.look()
    async with world.container.database.begin() as unit:
        assert await unit.watches.list_due(await unit.now(), 10) == []
    await world.container.signals.send(SYSTEM, world.table_id, CommitSeen(kind=SignalKind.COMMIT))
    assert await watching.service.turn() == 1
    await watching.service.finish()


async def test_a_policy_that_makes_a_table_due_is_felt_without_a_commit(world: World, watching: Watching):
    await watching.look()
    await watching.look()
    await set_policy(world)
    assert await seen_when(watching.service.turn) == 1  # a table on its own is woken within a tenth of a second
    await watching.service.finish()
    assert (await watching.watch()).verdict is Verdict.SUBMITTED
