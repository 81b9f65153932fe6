"""Registered tables. When one is deleted, its runs and the versions of its policy are kept, its policy is not."""

import builtins
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Row, delete, exists, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.errors import NotFound, StateConflict
from engine.domain.ids import RunId, TableId
from engine.domain.policies import PolicyScope
from engine.domain.tables.table import FormatName, Freeze, Pause, Table, TableFilter, TableRef
from engine.stores.policies.coverage import narrowed
from engine.stores.schema.core import catalogs, policies, runs, table_labels, tables
from engine.stores.tables import listings as table_listings
from engine.stores.tables.locations import LocationStore
from engine.stores.watching.watches import WatchStore

FREEZE: Final = ("frozen_at", "frozen_by", "frozen_snapshot_id", "frozen_parent_id", "freeze_reason")
"""The columns of a freeze."""

_REGISTRATIONS: Final = 0x7061636B_72656769
"""Key of Postgres' advisory lock on registrations ("packregi"); migrations use a different key."""


class TableStore:
    """Rows of `tables`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert(self, table: Table, *, grace_seconds: float = 0) -> None:
        """Register a table and start watching it; its first automatic run waits for `grace_seconds`.

        Raises:
            NotFound: its catalog does not exist.
            StateConflict: the reference is already registered.
        """
        catalog = select(catalogs.c.name).where(catalogs.c.name == table.ref.catalog)
        locked = catalog.with_for_update(read=True, key_share=True)  # it can't be deleted until this transaction ends
        if (await self._connection.execute(locked)).one_or_none() is None:
            raise NotFound(f"no catalog {table.ref.catalog!r}")
        values = {
            "id": table.id,
            "catalog": table.ref.catalog,
            "namespace": table.ref.namespace,
            "name": table.ref.name,
            "uuid": table.uuid,
            "location": table.location,
            "owner_team": table.owner_team,
            "created_at": table.created_at,
            "version": table.version,
            "labels": dict(table.labels),
        }
        async with self._connection.begin_nested():
            await self._connection.execute(insert(tables).values(values))
        await self._insert_labels(table.id, table.labels)
        await LocationStore(connection=self._connection).replace(table.id, [table.location])
        await WatchStore(connection=self._connection).insert(table.id, grace_seconds=grace_seconds)

    async def get(self, table_id: TableId) -> Table | None:
        """Return a table; None when it is not registered."""
        row = (await self._connection.execute(select(tables).where(tables.c.id == table_id))).one_or_none()
        return None if row is None else _to_table(row)

    async def lock_registrations(self) -> None:
        """Lock out other transactions that register tables until the end of this one.

        Prevents a race when a location is compared with those of registered tables: two transactions that insert
        overlapping tables do not see each other's rows. SQLite has one writer at a time.
        """
        if self._connection.dialect.name == "postgresql":
            await self._connection.execute(select(func.pg_advisory_xact_lock(_REGISTRATIONS)))

    async def list_like(
        self, ref: TableRef, patterns: Sequence[str], is_wanted: Callable[[str], bool]
    ) -> builtins.list[Table]:
        """Return tables other than `ref` whose location is like one of the patterns and is wanted, oldest first.

        The patterns are those of `LIKE` with a backslash for literal wildcards. They are compared in lower case, with
        one slash for each run of slashes; percent-encoded locations are like any of them.
        """
        column = func.lower(tables.c.location)
        for slashes in ("////", "///", "//", "//"):
            column = func.replace(column, slashes, "/")
        is_like = (column.like(func.lower(each), escape="\\") for each in patterns)
        others = or_(tables.c.catalog != ref.catalog, tables.c.namespace != ref.namespace, tables.c.name != ref.name)
        is_encoded = tables.c.location.contains("%", autoescape=True)
        found = select(tables).where(others, or_(is_encoded, *is_like)).order_by(tables.c.id)
        return [_to_table(row) for row in await self._connection.execute(found) if is_wanted(row.location)]

    async def lock_many(self, table_ids: Iterable[TableId]) -> dict[TableId, tuple[Table, FormatName]]:
        """Lock the given tables that are registered, and return them with their formats, by id.

        Their rows can't be deleted, nor their teams changed, until the transaction ends. Locked in order of their ids.
        """
        query = select(tables, catalogs.c.format).join(catalogs, catalogs.c.name == tables.c.catalog)
        query = query.where(tables.c.id.in_(sorted(set(table_ids)))).order_by(tables.c.id)
        locked = query.with_for_update(read=True, key_share=True, of=tables)
        return {TableId(row.id): (_to_table(row), row.format) for row in await self._connection.execute(locked)}

    async def lock_covered(self, scope: PolicyScope) -> None:
        """Lock the tables of a scope (possibly others too) against submits of runs; waits for submits in progress."""
        query = select(tables.c.id).where(narrowed(scope)).order_by(tables.c.id)
        await self._connection.execute(query.with_for_update())

    async def find(self, ref: TableRef) -> Table | None:
        """Return the table with this address; None when it is not registered."""
        query = select(tables).where(
            tables.c.catalog == ref.catalog, tables.c.namespace == ref.namespace, tables.c.name == ref.name
        )
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else _to_table(row)

    async def refs(self, table_ids: Collection[TableId]) -> dict[TableId, TableRef]:
        """Return the addresses of the given tables that are registered, by id."""
        if not table_ids:
            return {}
        columns = (tables.c.id, tables.c.catalog, tables.c.namespace, tables.c.name)
        rows = await self._connection.execute(select(*columns).where(tables.c.id.in_(sorted(table_ids))))
        return {TableId(row.id): TableRef(row.catalog, row.namespace, row.name) for row in rows}

    async def list(
        self, wanted: TableFilter | None = None, after: TableId | None = None, limit: int = 100
    ) -> builtins.list[Table]:
        """Return the matching tables older than `after`, newest first."""
        query = table_listings.page(wanted or TableFilter(), after, limit)
        return [_to_table(row) for row in await self._connection.execute(query)]

    async def count(self, catalog: str) -> int:
        """Return the number of registered tables of a catalog."""
        query = select(func.count()).where(tables.c.catalog == catalog)
        return int((await self._connection.execute(query)).scalar_one())

    async def addresses(self, catalog: str) -> dict[tuple[tuple[str, ...], str], tuple[TableId, str | None]]:
        """Return the ids and owner teams of all tables of a catalog by namespace and name."""
        columns = (tables.c.namespace, tables.c.name, tables.c.id, tables.c.owner_team)
        rows = await self._connection.execute(select(*columns).where(tables.c.catalog == catalog))
        return {(row.namespace, row.name): (TableId(row.id), row.owner_team) for row in rows}

    async def namespaces(self, catalog: str) -> frozenset[tuple[str, ...]]:
        """Return the namespaces of a catalog in which tables are registered."""
        query = select(tables.c.namespace).where(tables.c.catalog == catalog).distinct()
        return frozenset((await self._connection.execute(query)).scalars())

    async def lock(self, table_id: TableId) -> Table | None:
        """Return a table and lock its row until the end of the transaction; None when it is not registered.

        No run of it can be submitted while it is locked.
        """
        query = select(tables).where(tables.c.id == table_id).with_for_update()
        row = (await self._connection.execute(query)).one_or_none()
        return None if row is None else _to_table(row)

    async def update(self, table: Table, *, owner_team: str | None, labels: Mapping[str, str]) -> Table:
        """Set a locked table's team and labels and increment its version; a new team is also set on its runs."""
        values = {"owner_team": owner_team, "labels": dict(labels), "version": table.version + 1}
        await self._connection.execute(update(tables).where(tables.c.id == table.id).values(values))
        await self._connection.execute(delete(table_labels).where(table_labels.c.table_id == table.id))
        await self._insert_labels(table.id, labels)
        if owner_team != table.owner_team:
            of_table = update(runs).where(runs.c.table_id == table.id)
            await self._connection.execute(of_table.values(owner_team=owner_team))
        return replace(table, owner_team=owner_team, labels=dict(labels), version=table.version + 1)

    async def delete(self, table_id: TableId) -> None:
        """Delete a table and its policy; its runs and the versions of its policy are kept.

        Raises:
            NotFound: not registered.
            StateConflict: it has a live run.
        """
        # The row is locked first, so that no run can be submitted between the check and the delete.
        if await self.lock(table_id) is None:
            raise NotFound(f"no table {table_id}")
        live = exists().where(runs.c.table_id == table_id, runs.c.finished_at.is_(None))
        if (await self._connection.execute(select(live))).scalar_one():
            raise StateConflict(f"table {table_id} has a live run: cancel it or wait for its end")
        await self._connection.execute(delete(policies).where(policies.c.table_id == table_id))
        await self._connection.execute(delete(tables).where(tables.c.id == table_id))

    async def _insert_labels(self, table_id: TableId, labels: Mapping[str, str]) -> None:
        rows = [{"table_id": table_id, "key": key, "value": value} for key, value in labels.items()]
        if rows:
            await self._connection.execute(insert(table_labels), rows)


def to_pause(row: Row[Any]) -> Pause | None:
    """Return the pause in a row of `tables`, `catalogs` or `fleet`; None when it is not paused."""
    if row.paused_at is None:
        return None
    return Pause(row.paused_at, row.paused_by, row.pause_reason, row.pause_stops)


def to_freeze(row: Row[Any]) -> Freeze | None:
    """Return the freeze in a row of `tables`; None when it is not frozen."""
    if row.frozen_at is None:
        return None
    run_id = RunId(row.frozen_by)
    return Freeze(row.frozen_at, run_id, row.frozen_snapshot_id, row.frozen_parent_id, row.freeze_reason)


def _to_table(row: Row[Any]) -> Table:
    return Table(
        id=TableId(row.id),
        ref=TableRef(row.catalog, row.namespace, row.name),
        uuid=row.uuid,
        location=row.location,
        owner_team=row.owner_team,
        created_at=row.created_at,
        labels=row.labels,
        pause=to_pause(row),
        version=row.version,
        freeze=to_freeze(row),
    )
