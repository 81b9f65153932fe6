"""The decision of a look at a table, by what holds the table back."""

from dataclasses import replace
from datetime import timedelta

import pytest

from engine.domain.access.callers import COORDINATOR
from engine.domain.fleet.limits import AtWork, Fleet, FleetLimits
from engine.domain.runs.run import RunState
from engine.domain.tables.watches import Verdict
from engine.services.explain.decisions import decide
from tests.unit.services.explanations import DONE, DUE, NOW, SITUATIONS, ago, situation

FULL = {"fleet": Fleet(1, NOW, "x", FleetLimits(parallel_runs=2)), "fleet_at_work": AtWork({"archive": 2})}


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
