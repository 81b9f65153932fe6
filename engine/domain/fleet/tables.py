"""The list of all tables, with filters and sort keys to find those that need attention."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import TableFilter, TableRef
from engine.domain.tables.watches import Verdict


class FleetKey(StrEnum):
    """Sort keys of the list."""

    AVOIDABLE_FILES = "avoidable_file_count"
    BENEFIT_PER_COST = "benefit_per_cost"
    DUE_SINCE = "due_since"
    HISTORY_BYTES = "history_bytes"
    HOLD = "hold"
    LAST_RUN = "last_run"
    NEXT_LOOK_AT = "next_look_at"
    SCORE = "score"
    VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class FleetSort:
    """One key and its direction; tables without a value of the key are last in both directions."""

    key: FleetKey = FleetKey.AVOIDABLE_FILES
    descending: bool = True


SortValue = str | float | datetime | None
FleetPosition = tuple[SortValue, TableId]
"""End of a page: the sort value of its last table, and that table's id."""


@dataclass(frozen=True, slots=True)
class FleetTableFilter:
    """Filters for the list of tables; None leaves a filter out.

    Attributes:
        tables: the filters that every list of tables has.
        verdicts: verdicts of the last look.
        holds: codes, one of which holds the table back.
        is_due: whether a rule made it due at the last look.
        last_run_states: states of the table's newest run.
    """

    tables: TableFilter = field(default_factory=TableFilter)
    verdicts: frozenset[Verdict] | None = None
    holds: frozenset[str] | None = None
    is_due: bool | None = None
    last_run_states: frozenset[RunState] | None = None


@dataclass(frozen=True, slots=True)
class LastRun:
    """The newest run of a table."""

    id: RunId
    operation: Operation
    state: RunState
    reason: str | None
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True)
class FleetTable:
    """A table with its last verdict, newest measurement and newest run.

    Attributes:
        hold: code of the first hold; None unless the table is due and held back.
        detail: the verdict in words.
        next_look_at: None for a table that is not watched.
        measured_at: None, with all figures, for a table that was never measured.
        history_bytes: upper bound of the bytes of files that only old snapshots need.
        sort_value: the table's value of the sort key.
    """

    table_id: TableId
    ref: TableRef
    owner_team: str | None
    is_paused: bool
    is_frozen: bool
    verdict: Verdict
    hold: str | None
    detail: str | None
    due_since: datetime | None
    looked_at: datetime | None
    next_look_at: datetime | None
    measured_at: datetime | None
    benefit_per_cost: float | None
    file_count: int | None
    small_file_count: int | None
    avoidable_file_count: int | None
    total_bytes: int | None
    score: float | None
    history_bytes: int | None
    sort_value: SortValue = None
    last_run: LastRun | None = None
