"""All partitions of a table with their health, sorted, page by page, at one snapshot.

The first page measures the table's current files; its position names the snapshot and the bounds of the policy. Later
pages are of the same snapshot, so that no partition is listed twice or left out while writers commit: from this
process's cache, or read from the table as long as it has the snapshot. Otherwise the list has expired.

On request each partition has two more parts, kept apart: the decision that the coordinator makes on it (the same
evaluation and plan, of the instant of the first page), and its newest compaction task, read again for each page.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import ListExpired
from engine.domain.ids import TableId
from engine.domain.runs.hot_partitions import Place
from engine.domain.tables.watches import Watch
from engine.formats.base import OpenTable
from engine.planning.due.partition_decisions import PartitionDecision, PartitionDecisions
from engine.planning.measures.partition_health import (
    PartitionColumns,
    PartitionHealth,
    PartitionKey,
    SizeRules,
)
from engine.planning.measures.partitions import partition_files
from engine.planning.measures.sorted_runs import SortedRuns
from engine.services.catalogs.registered import read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.tables.observations import ObservationService, Observed
from engine.stores.database import Database
from engine.stores.runs.partition_tasks import PartitionTask

MOST_KEPT: Final = 1_000_000
"""Partitions in the cache, of all tables together: about 200 MB. The newest table is always kept."""


@dataclass(frozen=True, slots=True)
class PartitionSort:
    """The order of a list of partitions; ties are in the order of spec id and partition."""

    key: PartitionKey
    descending: bool


@dataclass(frozen=True, slots=True)
class PartitionsPosition:
    """Position of the next page: after the first `offset` partitions of a snapshot, with files judged by `bounds`.

    `committed_at_ms`: of the snapshot, None where it is not recorded; formats use ids again after a rollback.
    """

    snapshot_id: int | None
    committed_at_ms: int | None
    bounds: SizeRules
    offset: int = 0


class PartitionPart(StrEnum):
    """Parts of each partition that a list has on request."""

    DECISION = "decision"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class ListedPartition:
    """One partition of a page.

    `decision`: None unless requested. `task`: its newest compaction task, None unless requested or without one.
    """

    health: PartitionHealth
    decision: PartitionDecision | None = None
    task: PartitionTask | None = None


@dataclass(frozen=True, slots=True)
class PartitionPage:
    """Partitions of one page; `next_position` is None on the last page, `partition_count` of the whole snapshot.

    `decided_at`, `watch`: the instant of the decisions, and the last look of the coordinator; None unless requested.
    """

    items: Sequence[ListedPartition]
    snapshot_id: int | None
    measured_at: datetime
    partition_count: int
    bounds: SizeRules
    next_position: PartitionsPosition | None
    decided_at: datetime | None = None
    watch: Watch | None = None


@dataclass(frozen=True, slots=True)
class _Measured:
    """`decisions`: those of the last first page that requested them, None before."""

    columns: PartitionColumns
    measured_at: datetime
    pointer: str
    decisions: PartitionDecisions | None = None


_Key = tuple[TableId, int | None, int | None, SizeRules]


class PartitionService:
    """Lists partitions; caches those of the tables that were listed last."""

    def __init__(self, *, database: Database, formats: TableAccess, observations: ObservationService) -> None:
        self._database = database
        self._formats = formats
        self._observations = observations
        self._kept: OrderedDict[_Key, _Measured] = OrderedDict()

    async def list(
        self,
        caller: Caller,
        table_id: TableId,
        sort: PartitionSort,
        *,
        position: PartitionsPosition | None,
        limit: int,
        parts: Collection[PartitionPart] = (),
    ) -> PartitionPage:
        """Return a page of at most `limit` partitions from a position; None: from the start, at the current snapshot.

        Raises:
            ListExpired: the position is of a snapshot that is not cached, and that the table does not have any more.
            InvalidInput: a decision is requested, and a setting of the policy does not fit the table.
            NotFound, TableReplaced, StateConflict, Transient: see `services.catalogs.registered`.
        """
        decides = PartitionPart.DECISION in parts
        if position is None:
            position, measured = await self._current(caller, table_id, decides=decides)
        else:
            async with self._database.read() as unit:
                await read_registered(unit, table_id, caller)
            measured = await self._at(caller, table_id, position, decides=decides)
        columns, end = measured.columns, position.offset + limit
        items = await asyncio.to_thread(_slice, measured, sort, position.offset, end, decides=decides)
        total = len(columns.names)
        following = replace(position, offset=end) if end < total else None
        page = PartitionPage(items, position.snapshot_id, measured.measured_at, total, position.bounds, following)
        page = await self._with_tasks(table_id, page) if PartitionPart.TASK in parts else page
        if not decides or measured.decisions is None:
            return page
        async with self._database.read() as unit:
            watch = await unit.watches.get(table_id)
        return replace(page, decided_at=measured.decisions.decided_at, watch=watch)

    async def _with_tasks(self, table_id: TableId, page: PartitionPage) -> PartitionPage:
        places = [_place(item) for item in page.items]
        async with self._database.read() as unit:
            tasks = await unit.partition_tasks.newest(table_id, places)
        items = zip(page.items, places, strict=True)
        return replace(page, items=[replace(item, task=tasks.get(place)) for item, place in items])

    async def _current(
        self, caller: Caller, table_id: TableId, *, decides: bool
    ) -> tuple[PartitionsPosition, _Measured]:
        seen = await self._observations.observe(caller, table_id)
        committed_at_ms = await self._formats.read(seen.opened.ref, _committed_at_ms, seen.opened)
        position = PartitionsPosition(seen.opened.head_snapshot_id, committed_at_ms, bounds_of(seen))
        return position, await self._measured(seen, position, decides=decides)

    async def _at(self, caller: Caller, table_id: TableId, position: PartitionsPosition, *, decides: bool) -> _Measured:
        kept = self._kept.get(_key(table_id, position))
        if kept is not None and (kept.decisions is not None or not decides):
            return kept
        seen = await self._observations.observe(caller, table_id)
        opened = await self._formats.read(seen.opened.ref, _as_of, seen.opened, position)
        if opened is None:
            raise ListExpired(
                f"this page token continues at snapshot {position.snapshot_id}, which the table does not have any "
                "more: send the request without page_token to begin again at the current snapshot",
                details={"snapshot_id": str(position.snapshot_id)},
            )
        return await self._measured(replace(seen, opened=opened), position, decides=decides)

    async def _measured(self, seen: Observed, position: PartitionsPosition, *, decides: bool) -> _Measured:
        key = _key(seen.table_id, position)
        pointer = await self._formats.read(seen.opened.ref, _pointer_of, seen.opened)
        kept = self._kept.get(key)
        if kept is None or kept.pointer != pointer:  # formats can use the id of a snapshot again, after a rollback
            columns = await self._formats.read(seen.opened.ref, _measure, seen, position.bounds)
            kept = _Measured(columns, seen.looked_at, pointer)
        if decides:
            places = list(zip(kept.columns.spec_ids.tolist(), kept.columns.names, strict=True))
            kept = replace(kept, decisions=await self._observations.decide(seen, places))
        self._kept[key] = kept
        self._kept.move_to_end(key)
        while len(self._kept) > 1 and sum(len(each.columns.names) for each in self._kept.values()) > MOST_KEPT:
            self._kept.popitem(last=False)
        return kept


def _key(table_id: TableId, position: PartitionsPosition) -> _Key:
    return table_id, position.snapshot_id, position.committed_at_ms, position.bounds


def _committed_at_ms(table: OpenTable) -> int | None:
    head = table.head_snapshot_id
    return None if head is None else table.figures().committed_at_ms.get(head)


def _as_of(table: OpenTable, position: PartitionsPosition) -> OpenTable | None:
    """Return the table at the snapshot of a position, None if it does not have it any more."""
    found: OpenTable | None = table
    if position.snapshot_id != table.head_snapshot_id:
        found = None if position.snapshot_id is None else table.at_snapshot(position.snapshot_id)
    return found if found is not None and _committed_at_ms(found) == position.committed_at_ms else None


def _pointer_of(table: OpenTable) -> str:
    return table.pointer


def bounds_of(seen: Observed) -> SizeRules:
    """Return the sizes by which a table's policy judges files."""
    return SizeRules(seen.policy.small_bytes, seen.policy.large_bytes, seen.policy.small_row_group_bytes)


def _measure(seen: Observed, bounds: SizeRules) -> PartitionColumns:
    files = partition_files(seen.opened.digest())
    figures = seen.opened.figures()
    runs = SortedRuns.of(files) if figures.has_levels else None
    return PartitionColumns.of(files, bounds.flags(files), figures, runs)


def _slice(measured: _Measured, sort: PartitionSort, start: int, end: int, *, decides: bool) -> list[ListedPartition]:
    columns, decisions = measured.columns, measured.decisions
    places = columns.order(sort.key, descending=sort.descending)[start:end]
    items = [ListedPartition(health) for health in columns.pick(places)]
    if decisions is None or not decides:
        return items
    indexed = zip(places.tolist(), items, strict=True)
    return [replace(item, decision=decisions.at(index, _place(item))) for index, item in indexed]


def _place(item: ListedPartition) -> Place:
    return item.health.spec_id, item.health.partition
