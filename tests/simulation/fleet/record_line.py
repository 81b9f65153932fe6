"""The line of waiting runs in the record: the real statements on SQLite, by virtual time.

Use it in a thread of the simulation's loop: each call waits for its transaction.
"""

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any, TypeVar

from engine.domain.ids import RunId, TableId
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Operation, Priority, ReadyRun, Run, RunState
from engine.domain.tables.measurements import Measurement
from engine.domain.tables.table import Catalog, FormatName, Table, TableRef
from engine.stores.database import Database
from tests.simulation.loop import START, VirtualLoop

_HELD_SECONDS = 1e6
_T = TypeVar("_T")


class RecordLine:
    """Queued runs in the record; `take` claims as a worker does."""

    def __init__(self, *, loop: VirtualLoop, database: Database) -> None:
        self._loop = loop
        self._database = database
        self._leases: dict[RunId, Lease] = {}
        self._tables: dict[str, Table] = {}
        self._number = 0

    def submit(self, now: float, table: str, team: str, *, priority: Priority, worth: float) -> ReadyRun:
        """Register the table when it is new, with its measured worth, and submit a run of it."""
        return self._wait(self._submit(table, team, priority, worth))

    def take(self) -> ReadyRun | None:
        """Claim the first run that is ready."""
        return self._wait(self._take())

    def end(self, run: ReadyRun) -> None:
        """End a run as skipped."""
        self._wait(self._end(run))

    def pass_time(self, now: float) -> None:
        """Let virtual time come to `now`, seconds since the simulation began."""
        seconds = START + now - self._loop.time()
        if seconds > 0:
            self._loop.pause(seconds)

    async def _submit(self, name: str, team: str, priority: Priority, worth: float) -> ReadyRun:
        self._number += 1
        async with self._database.begin() as unit:
            now = await unit.now()
            if not self._tables:
                await unit.catalogs.insert(Catalog("lake", FormatName.ICEBERG, {}, 1, now, now))
            if name not in self._tables:
                table = Table(TableId(name), TableRef("lake", ("n",), name), name, f"s3://lake/{name}", team, now, {})
                await unit.tables.insert(table)
                await unit.measurements.record(Measurement(table.id, "1", now, 9, 9, 8, 10**6, 40.0, worth, {}))
                self._tables[name] = table
            table = self._tables[name]
            number = f"{self._number:09d}"
            run = Run(
                id=RunId(f"run_{number}"),
                table_id=table.id,
                operation=Operation.REWRITE,
                state=RunState.QUEUED,
                requested_by="key:admin",
                created_at=now,
                updated_at=now,
                priority=priority,
                request_key=number,
            )
            await unit.runs.insert_many([run], {table.id: table})
        return ReadyRun(run.id, table.id, priority, now, "lake", team, worth)

    async def _take(self) -> ReadyRun | None:
        async with self._database.read() as unit:
            ready = await unit.runs.list_ready(1)
        if not ready:
            return None
        async with self._database.begin() as unit:
            claimed = await unit.runs.claim(ready[0].id, "worker", _HELD_SECONDS)
        if claimed is None:
            message = f"{ready[0]} was listed as ready and could not be claimed"
            raise AssertionError(message)
        run, self._leases[ready[0].id] = claimed
        return replace(ready[0], owner_team=run.owner_team)

    async def _end(self, run: ReadyRun) -> None:
        async with self._database.begin() as unit:
            await unit.runs.transition(self._leases.pop(run.id), to=RunState.SKIPPED)

    def _wait(self, work: Coroutine[Any, Any, _T]) -> _T:
        return self._loop.block(asyncio.ensure_future(work, loop=self._loop))  # type: ignore[no-any-return]
