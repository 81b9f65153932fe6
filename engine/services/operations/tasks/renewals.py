"""New storage credentials for tasks at work: by the catalog's endpoint for them, otherwise by opening the table again.

Only the tasks of a run's current attempt get them (the pace token proves which attempt asks). Tasks of one attempt that
ask within `KEPT_SECONDS` share one load of the table. What it gave is in memory only.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import Clock
from engine.domain.errors import StateConflict, Unauthenticated
from engine.domain.ids import RunId
from engine.domain.runs.run import LEASED_STATES, Run
from engine.formats.base import Engine
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.operations.tasks.credentials import newer
from engine.services.operations.tasks.pace_tokens import TaskToken
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

    async def admit(self, token: TaskToken) -> None:
        """Check that a token is valid, or that its attempt is at work.

        Raises:
            Unauthenticated: the token is past its time, and its attempt is over.
        """
        if token.is_valid:
            return
        async with self._database.read() as unit:
            if not _is_at_work(await unit.runs.get(token.run_id), token):
                raise Unauthenticated("the pace token is past its time, and its attempt is over")

    async def storage(self, token: TaskToken) -> Mapping[str, str]:
        """Return the storage properties for the tasks of an attempt.

        Raises:
            StateConflict: the attempt is over, or the table can't be opened any more.
            Transient: the catalog does not answer.
        """
        async with self._database.read() as unit:
            run = await unit.runs.get(token.run_id)
            if run is None or not _is_at_work(run, token):
                message = f"attempt {token.attempt} of run {token.run_id} is over: its tasks get no credentials"
                raise StateConflict(message)
            table, catalog = await read_registered(unit, run.table_id, SYSTEM)
        kept = self._of(token.run_id, token.attempt)
        async with kept.lock:
            if kept.storage is None or self._clock.monotonic() - kept.read_at >= KEPT_SECONDS:
                storage = await newer(kept.storage, partial(self._formats.read, table.ref))
                if storage is None:
                    opened = await open_registered(self._formats, catalog, table)
                    storage = opened.engines[Engine(run.intent.engine or Engine.ARROW)].task_storage()
                kept.storage, kept.read_at = storage, self._clock.monotonic()
            return kept.storage

    def _of(self, run_id: RunId, attempt: int) -> _KeptCredentials:
        kept = self._kept.setdefault((run_id, attempt), _KeptCredentials())
        self._kept.move_to_end((run_id, attempt))
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return kept


def _is_at_work(run: Run | None, token: TaskToken) -> bool:
    return run is not None and run.attempt == token.attempt and run.state in LEASED_STATES
