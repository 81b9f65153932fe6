"""Reports of readers and writers about scans and commits, as Iceberg's clients send them to their catalog.

A gateway in front of a catalog, or a catalog that forwards them, sends them here as well. A lost report changes what is
advised, and nothing else.
"""

from collections.abc import Sequence

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.tables.addresses import written_address
from engine.domain.tables.scans import Scan
from engine.domain.tables.table import TableRef
from engine.services.catalogs.registered import find_id, read_own
from engine.stores.database import Database


class ScanService:
    """Stores reports about tables."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def find(self, caller: Caller, catalog: str, namespace: Sequence[str], name: str) -> TableId:
        """Return the id of a registered table, or raise `NotFound`."""
        async with self._database.read() as unit:
            return await find_id(unit, written_address(TableRef(catalog, tuple(namespace), name)), caller)

    async def add(self, caller: Caller, table_id: TableId, scan: Scan) -> None:
        """Add a scan to the sums of its hour.

        Raises:
            NotFound: no such table.
            Forbidden: the caller may only read it.
        """
        async with self._database.begin() as unit:
            await read_own(unit, table_id, caller)
            await unit.scans.add(table_id, scan)

    async def note_commit(self, caller: Caller, table_id: TableId) -> None:
        """Schedule a look at a table that a writer has committed to. Raises as `add`."""
        async with self._database.begin() as unit:
            await read_own(unit, table_id, caller)
            await unit.watches.wake(table_id, evaluate=False)
