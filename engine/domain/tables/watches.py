"""How a table is watched: when it is looked at next, what was last found, and what was decided.

Each table has a phase of its own, from its id: looks fall on instants that are spread evenly over the interval, and
stay spread however many tables begin to be watched, or wake, together.

The interval of a table lies between `SHORTEST_SECONDS` (it changes all the time) and the longest one of its catalog
(`CatalogPace`): 40 seconds, or more where the catalog could not answer that many questions.
"""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from engine.domain.ids import TableId

SHORTEST_SECONDS: Final = 10
"""Between two looks at a table that changes all the time."""

LONGEST_SECONDS: Final = 40
"""Between two looks at a table that never changes: a commit is seen after 20 seconds on average."""

LONGEST_AWAY_SECONDS: Final = 600
"""Between two looks at a table that can't be read, while its catalog answers."""

LOOKS_PER_SECOND: Final = 500
"""Most looks in a catalog that answers for many tables at once; one costs the coordinator about 0.3 ms."""

REQUESTS_PER_SECOND: Final = 20
"""The same in a catalog that is asked for each table, unless `PACKHOUSE_CATALOG_REQUESTS_PER_SECOND` is set."""

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
    `grace_until`: when the first run of a newly registered table may start automatically; None: it may at any time.
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
    grace_until: datetime | None = None

    def next_look(self, now: datetime) -> datetime:
        """Return the next instant of the table's own phase, at most an interval away, or `reconsider_at` if sooner."""
        interval = self.interval_seconds
        phase = self.phase * interval
        seconds = (math.floor((now.timestamp() - phase) / interval) + 1) * interval + phase
        later = now + timedelta(seconds=seconds - now.timestamp())
        return later if self.reconsider_at is None else min(later, max(self.reconsider_at, now))


@dataclass(frozen=True, slots=True)
class CatalogPace:
    """How often the tables of one catalog may be looked at.

    Attributes:
        looks_per_second: the budget of looks in this catalog.
        longest_seconds: the interval of a table that never changes. With it all tables together stay within the
            budget; tables that change take up to as much again, and wait for one another beyond that.
    """

    looks_per_second: float
    longest_seconds: int

    @staticmethod
    def of(tables: int, looks_per_second: float) -> "CatalogPace":
        """Return the pace of a catalog with this number of registered tables."""
        return CatalogPace(looks_per_second, max(LONGEST_SECONDS, math.ceil(tables / looks_per_second)))


def phase_of(table_id: TableId) -> float:
    """Return a number from 0 up to 1 that is always the same for a table, and evenly spread over tables."""
    digest = hashlib.sha256(table_id.encode()).digest()
    return int.from_bytes(digest[:8]) % _PHASES / _PHASES


def longer(interval_seconds: int, longest_seconds: int = LONGEST_SECONDS) -> int:
    """Return the interval after a look that found nothing new, or that failed."""
    return min(longest_seconds, 2 * interval_seconds)


def shorter(interval_seconds: int) -> int:
    """Return the interval after a look that found a change."""
    return max(SHORTEST_SECONDS, interval_seconds // 2)
