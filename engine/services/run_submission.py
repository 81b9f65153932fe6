"""Submitting a run: checked, then stored with its first event and its outbox row in one transaction.

The queue is told after the commit and may be down (the relay sends it again). An equal request whose run is live is
answered with that run; `uq_runs_live` makes this hold for requests that come at the same instant.
"""

from collections.abc import Mapping
from typing import Any

import structlog

from engine.domain.access import Caller
from engine.domain.errors import StateConflict, Transient
from engine.domain.ids import IdSource, TableId
from engine.domain.run_requests import RunRequest
from engine.domain.runs import Priority, Run, RunState
from engine.domain.tables import Catalog, Table
from engine.queue.streams import RunQueue
from engine.services.capabilities import CapabilityService
from engine.services.formats import FormatRegistry
from engine.services.policies import PolicyReader
from engine.services.registered import open_registered, read_registered
from engine.services.selections import check_partitions
from engine.stores.database import Database
from engine.stores.failures import LIVE_RUN

_log = structlog.get_logger(__name__)


class RunSubmission:
    """Accepts requests for runs."""

    def __init__(
        self,
        *,
        database: Database,
        formats: FormatRegistry,
        capabilities: CapabilityService,
        queue: RunQueue,
        ids: IdSource,
    ) -> None:
        self._database = database
        self._formats = formats
        self._capabilities = capabilities
        self._queue = queue
        self._ids = ids

    async def submit(
        self, caller: Caller, table_id: TableId, request: RunRequest, *, priority: Priority | None, force: bool
    ) -> tuple[Run, bool]:
        """Accept a run durably; return it, and True when an equal run was live already and is answered instead.

        Without a priority the run has its policy's. `force` makes a run of its own also beside an equal live one.

        Raises:
            NotFound: no such table.
            InvalidInput: the table can't have the operation done, or the predicate does not fit it.
            TableReplaced, StateConflict, Transient: only with a predicate; see `services.registered`.
        """
        await self.check(caller, table_id, request)
        key = request.key(nonce=self._ids.run_id() if force else None)
        try:
            run = await self._insert(caller, table_id, request, key, priority)
        except StateConflict as conflict:
            if conflict.details.get("constraint") != LIVE_RUN:
                raise
            return await self._live(table_id, request, key), True
        await self._announce(run)
        return run, False

    async def check(self, caller: Caller, table_id: TableId, request: RunRequest) -> None:
        """Raise as `submit` does; nothing is stored."""
        table, catalog = await self._registered(caller, table_id)
        self._capabilities.check_operation(catalog.format, request.operation)
        if request.partitions is not None:
            opened = await open_registered(self._formats, catalog, table)
            await self._formats.call(check_partitions, opened, request)

    async def _registered(self, caller: Caller, table_id: TableId) -> tuple[Table, Catalog]:
        async with self._database.read() as unit:
            return await read_registered(unit, table_id, caller)

    async def _insert(
        self, caller: Caller, table_id: TableId, request: RunRequest, key: str, priority: Priority | None
    ) -> Run:
        async with self._database.begin() as unit:
            table, _ = await read_registered(unit, table_id, caller)
            if priority is None:
                policy = await PolicyReader.effective(unit, table, {})
                priority = Priority(policy.values.get("priority", Priority.NORMAL))
            now = await unit.now()
            run = Run(
                id=self._ids.run_id(),
                table_id=table_id,
                operation=request.operation,
                state=RunState.QUEUED,
                requested_by=caller.subject,
                created_at=now,
                updated_at=now,
                priority=priority,
                request=request.document(),
                request_key=key,
            )
            run = await unit.runs.insert(run)
            await unit.outbox.insert(run.id)
            await unit.audit.append(caller, "run.submit", run.id, after=_audited(run))
        return run

    async def _live(self, table_id: TableId, request: RunRequest, key: str) -> Run:
        async with self._database.read() as unit:
            run = await unit.runs.find_live(table_id, request.operation, key)
        if run is None:  # it ended between the two statements
            raise StateConflict("an equal run of this table ended just now; submit again")
        return run

    async def _announce(self, run: Run) -> None:
        try:
            await self._queue.enqueue(run.id)
        except Transient as error:
            _log.warning("queue_unreachable", run_id=run.id, error=error.message)


def _audited(run: Run) -> Mapping[str, Any]:
    asked = {"operation": run.operation.value, "priority": run.priority.value, **run.request}
    return {"table_id": run.table_id, **asked}
