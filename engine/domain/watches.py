"""How a table is watched: when it is looked at next, what was last found, and what was decided.

Each table has a phase of its own, from its id: looks fall on instants that are spread evenly over the interval, and
stay spread however many tables begin to be watched, or wake, together.
"""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from engine.domain.ids import TableId

SHORTEST_SECONDS: Final = 15
"""Between two looks at a table that changes all the time."""

LONGEST_SECONDS: Final = 600
"""Between two looks at a table that never changes."""

_PHASES: Final = 10_000


class Verdict(StrEnum):
    """What the last look at a table came to."""

    NEW = "new"  # not looked at yet
    NOT_DUE = "not_due"
    HELD = "held"  # due, and held back: `Watch.code` says by what
    SUBMITTED = "submitted"
    UNREACHABLE = "unreachable"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class Watch:
    """How one table is watched.

    `pointer` is what the catalog pointed to at the last look: while it is the same, nothing was written. Then only
    `reconsider_at` (None: never) is a reason to evaluate the table again: what time alone can change.
    `due_since`: since when a rule has made it due, None while none does. `code` and `detail` belong to the verdict.
    """

    table_id: TableId
    phase: float
    next_at: datetime
    interval_seconds: int = SHORTEST_SECONDS
    pointer: str | None = None
    looked_at: datetime | None = None
    changed_at: datetime | None = None
    due_since: datetime | None = None
    reconsider_at: datetime | None = None
    verdict: Verdict = Verdict.NEW
    code: str | None = None
    detail: str | None = None

    def next_look(self, now: datetime) -> datetime:
        """Return the next instant of the table's own phase, half an interval away at least, or `reconsider_at`."""
        interval = self.interval_seconds
        after = now.timestamp() + interval / 2
        phase = self.phase * interval
        seconds = math.ceil((after - phase) / interval) * interval + phase
        later = now + timedelta(seconds=seconds - now.timestamp())
        return later if self.reconsider_at is None else min(later, max(self.reconsider_at, now))


def phase_of(table_id: TableId) -> float:
    """Return a number from 0 up to 1 that is always the same for a table, and evenly spread over tables."""
    digest = hashlib.sha256(table_id.encode()).digest()
    return int.from_bytes(digest[:8]) % _PHASES / _PHASES


def longer(interval_seconds: int) -> int:
    """Return the interval after a look that found nothing new, or nobody."""
    return min(LONGEST_SECONDS, 2 * interval_seconds)


def shorter(interval_seconds: int) -> int:
    """Return the interval after a look that found a change."""
    return max(SHORTEST_SECONDS, interval_seconds // 2)
