"""Holds: what keeps runs of a table from starting, for programs and as sentences."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from engine.domain.remedies import Remedy, Statement, Value
from engine.domain.runs.reasons import OF_TABLES
from engine.domain.tables.table import Pause
from engine.domain.values.instants import format_minute
from engine.services.planning.wording import sentence

_OUTAGES: Final = frozenset({"spark", "catalog", "storage"})
"""Holds whose end is that of an outage: `until` is the next time at which the dependency is asked."""

_ON_REQUEST: Final = frozenset(
    {
        "fleet_paused",
        "catalog_paused",
        "table_paused",
        "table_frozen",
        "run_at_work",
        "run_waits",
        "grace",
        "acknowledgement",
        "quiet_hours",
        "blackout",
        "latency_backoff",
        "no_endpoint",
        "spark_unsuitable",
        "bytes_per_day",
        "fleet_full",
        "catalog_full",
    }
    | _OUTAGES
)
"""Holds that apply to requested runs as well; the others apply to automatic runs only."""

_IN_LINE: Final = frozenset({"fleet_full", "catalog_full"})
"""Holds by limits of parallel runs: a run is submitted and waits for its turn in the queue."""


@dataclass(frozen=True, slots=True)
class TableHold:
    """One reason that holds a table back.

    Attributes:
        code: one of `OF_TABLES`.
        until: its end; None: not known.
        detail: a clause with the circumstances, and what would end it.
        values: the figures and names in the clause, as of a `Statement`.
        remedy: the operation that ends it, if a person can.
    """

    code: str
    until: datetime | None
    detail: str
    values: Mapping[str, Value] = field(default_factory=dict)
    remedy: Remedy | None = None

    @property
    def words(self) -> str:
        """The code in words."""
        return OF_TABLES[self.code]

    @property
    def text(self) -> str:
        """The hold as a sentence, without its end."""
        return sentence(self.detail if self.detail.startswith(self.words) else f"{self.words}: {self.detail}")

    @property
    def statement(self) -> Statement:
        """The hold as a sentence with its end."""
        least = " at least" if self.code in _OUTAGES else ""
        until = f"{least} until {format_minute(self.until)}" if self.until else ""
        why = self.detail if self.detail.startswith(self.words) else f"{self.words} ({self.detail})"
        return Statement("held_by", f"Held back{until}: {why}.", {"code": self.code, **self.values}, self.remedy)

    @property
    def holds_requests(self) -> bool:
        """Whether requested runs have to wait as well."""
        return self.code in _ON_REQUEST

    @property
    def holds_submission(self) -> bool:
        """Whether the coordinator submits no run because of it."""
        return self.code not in _IN_LINE


def paused(code: str, pause: Pause, remedy: Remedy) -> TableHold:
    """Return the hold of a pause of the table, its catalog or the fleet, which the remedy ends."""
    what = remedy.operation.removeprefix("resume_")
    detail = f"{pause.reason!r}, by {pause.by} since {format_minute(pause.at)}; resuming the {what} ends it"
    values = {"reason": pause.reason, "by": pause.by, "since": written(pause.at)}
    return TableHold(code, None, detail, values, remedy)


def written(at: datetime) -> str:
    """Return an instant as a value of a statement: RFC 3339 in UTC, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
