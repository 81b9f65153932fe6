"""The list of all tables with their watch, newest measurement and newest run. No query's cost grows with history.

A page takes at most three statements, whatever its size: tables that have a value of the sort key, then tables
without one, then the newest runs of the page. The order by files to save scans an index; other orders sort the visible
tables, with one row of each joined table. The newest run of a table is found by one index lookup per state, so no order
reads the history of runs (a test checks the cost); only the order and the filter by last run read runs of tables that
are not on the page.
"""

import builtins
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, Select, Text, and_, case, exists, func, literal, select, tuple_, type_coerce
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.grants import VisibleTables
from engine.domain.fleet.tables import (
    FleetKey,
    FleetPosition,
    FleetSort,
    FleetTable,
    FleetTableFilter,
    LastRun,
)
from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import RunState
from engine.domain.tables.table import TableFilter, TableRef
from engine.domain.tables.watches import Verdict
from engine.stores.schema.core import measurements, runs, table_labels, tables
from engine.stores.schema.watching import watches
from engine.stores.tables.listings import conditions, visible

_VERDICT: Final = func.coalesce(type_coerce(watches.c.verdict, Text), literal(Verdict.NEW.value))
_HOLD: Final = case((type_coerce(watches.c.verdict, Text) == Verdict.HELD.value, watches.c.code))
_KEYS: Final[Mapping[FleetKey, ColumnElement[Any]]] = {
    FleetKey.AVOIDABLE_FILES: measurements.c.avoidable_file_count,
    FleetKey.BENEFIT_PER_COST: measurements.c.benefit_per_cost,
    FleetKey.DUE_SINCE: watches.c.due_since,
    FleetKey.HISTORY_BYTES: measurements.c.history_bytes,
    FleetKey.HOLD: _HOLD,
    FleetKey.NEXT_LOOK_AT: watches.c.next_at,
    FleetKey.SCORE: measurements.c.score,
    FleetKey.VERDICT: _VERDICT,
}
_LOOK: Final = ("detail", "due_since", "looked_at")
_FIGURES: Final = (
    *("measured_at", "benefit_per_cost", "file_count", "small_file_count", "avoidable_file_count", "total_bytes"),
    "score",
    "history_bytes",
)
_RUN: Final = ("operation", "state", "reason", "created_at", "finished_at")
Greatest = Callable[..., ColumnElement[Any]]


class FleetTableStore:
    """Rows of `tables` joined with their rows of `watches`, `measurements` and `runs`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def list(
        self, wanted: FleetTableFilter, sort: FleetSort, after: FleetPosition | None, limit: int
    ) -> builtins.list[FleetTable]:
        """Return the matching tables after a position, in order, at most `limit`."""
        greatest: Greatest = func.max if self._connection.dialect.name == "sqlite" else func.greatest
        found: builtins.list[Row[Any]] = []
        if after is None or after[0] is not None:
            query = valued(wanted, sort, after, limit, greatest=greatest)
            found += await self._connection.execute(query)
            after = None
        if len(found) < limit:
            query = valueless(wanted, sort, after, limit - len(found), greatest=greatest)
            found += await self._connection.execute(query)
        newest = await self._newest_runs([TableId(row.id) for row in found], greatest)
        return [_to_table(row, newest.get(TableId(row.id))) for row in found]

    async def _newest_runs(self, ids: Collection[TableId], greatest: Greatest) -> dict[TableId, LastRun]:
        if not ids:
            return {}
        chosen = select(newest_run(greatest).label("id")).where(tables.c.id.in_(ids)).subquery()
        query = select(runs.c.id, runs.c.table_id, *(runs.c[name] for name in _RUN))
        rows = await self._connection.execute(query.join(chosen, chosen.c.id == runs.c.id))
        return {
            TableId(row.table_id): LastRun(RunId(row.id), **{name: getattr(row, name) for name in _RUN}) for row in rows
        }


def valued(
    wanted: FleetTableFilter, sort: FleetSort, after: FleetPosition | None, limit: int, *, greatest: Greatest
) -> Select[Any]:
    """Return the query for the tables that have a value of the sort key, in its order and then by id."""
    key, is_ranked = _key(sort, greatest), sort.key is FleetKey.AVOIDABLE_FILES
    query = _tables(wanted, key, greatest, is_measured=is_ranked).where(key.is_not(None)).limit(limit)
    table_id = measurements.c.table_id if is_ranked else tables.c.id  # the column of the index that is scanned
    if after is not None:
        here, there = tuple_(key, table_id), tuple_(literal(after[0], key.type), literal(after[1]))
        query = query.where(here < there if sort.descending else here > there)
    return query.order_by(key.desc(), table_id.desc()) if sort.descending else query.order_by(key, table_id)


def valueless(
    wanted: FleetTableFilter, sort: FleetSort, after: FleetPosition | None, limit: int, *, greatest: Greatest
) -> Select[Any]:
    """Return the query for the tables without a value of the sort key, newest first."""
    key = _key(sort, greatest)
    query = _tables(wanted, key, greatest).where(key.is_(None)).order_by(tables.c.id.desc()).limit(limit)
    return query if after is None else query.where(tables.c.id < after[1])


def newest_run(greatest: Greatest) -> ColumnElement[Any]:
    """Return the SQL expression for the id of a table's newest run; null if it has none."""
    of_states = (
        select(func.max(runs.c.id))
        .where(runs.c.table_id == tables.c.id, runs.c.state == state)
        .correlate(tables)
        .scalar_subquery()
        for state in RunState
    )
    return func.nullif(greatest(*(func.coalesce(each, "") for each in of_states)), "")


def _key(sort: FleetSort, greatest: Greatest) -> ColumnElement[Any]:
    return newest_run(greatest) if sort.key is FleetKey.LAST_RUN else _KEYS[sort.key]


def _tables(
    wanted: FleetTableFilter, key: ColumnElement[Any], greatest: Greatest, *, is_measured: bool = False
) -> Select[Any]:
    is_latest = and_(measurements.c.table_id == tables.c.id, measurements.c.is_latest)
    query = (
        select(
            *(tables.c.id, tables.c.catalog, tables.c.namespace, tables.c.name, tables.c.owner_team),
            *(tables.c.paused_at, tables.c.frozen_at, _VERDICT.label("verdict"), _HOLD.label("hold")),
            *(watches.c[name] for name in _LOOK),
            *(measurements.c[name] for name in _FIGURES),
            watches.c.next_at.label("next_look_at"),
            key.label("sort_value"),
        )
        .select_from(tables)
        .outerjoin(watches, watches.c.table_id == tables.c.id)
        .join(measurements, is_latest, isouter=not is_measured)
        .where(*_of_tables(wanted.tables))
    )
    if wanted.verdicts is not None:
        query = query.where(_VERDICT.in_(sorted(wanted.verdicts)))
    if wanted.holds is not None:
        query = query.where(_HOLD.in_(sorted(wanted.holds)))
    if wanted.is_due is not None:
        query = query.where(watches.c.due_since.is_not(None) if wanted.is_due else watches.c.due_since.is_(None))
    if wanted.last_run_states is not None:
        last = runs.alias("last")
        states = last.c.state.in_(sorted(wanted.last_run_states))
        query = query.where(exists().where(last.c.id == newest_run(greatest), states))
    return query


def _of_tables(wanted: TableFilter) -> builtins.list[ColumnElement[bool]]:
    found = conditions(wanted, None)
    if wanted.owner_team is not None:
        found.append(tables.c.owner_team == wanted.owner_team)
    if wanted.teams is not None:
        found.append(visible(VisibleTables(wanted.teams, wanted.readable)))
    for key, value in sorted(wanted.labels.items()):
        of_table = table_labels.c.table_id == tables.c.id
        found.append(exists().where(of_table, table_labels.c.key == key, table_labels.c.value == value))
    return found


def _to_table(row: Row[Any], last_run: LastRun | None) -> FleetTable:
    return FleetTable(
        table_id=TableId(row.id),
        ref=TableRef(row.catalog, row.namespace, row.name),
        owner_team=row.owner_team,
        is_paused=row.paused_at is not None,
        is_frozen=row.frozen_at is not None,
        verdict=Verdict(row.verdict),
        hold=row.hold,
        next_look_at=row.next_look_at,
        sort_value=row.sort_value,
        last_run=last_run,
        **{name: getattr(row, name) for name in (*_LOOK, *_FIGURES)},
    )
