"""Notice that the tasks of a run move nothing: they compute for ever, or hang in a library.

Tasks of the kernel report once a second what they moved and for how long their budget held them back, from a thread of
their own. A task that Spark has not started reports nothing, and is not a stall. Sorting a group moves nothing for a
minute or two. Tasks of a format's library report bytes at their end only, so they can't be watched.
"""

from dataclasses import dataclass
from typing import Final

from engine.domain.clock import Clock
from engine.queue.budgets import LiveProgress

STALL_SECONDS: Final = 900.0
"""Seconds without a byte, a request or a wait for the budget after which the tasks of a run are stopped."""


@dataclass(slots=True)
class StallWatch:
    """Compares reports of what the tasks of a run moved."""

    clock: Clock
    _moved: tuple[float, ...] = ()
    _moved_at: float = 0.0

    def is_stalled(self, live: LiveProgress) -> bool:
        """Return whether tasks are at work and have moved nothing for `STALL_SECONDS`, given the newest report."""
        now, moved = (
            self.clock.monotonic(),
            (live.bytes_read, live.bytes_written, live.requests, live.throttled_seconds),
        )
        if moved != self._moved or not live.members:
            self._moved, self._moved_at = moved, now
        return now - self._moved_at >= STALL_SECONDS
