"""Circuit breakers of catalogs: one row per catalog whose last run failed; a success deletes it.

Rows are written in the transaction that ends a run; a claim takes the single probe of a half-open breaker in its own.
"""

import builtins
from typing import Any

from sqlalchemy import RowMapping, String, delete, literal, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.breakers import PROBE_SECONDS, Breaker, Fault
from engine.domain.ids import TableId
from engine.domain.runs.run import Run, RunState
from engine.domain.webhooks.events import EventType, NewEvent
from engine.stores.schema.core import catalogs
from engine.stores.schema.watching import breakers
from engine.stores.sql.dialects import document, now, seconds_from_now, upsert
from engine.stores.webhooks.events import announce


class BreakerStore:
    """Rows of `breakers`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def get(self, catalog: str) -> Breaker | None:
        """Return the breaker of a catalog; None when its last run did not fail."""
        query = select(breakers).where(breakers.c.catalog == catalog)
        row = (await self._connection.execute(query)).mappings().one_or_none()
        return None if row is None else _to_breaker(row)

    async def list_open(self) -> builtins.list[Breaker]:
        """Return the breakers that are open or half-open, ordered by catalog name."""
        query = select(breakers).where(breakers.c.times_open > 0).order_by(breakers.c.catalog)
        return [_to_breaker(row) for row in (await self._connection.execute(query)).mappings()]

    async def note_end(self, run: Run, fault: Fault) -> bool:
        """Record a run's end: a success closes the breaker, a store fault counts, any other end frees the probe.

        Returns:
            Whether this closed a breaker that was open or half-open.
        """
        if run.state is RunState.SUCCEEDED:
            closed = await self.close(run.catalog)
            return closed is not None and closed.times_open > 0
        if run.state is RunState.FAILED and fault is Fault.STORE:
            await self._count(run)
        else:
            await self.give_probe_back(run.catalog)
        return False

    async def note_failed_attempt(self, run: Run, fault: Fault) -> None:
        """Record a retried run's failed attempt: a store fault reopens a half-open breaker, others free the probe."""
        if fault is not Fault.STORE:
            await self.give_probe_back(run.catalog)
            return
        is_half_open = (breakers.c.times_open > 0, breakers.c.open_until <= now())
        query = select(breakers, now().label("now")).where(breakers.c.catalog == run.catalog, *is_half_open)
        row = (await self._connection.execute(query.with_for_update(of=breakers))).mappings().one_or_none()
        if row is not None:
            await self._fail(run, row)

    async def let_through(self, catalog: str) -> bool:
        """Return whether an automatic run may start in a catalog; takes the single probe of a half-open breaker."""
        held = or_(breakers.c.open_until > now(), breakers.c.probe_until > now())
        query = select(breakers.c.times_open, held.label("held")).where(breakers.c.catalog == catalog)
        row = (await self._connection.execute(query.with_for_update())).one_or_none()
        if row is None or row.times_open == 0:
            return True
        if row.held:
            return False
        probe = {"probe_until": seconds_from_now(PROBE_SECONDS)}
        await self._connection.execute(update(breakers).where(breakers.c.catalog == catalog).values(**probe))
        return True

    async def close(self, catalog: str) -> Breaker | None:
        """Delete the breaker of a catalog and return it; None when there was none."""
        statement = delete(breakers).where(breakers.c.catalog == catalog).returning(breakers)
        row = (await self._connection.execute(statement)).mappings().one_or_none()
        if row is not None and row["times_open"] > 0:
            await announce(self._connection, [NewEvent(EventType.BREAKER_CLOSED, catalog=catalog)])
        return None if row is None else _to_breaker(row)

    async def give_probe_back(self, catalog: str) -> None:
        """Free the probe of a half-open breaker for another run, because the last one did not test the catalog."""
        mine = (breakers.c.catalog == catalog, breakers.c.probe_until.is_not(None))
        await self._connection.execute(update(breakers).where(*mine).values(probe_until=None))

    async def _count(self, run: Run) -> None:
        await self._insert_if_missing(run)
        query = select(breakers, now().label("now")).where(breakers.c.catalog == run.catalog).with_for_update()
        row = (await self._connection.execute(query)).mappings().one_or_none()
        if row is not None:  # otherwise the catalog has been deleted
            await self._fail(run, row)

    async def _fail(self, run: Run, row: RowMapping) -> None:
        after = _to_breaker(row).after_failure(run.table_id, run.reason or "", row["now"])
        values: dict[str, Any] = {
            "failed_at": after.failed_at,
            "reason": after.reason,
            "failed_tables": list(after.failed_tables),
            "times_open": after.times_open,
            "open_until": after.open_until,
            "probe_until": after.probe_until,
        }
        await self._connection.execute(update(breakers).where(breakers.c.catalog == run.catalog).values(**values))
        if row["times_open"] == 0 and after.times_open > 0:
            opened = NewEvent(EventType.BREAKER_OPENED, catalog=run.catalog, data={"reason": after.reason})
            await announce(self._connection, [opened])

    async def _insert_if_missing(self, run: Run) -> None:
        """Insert an empty row if missing; of two concurrent failures, the second waits and then finds the row."""
        names = ("catalog", "times_open", "failed_at", "reason", "failed_tables")
        nothing = literal([], type_=document())
        row = select(catalogs.c.name, literal(0), now(), literal("", type_=String()), nothing)
        row = row.where(catalogs.c.name == run.catalog)
        statement = upsert(self._connection, breakers).from_select(names, row)
        await self._connection.execute(statement.on_conflict_do_nothing(index_elements=["catalog"]))


def _to_breaker(row: RowMapping) -> Breaker:
    return Breaker(
        catalog=row["catalog"],
        failed_at=row["failed_at"],
        reason=row["reason"],
        failed_tables=tuple(TableId(each) for each in row["failed_tables"]),
        times_open=row["times_open"],
        open_until=row["open_until"],
        probe_until=row["probe_until"],
    )
