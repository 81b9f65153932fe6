"""Circuit breakers: no automatic run starts in a catalog after runs of several of its tables failed in a row.

Only faults of the catalog or its storage count (`Fault`): a problem of one table does not affect others.

    closed ── three different tables failed in a row ──▶ open for 1 minute
    open ── its time is over ──▶ half-open: one run may start ── it succeeded ──▶ closed
                                                              └─ it failed ──▶ open for 2, 4 … 30 minutes

A success of any run in the catalog closes it, and an operator can. Requested runs are never held back.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from engine.domain.errors import Away, OutcomeUnknown
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.ids import TableId

TABLES_TO_OPEN: Final = 3
FIRST_SECONDS: Final = 60
LONGEST_SECONDS: Final = 1800
PROBE_SECONDS: Final = 600
"""Seconds to wait for the result of the run that may start in state half-open; then the next one may start."""


class Fault(StrEnum):
    """The cause of a failed attempt, as far as breakers distinguish causes."""

    STORE = "store"
    """The catalog or its storage did not answer, or lost an answer: counts against the catalog."""

    OTHER = "other"
    """The table's own files, metadata, properties or policy, another writer, Spark, the record, a Packhouse defect."""

    @classmethod
    def of(cls, error: BaseException) -> "Fault":
        """Return the fault for an error of an attempt, by the error's type."""
        match error:
            case OutcomeUnknown() | Away(dependency=DependencyKind.CATALOG | DependencyKind.STORAGE):
                return cls.STORE
            case _:
                return cls.OTHER


_MOST_DOUBLINGS: Final = 10


@dataclass(frozen=True, slots=True)
class Breaker:
    """The failures of a catalog in which the last run failed; `reason` is its code, as details are for its team only.

    `failed_tables`: different tables that failed in a row, the last first. `times_open`: times in a row that the
    breaker opened, 0 while it is closed. `probe_until`: in state half-open, until when the started run may report.
    """

    catalog: str
    failed_at: datetime
    reason: str
    failed_tables: Sequence[TableId] = ()
    times_open: int = 0
    open_until: datetime | None = None
    probe_until: datetime | None = None

    def holds_until(self, now: datetime) -> datetime | None:
        """Return until when no automatic run starts; None: the breaker is closed, or one run may start."""
        ends = [until for until in (self.open_until, self.probe_until) if until is not None and until > now]
        return max(ends, default=None)

    def after_failure(self, table_id: TableId, reason: str, now: datetime) -> "Breaker":
        """Return the breaker after one more run failed."""
        tables = (table_id, *(each for each in self.failed_tables if each != table_id))[:TABLES_TO_OPEN]
        times, until, probe = self.times_open, self.open_until, self.probe_until
        is_over = until is None or until <= now  # runs that fail while it is open started before
        if is_over and (times > 0 or len(tables) >= TABLES_TO_OPEN):
            times, until, probe = times + 1, now + _open_for(times + 1), None
        return Breaker(self.catalog, now, reason, tables, times, until, probe)


def _open_for(times: int) -> timedelta:
    return timedelta(seconds=min(LONGEST_SECONDS, FIRST_SECONDS * (1 << min(times - 1, _MOST_DOUBLINGS))))
