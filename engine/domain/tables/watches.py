"""Watches: when the coordinator next looks at a table for changes, the last result, and the decision made.

Each table has a phase, derived from its id: looks are spread evenly over the interval, and stay spread however many
tables are registered, or resumed, together.

The interval of a table is between `SHORTEST_SECONDS` (a table that changes constantly) and the longest interval of its
catalog (`CatalogPace`): 40 seconds, or more where the catalog could not answer that many requests.
"""

import hashlib
import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from engine.domain.ids import TableId

SHORTEST_SECONDS: Final = 10
"""Seconds between two looks at a table that changes constantly."""

LONGEST_SECONDS: Final = 40
"""Seconds between two looks at a table that never changes: a commit is seen after 20 seconds on average."""

LONGEST_AWAY_SECONDS: Final = 600
"""Seconds between two looks at a table that can't be read, while its catalog answers."""

LOOKS_PER_SECOND: Final = 500
"""The most looks in a catalog that answers for many tables at once; a look costs the coordinator about 0.3 ms."""

REQUESTS_PER_SECOND: Final = 20
"""The most looks in a catalog with a request per table, unless `PACKHOUSE_CATALOG_REQUESTS_PER_SECOND` is set."""

_PHASES: Final = 10_000


class Verdict(StrEnum):
    """Result of the last look of a coordinator at a table."""

    NEW = "new"  # not looked at yet
    NOT_DUE = "not_due"
    HELD = "held"  # due, and held back: `Watch.code` is the reason
    SUBMITTED = "submitted"
    UNREACHABLE = "unreachable"
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class Watch:
    """The watch state of one table.

    `pointer` is the catalog's pointer at the last look: while it is unchanged, nothing was written. Then the table is
    evaluated again only at `reconsider_at` (None: never), when the passage of time can change the result.
    `due_since`: since when a rule has made it due, None while none does. `code` and `detail` explain the verdict.
    `grace_until`: when the first run of a newly registered table may start automatically; None: at any time.
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
        """Return the next instant of the table's phase, at most an interval away, or `reconsider_at` if sooner."""
        interval = self.interval_seconds
        phase = self.phase * interval
        seconds = (math.floor((now.timestamp() - phase) / interval) + 1) * interval + phase
        later = now + timedelta(seconds=seconds - now.timestamp())
        return later if self.reconsider_at is None else min(later, max(self.reconsider_at, now))

    @property
    def is_early(self) -> bool:
        """Whether the next look is sooner than after the last one, as something was reported of the table since."""
        return self.looked_at is not None and self.next_at < self.next_look(self.looked_at)


@dataclass(frozen=True, slots=True)
class CatalogPace:
    """Limits on the frequency of looks at the tables of one catalog.

    Attributes:
        looks_per_second: the budget of looks in this catalog.
        longest_seconds: the interval of a table that never changes. If no table changes, all tables together stay
            within the budget; changing tables take up to as much again, and beyond that wait for one another.
    """

    looks_per_second: float
    longest_seconds: int

    @staticmethod
    def of(tables: int, looks_per_second: float) -> "CatalogPace":
        """Return the pace of a catalog with this number of registered tables."""
        return CatalogPace(looks_per_second, max(LONGEST_SECONDS, math.ceil(tables / looks_per_second)))


def phase_of(table_id: TableId) -> float:
    """Return a number from 0 to below 1 that is constant for a table, and evenly distributed over tables."""
    digest = hashlib.sha256(table_id.encode()).digest()
    return int.from_bytes(digest[:8]) % _PHASES / _PHASES


def longer(interval_seconds: int, longest_seconds: int = LONGEST_SECONDS) -> int:
    """Return the interval after a look that found nothing new, or that failed."""
    return min(longest_seconds, 2 * interval_seconds)


def shorter(interval_seconds: int) -> int:
    """Return the interval after a look that found a change."""
    return max(SHORTEST_SECONDS, interval_seconds // 2)
