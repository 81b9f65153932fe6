"""Figures of all tables together. Figures over a time cover the last 24 hours."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from engine.domain.fleet.breakers import Breaker
from engine.domain.runs.run import RunState
from engine.domain.tables.table import Pause

MOST_UNSENT: Final = 10_000
"""The most runs that are counted as unsent: more mean the same, and counting them would take longer each time."""


@dataclass(frozen=True, slots=True)
class SmallFileFlow:
    """Small files that were added and removed between measurements."""

    made: int
    removed: int
    made_per_hour: float
    removed_per_hour: float


@dataclass(frozen=True, slots=True)
class Stoppages:
    """Counts of what is stopped until a person acts, and of runs that have not reached the queue.

    Attributes:
        frozen_tables: tables on which no run starts since a proof failed.
        paused: number of paused tables (`table`) and catalogs (`catalog`), and 1 if the whole fleet is (`fleet`).
        unsent_runs: submitted runs that the queue does not have yet, at most `MOST_UNSENT`.
        unsent_seconds: for how long the oldest of them has waited; 0 without one.
        deliveries: events that wait for webhooks (`pending`) and those that were given up (`dead`), at most
            `MOST_UNSENT` each.
        delivery_seconds: for how long the oldest waiting one has waited; 0 without one.
    """

    frozen_tables: int
    paused: Mapping[str, int]
    unsent_runs: int
    unsent_seconds: float
    deliveries: Mapping[str, int]
    delivery_seconds: float


@dataclass(frozen=True, slots=True)
class Backlog:
    """Avoidable files, and the time to merge them at the present rates; None: never or not known, see `detail`."""

    avoidable_files: int
    eta_seconds: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Races:
    """File groups that were committed, and those lost to other writers; the rate is None without file groups."""

    groups_committed: int
    groups_lost: int
    conflict_rate: float | None


@dataclass(frozen=True, slots=True)
class BudgetUse:
    """Bytes that rewrites read; the limit is the fleet's bandwidth over a day, for bytes read + written."""

    rewritten_bytes: int
    moved_bytes_limit: int | None
    used_share: float | None


@dataclass(frozen=True, slots=True)
class LiveRate:
    """Rate of running rewrites, read + written over about 10 s, and the limits; `catalog` None: of all catalogs."""

    catalog: str | None
    runs: int
    bytes_per_second: float
    bytes_per_second_limit: int | None
    requests_per_second_limit: int | None


@dataclass(frozen=True, slots=True)
class FleetFigures:
    """Sums over the tables that the caller may see; `rates` cover all runs, None without Redis.

    `history_bytes`: upper bound of the bytes of files that only old snapshots need. `breakers`: the open and half-open
    ones.
    """

    measured_at: datetime
    tables: int
    paused_tables: int
    measured_tables: int
    file_count: int
    small_file_count: int
    total_bytes: int
    history_bytes: int
    live_runs: Mapping[RunState, int]
    ended_runs: Mapping[RunState, int]
    small_files: SmallFileFlow
    backlog: Backlog
    races: Races
    wasted_bytes: int
    budget: BudgetUse
    pause: Pause | None
    rates: tuple[LiveRate, ...] | None = None
    breakers: tuple[Breaker, ...] = ()


@dataclass(frozen=True, slots=True)
class TableFigures:
    """Sums over tables; files and bytes are those of measured tables."""

    tables: int
    paused_tables: int
    measured_tables: int
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    total_bytes: int
    history_bytes: int


@dataclass(frozen=True, slots=True)
class OwnerFigures:
    """Sums over the tables of one team in one catalog; `owner_team` None: tables without a team.

    Attributes:
        tables: registered tables, measured or not.
        due_tables: tables that were due at their last look without starting a run (held back or waiting).
        measured_tables: tables that files, bytes and scores are summed over.
        score_sum: sum of the health scores (0 to 100 each) of measured tables.
        lowest_score: lowest of them; None without a measured table.
    """

    catalog: str
    owner_team: str | None
    tables: int
    due_tables: int
    measured_tables: int
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    total_bytes: int
    history_bytes: int
    score_sum: float
    lowest_score: float | None


MOST_LABELLED: Final = 500
"""The most tables that have series of their own: each costs every scrape and the memory of Prometheus."""

WITH_METRICS: Final = ("metrics", "on")
"""The label, as key and value, of tables that have series of their own."""


@dataclass(frozen=True, slots=True)
class LabelledTable:
    """Newest figures of one table with the label `WITH_METRICS`; `is_due`: at its last look, without a run.

    Figures are None before the first measurement.
    """

    catalog: str
    namespace: tuple[str, ...]
    name: str
    is_due: bool
    file_count: int | None
    small_file_count: int | None
    avoidable_file_count: int | None
    total_bytes: int | None
    score: float | None


@dataclass(frozen=True, slots=True)
class EndedRunCounts:
    """Runs that ended in a time, by state, and sums over their results."""

    by_state: dict[RunState, int]
    groups_committed: int
    groups_lost: int
    wasted_bytes: int
