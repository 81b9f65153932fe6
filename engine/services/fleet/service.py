"""Figures of the fleet: sums, rates of the last day, the backlog, and tables ranked by the benefit of a rewrite.

Callers see the figures of the tables that they see. Nothing is read from any table: everything comes from measurements
and runs in the record, and no query grows with history. Sums over 10⁵ tables take about a second, so they are cached
(`kept_figures`).
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.clock import Clock
from engine.domain.errors import Transient
from engine.domain.fleet.budgets import Budget
from engine.domain.fleet.figures import (
    Backlog,
    BudgetUse,
    EndedRunCounts,
    FleetFigures,
    LabelledTable,
    LiveRate,
    OwnerFigures,
    Races,
    SmallFileFlow,
)
from engine.domain.fleet.limits import CatalogLimits, FleetLimits
from engine.domain.fleet.tables import FleetPosition, FleetSort, FleetTable, FleetTableFilter
from engine.domain.ids import first_run_id
from engine.domain.values.units import round_duration
from engine.queue.shared_budgets import FLEET, SharedLedgers, catalog_ledger
from engine.services.access.visibility import narrowed, visible_catalogs
from engine.services.fleet.kept_figures import KeptFigures
from engine.services.runs.outcomes import conflict_rate
from engine.stores.database import Database

DAY: Final = timedelta(hours=24)
LONGEST_RUN: Final = timedelta(hours=48)
"""Ended runs are searched by submission time, so one that took longer than this is not counted."""

LEAST_RECORD: Final = timedelta(hours=6)
"""The shortest record from which the end of the backlog is estimated."""
_HOURS: Final = 24


Teams = frozenset[str] | None


class FleetService:
    """Figures over many tables."""

    def __init__(self, *, database: Database, shared: SharedLedgers, clock: Clock) -> None:
        self._database = database
        self._shared = shared
        self._sums = KeptFigures(compute=self._sum_up, clock=clock, name="fleet figures")
        self._owners = KeptFigures(compute=self._sum_up_owners, clock=clock, name="figures of owners")
        self._labelled = KeptFigures(compute=self._read_labelled, clock=clock, name="figures of labelled tables")

    async def figures(self, caller: Caller) -> FleetFigures:
        """Return the sums over the tables of the caller's teams, as of `measured_at`; live figures are current.

        Rates and breakers are those of the catalogs that exist for the caller.
        """
        teams = caller.visible_teams
        kept = await self._sums.get(teams)
        async with self._database.read() as unit:
            live = await unit.fleet_figures.live_runs(teams)
            fleet = await unit.fleet.get()
            breakers = tuple(await unit.breakers.list_open())
            visible = await visible_catalogs(unit, caller)
        if visible is not None:
            breakers = tuple(breaker for breaker in breakers if breaker.catalog in visible)
        rates = await self._rates(fleet.limits.of_catalogs(visible))
        return replace(kept, live_runs=live, pause=fleet.pause, rates=rates, breakers=breakers)

    async def rates(self) -> Sequence[LiveRate]:
        """Return the current rates of running rewrites: all, then those of each limited catalog; empty without Redis.

        Raises:
            Transient: the database does not answer.
        """
        async with self._database.read() as unit:
            limits = (await unit.fleet.get()).limits
        return await self._rates(limits) or ()

    async def owners(self) -> Sequence[OwnerFigures]:
        """Return the backlog and health of each catalog and team, for the metrics of the whole fleet.

        Raises:
            Transient: the database does not answer.
        """
        return await self._owners.get(None)

    async def _rates(self, limits: FleetLimits) -> tuple[LiveRate, ...] | None:
        asked = [self._rate(FLEET, None, limits)]
        asked += [
            self._rate(catalog_ledger(name), name, own)
            for name, own in sorted(limits.catalogs.items())
            if own.rates != Budget()
        ]
        try:
            return tuple(await asyncio.gather(*asked))
        except Transient:
            return None

    async def _rate(self, ledger: str, catalog: str | None, limits: FleetLimits | CatalogLimits) -> LiveRate:
        live = await self._shared.progress(ledger)
        return LiveRate(catalog, live.members, live.bytes_per_second, limits.bandwidth, limits.requests)

    async def _sum_up(self, teams: Teams) -> FleetFigures:
        async with self._database.read() as unit:
            now = await unit.now()
            since = now - DAY
            found = await unit.fleet_figures.of_tables(teams)
            made, removed = await unit.fleet_figures.small_files(teams, since)
            ended = await unit.fleet_figures.ended_runs(teams, since, first_run_id(since - LONGEST_RUN))
            rewritten = await unit.fleet_figures.rewritten_bytes(teams, since)
            live = await unit.fleet_figures.live_runs(teams)
            fleet = await unit.fleet.get()
            known = await unit.fleet_hours.known_since()
        return FleetFigures(
            measured_at=now,
            tables=found.tables,
            paused_tables=found.paused_tables,
            measured_tables=found.measured_tables,
            file_count=found.file_count,
            small_file_count=found.small_file_count,
            total_bytes=found.total_bytes,
            history_bytes=found.history_bytes,
            live_runs=live,
            ended_runs=ended.by_state,
            small_files=SmallFileFlow(made, removed, made / _HOURS, removed / _HOURS),
            backlog=backlog(found.avoidable_file_count, made=made, removed=removed, recorded=now - (known or now)),
            races=races(ended),
            wasted_bytes=ended.wasted_bytes,
            budget=budget_use(rewritten, fleet.limits.bandwidth),
            pause=fleet.pause,
        )

    async def labelled(self) -> Sequence[LabelledTable]:
        """Return the figures of the tables that have series of their own in the metrics.

        Raises:
            Transient: the database does not answer.
        """
        return await self._labelled.get(None)

    async def _read_labelled(self, _all: None) -> Sequence[LabelledTable]:
        async with self._database.read() as unit:
            return await unit.fleet_figures.labelled()

    async def _sum_up_owners(self, _all: None) -> Sequence[OwnerFigures]:
        async with self._database.read() as unit:
            return await unit.fleet_figures.by_owner()

    async def tables(
        self, caller: Caller, wanted: FleetTableFilter, sort: FleetSort, *, after: FleetPosition | None, limit: int
    ) -> Sequence[FleetTable]:
        """Return the matching tables that the caller sees, in order, at most `limit`, those after a position.

        Raises:
            InvalidInput: a namespace without its catalog, or a name without its namespace.
        """
        async with self._database.read() as unit:
            seen = replace(wanted, tables=await narrowed(unit, caller, wanted.tables))
            return await unit.fleet_tables.list(seen, sort, after, limit)


def backlog(avoidable_files: int, *, made: int, removed: int, recorded: timedelta) -> Backlog:
    """Return the backlog with its eta: avoidable files divided by the last day's net removal rate (removed - made).

    There is none before six hours are recorded: the first run after a start says nothing about a day.
    """
    if avoidable_files == 0:
        return Backlog(0, 0.0, "nothing is left to merge")
    if recorded < LEAST_RECORD:
        seen, least = round_duration(recorded.total_seconds()), round_duration(LEAST_RECORD.total_seconds())
        return Backlog(avoidable_files, None, f"no estimate yet: {seen} of {least} are recorded")
    if removed <= made:
        detail = f"{made} small files were made in the last 24 hours and {removed} removed: the backlog does not shrink"
        return Backlog(avoidable_files, None, detail)
    eta = avoidable_files * DAY.total_seconds() / (removed - made)
    return Backlog(avoidable_files, eta, f"{removed - made} more small files removed than made in the last 24 hours")


def races(ended: EndedRunCounts) -> Races:
    """Return how many file groups were lost to other writers."""
    rate = conflict_rate(ended.groups_lost, ended.groups_committed)
    return Races(ended.groups_committed, ended.groups_lost, rate)


def budget_use(rewritten: int, bandwidth: int | None) -> BudgetUse:
    """Return the share of a day's bandwidth that was used; each rewritten byte is read and written once."""
    limit = None if bandwidth is None else round(bandwidth * DAY.total_seconds())
    return BudgetUse(rewritten, limit, None if not limit else 2 * rewritten / limit)
