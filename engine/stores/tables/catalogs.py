"""Catalogs by name. A replace or delete requires the version that the caller has read.

A catalog that is recreated under a deleted one's name continues its versions: an old ETag never matches again.
"""

import builtins
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, delete, exists, insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.access.grants import Grant
from engine.domain.errors import NotFound, PreconditionFailed, StateConflict
from engine.domain.tables.table import Catalog, OutsideFiles
from engine.stores.schema.core import catalogs, deleted_catalogs, tables
from engine.stores.sql.dialects import now
from engine.stores.tables.store import to_pause


class CatalogStore:
    """Rows of `catalogs`. `builtins.list` in annotations: the method `list` hides the type inside the class."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def insert(self, catalog: Catalog) -> Catalog:
        """Insert a catalog; return it with its version, which is higher than any of a deleted catalog of its name.

        Raises:
            StateConflict: the name is taken.
        """
        values = {
            "name": catalog.name,
            "format": catalog.format,
            "version": catalog.version,
            "created_at": catalog.created_at,
            "updated_at": catalog.updated_at,
            "properties": dict(catalog.properties),
            "allowed_locations": list(catalog.allowed_locations),
            "grants": _documents(catalog.grants),
            "outside_files": catalog.outside_files,
        }
        async with self._connection.begin_nested():
            await self._connection.execute(insert(catalogs).values(values))
        # Read after the insert, which may have waited for a concurrent delete.
        last = select(deleted_catalogs.c.version).where(deleted_catalogs.c.name == catalog.name)
        deleted = (await self._connection.execute(last)).scalar_one_or_none()
        if deleted is None:
            return catalog
        statement = update(catalogs).where(catalogs.c.name == catalog.name).values(version=deleted + 1)
        await self._connection.execute(statement)
        return replace(catalog, version=deleted + 1)

    async def get(self, name: str) -> Catalog | None:
        """Return the catalog of this name; None when there is none."""
        row = (await self._connection.execute(select(catalogs).where(catalogs.c.name == name))).one_or_none()
        return None if row is None else _to_catalog(row)

    async def list(
        self, after: str | None = None, limit: int = 100, *, among: Collection[str] | None = None
    ) -> builtins.list[Catalog]:
        """Return catalogs after `after`, by name; only those named in `among` if it is given."""
        query = select(catalogs).order_by(catalogs.c.name).limit(limit)
        if among is not None:
            query = query.where(catalogs.c.name.in_(sorted(among)))
        if after is not None:
            query = query.where(catalogs.c.name > after)
        return [_to_catalog(row) for row in await self._connection.execute(query)]

    async def grants(self) -> dict[str, tuple[Grant, ...]]:
        """Return the grants of all catalogs, by catalog name."""
        rows = await self._connection.execute(select(catalogs.c.name, catalogs.c.grants))
        return {row.name: _to_grants(row.grants) for row in rows}

    async def with_tables_of(self, teams: Collection[str] | None) -> frozenset[str]:
        """Return the names of catalogs with registered tables of these teams (None: of any team or none)."""
        registered = exists().where(tables.c.catalog == catalogs.c.name)
        if teams is not None:
            registered = registered.where(tables.c.owner_team.in_(sorted(teams)))
        return frozenset((await self._connection.execute(select(catalogs.c.name).where(registered))).scalars())

    async def set_grants(self, name: str, grants: Sequence[Grant], expected_version: int) -> Catalog:
        """Replace all grants of a catalog and increment its version.

        Raises:
            NotFound, PreconditionFailed: as `replace`.
        """
        return await self._write(name, expected_version, grants=_documents(grants))

    async def replace(
        self,
        name: str,
        properties: Mapping[str, str],
        expected_version: int,
        *,
        allowed_locations: Sequence[str] = (),
        outside_files: OutsideFiles = OutsideFiles.REFUSE,
    ) -> Catalog:
        """Replace properties, allowed locations and `outside_files` as a whole and increment the version.

        Raises:
            NotFound: no such catalog.
            PreconditionFailed: the stored version differs.
        """
        return await self._write(
            name,
            expected_version,
            properties=dict(properties),
            allowed_locations=list(allowed_locations),
            outside_files=outside_files,
        )

    async def delete(self, name: str, expected_version: int) -> None:
        """Delete a catalog.

        Raises:
            NotFound: no such catalog.
            PreconditionFailed: the stored version differs.
            StateConflict: it has registered tables.
        """
        # The row is locked first, so that no table can be registered between the check and the delete.
        row = (
            await self._connection.execute(select(catalogs).where(catalogs.c.name == name).with_for_update())
        ).one_or_none()
        if row is None or row.version != expected_version:
            raise self._stale(name, None if row is None else _to_catalog(row))
        if (await self._connection.execute(select(exists().where(tables.c.catalog == name)))).scalar_one():
            raise StateConflict(f"catalog {name!r} has registered tables: delete them first")
        await self._connection.execute(delete(catalogs).where(catalogs.c.name == name))
        await self._connection.execute(delete(deleted_catalogs).where(deleted_catalogs.c.name == name))
        await self._connection.execute(insert(deleted_catalogs).values(name=name, version=expected_version))

    async def _write(self, name: str, expected_version: int, **values: Any) -> Catalog:
        statement = (
            update(catalogs)
            .where(catalogs.c.name == name, catalogs.c.version == expected_version)
            .values(**values, version=catalogs.c.version + 1, updated_at=now())
            .returning(catalogs)
        )
        row = (await self._connection.execute(statement)).one_or_none()
        if row is None:
            raise self._stale(name, await self.get(name))
        return _to_catalog(row)

    @staticmethod
    def _stale(name: str, present: Catalog | None) -> NotFound | PreconditionFailed:
        if present is None:
            return NotFound(f"no catalog {name!r}")
        return PreconditionFailed(
            f"catalog {name!r} has version {present.version} now", details={"version": present.version}
        )


def _to_catalog(row: Row[Any]) -> Catalog:
    return Catalog(
        name=row.name,
        format=row.format,
        properties=row.properties,
        version=row.version,
        created_at=row.created_at,
        updated_at=row.updated_at,
        allowed_locations=tuple(row.allowed_locations),
        pause=to_pause(row),
        grants=_to_grants(row.grants),
        outside_files=row.outside_files,
    )


def _documents(grants: Sequence[Grant]) -> builtins.list[dict[str, Any]]:
    return [grant.document() for grant in grants]


def _to_grants(documents: Sequence[Mapping[str, Any]]) -> tuple[Grant, ...]:
    return tuple(Grant.of(document) for document in documents)
