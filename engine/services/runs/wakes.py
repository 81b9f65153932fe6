"""Wake-ups after a commit, for holders of runs and for idle workers. A lost wake-up delays by seconds only."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import structlog

from engine.domain.errors import Transient
from engine.domain.ids import RunId
from engine.queue.hints import Hints
from engine.queue.streams import RunQueue

MOST_SENT: Final = 200
"""Most waiting runs that are sent at once; the sweep finds the rest."""

_log = structlog.get_logger(__name__)


class Wakes:
    """Sends hints to holders and workers to read the record."""

    def __init__(self, *, queue: RunQueue, hints: Hints) -> None:
        self._queue = queue
        self._hints = hints

    async def holders(self, run_ids: Iterable[RunId]) -> None:
        """Wake the holders and watchers of these runs."""
        for run_id in run_ids:
            with suppress(Transient):
                await self._hints.publish(run_id)

    async def workers(self, run_ids: Iterable[RunId]) -> None:
        """Wake one worker for each of these runs; while Redis is unavailable the sweep does it later."""
        try:
            for run_id in run_ids:
                await self._queue.enqueue(run_id)
        except Transient as error:
            _log.warning("queue_unreachable", error=error.message)
