"""Detect file groups that can no longer be committed, before they are sent to Spark.

The table is read while groups wait. Only groups that are not sent are judged: a group in flight goes on, and the commit
decides about it. The commit stays the only proof; a failed read has no consequence.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import Clock
from engine.domain.errors import PackhouseError
from engine.domain.ids import TableId
from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import OpenTable
from engine.services.catalogs.registered import read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 15.0
"""Seconds between two reads of the catalog's metadata pointer; the table is only opened when the pointer changed."""


class LostGroups:
    """Finds groups of one attempt that lost their race; its plan was made on `base_snapshot_id` with `schema_id`."""

    def __init__(
        self,
        *,
        database: Database,
        formats: TableAccess,
        clock: Clock,
        table_id: TableId,
        open_table: Callable[[], Awaitable[OpenTable]],
        base_snapshot_id: int,
        schema_id: int,
    ) -> None:
        self._database = database
        self._formats = formats
        self._clock = clock
        self._table_id = table_id
        self._open_table = open_table
        self._base = (base_snapshot_id, schema_id)
        self._pointer: str | None = None
        self._looked_at = clock.monotonic()

    async def find(self, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        """Return the reasons, by ordinal, of groups that lost their race; none if read within `LOOK_SECONDS`."""
        if not groups or self._clock.monotonic() - self._looked_at < LOOK_SECONDS:
            return {}
        self._looked_at = self._clock.monotonic()
        try:
            return await self._read_losses(groups)
        except PackhouseError as error:
            _log.warning("early_look_failed", error=error.message)
            return {}

    async def _read_losses(self, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        async with self._database.read() as unit:
            table, catalog = await read_registered(unit, self._table_id, SYSTEM)
        found = await self._formats.pointers(catalog, [table.ref])
        pointer = found.get(table.ref)
        if pointer is None or pointer == self._pointer:
            return {}
        opened = await self._open_table()
        lost = await self._formats.read(table.ref, opened.lost_groups, *self._base, groups)
        self._pointer = pointer
        return lost
