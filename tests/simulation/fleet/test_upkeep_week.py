"""Upkeep for days keeps snapshots, manifests, delete files, orphans and superseded files bounded.

It delays no rewrite beyond its urgency.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

import pyarrow as pa
import pytest

from bench.fleet.upkeep import states, tables, week
from bench.fleet.upkeep.patterns import PATTERNS, Pattern
from bench.fleet.upkeep.policies import URGENT_AFTER
from bench.fleet.upkeep.report import Judged, judge, report
from engine.domain.policies import PolicyDocument
from engine.domain.policies.effective import merging
from engine.domain.runs.run import Operation, ReadyRun, Run
from engine.formats.base import RewrittenSnapshot
from engine.formats.removal.searches import Search
from engine.services.explain import facts

BY_NAME: Final = {each.name: each for each in PATTERNS}
MANIFESTS: Final = "maintenance.rewrite_manifests"


def a_day() -> Judged:
    return judge(20, days=1, workers=2)


def four_days() -> Judged:
    """Of tables with position deletes and failed writes; a second look at orphans is a day after the first."""
    return judge(6, days=4, workers=2, patterns=named("updates, 10 min", "hourly"))


def scarce() -> Judged:
    """Of more bursts than the only worker can keep up with, and upkeep of all tables at the beginning."""
    return judge(100, days=0.2, workers=1, is_scarce=True, patterns=named("stream, 5 min", "bursts", "hourly"))


def named(*names: str) -> Sequence[Pattern]:
    return [BY_NAME[name] for name in names]


def test_l21_a_day_of_upkeep_holds_every_bound() -> None:
    found = a_day()
    assert found.broken() == []
    assert {operation for _, operation in found.on.runs} == set(Operation) - {Operation.PURGE}
    assert "stream, 30 s" in report(found)


def test_four_days_hold_the_bounds_of_orphans_and_delete_files() -> None:
    found = four_days()
    assert found.broken() == []
    assert sum(each.table.failed.deleted for each in found.on.states) > 100
    assert found.on.runs["updates, 10 min", Operation.REWRITE_DELETES]


def test_upkeep_of_a_fleet_with_scarce_workers_delays_no_rewrite_beyond_its_urgency() -> None:
    found = scarce()
    assert found.broken() == []
    assert max(found.off.urgent) > URGENT_AFTER.total_seconds()  # the load exceeds the workers without upkeep as well


@pytest.mark.deep
def test_the_check_fails_when_manifests_are_not_merged_within_the_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    rarely = {**merging.DEFAULTS[MANIFESTS], "above_count": 10**6}
    monkeypatch.setattr(merging, "DEFAULTS", MappingProxyType({**merging.DEFAULTS, MANIFESTS: rarely}))
    assert any("manifests, at most" in each for each in a_day().broken())


@pytest.mark.deep
def test_the_check_fails_when_no_orphan_leaves_quarantine(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(look: Search, _quarantine: timedelta) -> pa.Array:
        return pa.array([False] * look.files.num_rows, pa.bool_())

    monkeypatch.setattr(Search, "past_quarantine", none)
    assert any("orphans, at most" in each for each in four_days().broken())


@pytest.mark.deep
def test_the_check_fails_when_delete_files_are_merged_too_seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables.MergedDeletes, "commit", lambda *_, **__: RewrittenSnapshot(None))
    monkeypatch.setattr(states.WeekTable, "is_blocked", property(lambda _: False))
    broken = four_days().broken()
    assert any("delete files, at most" in each for each in broken)
    assert any("of rewrite_deletes have no effect" in each for each in broken)


@pytest.mark.deep
def test_the_check_fails_when_queued_upkeep_keeps_its_table_from_being_rewritten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (states, facts):
        monkeypatch.setattr(module, "lets_rewrites_pass", lambda _run: False)
    assert any("an urgent rewrite began" in each for each in scarce().broken())


@pytest.mark.deep
def test_the_check_fails_when_upkeep_is_queued_as_a_rewrite(monkeypatch: pytest.MonkeyPatch) -> None:
    """As before: urgent after the same time, and with the turns of the rewrites of its team."""

    def urgent(run: Run, _table: object, policies: Sequence[Any]) -> datetime | None:
        document: PolicyDocument = policies[0].document
        patience: Any = document.leaves().get("schedule.urgent_after")
        return None if patience is None else run.due_since + timedelta(seconds=float(patience))

    monkeypatch.setattr(week, "urgent_at", urgent)
    monkeypatch.setattr(ReadyRun, "sharer", property(lambda run: f"team {run.owner_team}"))
    assert any("an urgent rewrite began" in each for each in scarce().broken())


@pytest.mark.deep
def test_the_check_fails_when_upkeep_counts_for_min_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = week._Simulation._end

    def end(simulation: week._Simulation, queued: week._Queued, now: float) -> None:
        usual(simulation, queued, now)
        queued.state.last_rewrite = queued.state.ended[0]

    monkeypatch.setattr(week._Simulation, "_end", end)
    assert any("of rewrites begin within" in each for each in a_day().broken())
