"""Folders of registered tables, by which an object of a store finds its table in one query.

Each location is in its canonical form (`uris.locations`), as all spellings of it have it; its hash is the key, so that
an object is looked up by the hashes of the folders around it and no row is compared as text.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import delete, exists, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import TableId
from engine.stores.schema.core import tables
from engine.stores.schema.watching import table_locations
from engine.stores.sql.dialects import upsert
from engine.uris.locations import Location

MOST_LOCATIONS: Final = 1000
"""Most locations kept for a table. Partitions of a Hive table can each be in a place of their own."""
DEEPEST: Final = 32
"""Most folders around an object that are looked up, from its bucket on; a table below more of them is not found."""


@dataclass(frozen=True, slots=True)
class IndexedTables:
    """The number of tables that were indexed, and the last table of the step; None: there are no more."""

    count: int
    last: TableId | None


class LocationStore:
    """Rows of `table_locations`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def has(self, table_id: TableId, locations: Iterable[str]) -> bool:
        """Return whether these are the locations of a table, as `replace` would store them."""
        query = select(table_locations.c.key).where(table_locations.c.table_id == table_id)
        known = set((await self._connection.execute(query)).scalars())
        return known == {_key(each) for each in _outermost(locations)}

    async def replace(self, table_id: TableId, locations: Iterable[str]) -> None:
        """Make these the locations of a table.

        Left out are those below another one, and those that have no canonical form.
        """
        await self._connection.execute(delete(table_locations).where(table_locations.c.table_id == table_id))
        rows = [{"table_id": table_id, "key": _key(each), "location": str(each)} for each in _outermost(locations)]
        if rows:
            await self._connection.execute(insert(table_locations), rows)

    async def find(self, objects: Sequence[Location]) -> Mapping[Location, Sequence[TableId]]:
        """Return the tables whose location is nearest around each object, or is the object; in one query.

        Objects outside of all locations are left out. Several tables may have one location.
        """
        around = {each: [_key(folder) for folder in each.prefixes(DEEPEST)] for each in objects}
        keys = sorted({key for found in around.values() for key in found})
        columns = (table_locations.c.key, table_locations.c.table_id)
        query = select(*columns).where(table_locations.c.key.in_(keys)).order_by(table_locations.c.table_id)
        owners: dict[str, list[TableId]] = {}
        for row in await self._connection.execute(query):
            owners.setdefault(row.key, []).append(TableId(row.table_id))
        known = {each: [key for key in found if key in owners] for each, found in around.items()}
        return {each: owners[found[-1]] for each, found in known.items() if found}

    async def insert_missing(self, after: TableId, limit: int) -> IndexedTables:
        """Index tables that have no location yet by the ones that they were registered with, in order of their ids.

        Those registered by a version without the index, and those whose location has no canonical form.
        """
        has_none = ~exists().where(table_locations.c.table_id == tables.c.id)
        later = select(tables.c.id, tables.c.location).where(has_none, tables.c.id > after)
        query = later.order_by(tables.c.id).limit(limit)
        found = (await self._connection.execute(query)).all()
        rows = [
            {"table_id": row.id, "key": _key(location), "location": str(location)}
            for row in found
            if (location := Location.of(row.location)) is not None
        ]
        if rows:  # another coordinator may have indexed some of them
            await self._connection.execute(upsert(self._connection, table_locations).on_conflict_do_nothing(), rows)
        return IndexedTables(len(rows), TableId(found[-1].id) if len(found) == limit else None)


def _outermost(locations: Iterable[str]) -> Sequence[Location]:
    """Return the canonical locations that are not below another one, at most `MOST_LOCATIONS`, the first ones."""
    found = dict.fromkeys(each for text in locations if (each := Location.of(text)) is not None)
    kept = [each for each in found if not any(folder in found for folder in _above(each))]
    return kept[:MOST_LOCATIONS]


def _above(location: Location) -> Sequence[Location]:
    return [folder for folder in location.prefixes(DEEPEST) if folder != location]


def _key(location: Location) -> str:
    return hashlib.sha256(str(location).encode("utf-8", "surrogatepass")).hexdigest()
