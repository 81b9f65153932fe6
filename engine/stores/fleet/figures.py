"""Aggregate figures of all tables, or of some teams' tables. No query's cost grows with history.

The current state is read from the newest measurements (one row per table), recent activity only from rows of that
period: measurements and moved bytes by an index on their time, runs by their ids, which sort by time.
"""

from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, case, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.figures import (
    MOST_LABELLED,
    WITH_METRICS,
    EndedRunCounts,
    LabelledTable,
    OwnerFigures,
    TableFigures,
)
from engine.domain.ids import RunId
from engine.domain.runs.run import TERMINAL_STATES, RunState
from engine.domain.tables.watches import Verdict
from engine.stores.runs import listings as run_listings
from engine.stores.schema.core import measurements, rewritten_bytes, runs, table_labels, tables
from engine.stores.schema.watching import watches
from engine.stores.sql.dialects import StoredNumber
from engine.stores.tables.measurements import IS_LATEST

Teams = AbstractSet[str] | None


class FleetFigureStore:
    """Sums over `tables`, `measurements`, `runs` and `rewritten_bytes`; `teams=None` selects all tables."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def of_tables(self, teams: Teams) -> TableFigures:
        """Return the current figures of the tables."""
        counted = select(func.count(), func.count(tables.c.paused_at)).where(*_own(tables.c.owner_team, teams))
        total, paused = (await self._connection.execute(counted)).one()
        sums = select(func.count(), *(func.coalesce(func.sum(measurements.c[name]), 0) for name in _SUMMED))
        sums = sums.where(IS_LATEST, *_of_teams(measurements.c.table_id, teams))
        measured, *found = (await self._connection.execute(sums)).one()
        return TableFigures(total, paused, measured, *map(int, found))

    async def small_files(self, teams: Teams, since: datetime) -> tuple[int, int]:
        """Return how many small files were added and removed since an instant: the changes between measurements."""
        change = measurements.c.small_file_change
        query = select(
            func.coalesce(func.sum(case((change > 0, change), else_=0)), 0),
            func.coalesce(func.sum(case((change < 0, -change), else_=0)), 0),
        ).where(measurements.c.measured_at >= since, *_of_teams(measurements.c.table_id, teams))
        made, removed = (await self._connection.execute(query)).one()
        return int(made), int(removed)

    async def rewritten_bytes(self, teams: Teams, since: datetime) -> int:
        """Return the bytes that rewrites have read since an instant."""
        query = select(func.coalesce(func.sum(rewritten_bytes.c.bytes), 0)).where(
            rewritten_bytes.c.at >= since, *_of_teams(rewritten_bytes.c.table_id, teams)
        )
        return int((await self._connection.execute(query)).scalar_one())

    async def live_runs(self, teams: Teams) -> dict[RunState, int]:
        """Return the number of live runs by state."""
        query = run_listings.live_counts().where(*_own(runs.c.owner_team, teams))
        return {row[0]: row[1] for row in await self._connection.execute(query)}

    async def ended_runs(self, teams: Teams, since: datetime, first_id: RunId) -> EndedRunCounts:
        """Return the figures of runs with ids from `first_id` on that ended since an instant."""
        recent = (runs.c.id >= first_id, runs.c.finished_at >= since, *_own(runs.c.owner_team, teams))
        by_state: dict[RunState, int] = {}
        committed = lost = wasted = 0
        for row in await self._connection.execute(_sums(recent)):
            by_state[row.state] = row.count
            committed += int(row.committed)
            lost += int(row.lost)
            wasted += int(row.wasted)
        return EndedRunCounts(by_state, committed, lost, wasted)

    async def by_owner(self) -> list[OwnerFigures]:
        """Return the sums of each catalog and team, ordered by name."""
        owner = (tables.c.catalog, tables.c.owner_team)
        is_held = case((watches.c.verdict == Verdict.HELD, 1))
        sums = (func.sum(measurements.c[name]) for name in _SUMMED)
        query = (
            select(
                *owner,
                func.count().label("tables"),
                func.count(is_held).label("due_tables"),
                func.count(measurements.c.table_id).label("measured_tables"),
                *(func.coalesce(each, 0).label(name) for name, each in zip(_SUMMED, sums, strict=True)),
                func.coalesce(func.sum(measurements.c.score), 0.0).label("score_sum"),
                func.min(measurements.c.score).label("lowest_score"),
            )
            .select_from(tables)
            .outerjoin(measurements, (measurements.c.table_id == tables.c.id) & IS_LATEST)
            .outerjoin(watches, watches.c.table_id == tables.c.id)
            .group_by(*owner)
            .order_by(*owner)
        )
        rows = (await self._connection.execute(query)).mappings()
        return [OwnerFigures(**{**row, **{name: int(row[name]) for name in _SUMMED}}) for row in rows]

    async def labelled(self) -> list[LabelledTable]:
        """Return the tables with series of their own, the first `MOST_LABELLED` by id."""
        key, value = WITH_METRICS
        query = (
            select(
                *(tables.c.catalog, tables.c.namespace, tables.c.name),
                case((watches.c.verdict == Verdict.HELD, True), else_=False).label("is_due"),
                *(measurements.c[name] for name in ("file_count", "small_file_count", "avoidable_file_count")),
                *(measurements.c.total_bytes, measurements.c.score),
            )
            .select_from(table_labels)
            .join(tables, tables.c.id == table_labels.c.table_id)
            .outerjoin(measurements, (measurements.c.table_id == tables.c.id) & IS_LATEST)
            .outerjoin(watches, watches.c.table_id == tables.c.id)
            .where(table_labels.c.key == key, table_labels.c.value == value)
            .order_by(table_labels.c.table_id)
            .limit(MOST_LABELLED)
        )
        rows = (await self._connection.execute(query)).mappings()
        return [LabelledTable(**{**row, "is_due": bool(row["is_due"])}) for row in rows]


_SUMMED: Final = ("file_count", "small_file_count", "avoidable_file_count", "total_bytes", "history_bytes")


def _sums(recent: tuple[ColumnElement[bool], ...]) -> Select[Any]:
    def summed(*path: str) -> ColumnElement[Any]:
        return func.coalesce(func.sum(StoredNumber(runs.c.result[path])), 0)

    return (
        select(
            runs.c.state,
            func.count().label("count"),
            summed("groups_committed").label("committed"),
            summed("races", "groups_lost").label("lost"),
            summed("wasted_bytes").label("wasted"),
        )
        .where(runs.c.state.in_(sorted(TERMINAL_STATES)), *recent)
        .group_by(runs.c.state)
    )


def _own(column: ColumnElement[Any], teams: Teams) -> list[ColumnElement[bool]]:
    return [] if teams is None else [column.in_(sorted(teams))]


def _of_teams(table_id: ColumnElement[Any], teams: Teams) -> list[ColumnElement[bool]]:
    if teams is None:
        return []
    return [table_id.in_(select(tables.c.id).where(*_own(tables.c.owner_team, teams)))]
