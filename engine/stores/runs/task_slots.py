"""Slots of runs under the limits of rewrite tasks (`parallel_groups`) of the fleet and of their Spark endpoints.

A request for slots locks the fleet's row first, as a claim does, so requests are serialized and the sum of the slots is
exact. Slots belong to an attempt, which gives them back as its tasks end. Those that it holds when its lease ends, or
is taken back from a dead worker, are free after `STOP_SECONDS`: by then its tasks have heard that they have to stop.
"""

from typing import Final

from sqlalchemy import ColumnElement, and_, case, delete, func, or_, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT
from engine.domain.fleet.limits import FleetLimits
from engine.domain.fleet.task_slots import SlotHolder, slots_granted
from engine.domain.ids import RunId
from engine.domain.runs.leases import Lease
from engine.stores.runs.changes import lock_lease
from engine.stores.schema.core import fleet, runs
from engine.stores.schema.watching import spark_endpoints, task_slots
from engine.stores.sql.dialects import now, seconds_from_now, upsert

STOP_SECONDS: Final = 5
"""Seconds after the last change of a run without a lease in which its slots still count: its tasks may still run."""

SILENCE_SECONDS: Final = 15
"""Seconds after which a waiting run that did not repeat its request counts as not waiting: its worker is gone."""


class TaskSlotStore:
    """Rows of `task_slots`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def request(self, lease: Lease, held: int, most: int) -> int:
        """Return how many of `most` further tasks a run may start now; with 0, note that it waits.

        Args:
            lease: the attempt's lease.
            held: the number of tasks that the attempt has at work.
            most: the number of tasks that it could start.

        Raises:
            LeaseLost: the lease expired or another holder has it.
        """
        await self._connection.execute(select(fleet.c.id).with_for_update(key_share=True))
        await lock_lease(self._connection, lease)
        await self.mark_held(lease.run_id, lease.token, held, is_waiting=True)
        granted = await self.would_grant(lease.run_id, most)
        if granted:
            await self.mark_held(lease.run_id, lease.token, held + granted)
        await self._delete_ended()
        return granted

    async def would_grant(self, run_id: RunId, most: int) -> int:
        """Return how many further tasks a run that waits could start; exact only while the fleet's row is locked."""
        row = (await self._connection.execute(select(fleet.c.limits))).one()
        of_endpoint = await self._limit_of_endpoint(run_id)
        granted = most
        for limit, holders in (
            (FleetLimits.of(row.limits).parallel_groups, await self._holders()),
            (of_endpoint, {} if of_endpoint is None else await self._holders(beside=run_id)),
        ):
            own = holders.pop(run_id, None)
            if limit is not None and own is not None:
                granted = min(granted, slots_granted(limit, granted, own, list(holders.values()))) if granted else 0
        return granted

    async def _limit_of_endpoint(self, run_id: RunId) -> int | None:
        at = func.coalesce(runs.c.spark_endpoint, DEFAULT_ENDPOINT)
        both = runs.join(spark_endpoints, spark_endpoints.c.name == at)
        query = select(spark_endpoints.c.parallel_groups).select_from(both).where(runs.c.id == run_id)
        return (await self._connection.execute(query)).scalar_one_or_none()

    async def mark_held(self, run_id: RunId, attempt: int, held: int, *, is_waiting: bool = False) -> None:
        """Store the number of tasks that an attempt has at work; no-op when a later attempt has stored its own.

        A run that waits keeps the time of its first request, until the number changes.
        """
        new = upsert(self._connection, task_slots).values(
            run_id=run_id, attempt=attempt, held=held, waits_since=now() if is_waiting else None, seen_at=now()
        )
        waits_on = and_(
            task_slots.c.attempt == attempt, task_slots.c.held == held, task_slots.c.waits_since.is_not(None)
        )
        since = case((waits_on, task_slots.c.waits_since), else_=now()) if is_waiting else None
        values = {"attempt": attempt, "held": held, "waits_since": since, "seen_at": now()}
        statement = new.on_conflict_do_update(
            index_elements=["run_id"], set_=values, where=task_slots.c.attempt <= attempt
        )
        await self._connection.execute(statement)

    async def in_use(self) -> int:
        """Return the slots that are held; only runs under a limit are counted."""
        query = select(func.coalesce(func.sum(task_slots.c.held), 0)).join(runs, runs.c.id == task_slots.c.run_id)
        return int((await self._connection.execute(query.where(_counts()))).scalar_one())

    async def _holders(self, *, beside: RunId | None = None) -> dict[RunId, SlotHolder]:
        """Return the runs whose slots count; `beside`: only those on the endpoint of this run."""
        is_waiting = and_(_is_at_work(), task_slots.c.seen_at > seconds_from_now(-SILENCE_SECONDS))
        waits_since = case((is_waiting, task_slots.c.waits_since), else_=None)
        query = select(task_slots.c.run_id, task_slots.c.held, waits_since).join(runs, runs.c.id == task_slots.c.run_id)
        if beside is not None:
            at = func.coalesce(runs.c.spark_endpoint, DEFAULT_ENDPOINT)
            other = runs.alias("other")
            its = select(func.coalesce(other.c.spark_endpoint, DEFAULT_ENDPOINT)).where(other.c.id == beside)
            query = query.where(at == its.scalar_subquery())
        rows = await self._connection.execute(query.where(_counts()))
        return {RunId(run_id): SlotHolder(held, since) for run_id, held, since in rows}

    async def _delete_ended(self) -> None:
        counting = select(task_slots.c.run_id).join(runs, runs.c.id == task_slots.c.run_id).where(_counts())
        await self._connection.execute(delete(task_slots).where(task_slots.c.run_id.not_in(counting)))


def _is_at_work() -> ColumnElement[bool]:
    return and_(runs.c.lease_holder.is_not(None), runs.c.attempt == task_slots.c.attempt)


def _counts() -> ColumnElement[bool]:
    was_stopped = and_(task_slots.c.held > 0, runs.c.updated_at > seconds_from_now(-STOP_SECONDS))
    return or_(_is_at_work(), was_stopped)
