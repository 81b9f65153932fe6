"""Dependencies of the parts of one attempt: its lease, the record, and the table that it works on."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import Clock
from engine.domain.errors import Transient
from engine.formats.base import OpenTable
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.runs.attempts import Attempt
from engine.stores.database import Database

RECORD_SECONDS: Final = 30.0
"""Longest wait for the record before a request is given up."""


@dataclass(frozen=True, slots=True)
class AttemptTools:
    """Dependencies of all parts of one attempt. `step` is called with the name of each step as it is reached."""

    database: Database
    formats: TableAccess
    clock: Clock
    attempt: Attempt
    step: Callable[[str], None]

    async def open_table(self) -> OpenTable:
        """Open the table of the run in its present state."""
        async with self.database.read() as unit:
            table, catalog = await read_registered(unit, self.attempt.run.table_id, SYSTEM)
        return await open_registered(self.formats, catalog, table)


def wait_for_record(write: Coroutine[Any, Any, None], loop: asyncio.AbstractEventLoop) -> None:
    """Wait in the thread of a request until the record has what must be in it before the request is sent.

    Raises:
        LeaseLost: another holder advances the run.
        Transient: the record does not answer; then nothing may be sent.
    """
    asked = asyncio.run_coroutine_threadsafe(write, loop)
    try:
        asked.result(timeout=RECORD_SECONDS)
    except TimeoutError as error:
        asked.cancel()
        raise Transient(f"the record did not answer within {RECORD_SECONDS} s; nothing was sent") from error
