"""Whether writers of a table should slow down: by the newest valid signal about the table or the fleet."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.ids import TableId
from engine.domain.tables.signals import Backpressure, Signal, SignalKind
from engine.services.catalogs.registered import read_registered
from engine.stores.database import Database

_NOTHING: Final = "no signal of kind backpressure is valid, and nothing else asks writers of this table to slow down"


@dataclass(frozen=True, slots=True)
class Advised:
    """The advice, since when and until when (None: until a change), and the signal it is based on, if any."""

    slow_down: bool
    reason: str
    since: datetime | None = None
    until: datetime | None = None
    signal: Signal | None = None


class BackpressureService:
    """Returns the back-pressure advice for writers."""

    def __init__(self, *, database: Database) -> None:
        self._database = database

    async def advise(self, caller: Caller, table_id: TableId) -> Advised:
        """Return whether writers of a table should slow down; a signal about the table overrides one about the fleet.

        Raises:
            NotFound: no such table.
        """
        async with self._database.read() as unit:
            await read_registered(unit, table_id, caller)
            now = await unit.now()
            for about in (table_id, None):
                newest = await unit.signals.list(about, SignalKind.BACKPRESSURE, limit=1)
                if newest and (advised := _by_signal(newest[0], now)) is not None:
                    return advised
        return Advised(slow_down=False, reason=_NOTHING)


def _by_signal(signal: Signal, now: datetime) -> Advised | None:
    """Return the advice of a signal, None when it is no longer valid."""
    if not isinstance(signal.value, Backpressure):
        return None
    until = signal.at + timedelta(seconds=signal.value.valid_seconds)
    if until <= now:
        return None
    return Advised(signal.value.slow_down, signal.value.reason, signal.at, until, signal)
