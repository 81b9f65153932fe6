"""New storage credentials for tasks at work: the table is opened again, as a catalog vends them with each load.

Only the tasks of a run's current attempt get them (the pace token proves which attempt asks). Tasks of one attempt that
ask within `KEPT_SECONDS` share one load of the table. What it gave is in memory only.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import Clock
from engine.domain.errors import StateConflict
from engine.domain.ids import RunId
from engine.domain.runs.run import LEASED_STATES
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.stores.database import Database

KEPT_SECONDS: Final = 5.0
_MOST_KEPT: Final = 256


@dataclass(slots=True)
class _KeptCredentials:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    storage: Mapping[str, str] | None = None
    read_at: float = 0.0


class RenewalService:
    """Gives tasks at work the storage properties of their table, with new credentials."""

    def __init__(self, *, database: Database, formats: TableAccess, clock: Clock) -> None:
        self._database = database
        self._formats = formats
        self._clock = clock
        self._kept: OrderedDict[tuple[RunId, int], _KeptCredentials] = OrderedDict()

    async def storage(self, run_id: RunId, attempt: int) -> Mapping[str, str]:
        """Return the storage properties for the tasks of an attempt.

        Raises:
            StateConflict: the attempt is over, or the table can't be opened any more.
            Transient: the catalog does not answer.
        """
        async with self._database.read() as unit:
            run = await unit.runs.get(run_id)
            if run is None or run.attempt != attempt or run.state not in LEASED_STATES:
                raise StateConflict(f"attempt {attempt} of run {run_id} is over: its tasks get no credentials")
            table, catalog = await read_registered(unit, run.table_id, SYSTEM)
        kept = self._of(run_id, attempt)
        async with kept.lock:
            if kept.storage is None or self._clock.monotonic() - kept.read_at >= KEPT_SECONDS:
                opened = await open_registered(self._formats, catalog, table)
                kept.storage, kept.read_at = opened.task_storage(), self._clock.monotonic()
            return kept.storage

    def _of(self, run_id: RunId, attempt: int) -> _KeptCredentials:
        kept = self._kept.setdefault((run_id, attempt), _KeptCredentials())
        self._kept.move_to_end((run_id, attempt))
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return kept
