"""Prune ended runs and old versions of policies, batch by batch.

A pass reads the rows in order of their time, from a stored cursor, and starts again at the oldest once it has reached
the newest that are old enough. So no statement reads more than a batch, however many old rows are kept because other
rows need them. A batch deletes and counts in one transaction, and its row of `retention` is locked: several processes
may prune, and a killed one leaves no partial work.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    case,
    delete,
    exists,
    func,
    literal_column,
    or_,
    select,
    tuple_,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.retention import NEWEST_CHANGES, NEWEST_RUNS, Kept, Pruned
from engine.domain.runs.intents import RunIntent
from engine.stores.schema.core import file_groups, outbox, policy_versions, run_events, runs, tables
from engine.stores.schema.history import retention

MOST_PARTS: Final = 20_000
"""Maximum number of events and file groups deleted by one batch, unless a single run has more."""

Cursor = tuple[datetime | None, str | None]
"""Time and id of the last row read by a pass; None, None at its start."""


class RetentionStore:
    """Rows of `retention`, and the deletion of rows past their retention time."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def pruned(self, kind: Kept) -> Pruned:
        """Return how much of a kind was pruned so far."""
        row = (await self._connection.execute(select(retention).where(retention.c.kind == kind))).one_or_none()
        return Pruned() if row is None else Pruned(row.pruned, row.pruned_until)

    async def prune_runs(self, before: datetime, limit: int) -> tuple[int, bool]:
        """Delete unneeded runs that ended before an instant, with their events and file groups.

        Returns:
            How many were deleted of at most `limit` runs read, and whether the pass is at its end.
        """
        cursor = await self._cursor(Kept.RUNS)
        if cursor is None:
            return 0, True
        found = (await self._connection.execute(prunable_runs(before, cursor, limit))).all()
        looked_at = found[: await self._fitting(found)]
        going = [row for row in looked_at if row.is_free and not RunIntent.of(row.intent or {}).sent]
        ids = [row.id for row in going]
        if ids:
            await self._connection.execute(delete(run_events).where(run_events.c.run_id.in_(ids)))
            await self._connection.execute(delete(file_groups).where(file_groups.c.run_id.in_(ids)))
            await self._connection.execute(delete(runs).where(runs.c.id.in_(ids)))
        is_end = len(looked_at) == len(found) < limit
        last = None if is_end else (looked_at[-1].finished_at, looked_at[-1].id)
        newest = max((row.finished_at for row in going), default=None)
        await self._move(Kept.RUNS, len(going), newest, last)
        return len(going), is_end

    async def prune_policy_versions(self, before: datetime, limit: int) -> tuple[int, bool]:
        """Delete versions of policies written before an instant, except the newest of each; see `prune_runs`."""
        cursor = await self._cursor(Kept.POLICY_VERSIONS)
        if cursor is None:
            return 0, True
        found = (await self._connection.execute(prunable_versions(before, cursor, limit))).all()
        going = [row for row in found if row.is_free]
        keys = [(row.name, row.version) for row in going]
        if keys:
            columns = tuple_(policy_versions.c.name, policy_versions.c.version)
            await self._connection.execute(delete(policy_versions).where(columns.in_(keys)))
        is_end = len(found) < limit
        last = None if is_end else (found[-1].written_at, found[-1].name)
        newest = max((row.written_at for row in going), default=None)
        await self._move(Kept.POLICY_VERSIONS, len(going), newest, last)
        return len(going), is_end

    async def _cursor(self, kind: Kept) -> Cursor | None:
        """Lock a kind and return the position of its pass; None while another process prunes it."""
        query = select(retention.c.cursor_at, retention.c.cursor_id).where(retention.c.kind == kind)
        row = (await self._connection.execute(query.with_for_update(skip_locked=True))).one_or_none()
        return None if row is None else (row.cursor_at, row.cursor_id)

    async def _fitting(self, found: Sequence[Row[Any]]) -> int:
        """Return how many of these runs fit a batch by their number of events and file groups; at least one."""
        if not found:
            return 0
        ids = [row.id for row in found]
        query = select(file_groups.c.run_id, func.count()).where(file_groups.c.run_id.in_(ids))
        grouped = await self._connection.execute(query.group_by(file_groups.c.run_id))
        groups: dict[str, int] = {row[0]: row[1] for row in grouped}
        sums = accumulate(int(row.last_event) + groups.get(row.id, 0) for row in found)
        return max(1, sum(each <= MOST_PARTS for each in sums))

    async def _move(self, kind: Kept, count: int, newest: datetime | None, last: tuple[datetime, str] | None) -> None:
        values: dict[str, Any] = dict(zip(("cursor_at", "cursor_id"), last or (None, None), strict=True))
        if newest is not None:
            until = retention.c.pruned_until
            later = case((or_(until.is_(None), until < newest), newest), else_=until)
            values |= {"pruned": retention.c.pruned + count, "pruned_until": later}
        await self._connection.execute(update(retention).where(retention.c.kind == kind).values(values))


def prunable_runs(before: datetime, cursor: Cursor, limit: int) -> Select[Any]:
    """Return the query for the next runs in order of their end; `is_free` is true if no other row needs the run."""
    newer = runs.alias("newer")
    of_table = and_(newer.c.table_id == runs.c.table_id, newer.c.id > runs.c.id)
    ended = select(newer.c.id).where(of_table, newer.c.state == runs.c.state)
    has_followers = ended.order_by(newer.c.id).offset(NEWEST_RUNS - 1).limit(1).scalar_subquery().is_not(None)
    changed = select(newer.c.id).where(of_table, newer.c.snapshot_count > literal_column("0"))
    has_changes = changed.order_by(newer.c.id).offset(NEWEST_CHANGES - 1).limit(1).scalar_subquery().is_not(None)
    is_registered = exists().where(tables.c.id == runs.c.table_id)
    freezes = exists().where(tables.c.id == runs.c.table_id, tables.c.frozen_by == runs.c.id)
    is_sent = ~exists().where(outbox.c.run_id == runs.c.id)
    is_passed = and_(has_followers, or_(runs.c.snapshot_count == literal_column("0"), has_changes))
    is_free = and_(is_sent, ~freezes, or_(~is_registered, is_passed))
    columns = (runs.c.id, runs.c.finished_at, runs.c.last_event, runs.c.intent, is_free.label("is_free"))
    query = select(*columns).where(runs.c.finished_at.is_not(None), runs.c.finished_at < before)
    return _after(query, (runs.c.finished_at, runs.c.id), cursor).limit(limit)


def prunable_versions(before: datetime, cursor: Cursor, limit: int) -> Select[Any]:
    """Return the query for the next versions of policies, each with whether its policy has a newer stored version."""
    newer = policy_versions.alias("newer")
    same = and_(newer.c.name == policy_versions.c.name, newer.c.version > policy_versions.c.version)
    columns = (policy_versions.c.name, policy_versions.c.version, policy_versions.c.written_at)
    query = select(*columns, exists().where(same).label("is_free")).where(policy_versions.c.written_at < before)
    return _after(query, (policy_versions.c.written_at, policy_versions.c.name), cursor).limit(limit)


def _after(
    query: Select[Any],
    key: tuple[ColumnElement[datetime], ColumnElement[str]],
    cursor: Cursor,
) -> Select[Any]:
    at, name = cursor
    if at is not None:
        query = query.where(key[0] >= at, or_(key[0] > at, key[1] > name))
    return query.order_by(*key)
