"""Outages of dependencies: reported by attempts, probed by one process at a time, ended by the first answer.

The transaction that reports an outage also parks the run that found it. Ending an outage locks it before the runs, in
the same order, so a run is parked either before the end, which then releases it, or on a new outage.
"""

import builtins
from collections.abc import Collection
from datetime import timedelta

from sqlalchemy import ColumnElement, RowMapping, and_, case, delete, exists, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import Away
from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT, DependencyKind
from engine.domain.fleet.outages import (
    FIRST_PROBE_SECONDS,
    SPARK,
    Outage,
    outage_key,
    probe_lease,
    probe_wait,
)
from engine.domain.fleet.system import KnownOutage
from engine.domain.ids import TableId
from engine.domain.runs.operations import OF_SPARK
from engine.domain.runs.run import Run, RunState
from engine.domain.webhooks.events import EventType, NewEvent
from engine.stores.schema.core import runs, tables
from engine.stores.schema.watching import outages, spark_endpoints
from engine.stores.sql.dialects import now, seconds_from_now, upsert
from engine.stores.webhooks.events import announce


class OutageStore:
    """Rows of `outages`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def report(self, away: Away, run: Run) -> Outage:
        """Insert the outage that ended a run's attempt, unless it exists; return the stored outage."""
        dependency, detail = away.dependency, away.message
        key = outage_key(dependency, catalog=run.catalog, table_id=run.table_id, endpoint=away.endpoint)
        statement = upsert(self._connection, outages).values(
            key=key,
            dependency=dependency,
            catalog=run.catalog,
            table_id=run.table_id,
            detail=detail,
            away_since=now(),
            probes=0,
            next_probe_at=seconds_from_now(FIRST_PROBE_SECONDS),
        )
        new = statement.on_conflict_do_nothing(index_elements=["key"]).returning(outages)
        row = (await self._connection.execute(new)).mappings().one_or_none()
        if row is not None:
            outage = _to_outage(row)
            await announce(self._connection, [_announcement(EventType.OUTAGE_BEGAN, outage)])
            return outage
        known = statement.on_conflict_do_update(index_elements=["key"], set_={"detail": detail}).returning(outages)
        return _to_outage((await self._connection.execute(known)).mappings().one())

    async def get(self, key: str) -> Outage | None:
        """Return the outage with this key; None while there is none."""
        row = (await self._connection.execute(select(outages).where(outages.c.key == key))).mappings().one_or_none()
        return None if row is None else _to_outage(row)

    async def has_due(self) -> bool:
        """Return whether a probe is due."""
        query = select(exists().where(outages.c.next_probe_at <= now()))
        return bool((await self._connection.execute(query)).scalar_one())

    async def of_runs(self, given: Collection[Run], *, catalog: str | None = None) -> dict[str, Outage]:
        """Return the outages of Spark and the catalog, and those that these runs wait for, by key.

        That of Spark only while there is one endpoint: with several, a run that was not sent goes to another one.
        """
        waited = {run.waits_on for run in given if run.waits_on is not None}
        of_spark = and_(outages.c.key == SPARK, _is_lone())
        query = select(outages).where(or_(outages.c.key.in_(sorted({f"catalog:{catalog}"} | waited)), of_spark))
        found = [_to_outage(row) for row in (await self._connection.execute(query)).mappings()]
        return {each.key: each for each in found}

    async def of_spark(self) -> set[str]:
        """Return the keys of the outages of Spark endpoints."""
        query = select(outages.c.key).where(outages.c.dependency == DependencyKind.SPARK)
        return set((await self._connection.execute(query)).scalars())

    async def list_known(
        self, teams: Collection[str] | None, catalogs: Collection[str] | None, limit: int
    ) -> builtins.list[KnownOutage]:
        """Return outages with the number of queued runs that wait for each, the longest first.

        Only outages of a kind that this version knows; of catalogs those with these names, of storages those of tables
        of these teams, whose runs alone are counted (None: all).
        """
        own = () if teams is None else (runs.c.owner_team.in_(sorted(teams)),)
        waiting = select(func.count()).select_from(runs).where(runs.c.state == RunState.QUEUED, _needs_it(), *own)
        is_other = outages.c.dependency != DependencyKind.CATALOG
        named = () if catalogs is None else (or_(is_other, outages.c.catalog.in_(sorted(catalogs))),)
        seen = exists().where(tables.c.id == outages.c.table_id)
        if teams is not None:
            seen = seen.where(tables.c.owner_team.in_(sorted(teams)))
        query = (
            select(outages, waiting.correlate(outages).scalar_subquery().label("waiting"))
            .where(
                outages.c.dependency.in_(tuple(DependencyKind)),
                or_(outages.c.dependency != DependencyKind.STORAGE, seen),
                *named,
            )
            .order_by(outages.c.away_since, outages.c.key)
            .limit(limit)
        )
        rows = (await self._connection.execute(query)).mappings()
        return [KnownOutage(_to_outage(row), row["waiting"]) for row in rows]

    async def counts(self) -> dict[str, int]:
        """Count the outages by kind of dependency; every kind is a key."""
        query = select(outages.c.dependency, func.count()).group_by(outages.c.dependency)
        counted = {row.dependency: row[1] for row in await self._connection.execute(query)}
        return {each.value: counted.get(each, 0) for each in DependencyKind}

    async def claim_probes(self, limit: int) -> builtins.list[Outage]:
        """Claim outages whose probe is due; no other process gets them for the time of `probe_lease`.

        Outages of dependencies that only a newer version knows are left to its processes.
        """
        is_known = outages.c.dependency.in_(tuple(DependencyKind))
        due = select(outages.c.key).where(outages.c.next_probe_at <= now(), is_known).order_by(outages.c.next_probe_at)
        keys = [row.key for row in await self._connection.execute(due.limit(limit).with_for_update(skip_locked=True))]
        if not keys:
            return []
        until = case(
            *((outages.c.dependency == each, seconds_from_now(probe_lease(each))) for each in DependencyKind),
            else_=outages.c.next_probe_at,
        )
        is_due = (outages.c.key.in_(keys), outages.c.next_probe_at <= now())
        statement = update(outages).where(*is_due).values(next_probe_at=until).returning(outages)
        return [_to_outage(row) for row in (await self._connection.execute(statement)).mappings()]

    async def note_no_answer(self, outage: Outage, detail: str) -> None:
        """Record a probe without an answer and schedule the next; no-op if another process has probed since.

        The wait counts from the claim of this probe: one that took long to fail does not delay the next.
        """
        probes = outage.probes + 1
        from_claim = timedelta(seconds=probe_wait(probes) - probe_lease(outage.dependency))
        values = {"probes": probes, "detail": detail, "next_probe_at": outage.next_probe_at + from_claim}
        await self._connection.execute(update(outages).where(*_as_claimed(outage)).values(**values))

    async def give_back(self, outage: Outage) -> None:
        """Make a claimed probe that was not finished due again; no-op if another process has probed since."""
        await self._connection.execute(update(outages).where(*_as_claimed(outage)).values(next_probe_at=now()))

    async def end(self, outage: Outage) -> bool:
        """Delete an outage after an answer; False if another process has probed since.

        When a storage answers, probes of the catalog's other storages become due: they are often the same storage.
        """
        statement = delete(outages).where(*_as_claimed(outage)).returning(outages.c.key)
        if (await self._connection.execute(statement)).one_or_none() is None:
            return False
        await announce(self._connection, [_announcement(EventType.OUTAGE_ENDED, outage)])
        if outage.dependency is DependencyKind.STORAGE:
            others = (outages.c.dependency == DependencyKind.STORAGE, outages.c.catalog == outage.catalog)
            soon = (outages.c.next_probe_at > now(), outages.c.probes > 0)
            await self._connection.execute(update(outages).where(*others, *soon).values(next_probe_at=now()))
        return True


def waits_for_outage() -> ColumnElement[bool]:
    """Return the condition that a queued run must wait: a dependency is away that it needs.

    That is Spark for operations that use it, while it has one endpoint, and the dependency that ended the run's last
    attempt. With several endpoints the choice of one decides (`domain.fleet.endpoints`).
    """
    return exists().where(_needs_it())


def _needs_it() -> ColumnElement[bool]:
    needs_spark = and_(outages.c.key == SPARK, runs.c.operation.in_(sorted(OF_SPARK)), _is_lone())
    return or_(needs_spark, outages.c.key == runs.c.waits_on)


def _is_lone() -> ColumnElement[bool]:
    """Return the condition that Spark has no endpoint but the default one."""
    return ~exists().where(spark_endpoints.c.name != DEFAULT_ENDPOINT)


def _announcement(of: EventType, outage: Outage) -> NewEvent:
    """Return the event of an outage; that of a table's storage names the table, so that its team gets it."""
    table_id = outage.table_id if outage.dependency is DependencyKind.STORAGE else None
    catalog = outage.catalog if outage.dependency is DependencyKind.CATALOG else None
    data = {"dependency": outage.dependency.value, "since": outage.away_since.isoformat()}
    return NewEvent(of, table_id=table_id, catalog=catalog, data=data)


def _as_claimed(outage: Outage) -> tuple[ColumnElement[bool], ...]:
    return outages.c.key == outage.key, outages.c.next_probe_at == outage.next_probe_at


def _to_outage(row: RowMapping) -> Outage:
    return Outage(
        key=row["key"],
        dependency=row["dependency"],
        catalog=row["catalog"],
        table_id=TableId(row["table_id"]),
        detail=row["detail"],
        away_since=row["away_since"],
        probes=row["probes"],
        next_probe_at=row["next_probe_at"],
    )
