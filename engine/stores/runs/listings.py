"""Queries over many runs. Each is a bounded index scan: no cost grows with history (a test checks the query plans).

A page of several states merges the newest runs of each state, because an index on (state, id) is in order for one state
only, and a scan in order of id might read all of history to find the few live runs. The same holds for teams. A filter
without an index is applied to the next `WALK` entries of the index that is scanned; the page may then be short, and
reports how far it looked.

Hazard: the databases use a partial index only for a condition with literals; a bound parameter could have any value.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Select,
    Subquery,
    and_,
    case,
    exists,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    union_all,
)

from engine.domain.ids import RunId, TableId, first_run_id
from engine.domain.runs.run import LIVE_STATES, UPKEEP_OF, Operation, Priority, RunFilter, RunState, WaitingFor
from engine.domain.values.instants import ALWAYS, Period
from engine.stores.schema.core import catalogs, measurements, runs, tables
from engine.stores.schema.watching import sharers
from engine.stores.sql.dialects import now
from engine.stores.watching.outages import waits_for_outage

WALK: Final = 2000
QUEUE_WALK: Final = 100_000
MOST_TEAMS: Final = 20
"""Up to this number, teams are looked up one by one; more are a filter on the scanned rows."""

OPERATIONS: Final = tuple(Operation)
"""Known operations. Runs of others, stored by a newer version, are left to processes that support them."""

_IS_QUEUED: Final = runs.c.state == literal_column("'queued'")
_NOW: Final = select(now()).scalar_subquery()
"""The clock, read once per query: Postgres uses no index for a comparison with a volatile function."""
_IS_URGENT: Final = and_(runs.c.urgent_at.is_not(None), runs.c.urgent_at <= _NOW)
_READY: Final = (
    *(runs.c.id, runs.c.table_id, runs.c.priority, runs.c.created_at, runs.c.catalog, runs.c.owner_team),
    runs.c.operation,
    _IS_URGENT.label("is_urgent"),
)
_Condition = ColumnElement[bool]
DOCUMENTS: Final = frozenset({"plan", "intent", "result", "policy", "request"})
"""The JSON columns of a run."""


@dataclass(frozen=True, slots=True)
class _IndexScans:
    """Conditions of each index scan, and the remaining filters on its entries."""

    branches: Sequence[Sequence[_Condition]]
    residual: dict[str, Any]


def page(wanted: RunFilter, before: RunId | None, limit: int, documents: Collection[str] = DOCUMENTS) -> Select[Any]:
    """Return the query for one page of runs older than `before`, newest first.

    Args:
        wanted: filter of the runs.
        before: the last run of the previous page, None for the first page.
        limit: maximum number of runs on the page.
        documents: the JSON columns to read; the others are omitted, because they are most of a row.
    """
    walk = _walk(wanted, before)
    read = [column for column in runs.c if column.name in documents or column.name not in DOCUMENTS]
    newest = select(*read).order_by(runs.c.id.desc()).limit(limit)
    if len(walk.branches) == 1 and not walk.residual:
        return newest.where(*walk.branches[0])
    found = [_ids(branch, walk.residual, limit).subquery() for branch in walk.branches]
    every = union_all(*(select(branch.c.id) for branch in found)).subquery()
    top = select(every.c.id).order_by(every.c.id.desc()).limit(limit).subquery()
    return newest.join(top, top.c.id == runs.c.id)


def walked_to(wanted: RunFilter, before: RunId | None) -> Select[Any] | None:
    """Return the query for the id down to which `page` read all runs (null: to the end); None: it always reads all."""
    walk = _walk(wanted, before)
    if not walk.residual:
        return None
    ends = [_entries(branch).offset(WALK - 1).limit(1).subquery() for branch in walk.branches]
    every = union_all(*(select(end.c.id) for end in ends)).subquery()
    return select(func.max(every.c.id))


def changes(
    table_id: TableId,
    before: RunId | None,
    limit: int,
    period: Period = ALWAYS,
    operation: Operation | None = None,
) -> Select[Any]:
    """Return the query for ended runs that committed snapshots to a table, submitted in the period, newest first."""
    query = select(runs).where(runs.c.table_id == table_id, runs.c.snapshot_count > literal_column("0"))
    query = query if operation is None else query.where(runs.c.operation == operation)
    if period.since is not None:
        query = query.where(runs.c.id >= first_run_id(period.since))
    if period.until is not None:
        query = query.where(runs.c.id < first_run_id(period.until))
    query = query if before is None else query.where(runs.c.id < before)
    return query.order_by(runs.c.id.desc()).limit(limit)


def live(table_id: TableId, operation: Operation, request_key: str | None = None) -> Select[Any]:
    """Return the query for the live runs of an operation on a table, optionally of one request, oldest first."""
    query = select(runs).where(runs.c.table_id == table_id, runs.c.operation == operation, runs.c.finished_at.is_(None))
    query = query if request_key is None else query.where(runs.c.request_key == request_key)
    return query.order_by(runs.c.id)


def live_of_table(table_id: TableId, limit: int) -> Select[Any]:
    """Return the query for the live runs of a table, newest first."""
    query = select(runs).where(runs.c.table_id == table_id, runs.c.finished_at.is_(None))
    return query.order_by(runs.c.id.desc()).limit(limit)


def ready(
    limit: int,
    operations: Collection[Operation] = OPERATIONS,
    *,
    is_fleet_paused: bool = False,
    without: Collection[str] = (),
) -> Select[Any]:
    """Return the query for queued runs that may start: the `limit` oldest of each priority, and `limit` urgent ones.

    Runs of the catalogs in `without` and of other operations are left out. A run may be returned twice.
    """
    conditions = _may_start(operations, is_fleet_paused=is_fleet_paused, without=without)
    oldest = [
        select(*_READY).where(runs.c.priority == priority, *conditions).order_by(runs.c.id).limit(limit).subquery()
        for priority in Priority
    ]
    longest = select(*_READY).where(_IS_URGENT, *conditions).order_by(runs.c.urgent_at, runs.c.id).limit(limit)
    return _with_measures(union_all(*(select(branch) for branch in (*oldest, longest.subquery()))).subquery())


def first_of_each_sharer(
    operations: Collection[Operation] = OPERATIONS, *, is_fleet_paused: bool = False, without: Collection[str] = ()
) -> Select[Any]:
    """Return the query for the oldest startable queued run of each sharer and priority, urgent or not.

    Scans the oldest `QUEUE_WALK` entries of the queue, which is only useful when `ready` did not read all of it.
    """
    may_start = select(*_READY).where(*_may_start(operations, is_fleet_paused=is_fleet_paused, without=without))
    queue = (
        may_start.order_by(runs.c.id).limit(QUEUE_WALK).subquery()
    )  # the limit keeps SQLite from choosing an index for the grouping
    is_rewrite = queue.c.operation == Operation.REWRITE
    of = (queue.c.owner_team, queue.c.catalog, queue.c.priority, queue.c.is_urgent, is_rewrite)
    chosen = select(func.min(queue.c.id).label("id")).group_by(*of).subquery()
    return _with_measures(select(*_READY).join(chosen, chosen.c.id == runs.c.id).subquery())


def oldest_startable(*, is_fleet_paused: bool) -> Select[Any]:
    """Return the query for the instant since which the oldest queued run that may start could have started.

    Of each priority the run that was submitted first counts; it is also the first that workers would take.
    """
    since = case((runs.c.not_before > runs.c.updated_at, runs.c.not_before), else_=runs.c.updated_at).label("since")
    conditions = _may_start(OPERATIONS, is_fleet_paused=is_fleet_paused, without=())
    oldest = [
        select(since).where(runs.c.priority == priority, *conditions).order_by(runs.c.id).limit(1).subquery()
        for priority in Priority
    ]
    return select(func.min(union_all(*(select(branch.c.since) for branch in oldest)).subquery().c.since))


def longest_waits() -> Select[Any]:
    """Return the query for the oldest instant since which a queued run has waited for each stored reason."""
    query = select(runs.c.waiting_for, func.min(runs.c.updated_at))
    return query.where(_IS_QUEUED, runs.c.waiting_for.is_not(None)).group_by(runs.c.waiting_for)


def oldest_event_at_work() -> Select[Any]:
    """Return the query for the oldest of the last events of the runs that workers hold."""
    return select(func.min(runs.c.updated_at)).where(runs.c.lease_holder.is_not(None))


def leased() -> Select[tuple[str, str | None, str]]:
    """Return the query for the catalogs, teams and operations of the runs that workers hold."""
    held = select(runs.c.catalog, runs.c.owner_team, runs.c.operation).where(runs.c.lease_holder.is_not(None))
    return held.order_by(
        runs.c.lease_expires_at
    )  # in the order of a partial index on such runs, which SQLite then uses


def _may_start(
    operations: Collection[Operation], *, is_fleet_paused: bool, without: Collection[str]
) -> Sequence[_Condition]:
    other = runs.alias("other")
    is_held = exists().where(other.c.table_id == runs.c.table_id, other.c.lease_holder.is_not(None))
    paused = select(tables.c.id).where(tables.c.paused_at.is_not(None))
    frozen = select(tables.c.id).where(tables.c.frozen_at.is_not(None))
    closed = select(catalogs.c.name).where(catalogs.c.paused_at.is_not(None))
    is_cancelled = runs.c.cancel_requested_at.is_not(None)
    return [
        _IS_QUEUED,
        runs.c.operation.in_(sorted(operations)),
        or_(runs.c.not_before.is_(None), runs.c.not_before <= now()),
        ~is_held,
        is_cancelled
        if is_fleet_paused
        else or_(
            is_cancelled,
            and_(
                runs.c.table_id.not_in(paused),
                runs.c.table_id.not_in(frozen),
                runs.c.catalog.not_in(closed),
                ~waits_for_outage(),
            ),
        ),
        *([runs.c.catalog.not_in(without)] if without else []),
    ]


def _with_measures(found: Subquery) -> Select[Any]:
    """Add what was last measured of each table, for rewrites, and the time its sharer was last served."""
    is_latest = and_(measurements.c.table_id == found.c.table_id, measurements.c.is_latest)
    is_rewrite = found.c.operation == Operation.REWRITE
    none: ColumnElement[Any] = literal_column("0")
    worth = case((is_rewrite, func.coalesce(measurements.c.benefit_per_cost, none)), else_=none)
    fullest = measurements.c.document["fullest_bucket"]
    counts = [each["level0_file_count"].as_integer() for each in (measurements.c.document, fullest)]
    level0 = case(
        (is_rewrite, func.coalesce(*counts, none)), else_=none
    )  # measurements of earlier versions have the second
    is_hidden = and_(is_rewrite, func.coalesce(fullest["hides_level0"].as_boolean(), false()))
    of_team, of_catalog = literal("team ") + found.c.owner_team, literal("catalog ") + found.c.catalog
    kind = case((is_rewrite, literal("")), else_=literal(UPKEEP_OF))
    is_sharer = sharers.c.name == kind + func.coalesce(of_team, of_catalog)  # as `domain.runs.run.sharer` names them
    joined = found.outerjoin(measurements, is_latest).outerjoin(sharers, is_sharer)
    measured = (worth.label("benefit_per_cost"), level0.label("level0_file_count"), is_hidden.label("hides_level0"))
    return select(found, *measured, sharers.c.served_at).select_from(joined)


def held_back(waiting_for: Iterable[WaitingFor], limit: int, after: RunId | None = None) -> Select[Any]:
    """Return the query for queued runs younger than `after` that wait for one of these reasons, oldest first."""
    columns = (runs.c.id, runs.c.table_id, runs.c.priority, runs.c.created_at)
    query = select(*columns).where(_IS_QUEUED, runs.c.waiting_for.in_(waiting_for)).order_by(runs.c.id).limit(limit)
    return query if after is None else query.where(runs.c.id > after)


def expired(limit: int) -> Select[Any]:
    """Return the query for ids of runs with an expired lease, oldest expiry first; locks them, skips locked rows."""
    return (
        select(runs.c.id)
        .where(runs.c.lease_holder.is_not(None), runs.c.lease_expires_at <= now())
        .order_by(runs.c.lease_expires_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )


def live_counts() -> Select[Any]:
    """Return the query for the number of live runs by state."""
    live_states = sorted(LIVE_STATES)  # a list of states: SQLite would not use the partial index here
    return select(runs.c.state, func.count()).where(runs.c.state.in_(live_states)).group_by(runs.c.state)


def _walk(wanted: RunFilter, before: RunId | None) -> _IndexScans:
    """Choose the index by the first filter present: table, teams, catalog, states, otherwise the ids."""
    bounds = [bound for bound in _bounds(wanted, before) if bound is not None]
    residual = {"operation": wanted.operations, "catalog": wanted.catalog, "owner_team": wanted.teams}
    drivers: list[list[_Condition]] = [[]]
    if wanted.table_id is not None:
        drivers = [[runs.c.table_id == wanted.table_id]]
    elif wanted.teams is not None and len(wanted.teams) <= MOST_TEAMS:
        drivers = [[runs.c.owner_team == team] for team in sorted(wanted.teams)]
        del residual["owner_team"]
    elif wanted.catalog is not None:
        drivers = [[runs.c.catalog == wanted.catalog]]
        del residual["catalog"]
    states: list[list[_Condition]] = [[]]
    if wanted.states is not None or drivers != [[]]:
        chosen = sorted(RunState if wanted.states is None else wanted.states)
        states = [[runs.c.state == state] for state in chosen]
    branches = [[*driver, *state, *bounds] for driver in drivers for state in states]
    return _IndexScans(branches, {name: value for name, value in residual.items() if value is not None})


def _bounds(wanted: RunFilter, before: RunId | None) -> Iterable[_Condition | None]:
    yield None if before is None else runs.c.id < before
    yield None if wanted.until is None else runs.c.id < wanted.until
    yield None if wanted.since is None else runs.c.id >= wanted.since


def _entries(conditions: Sequence[_Condition], *columns: Any) -> Select[Any]:
    return select(runs.c.id, *columns).where(*conditions).order_by(runs.c.id.desc())


def _ids(conditions: Sequence[_Condition], residual: dict[str, Any], limit: int) -> Select[Any]:
    if not residual:
        return _entries(conditions).limit(limit)
    entries = _entries(conditions, *(runs.c[name] for name in residual)).limit(WALK).subquery()
    query = select(entries.c.id)
    for name, value in residual.items():
        column = entries.c[name]
        query = query.where(column.in_(sorted(value)) if isinstance(value, frozenset) else column == value)
    return query.order_by(entries.c.id.desc()).limit(limit)
