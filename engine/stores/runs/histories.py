"""Recent results of runs on a table: partitions they rewrote, groups they lost, and times of attempts for predictions.

Every query reads a bounded number of a table's newest runs, whatever the length of its history. Of the times only the
newest of each table are kept: one busy table does not fill the newest of the fleet, and the number of rows grows with
the number of tables, not with history.
"""

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import RowMapping, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from engine.domain.ids import RunId, TableId
from engine.domain.runs.drops import DropReason
from engine.domain.runs.run import TERMINAL_STATES, GroupState, RunFilter, RunState, WaitingFor
from engine.domain.runs.times import RunSize, RunTime
from engine.stores.runs import listings as run_listings
from engine.stores.schema.core import file_groups, run_events, runs, tables
from engine.stores.schema.history import run_times
from engine.stores.sql.dialects import StoredNumber

MOST_RUNS: Final = 50
MOST_ROWS: Final = 50_000
_NEWEST: Final = 100


@dataclass(frozen=True, slots=True)
class CommittedPartition:
    """A partition that a run rewrote, the snapshot that contains the rewrite, and when it was recorded."""

    spec_id: int
    partition: str
    snapshot_id: int
    recorded_at: datetime
    is_full: bool


@dataclass(frozen=True, slots=True)
class CommittedPartitions:
    """Partitions rewritten by a table's newest runs. `known_since`: older runs were not read; None: all were read."""

    partitions: Sequence[CommittedPartition]
    known_since: datetime | None


@dataclass(frozen=True, slots=True)
class Conflict:
    """Groups that a run lost to another writer."""

    run_id: RunId
    at: datetime
    groups: int
    reason: str


@dataclass(frozen=True, slots=True)
class TableRaces:
    """Groups committed and lost to other writers, and wasted bytes, of a table's recently ended runs."""

    groups_committed: int = 0
    groups_lost: int = 0
    wasted_bytes: int = 0


class RewriteHistoryStore:
    """Rows of `runs`, `file_groups` and `run_events`, read-only."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def committed_partitions(
        self, table_id: TableId, *, most_runs: int = MOST_RUNS, most_rows: int = MOST_ROWS
    ) -> CommittedPartitions:
        """Return the partitions rewritten by the newest runs with snapshots in the table."""
        changes = (
            select(runs.c.id, runs.c.finished_at, runs.c.request)
            .where(runs.c.table_id == table_id, runs.c.snapshot_count > 0)
            .order_by(runs.c.id.desc())
            .limit(most_runs + 1)
        )
        found = (await self._connection.execute(changes)).all()
        partitions: list[CommittedPartition] = []
        for run in found[:most_runs]:
            if len(partitions) >= most_rows:
                return CommittedPartitions(partitions, run.finished_at)
            is_full = bool(run.request.get("force_full"))
            partitions += await self._of_run(run.id, is_full=is_full)
        oldest = found[most_runs].finished_at if len(found) > most_runs else None
        return CommittedPartitions(partitions, oldest)

    async def conflicts(self, table_id: TableId, since: datetime) -> Sequence[Conflict]:
        """Return the conflicts of a table's newest runs with other writers since an instant, newest first."""
        newest = run_listings.page(RunFilter(table_id=table_id), None, _NEWEST).with_only_columns(runs.c.id).subquery()
        query = (
            select(run_events.c.run_id, run_events.c.at, run_events.c.details)
            .where(run_events.c.run_id.in_(select(newest.c.id)), run_events.c.at >= since)
            .where(run_events.c.kind == "group_dropped")
            .order_by(run_events.c.at.desc(), run_events.c.sequence.desc())
        )
        read = (_conflict(row) for row in await self._connection.execute(query))
        return [conflict for conflict in read if conflict is not None]

    async def races(self, table_id: TableId, since: datetime) -> TableRaces:
        """Return the committed, lost and wasted figures of a table's newest runs that ended since an instant."""
        wanted = RunFilter(table_id=table_id, states=TERMINAL_STATES)
        newest = run_listings.page(wanted, None, _NEWEST).subquery()
        paths = (("groups_committed",), ("races", "groups_lost"), ("wasted_bytes",))
        sums = [func.coalesce(func.sum(StoredNumber(newest.c.result[path])), 0) for path in paths]
        row = (await self._connection.execute(select(*sums).where(newest.c.finished_at >= since))).one()
        return TableRaces(*map(int, row))

    async def fruitless_outages(self, run_id: RunId, waiting_for: WaitingFor, states: Sequence[RunState]) -> int:
        """Return how often an outage ended an attempt of a run in one of these states since its last commit."""
        own = run_events.c.run_id == run_id
        committed = select(func.max(run_events.c.sequence)).where(own, run_events.c.kind == "committed")
        query = select(func.count()).where(
            own,
            run_events.c.kind == "parked",
            run_events.c.from_state.in_(states),
            run_events.c.reason == waiting_for,
            run_events.c.sequence > func.coalesce(committed.scalar_subquery(), 0),
        )
        return (await self._connection.execute(query)).scalar_one()

    async def _of_run(self, run_id: str, *, is_full: bool) -> list[CommittedPartition]:
        key = (file_groups.c.spec_id, file_groups.c.partition, file_groups.c.snapshot_id)
        query = (
            select(*key, func.max(file_groups.c.updated_at).label("at"))
            .where(file_groups.c.run_id == run_id, file_groups.c.state == GroupState.COMMITTED)
            .group_by(*key)
        )
        return [
            CommittedPartition(row.spec_id, row.partition, row.snapshot_id, row.at, is_full)
            for row in await self._connection.execute(query)
        ]


def _conflict(row: Any) -> Conflict | None:
    reasons = [text for text in row.details.get("reasons", {}).values() if not DropReason.of(text).is_own_fault]
    return Conflict(RunId(row.run_id), row.at, len(reasons), reasons[0]) if reasons else None


MOST_OF_TABLE: Final = 12
MOST_OF_FLEET: Final = 200


class RunTimeStore:
    """Rows of `run_times`."""

    def __init__(self, *, connection: AsyncConnection) -> None:
        self._connection = connection

    async def add(self, time: RunTime) -> None:
        """Insert a time and delete all but its table's newest `MOST_OF_TABLE`; no-op for an unregistered table."""
        locked = select(tables.c.id).where(tables.c.id == time.table_id).with_for_update(key_share=True)
        if (await self._connection.execute(locked)).one_or_none() is None:
            return
        size = time.size
        values = {"table_id": time.table_id, "machine": time.machine, "kind": time.kind, "seconds": time.seconds}
        values |= {"lanes": size.lanes, "groups": size.groups, "files": size.files, "bytes": size.bytes}
        await self._connection.execute(insert(run_times).values(values))
        newest = (
            select(run_times.c.id)
            .where(run_times.c.table_id == time.table_id)
            .order_by(run_times.c.id.desc())
            .offset(MOST_OF_TABLE)
            .limit(1)
            .scalar_subquery()
        )
        too_old = (run_times.c.table_id == time.table_id, run_times.c.id <= newest)
        await self._connection.execute(delete(run_times).where(*too_old))

    async def list(self, table_id: TableId | None = None) -> builtins.list[RunTime]:
        """Return the newest times of one table, or the newest `MOST_OF_FLEET` of all tables, newest first."""
        query = select(run_times).order_by(run_times.c.id.desc()).limit(MOST_OF_FLEET)
        if table_id is not None:
            query = query.where(run_times.c.table_id == table_id)
        return [_to_time(row) for row in (await self._connection.execute(query)).mappings()]


def _to_time(row: RowMapping) -> RunTime:
    size = RunSize(row["groups"], row["files"], row["bytes"], row["lanes"])
    return RunTime(TableId(row["table_id"]), row["machine"], row["kind"], size, row["seconds"])
