"""All partitions of a table with their health, sorted, page by page, at one snapshot.

The first page measures the table's current files; its position names the snapshot and the bounds of the policy. Later
pages are of the same snapshot, so that no partition is listed twice or left out while writers commit: from this
process's cache, or from the table as long as the snapshot is its newest. Otherwise the position is refused.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.ids import TableId
from engine.planning.measures.partition_health import (
    FileBounds,
    FileFlags,
    PartitionColumns,
    PartitionHealth,
    PartitionKey,
)
from engine.planning.measures.partitions import partition_files
from engine.planning.measures.sorted_runs import SortedRuns
from engine.services.catalogs.formats import FormatRegistry
from engine.services.catalogs.registered import read_registered
from engine.services.tables.observations import ObservationService, Observed
from engine.stores.database import Database

MOST_KEPT: Final = 1_000_000
"""Partitions in the cache, of all tables together: about 150 MB. The newest table is always kept."""


@dataclass(frozen=True, slots=True)
class PartitionSort:
    """The order of a list of partitions; ties are in the order of spec id and partition."""

    key: PartitionKey
    descending: bool


@dataclass(frozen=True, slots=True)
class PartitionsPosition:
    """Where a list continues: after the first `offset` partitions of a snapshot, with files judged by `bounds`."""

    snapshot_id: int | None
    bounds: FileBounds
    offset: int = 0


@dataclass(frozen=True, slots=True)
class PartitionPage:
    """Partitions of one page; `next_position` is None on the last page, `partition_count` of the whole snapshot."""

    items: Sequence[PartitionHealth]
    snapshot_id: int | None
    measured_at: datetime
    partition_count: int
    bounds: FileBounds
    next_position: PartitionsPosition | None


@dataclass(frozen=True, slots=True)
class _Measured:
    columns: PartitionColumns
    measured_at: datetime


_Key = tuple[TableId, int | None, FileBounds]


class PartitionService:
    """Lists partitions; caches those of the tables that were listed last."""

    def __init__(self, *, database: Database, formats: FormatRegistry, observations: ObservationService) -> None:
        self._database = database
        self._formats = formats
        self._observations = observations
        self._kept: OrderedDict[_Key, _Measured] = OrderedDict()

    async def list(
        self, caller: Caller, table_id: TableId, sort: PartitionSort, *, position: PartitionsPosition | None, limit: int
    ) -> PartitionPage:
        """Return a page of at most `limit` partitions from a position; None: from the start, at the current snapshot.

        Raises:
            InvalidInput: the position is of a snapshot that is neither cached nor the newest any more.
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        if position is None:
            position, measured = await self._current(caller, table_id)
        else:
            async with self._database.read() as unit:
                await read_registered(unit, table_id, caller)
            measured = await self._at(caller, table_id, position)
        columns, end = measured.columns, position.offset + limit
        items = await asyncio.to_thread(_slice, columns, sort, position.offset, end)
        total = len(columns.names)
        following = PartitionsPosition(position.snapshot_id, position.bounds, end) if end < total else None
        return PartitionPage(items, position.snapshot_id, measured.measured_at, total, position.bounds, following)

    async def _current(self, caller: Caller, table_id: TableId) -> tuple[PartitionsPosition, _Measured]:
        seen = await self._observations.observe(caller, table_id)
        position = PartitionsPosition(seen.opened.head_snapshot_id, bounds_of(seen))
        return position, await self._measured(seen, position)

    async def _at(self, caller: Caller, table_id: TableId, position: PartitionsPosition) -> _Measured:
        kept = self._kept.get((table_id, position.snapshot_id, position.bounds))
        if kept is not None:
            return kept
        seen = await self._observations.observe(caller, table_id)
        if seen.opened.head_snapshot_id != position.snapshot_id:
            message = (
                f"this page token continues at snapshot {position.snapshot_id}, and the table's newest snapshot is "
                f"{seen.opened.head_snapshot_id}"
            )
            problem = FieldProblem("query:page_token", message, None, "begin again without page_token")
            raise InvalidInput("the table has changed since the first page", problems=(problem,))
        return await self._measured(seen, position)

    async def _measured(self, seen: Observed, position: PartitionsPosition) -> _Measured:
        key = (seen.table_id, position.snapshot_id, position.bounds)
        if (kept := self._kept.get(key)) is None:
            columns = await self._formats.ask(seen.opened.ref, _measure, seen, position.bounds)
            kept = self._kept[key] = _Measured(columns, seen.looked_at)
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and sum(len(each.columns.names) for each in self._kept.values()) > MOST_KEPT:
            self._kept.popitem(last=False)
        return kept


def bounds_of(seen: Observed) -> FileBounds:
    """Return the sizes by which a table's policy judges files."""
    return FileBounds(seen.policy.small_bytes, seen.policy.large_bytes, seen.policy.small_row_group_bytes)


def _measure(seen: Observed, bounds: FileBounds) -> PartitionColumns:
    files = partition_files(seen.opened.digest())
    runs = SortedRuns.of(files) if seen.opened.figures().has_levels else None
    return PartitionColumns.of(files, FileFlags.of(files, bounds), runs)


def _slice(columns: PartitionColumns, sort: PartitionSort, start: int, end: int) -> tuple[PartitionHealth, ...]:
    return columns.pick(columns.order(sort.key, descending=sort.descending)[start:end])
