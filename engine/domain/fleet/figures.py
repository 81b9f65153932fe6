"""What is said of all tables together. Figures of a time cover the last 24 hours."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.domain.fleet.breakers import Breaker
from engine.domain.runs.run import RunState
from engine.domain.tables.table import Pause


@dataclass(frozen=True, slots=True)
class SmallFileFlow:
    """Small files that came and went between measurements."""

    made: int
    removed: int
    made_per_hour: float
    removed_per_hour: float


@dataclass(frozen=True, slots=True)
class Backlog:
    """Avoidable files, and how long they take at the present rates; None: never at these, `detail` says why."""

    avoidable_files: int
    eta_seconds: float | None
    detail: str


@dataclass(frozen=True, slots=True)
class Races:
    """File groups that were committed, and those lost to other writers; the rate is None without any."""

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
    """What running rewrites move now, read + written over about 10 s, and the limits; `catalog` None: all of them."""

    catalog: str | None
    runs: int
    bytes_per_second: float
    bytes_per_second_limit: int | None
    requests_per_second_limit: int | None


@dataclass(frozen=True, slots=True)
class FleetFigures:
    """Sums over the tables that the caller sees; `rates` are of everybody's runs, None without Redis.

    `breakers`: those of catalogs that are open or half-open.
    """

    measured_at: datetime
    tables: int
    paused_tables: int
    measured_tables: int
    file_count: int
    small_file_count: int
    total_bytes: int
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
    """Sums over tables; files and bytes are those of tables that were measured."""

    tables: int
    paused_tables: int
    measured_tables: int
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class OwnerFigures:
    """Sums over the tables of one team in one catalog; `owner_team` None: tables without a team.

    Attributes:
        tables: registered tables, measured or not.
        due_tables: tables whose last look found them due and started no run (held back or waiting).
        measured_tables: those that the files, bytes and scores are of.
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
    score_sum: float
    lowest_score: float | None


@dataclass(frozen=True, slots=True)
class EndedRuns:
    """Runs that ended in a time, by state, and sums over their results."""

    by_state: dict[RunState, int]
    groups_committed: int
    groups_lost: int
    wasted_bytes: int
