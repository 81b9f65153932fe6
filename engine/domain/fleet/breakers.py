"""Breakers: after failures of several tables in a row, automatic runs leave their catalog alone.

Only faults of the catalog or its storage count (`Fault`): what is wrong with a table says nothing about others.

    closed ── three different tables failed in a row ──▶ open for 1 minute
    open ── its time is over ──▶ half-open: one run is let through ── it succeeded ──▶ closed
                                                                   └─ it failed ──▶ open for 2, 4 … 30 minutes

A success of any run in the catalog closes it, and so does a human. Runs that somebody asks for are never held.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from engine.domain.errors import Away, OutcomeUnknown
from engine.domain.fleet.dependencies import Dependency
from engine.domain.ids import TableId

TABLES_TO_OPEN: Final = 3
FIRST_SECONDS: Final = 60
LONGEST_SECONDS: Final = 1800
PROBE_SECONDS: Final = 600
"""For so long a run that was let through is waited for; then the next is."""


class Fault(StrEnum):
    """What made an attempt at a run fail, as far as breakers need to know it."""

    STORE = "store"
    """The catalog or its storage did not answer, or lost an answer: counts against the catalog."""

    OTHER = "other"
    """The table's own files, metadata, properties or policy, another writer, Spark, the record, a defect of ours."""

    @classmethod
    def of(cls, error: BaseException) -> "Fault":
        """Return the fault that an error of an attempt shows, by its type."""
        match error:
            case OutcomeUnknown() | Away(dependency=Dependency.CATALOG | Dependency.STORAGE):
                return cls.STORE
            case _:
                return cls.OTHER


_MOST_DOUBLINGS: Final = 10


@dataclass(frozen=True, slots=True)
class Breaker:
    """What is known of a catalog in which the last run failed, `reason` being its code: details are for its team.

    `failed_tables`: different ones that failed in a row, the last first. `times_open`: in a row, 0 while it is closed.
    `probe_until`: a run was let through and has time to tell until then.
    """

    catalog: str
    failed_at: datetime
    reason: str
    failed_tables: Sequence[TableId] = ()
    times_open: int = 0
    open_until: datetime | None = None
    probe_until: datetime | None = None

    def holds_until(self, now: datetime) -> datetime | None:
        """Return until when no run by itself begins; None: it is closed, or one may be let through."""
        ends = [until for until in (self.open_until, self.probe_until) if until is not None and until > now]
        return max(ends, default=None)

    def after_failure(self, table_id: TableId, reason: str, now: datetime) -> "Breaker":
        """Return the breaker after one more run failed."""
        tables = (table_id, *(each for each in self.failed_tables if each != table_id))[:TABLES_TO_OPEN]
        times, until, probe = self.times_open, self.open_until, self.probe_until
        is_over = until is None or until <= now  # what fails while it is open began before
        if is_over and (times > 0 or len(tables) >= TABLES_TO_OPEN):
            times, until, probe = times + 1, now + _open_for(times + 1), None
        return Breaker(self.catalog, now, reason, tables, times, until, probe)


def _open_for(times: int) -> timedelta:
    return timedelta(seconds=min(LONGEST_SECONDS, FIRST_SECONDS * (1 << min(times - 1, _MOST_DOUBLINGS))))
