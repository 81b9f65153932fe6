"""How each registered table is watched. A row comes and goes with the table's registration.

Only the leader settles looks: what a former one writes is refused. Everybody wakes: whatever changes what a look would
come to, lets the tables that it concerns be looked at soon. A table that is woken while a look at it is under way is
looked at once more, because settling keeps a `next_at` that is not the one that the look began with.
"""

import builtins
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, Float, Row, Select, and_, bindparam, case, cast, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId
from engine.domain.policies import PolicyScope
from engine.domain.tables.table import TableRef
from engine.domain.tables.watches import SHORTEST_SECONDS, Verdict, Watch, phase_of
from engine.stores.policies.coverage import narrowed
from engine.stores.schema.core import tables
from engine.stores.schema.watching import watches
from engine.stores.sql.clock import NowPlus, now, seconds_from_now
from engine.stores.sql.columns import UtcTime
from engine.stores.watching.leadership import WATCH, leads

RAMP_SECONDS: Final = 60
"""Over so long tables that become due for a look together are spread, when they are many."""

LOOKS_PER_SECOND: Final = 10
"""So many of them in each second: a few are looked at at once."""

_COLUMNS: Final = tuple(each.name for each in fields(Watch))
_NOT_SETTLED: Final = frozenset({"table_id", "phase", "next_at", "reconsider_at", "grace_until"})
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
        """Begin to watch a table that was just registered: the first look comes soon, at its phase.

        Args:
            table_id: the table.
            grace_seconds: how long its first automatic run waits.
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
        """Return how a table is watched, None when it is not registered."""
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
        """Return tables whose look is due, longest due first.

        Args:
            at: the present instant, by the database's clock.
            limit: at most so many.
            without: catalogs whose tables are left out.
            catalog: tables of this one only.
            rest_seconds: a table that was looked at less long ago is left out, however often it is woken.
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
        """Write what looks came to, each as the watch before and after it; return how many rows were written.

        Fewer than there are looks: the token's leader is not the leader any more, or a table is gone.
        """
        if not looks:
            return 0
        was_woken = watches.c.next_at != bindparam("began_with", type_=UtcTime())
        kept = {
            name: case((was_woken, watches.c[name]), else_=bindparam(f"new_{name}", type_=UtcTime()))
            for name in ("next_at", "reconsider_at")
        }
        statement = (
            update(watches)
            .where(watches.c.table_id == bindparam("id"), leads(WATCH, token))
            .values(**kept, **{name: bindparam(f"new_{name}", type_=watches.c[name].type) for name in _SETTLED})
        )
        rows = [
            {f"new_{name}": getattr(after, name) for name in (*_SETTLED, "next_at", "reconsider_at")}
            | {"id": before.table_id, "began_with": before.next_at}
            for before, after in sorted(looks, key=lambda look: look[0].table_id)
        ]
        return (await self._connection.execute(statement, rows)).rowcount

    async def wake(self, table_id: TableId, *, evaluate: bool = True) -> None:
        """Let a table be looked at now; `evaluate`: also when nothing was written to it."""
        values: dict[str, Any] = {"next_at": now()} | ({"reconsider_at": now()} if evaluate else {})
        await self._connection.execute(update(watches).where(watches.c.table_id == table_id).values(**values))

    async def has_moved(self, table_id: TableId, pointer: str) -> bool:
        """Return whether a catalog points elsewhere than at the last look at a table, or no look found a pointer."""
        query = select(watches.c.table_id).where(*_moved(table_id, pointer))
        return (await self._connection.execute(query)).one_or_none() is not None

    async def wake_moved(self, table_id: TableId, pointer: str) -> None:
        """Look at a table now if `has_moved` (then it is evaluated) and its look is not due already."""
        sooner = update(watches).where(*_moved(table_id, pointer), watches.c.next_at > now())
        await self._connection.execute(sooner.values(next_at=now()))

    async def wake_early(self, table_id: TableId) -> None:
        """Evaluate a table now unless its look is due already."""
        early = update(watches).where(watches.c.table_id == table_id, watches.c.next_at > now())
        await self._connection.execute(early.values(next_at=now(), reconsider_at=now()))

    async def wake_after_run(self, table_id: TableId, *, closed: str | None = None) -> None:
        """Evaluate a table whose run ended, and the tables that the breaker of a catalog held back if that closed.

        One statement locks all of them, in order of their ids: see `_spread`.
        """
        if closed is None:
            await self.wake(table_id)
            return
        inside = watches.c.table_id.in_(select(tables.c.id).where(tables.c.catalog == closed))
        held = and_(inside, watches.c.code == "catalog_fails")
        await self._spread(or_(watches.c.table_id == table_id, held), reconsider_at=now())

    async def wake_covered(self, scope: PolicyScope, *, ends_rest: bool = False) -> None:
        """Let the tables of a scope be evaluated soon: at once when they are few, else spread over a minute.

        Two statements, whatever the number of tables. A pattern may wake a few tables that it does not cover.

        Args:
            scope: the tables.
            ends_rest: runs in vain that have ended do not count any more, as after `end_rest`.
        """
        inside = watches.c.table_id.in_(select(tables.c.id).where(narrowed(scope)))
        await self._spread(inside, reconsider_at=now(), **({"rest_ended_at": now()} if ends_rest else {}))

    async def spread_overdue(self) -> None:
        """Spread the looks that are overdue: after a time without a leader all tables are."""
        await self._spread(watches.c.next_at <= now())

    async def end_rest(self, table_id: TableId) -> None:
        """Let a table rest no longer after runs in vain: those that have ended do not count any more."""
        await self._connection.execute(
            update(watches).where(watches.c.table_id == table_id).values(rest_ended_at=now())
        )

    async def end_grace(self, table_ids: Iterable[TableId]) -> None:
        """Let runs of newly registered tables start automatically; tables without a grace are not written."""
        which = and_(watches.c.table_id.in_(set(table_ids)), watches.c.grace_until.is_not(None))
        locked = select(watches.c.table_id).where(which).order_by(watches.c.table_id).with_for_update()
        found = [row.table_id for row in await self._connection.execute(locked)]
        if found:
            ended = update(watches).where(watches.c.table_id.in_(found))
            await self._connection.execute(ended.values(grace_until=None))

    async def rest_ended_at(self, table_id: TableId) -> datetime | None:
        """Return when somebody ended a table's rest last."""
        query = select(watches.c.rest_ended_at).where(watches.c.table_id == table_id)
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def resting(self) -> int:
        """Return how many tables rested after runs in vain at their last look."""
        query = select(func.count()).where(watches.c.verdict == Verdict.HELD, watches.c.code == "runs_in_vain")
        return (await self._connection.execute(query)).scalar_one()

    async def standing(self) -> dict[Verdict, int]:
        """Return how many tables there are by the verdict of their last look."""
        query = select(watches.c.verdict, func.count()).group_by(watches.c.verdict)
        return {row[0]: row[1] for row in await self._connection.execute(query)}

    async def _spread(self, which: ColumnElement[bool], **values: Any) -> None:
        # Locked in order of the ids, as settling does: else two that change many rows could wait for one another.
        locked = select(watches.c.table_id).where(which).order_by(watches.c.table_id).with_for_update()
        count = len((await self._connection.execute(locked)).all())
        ramp = min(RAMP_SECONDS, count / LOOKS_PER_SECOND)
        soon = NowPlus(cast(watches.c.phase * ramp, Float))
        is_sooner = and_(watches.c.next_at > now(), watches.c.next_at < soon)
        sooner = case((is_sooner, watches.c.next_at), else_=soon)
        await self._connection.execute(update(watches).where(which).values(next_at=sooner, **values))


def due(at: datetime, limit: int) -> Select[Any]:
    """Return the query of the watches, with their tables' addresses, whose look is due at an instant.

    The instant is a value and no expression: Postgres walks no index by a clock that ticks.
    """
    address = (tables.c.catalog, tables.c.namespace, tables.c.name)
    query = select(watches, *address).join(tables, tables.c.id == watches.c.table_id)
    return query.where(watches.c.next_at <= at).order_by(watches.c.next_at, watches.c.table_id).limit(limit)


def _moved(table_id: TableId, pointer: str) -> tuple[ColumnElement[bool], ...]:
    return watches.c.table_id == table_id, watches.c.pointer.is_distinct_from(pointer)


def _to_watch(row: Row[Any]) -> Watch:
    return Watch(**{name: getattr(row, name) for name in _COLUMNS})
