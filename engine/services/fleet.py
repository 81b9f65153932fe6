"""All tables together: sums, rates of the last day, the backlog, and which tables are worth a rewrite first.

Callers see the figures of the tables that they see. Nothing is read from any table: everything comes from measurements
and runs in the record, and no query grows with history.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from engine.domain.access import Caller
from engine.domain.fleet_figures import (
    Backlog,
    BudgetUse,
    EndedRuns,
    FleetFigures,
    Races,
    RankedTable,
    SmallFileFlow,
)
from engine.domain.ids import TableId, first_run_id
from engine.stores.database import Database

DAY: Final = timedelta(hours=24)
LONGEST_RUN: Final = timedelta(hours=48)
"""Runs are found by the time of their submission: one that took longer than this is not among those that ended."""

_HOURS: Final = 24
_LOST_RACES: Final = ("source_gone", "new_deletes", "deletes_gone")
"""Reasons of groups that other writers made useless; all other reasons are faults or wishes of our own."""


class FleetService:
    """Figures over many tables."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def figures(self, caller: Caller) -> FleetFigures:
        """Return the sums over all tables that the caller sees."""
        teams = caller.visible_teams
        async with self._database.read() as unit:
            now = await unit.now()
            since = now - DAY
            found = await unit.fleet_figures.of_tables(teams)
            made, removed = await unit.fleet_figures.small_files(teams, since)
            ended = await unit.fleet_figures.ended_runs(teams, since, first_run_id(since - LONGEST_RUN))
            rewritten = await unit.fleet_figures.rewritten_bytes(teams, since)
            live = await unit.fleet_figures.live_runs(teams)
            fleet = await unit.fleet.get()
        return FleetFigures(
            measured_at=now,
            tables=found.tables,
            paused_tables=found.paused_tables,
            measured_tables=found.measured_tables,
            file_count=found.file_count,
            small_file_count=found.small_file_count,
            total_bytes=found.total_bytes,
            live_runs=live,
            ended_runs=ended.by_state,
            small_files=SmallFileFlow(made, removed, made / _HOURS, removed / _HOURS),
            backlog=backlog(found.avoidable_file_count, made=made, removed=removed),
            races=races(ended),
            wasted_bytes=ended.wasted_bytes,
            budget=budget_use(rewritten, fleet.limits.bandwidth),
            pause=fleet.pause,
        )

    async def ranked(self, caller: Caller, *, after: tuple[float, TableId] | None, limit: int) -> Sequence[RankedTable]:
        """Return measured tables that the caller sees, the most worthwhile first, at most `limit`, after a key."""
        async with self._database.read() as unit:
            return await unit.fleet_figures.ranked(caller.visible_teams, after, limit)


def backlog(avoidable_files: int, *, made: int, removed: int) -> Backlog:
    """Return the backlog with its eta at the rates of the last day: files over what is removed beyond what is made."""
    if avoidable_files == 0:
        return Backlog(0, 0.0, "nothing is left to merge")
    if removed <= made:
        detail = f"{made} small files were made in the last 24 hours and {removed} removed: it does not shrink"
        return Backlog(avoidable_files, None, detail)
    eta = avoidable_files * DAY.total_seconds() / (removed - made)
    return Backlog(avoidable_files, eta, f"{removed - made} more small files removed than made in the last 24 hours")


def races(ended: EndedRuns) -> Races:
    """Return how many file groups were lost to other writers."""
    lost = sum(_lost(ended.groups_dropped))
    total = ended.groups_committed + lost
    return Races(ended.groups_committed, lost, lost / total if total else None)


def budget_use(rewritten: int, bandwidth: int | None) -> BudgetUse:
    """Return how much of a day's bandwidth was used; each byte that is rewritten is read and written."""
    limit = None if bandwidth is None else round(bandwidth * DAY.total_seconds())
    return BudgetUse(rewritten, limit, None if not limit else 2 * rewritten / limit)


def _lost(dropped: Mapping[str, int]) -> Sequence[int]:
    return [count for reason, count in dropped.items() if reason in _LOST_RACES]
