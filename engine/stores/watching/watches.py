"""Watch state of registered tables. A row exists as long as the table is registered.

Only the leader stores the results of looks (evaluations): writes of a former leader are refused. Any process may wake:
every change that can affect the result of a look schedules an early look at the affected tables. A table that is woken
during a look is looked at again, because settling keeps a `next_at` that differs from the one the look began with. The
same applies to `reconsider_at`, separately: only some wake-ups ask for an evaluation.
"""

import builtins
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Float,
    Row,
    Select,
    and_,
    bindparam,
    case,
    cast,
    func,
    insert,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId
from engine.domain.policies import PolicyScope
from engine.domain.runs.deletions import Widening
from engine.domain.tables.table import TableRef
from engine.domain.tables.watches import SHORTEST_SECONDS, Verdict, Watch, phase_of
from engine.stores.policies.coverage import narrowed
from engine.stores.schema.core import tables
from engine.stores.schema.watching import watches
from engine.stores.sql.dialects import NowPlus, UtcTime, now, seconds_from_now
from engine.stores.watching.leadership import WATCH, leads

RAMP_SECONDS: Final = 60
"""Maximum time in seconds over which the looks at tables that become due together are spread."""

LOOKS_PER_SECOND: Final = 10
"""Looks per second while they are spread: a few tables are looked at without delay."""

_COLUMNS: Final = tuple(each.name for each in fields(Watch))
_WOKEN: Final = ("next_at", "reconsider_at")
"""Columns that wake-ups write."""
_NOT_SETTLED: Final = frozenset({"table_id", "phase", "grace_until", *_WOKEN})
_SETTLED: Final = tuple(name for name in _COLUMNS if name not in _NOT_SETTLED)


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """A watch with the address of its table."""

    watch: Watch
    ref: TableRef


class WatchStore:
    """Rows of `watches`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert(self, table_id: TableId, *, grace_seconds: float = 0) -> None:
        """Start watching a newly registered table: the first look is scheduled soon, at its phase.

        Args:
            table_id: the table.
            grace_seconds: time before its first automatic run may start.
        """
        phase = phase_of(table_id)
        await self._connection.execute(
            insert(watches).values(
                table_id=table_id,
                phase=phase,
                next_at=seconds_from_now(phase * SHORTEST_SECONDS),
                interval_seconds=SHORTEST_SECONDS,
                verdict=Verdict.NEW,
                grace_until=seconds_from_now(grace_seconds) if grace_seconds else None,
            )
        )

    async def get(self, table_id: TableId) -> Watch | None:
        """Return the watch of a table; None when it is not registered."""
        row = (await self._connection.execute(select(watches).where(watches.c.table_id == table_id))).one_or_none()
        return None if row is None else _to_watch(row)

    async def list_due(
        self,
        at: datetime,
        limit: int,
        *,
        without: Collection[str] = (),
        catalog: str | None = None,
        rest_seconds: float = 0,
    ) -> builtins.list[WatchedTable]:
        """Return tables whose look is due, longest overdue first.

        Args:
            at: the current instant, by the database's clock.
            limit: maximum number of tables.
            without: catalogs whose tables are left out.
            catalog: return only tables of this catalog.
            rest_seconds: minimum time since the last look, even if the table was woken.
        """
        query = due(at, limit)
        query = query.where(
            or_(watches.c.looked_at.is_(None), watches.c.looked_at <= at - timedelta(seconds=rest_seconds))
        )
        if without:
            query = query.where(tables.c.catalog.not_in(without))
        if catalog is not None:
            query = query.where(tables.c.catalog == catalog)
        rows = await self._connection.execute(query)
        return [WatchedTable(_to_watch(row), TableRef(row.catalog, row.namespace, row.name)) for row in rows]

    async def settle(self, token: int, looks: Sequence[tuple[Watch, Watch]]) -> int:
        """Store the results of looks, given as the watches before and after each; return the number of rows written.

        Fewer rows than looks: the token's leader no longer leads, or a table is no longer registered.

        Of `next_at` and `reconsider_at`, each keeps a value that was written during the look, independently of the
        other: a wake-up without an evaluation must not discard when the passing of time may change the result.
        """
        if not looks:
            return 0
        kept = {name: _unless_changed(name) for name in _WOKEN}
        statement = (
            update(watches)
            .where(watches.c.table_id == bindparam("id"), leads(WATCH, token))
            .values(**kept, **{name: bindparam(f"new_{name}", type_=watches.c[name].type) for name in _SETTLED})
        )
        rows = [
            {f"new_{name}": getattr(after, name) for name in (*_SETTLED, *_WOKEN)}
            | {f"old_{name}": getattr(before, name) for name in _WOKEN}
            | {"id": before.table_id}
            for before, after in sorted(looks, key=lambda look: look[0].table_id)
        ]
        return (await self._connection.execute(statement, rows)).rowcount

    async def wake(self, table_id: TableId, *, evaluate: bool = True) -> None:
        """Schedule a look at a table now; `evaluate`: evaluate it even if nothing was written to it."""
        values: dict[str, Any] = {"next_at": now()} | ({"reconsider_at": now()} if evaluate else {})
        await self._connection.execute(update(watches).where(watches.c.table_id == table_id).values(**values))

    async def has_moved(self, table_id: TableId, pointer: str) -> bool:
        """Return whether `pointer` differs from the one that the last look at a table found; True if it found none."""
        query = select(watches.c.table_id).where(*_moved(table_id, pointer))
        return (await self._connection.execute(query)).one_or_none() is not None

    async def wake_moved(self, table_id: TableId, pointer: str) -> None:
        """Schedule a look at a table now if `has_moved` (it is then evaluated) and no look is already due."""
        sooner = update(watches).where(*_moved(table_id, pointer), watches.c.next_at > now())
        await self._connection.execute(sooner.values(next_at=now()))

    async def wake_early(self, table_id: TableId) -> None:
        """Schedule an evaluation of a table now unless a look is already due."""
        early = update(watches).where(watches.c.table_id == table_id, watches.c.next_at > now())
        await self._connection.execute(early.values(next_at=now(), reconsider_at=now()))

    async def wake_after_run(self, table_id: TableId, *, closed: str | None = None) -> None:
        """Schedule evaluations of a table whose run ended and, if a catalog's breaker closed, of tables it held back.

        One statement locks all of them, in order of their ids: see `_spread`.
        """
        if closed is None:
            await self.wake(table_id)
            return
        inside = watches.c.table_id.in_(select(tables.c.id).where(tables.c.catalog == closed))
        held = and_(inside, watches.c.code == "catalog_fails")
        await self._spread(or_(watches.c.table_id == table_id, held), reconsider_at=now())

    async def wake_covered(self, scope: PolicyScope, *, ends_rest: bool = False) -> None:
        """Schedule evaluations of the tables of a scope: at once for a few, otherwise spread over up to a minute.

        Two statements, whatever the number of tables. A pattern may wake a few tables that it does not cover.

        Args:
            scope: the tables.
            ends_rest: ended runs without effect no longer count, as after `end_rest`.
        """
        inside = watches.c.table_id.in_(select(tables.c.id).where(narrowed(scope)))
        await self._spread(inside, reconsider_at=now(), **({"rest_ended_at": now()} if ends_rest else {}))

    async def delete_more(self, scope: PolicyScope, up_to: Mapping[str, int]) -> None:
        """Record that policies allow to delete more of the tables of a scope from now on; see `last_widening`.

        `up_to`: the most that each deletion may remove without a further acknowledgement, by amount; empty: no bound.
        """
        inside = watches.c.table_id.in_(select(tables.c.id).where(narrowed(scope)))
        locked = select(watches.c.table_id).where(inside).order_by(watches.c.table_id).with_for_update()
        await self._connection.execute(locked)
        values = {"deletes_more_since": now(), "deletions_up_to": dict(up_to) or null()}
        await self._connection.execute(update(watches).where(inside).values(values))

    async def last_widening(self, table_id: TableId) -> Widening:
        """Return when a change that deletes more of a table was last stored, and its bound."""
        query = select(watches.c.deletes_more_since, watches.c.deletions_up_to).where(watches.c.table_id == table_id)
        row = (await self._connection.execute(query)).one_or_none()
        return Widening() if row is None else Widening(row.deletes_more_since, row.deletions_up_to or {})

    async def spread_overdue(self) -> None:
        """Spread the looks that are overdue; after a time without a leader, all are."""
        await self._spread(watches.c.next_at <= now())

    async def end_rest(self, table_id: TableId) -> None:
        """End a table's rest after runs without effect: runs that have ended no longer count."""
        await self._connection.execute(
            update(watches).where(watches.c.table_id == table_id).values(rest_ended_at=now())
        )

    async def end_grace(self, table_ids: Iterable[TableId]) -> None:
        """End the grace of newly registered tables, so that runs start automatically; skips tables without a grace."""
        which = and_(watches.c.table_id.in_(set(table_ids)), watches.c.grace_until.is_not(None))
        locked = select(watches.c.table_id).where(which).order_by(watches.c.table_id).with_for_update()
        found = [row.table_id for row in await self._connection.execute(locked)]
        if found:
            ended = update(watches).where(watches.c.table_id.in_(found))
            await self._connection.execute(ended.values(grace_until=None))

    async def rest_ended_at(self, table_id: TableId) -> datetime | None:
        """Return when a table's rest was last ended; None when it never was."""
        query = select(watches.c.rest_ended_at).where(watches.c.table_id == table_id)
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def resting(self) -> int:
        """Return the number of tables that rested after runs without effect at their last look."""
        query = select(func.count()).where(watches.c.verdict == Verdict.HELD, watches.c.code == "runs_in_vain")
        return (await self._connection.execute(query)).scalar_one()

    async def standing(self) -> dict[Verdict, int]:
        """Return the number of tables by the verdict of their last look."""
        query = select(watches.c.verdict, func.count()).group_by(watches.c.verdict)
        return {row[0]: row[1] for row in await self._connection.execute(query)}

    async def _spread(self, which: ColumnElement[bool], **values: Any) -> None:
        # Locked in order of the ids, as in `settle`: otherwise two transactions that change many rows could deadlock.
        locked = select(watches.c.table_id).where(which).order_by(watches.c.table_id).with_for_update()
        count = len((await self._connection.execute(locked)).all())
        ramp = min(RAMP_SECONDS, count / LOOKS_PER_SECOND)
        soon = NowPlus(cast(watches.c.phase * ramp, Float))
        is_sooner = and_(watches.c.next_at > now(), watches.c.next_at < soon)
        sooner = case((is_sooner, watches.c.next_at), else_=soon)
        await self._connection.execute(update(watches).where(which).values(next_at=sooner, **values))


def due(at: datetime, limit: int) -> Select[Any]:
    """Return the query for the watches, with their tables' addresses, whose look is due at an instant.

    The instant is a value and not an expression: Postgres uses no index for a comparison with a volatile function.
    """
    address = (tables.c.catalog, tables.c.namespace, tables.c.name)
    query = select(watches, *address).join(tables, tables.c.id == watches.c.table_id)
    return query.where(watches.c.next_at <= at).order_by(watches.c.next_at, watches.c.table_id).limit(limit)


def _unless_changed(name: str) -> ColumnElement[Any]:
    """Return the new value of a column, or the stored one if that is no longer the one that the look began with."""
    old, new = (bindparam(f"{kind}_{name}", type_=UtcTime()) for kind in ("old", "new"))
    return case((watches.c[name].is_distinct_from(old), watches.c[name]), else_=new)


def _moved(table_id: TableId, pointer: str) -> tuple[ColumnElement[bool], ...]:
    return watches.c.table_id == table_id, watches.c.pointer.is_distinct_from(pointer)


def _to_watch(row: Row[Any]) -> Watch:
    return Watch(**{name: getattr(row, name) for name in _COLUMNS})
