"""Wake-ups after a commit: for those who hold runs, and for workers without one. Losing them costs seconds only."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import structlog

from engine.domain.errors import Transient
from engine.domain.ids import RunId
from engine.queue.hints import Hints
from engine.queue.streams import RunQueue

MOST_SENT: Final = 200
"""Waiting runs that are sent at once; the sweep finds more."""

_log = structlog.get_logger(__name__)


class Wakes:
    """Tells holders and workers to look at the record."""

    def __init__(self, *, queue: RunQueue, hints: Hints) -> None:
        self._queue = queue
        self._hints = hints

    async def holders(self, run_ids: Iterable[RunId]) -> None:
        """Let whoever holds or watches these runs look at them."""
        for run_id in run_ids:
            with suppress(Transient):
                await self._hints.publish(run_id)

    async def workers(self, run_ids: Iterable[RunId]) -> None:
        """Let a worker take a run for each of these; while Redis is away the sweep does it later."""
        try:
            for run_id in run_ids:
                await self._queue.enqueue(run_id)
        except Transient as error:
            _log.warning("queue_unreachable", error=error.message)
