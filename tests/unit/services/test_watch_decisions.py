"""The decision of a look at a table, by what holds the table back."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from engine.domain.access.callers import COORDINATOR
from engine.domain.fleet.limits import AtWork, FleetLimits, FleetRow
from engine.domain.ids import TableId
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.watches import Verdict, Watch
from engine.services.explain.decisions import RUN_SECONDS, decide
from engine.services.explain.facts import ENDED_RUNS
from engine.services.explain.timing import eligibility
from engine.services.planning.upkeep.states import UpkeepState
from tests.unit.services.explanations import DONE, DUE, FAILED, NOW, SITUATIONS, a_run, ago, situation

FULL = {"fleet": FleetRow(1, NOW, "x", FleetLimits(parallel_runs=2)), "fleet_at_work": AtWork({"archive": 2})}


@pytest.mark.parametrize("facts", [SITUATIONS["catalog_full"](), situation(DUE, **FULL)], ids=["catalog", "fleet"])
def test_a_want_of_room_holds_no_submission_back_because_the_turn_counts_in_line(facts):
    decision = decide(facts)
    assert decision.verdict is Verdict.SUBMITTED
    assert decision.request is not None


@pytest.mark.parametrize(("name", "code"), [("paused", "fleet_paused"), ("quiet_hours", "quiet_hours")])
def test_what_holds_a_table_back_holds_the_submission_back_also_without_room(name: str, code: str):
    facts = SITUATIONS[name]()
    limits = replace(facts.record.fleet, limits=FleetLimits(parallel_runs=2))
    decision = decide(replace(facts, record=replace(facts.record, fleet=limits, fleet_at_work=AtWork({"a": 2}))))
    assert (decision.verdict, decision.code, decision.request) == (Verdict.HELD, code, None)
    assert "limit of parallel_runs" not in (decision.detail or "")


@pytest.mark.parametrize(("submitted_seconds_before_its_end", "code"), [(5, "min_interval"), (-5, "runs_in_vain")])
def test_an_automatic_run_that_another_one_forestalled_lets_no_table_rest(
    submitted_seconds_before_its_end: int, code: str
):
    done = replace(DONE, finished_at=ago(minutes=2))
    found_nothing = replace(
        DONE,
        state=RunState.SKIPPED,
        reason="nothing_to_do",
        requested_by=COORDINATOR.subject,
        created_at=ago(minutes=2) - timedelta(seconds=submitted_seconds_before_its_end),
        finished_at=ago(minutes=1),
    )
    assert decide(situation(DUE, ended=(found_nothing, done))).code == code


REFUSED = replace(
    FAILED,
    state=RunState.REFUSED,
    reason="groups_refused",
    requested_by=COORDINATOR.subject,
    started_at=ago(hours=4),
    finished_at=ago(hours=3),
)


@pytest.mark.parametrize(
    ("run", "changed_at", "hours", "is_held"),
    [
        (REFUSED, None, 3, True),
        (REFUSED, None, 25, False),
        (REFUSED, ago(hours=1), 3, False),
        (REFUSED, ago(hours=5), 3, True),
        (replace(REFUSED, state=RunState.FAILED), None, 3, False),
        (replace(REFUSED, requested_by="key:team"), None, 3, False),
    ],
    ids=["refused", "a day ago", "changed since", "changed before", "failed", "requested"],
)
def test_f49_a_refused_table_rests_until_it_changes(run: Run, changed_at: datetime | None, hours: int, is_held: bool):
    """F49: a run that was refused is not submitted again, other failures after the usual rest; a day later it is."""
    ended = replace(run, finished_at=ago(hours=hours))
    watch = Watch(TableId("tbl_orders"), 0.5, NOW, changed_at=changed_at)
    decision = decide(situation(DUE, ended=(ended,), watch=watch))
    assert (decision.code == "runs_in_vain") is is_held
    if is_held:
        assert decision.reconsider_at == ended.finished_at + timedelta(days=1)
        assert "refused too unless the table or its policy changes" in (decision.detail or "")


EXPIRY = UpkeepState(Operation.EXPIRE_SNAPSHOTS, "maintenance.expire_snapshots", is_due=True, due_at=NOW, words="x")


def with_upkeep(facts, *states: UpkeepState):
    return replace(facts, sight=replace(facts.sight, upkeep=states))


@pytest.mark.parametrize(
    ("ended", "operation"),
    [((), Operation.REWRITE), ((replace(DONE, started_at=ago(hours=5)),), Operation.EXPIRE_SNAPSHOTS)],
)
def test_upkeep_of_a_table_that_is_always_due_comes_between_two_rewrites(ended, operation: Operation):
    decision = decide(with_upkeep(situation(DUE, ended=ended), EXPIRY))
    assert (decision.request.operation, decision.is_due) == (operation, True)


QUEUED_EXPIRY = a_run(
    RunState.QUEUED, operation=Operation.EXPIRE_SNAPSHOTS, requested_by=COORDINATOR.subject, created_at=ago(hours=1)
)


def test_a_rewrite_is_queued_beside_waiting_upkeep_and_a_rest_is_80_minutes_however_many_failed():
    """Otherwise a run of upkeep that waits behind rewrites of other tables keeps its own table from being rewritten."""
    decision = decide(with_upkeep(situation(DUE, live=(QUEUED_EXPIRY,)), EXPIRY))
    assert decision.request.operation is Operation.REWRITE
    failed = [replace(FAILED, finished_at=ago(minutes=1, hours=each)) for each in range(ENDED_RUNS)]
    (hold,) = [each for each in eligibility(situation(DUE, ended=failed)).held_by if each.code == "runs_in_vain"]
    assert hold.until == NOW + timedelta(minutes=79)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"requested_by": "key:airflow"}, "run_waits"),
        ({"operation": Operation.REWRITE}, "run_waits"),
        ({"state": RunState.REWRITING}, "run_at_work"),
    ],
)
def test_a_rewrite_waits_for_other_runs(changes, code: str):
    decision = decide(situation(DUE, live=(replace(QUEUED_EXPIRY, **changes),)))
    assert (decision.verdict, decision.code) == (Verdict.HELD, code)


def test_upkeep_waits_for_each_run_of_its_table_and_begins_while_a_rewrite_can_not():
    decision = decide(with_upkeep(situation((), live=(QUEUED_EXPIRY,)), EXPIRY))
    assert (decision.verdict, decision.code) == (Verdict.HELD, "run_waits")
    assert decision.reconsider_at == NOW + timedelta(seconds=RUN_SECONDS)
    decision = decide(with_upkeep(SITUATIONS["refused"](), EXPIRY))
    assert decision.request.operation is Operation.EXPIRE_SNAPSHOTS
    later = replace(EXPIRY, is_due=False, due_at=NOW + timedelta(days=5))
    decision = decide(with_upkeep(SITUATIONS["refused"](), later))
    assert (decision.verdict, decision.code) == (Verdict.HELD, "not_eligible")
    assert decision.reconsider_at == later.due_at


def test_f41_a_run_at_work_without_an_event_is_explained():
    """F41: the slot that makes no progress is named where the table's owner looks."""
    running = a_run(RunState.REWRITING, started_at=ago(hours=2), updated_at=ago(minutes=16))
    (hold,) = (each for each in eligibility(situation(DUE, live=(running,))).held_by if each.code == "run_at_work")
    assert hold.detail.startswith("run run_7 is rewriting, without an event since 2026-11-21 11:44 UTC: cancel it")
