"""Partitions that lost races to other writers, and how often in a row.

A row is deleted by a win, a resume, or after a day. Only the holder of a table's run records losses and wins, under its
lease, so there is one writer per table. A table has at most `MOST_HOT` rows, those with the longest cool-down.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import ColumnElement, RowMapping, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import RunId, TableId
from engine.domain.runs.hot_partitions import HotPartition, HotPartitions, LostGroup, Place, cool_down
from engine.domain.runs.leases import Lease
from engine.stores.runs.changes import lock_lease
from engine.stores.schema.watching import hot_partitions as hot
from engine.stores.sql.dialects import now, partition_key

MOST_HOT: Final = 1000
KEPT: Final = timedelta(days=1)
"""Time after the cool-down without a loss until a partition is no longer hot."""

_CHUNK: Final = 500


class HotPartitionStore:
    """Rows of `hot_partitions`. `lose` and `win` raise `LeaseLost` like every write of a holder."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def lose(self, lease: Lease, lost: Sequence[LostGroup]) -> None:
        """Record that groups of these partitions lost a race in the lease's attempt; restarts each cool-down."""
        table_id = await lock_lease(self._connection, lease)
        by_place: dict[Place, list[LostGroup]] = defaultdict(list)
        for group in lost:
            by_place[group.place].append(group)
        known = await self.at(table_id)
        before = {place: known.by_place[place] for place in by_place if place in known.by_place}
        wasted = {place: sum(group.wasted_bytes for group in groups) for place, groups in by_place.items()}
        chosen = sorted(by_place, key=lambda place: (place not in before, -wasted[place], place))[:MOST_HOT]
        rows = [_row(table_id, _hotter(before.get(place), lease, known.now, by_place[place])) for place in chosen]
        await self._delete(table_id, list(before))
        for start in range(0, len(rows), _CHUNK):
            await self._connection.execute(insert(hot), rows[start : start + _CHUNK])
        await self._trim(table_id)

    async def win(self, lease: Lease, places: Iterable[Place]) -> None:
        """Delete the losses of partitions whose groups were committed."""
        table_id = await lock_lease(self._connection, lease)
        known = (await self.at(table_id)).by_place  # usually empty, never as many as a commit may have
        await self._delete(table_id, sorted(known.keys() & set(places)))

    async def at(self, table_id: TableId) -> HotPartitions:
        """Return the current hot partitions of a table."""
        query = select(hot, now().label("now")).where(hot.c.table_id == table_id)
        rows = (await self._connection.execute(query.order_by(hot.c.cools_until.desc()).limit(MOST_HOT))).mappings()
        found = list(rows)
        if found:
            return HotPartitions.at(found[0]["now"], (_to_partition(row) for row in found))
        return HotPartitions.at((await self._connection.execute(select(now()))).scalar_one(), ())

    async def forget(self, table_id: TableId) -> int:
        """Delete all losses of a table; return the number of partitions."""
        return (await self._connection.execute(delete(hot).where(hot.c.table_id == table_id))).rowcount

    async def prune(self, older_than: datetime, limit: int) -> int:
        """Delete partitions whose cool-down ended before an instant, at most `limit`; return how many."""
        old = select(hot.c.table_id, hot.c.partition_key).where(hot.c.cools_until < older_than).limit(limit)
        rows = (await self._connection.execute(old)).all()
        for row in rows:
            same = (hot.c.table_id == row.table_id, hot.c.partition_key == row.partition_key)
            await self._connection.execute(delete(hot).where(*same, hot.c.cools_until < older_than))
        return len(rows)

    async def _delete(self, table_id: TableId, places: list[Place]) -> None:
        for condition in _chunks(table_id, places):
            await self._connection.execute(delete(hot).where(*condition))

    async def _trim(self, table_id: TableId) -> None:
        count = select(func.count()).select_from(hot).where(hot.c.table_id == table_id)
        if (await self._connection.execute(count)).scalar_one() <= MOST_HOT:
            return
        order = (hot.c.cools_until.desc(), hot.c.wasted_bytes.desc(), hot.c.partition_key)
        kept = select(hot.c.partition_key).where(hot.c.table_id == table_id).order_by(*order).limit(MOST_HOT)
        await self._connection.execute(delete(hot).where(hot.c.table_id == table_id, hot.c.partition_key.not_in(kept)))


def _hotter(before: HotPartition | None, lease: Lease, at: datetime, lost: Sequence[LostGroup]) -> HotPartition:
    """Return a partition's new state after groups of it lost; groups of one attempt count as one loss."""
    is_same = before is not None and (before.run_id, before.attempt) == (lease.run_id, lease.token)
    losses = (0 if before is None else before.losses) + (0 if is_same else 1)
    return HotPartition(
        place=lost[0].place,
        losses=losses,
        lost_at=at,
        cools_until=at + cool_down(losses),
        wasted_bytes=(0 if before is None else before.wasted_bytes) + sum(each.wasted_bytes for each in lost),
        reason=lost[0].reason.value,
        run_id=lease.run_id,
        attempt=lease.token,
    )


def _chunks(table_id: TableId, places: Sequence[Place]) -> Iterable[tuple[ColumnElement[bool], ...]]:
    for start in range(0, len(places), _CHUNK):
        keys = [partition_key(place) for place in places[start : start + _CHUNK]]
        yield (hot.c.table_id == table_id, hot.c.partition_key.in_(keys))


def _row(table_id: TableId, partition: HotPartition) -> dict[str, Any]:
    return {
        "table_id": table_id,
        "partition_key": partition_key(partition.place),
        "spec_id": partition.place[0],
        "partition": partition.place[1],
        "losses": partition.losses,
        "lost_at": partition.lost_at,
        "cools_until": partition.cools_until,
        "wasted_bytes": partition.wasted_bytes,
        "reason": partition.reason,
        "run_id": partition.run_id,
        "attempt": partition.attempt,
    }


def _to_partition(row: RowMapping) -> HotPartition:
    return HotPartition(
        place=(row["spec_id"], row["partition"]),
        losses=row["losses"],
        lost_at=row["lost_at"],
        cools_until=row["cools_until"],
        wasted_bytes=row["wasted_bytes"],
        reason=row["reason"],
        run_id=RunId(row["run_id"]),
        attempt=row["attempt"],
    )
