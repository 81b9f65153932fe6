"""A run: one execution of one operation on one table; and the allowed transitions between its states.

A lease is not a state but three columns; a cancel request is a timestamp; `waiting_for` is the reason why a queued run
waits. `docs/explanation/run-lifecycle.md` has a diagram.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from engine.domain.access.callers import COORDINATOR
from engine.domain.ids import RunId, TableId
from engine.domain.runs.drops import DropReason
from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.intents import RunIntent
from engine.domain.runs.results import RunResult
from engine.domain.tables.table import TableRef


class Operation(StrEnum):
    """Operation of a run on its table. `GET /v1/operations` says what each of them does."""

    REWRITE = "rewrite"
    REWRITE_MANIFESTS = "rewrite_manifests"
    REWRITE_DELETES = "rewrite_deletes"
    EXPIRE_SNAPSHOTS = "expire_snapshots"
    REMOVE_ORPHANS = "remove_orphans"
    DELETE_OLD_COMPACTIONS = "delete_old_compactions"
    RECLAIM = "reclaim"
    PURGE = "purge"


class Priority(StrEnum):
    """Priority of a queued run. A run that waited `AGEING` longer than one of the next level goes before it."""

    LOW = "low"
    NORMAL = "normal"
    HIGH = "high"

    @property
    def head_start(self) -> timedelta:
        """Time that is subtracted from a run's submission to find its turn."""
        return _LEVELS.get(self, _LEVELS[Priority.NORMAL]) * AGEING


_LEVELS: Final = {priority: level for level, priority in enumerate(Priority)}
UPKEEP_OF: Final = "upkeep of "
"""Prefix of the name of a sharer of upkeep."""
AGEING: Final = timedelta(minutes=30)
"""Waiting time that equals one level of priority: no run waits forever behind newer runs of a higher level."""


class RunState(StrEnum):
    """State of a run."""

    QUEUED = "queued"
    PLANNING = "planning"
    REWRITING = "rewriting"
    COMMITTING = "committing"
    SUCCEEDED = "succeeded"
    SKIPPED = "skipped"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"


TRANSITIONS: Final[Mapping[RunState, frozenset[RunState]]] = MappingProxyType(
    {
        RunState.QUEUED: frozenset({RunState.PLANNING, RunState.CANCELLED}),
        RunState.PLANNING: frozenset(
            {
                RunState.QUEUED,
                RunState.REWRITING,
                RunState.SUCCEEDED,  # a later attempt finds that everything was committed by an earlier one
                RunState.SKIPPED,
                RunState.REFUSED,
                RunState.FAILED,
                RunState.CANCELLED,
            }
        ),
        RunState.REWRITING: frozenset(
            {
                RunState.QUEUED,
                RunState.COMMITTING,
                RunState.SUCCEEDED,  # the last batch was committed, the rest was dropped
                RunState.REFUSED,  # only a task, which reads the files, can know some refusals
                RunState.FAILED,
                RunState.CANCELLED,
            }
        ),
        RunState.COMMITTING: frozenset(
            {
                RunState.QUEUED,
                RunState.REWRITING,
                RunState.SUCCEEDED,
                RunState.REFUSED,  # the format can't write its metadata, and nothing was sent
                RunState.FAILED,
                RunState.CANCELLED,
            }
        ),
        RunState.SUCCEEDED: frozenset(),
        RunState.SKIPPED: frozenset(),
        RunState.REFUSED: frozenset(),
        RunState.FAILED: frozenset(),
        RunState.CANCELLED: frozenset(),
    }
)
"""State → states that may follow; a terminal state has none."""

TERMINAL_STATES: Final = frozenset(state for state, following in TRANSITIONS.items() if not following)
LIVE_STATES: Final = frozenset(TRANSITIONS) - TERMINAL_STATES
LEASED_STATES: Final = frozenset({RunState.PLANNING, RunState.REWRITING, RunState.COMMITTING})


class WaitingFor(StrEnum):
    """Reason why a queued run has not started yet."""

    RETRY = "retry"
    BUDGET = "budget"
    CONFLICT_BACKOFF = "conflict_backoff"
    PAUSED = "paused"
    QUIET_HOURS = "quiet_hours"
    BLACKOUT = "blackout"
    LATENCY_BACKOFF = "latency_backoff"
    CATALOG_FAILS = "catalog_fails"
    NO_ENDPOINT = "no_endpoint"
    SPARK_UNSUITABLE = "spark_unsuitable"
    SPARK = "spark"
    CATALOG = "catalog"
    STORAGE = "storage"
    GRACE = "grace"
    ACKNOWLEDGEMENT = "acknowledgement"


class GroupState(StrEnum):
    """State of a file group. A `running` one of a queued run was sent by an earlier attempt, and is planned again."""

    PLANNED = "planned"
    RUNNING = "running"
    WRITTEN = "written"
    COMMITTED = "committed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Run:
    """The stored run.

    Its free-form parts are JSON documents: `plan` (summary and predictions), `policy` (effective), `request` (what was
    requested in addition to the operation; `request_key` is equal for equal requests). `intent`: what its last attempt
    is about to do. `result`: what was done and measured. `catalog`, `owner_team`: the table's.
    `urgent_at`: from then on the run precedes all that are not urgent; None: never.
    `waits_on`: key of the outage that ended the last attempt (`domain.fleet.outages`), until a probe confirms the
    outage or a file group is committed.
    `spark_endpoint`: the Spark endpoint to which its last attempt sent; None: it sent to none.
    `ref`: the table's address, set only where it was looked up (`services.runs.views`); not stored with the run.
    """

    id: RunId
    table_id: TableId
    operation: Operation
    state: RunState
    requested_by: str
    created_at: datetime
    updated_at: datetime
    catalog: str = ""
    owner_team: str | None = None
    priority: Priority = Priority.NORMAL
    request: Mapping[str, Any] = field(default_factory=dict)
    request_key: str = ""
    attempt: int = 0
    failures: int = 0
    lease_holder: str | None = None
    lease_expires_at: datetime | None = None
    cancel_requested_at: datetime | None = None
    cancel_requested_by: str | None = None
    waiting_for: WaitingFor | None = None
    not_before: datetime | None = None
    waits_on: str | None = None
    spark_endpoint: str | None = None
    reason: str | None = None
    detail: str | None = None
    urgent_at: datetime | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    snapshot_count: int = 0
    plan: Mapping[str, Any] = field(default_factory=dict)
    intent: RunIntent = field(default_factory=RunIntent)
    result: RunResult = field(default_factory=RunResult)
    policy: Mapping[str, Any] = field(default_factory=dict)
    ref: TableRef | None = None

    @property
    def is_terminal(self) -> bool:
        """Whether the run is in a final state."""
        return self.state in TERMINAL_STATES

    @property
    def is_automatic(self) -> bool:
        """Whether a coordinator started the run automatically."""
        return self.requested_by == COORDINATOR.subject

    @property
    def due_since(self) -> datetime:
        """Start of the wait: when the table became due, if the request contains it, otherwise the submission."""
        said = self.request.get("due_since")
        return self.created_at if said is None else datetime.fromisoformat(said)

    def setting(self, name: str, absent: Any) -> Any:
        """Return a setting of the policy under which the run was planned; `absent` if that version did not have it."""
        return self.policy.get("values", {}).get(name, absent)

    @property
    def log_fields(self) -> dict[str, str]:
        """Return the fields that identify the run in the log: its id, its table, the request that submitted it."""
        request_id = self.request.get("request_id")
        submitted = {} if request_id is None else {"request_id": str(request_id)}
        return {"run_id": self.id, "table_id": self.table_id, **submitted}

    @property
    def unsettled(self) -> frozenset[int]:
        """Ordinals of groups that may have been sent to the catalog and whose outcome is unknown.

        The mark is stored before the request is sent: groups that are not in the set have no commit under way.
        """
        return self.intent.sent


def sharer(catalog: str, owner_team: str | None, operation: str = Operation.REWRITE) -> str:
    """Return the sharer of a table's runs: the unit among which capacity of the fleet is divided.

    Upkeep shares apart from rewrites, so that a thousand queued expiries of a team do not precede its next rewrite.
    """
    owner = f"catalog {catalog}" if owner_team is None else f"team {owner_team}"
    return owner if operation == Operation.REWRITE else f"{UPKEEP_OF}{owner}"


@dataclass(frozen=True, slots=True)
class ReadyRun:
    """A queued run that may be claimed as far as the record shows; `domain.runs.turns` orders such runs.

    `benefit_per_cost` is the table's last measured value, 0 before the first and for operations besides rewriting.
    `level0_file_count`: the most files of level 0 of a key table's bucket at that measurement. `hides_level0`: readers
    skip them until they are compacted. `served_at`: when a run of its sharer was last claimed, None before the
    first.
    """

    id: RunId
    table_id: TableId
    priority: Priority
    created_at: datetime
    catalog: str = ""
    owner_team: str | None = None
    benefit_per_cost: float = 0.0
    is_urgent: bool = False
    level0_file_count: int = 0
    hides_level0: bool = False
    served_at: datetime | None = None
    operation: str = Operation.REWRITE

    @property
    def sharer(self) -> str:
        """The unit that shares turns: the rewrites, or the upkeep, of the table's team, or of its catalog without."""
        return sharer(self.catalog, self.owner_team, self.operation)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Filters for a list of runs; None leaves one out. `teams`: any of them. Ids: from `since` on, below `until`."""

    table_id: TableId | None = None
    states: frozenset[RunState] | None = None
    operations: frozenset[Operation] | None = None
    catalog: str | None = None
    teams: frozenset[str] | None = None
    since: RunId | None = None
    until: RunId | None = None


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs, newest first. `walked_to` is set when the search stopped before the oldest run: continue below it."""

    runs: tuple[Run, ...]
    walked_to: RunId | None = None


@dataclass(frozen=True, slots=True)
class EndedRuns:
    """Number of runs of an operation that ended in a state, and bytes of the files that they replaced and added.

    `groups_lost`: file groups that lost races to other writers; `wasted_bytes`: bytes written without effect, for any
    reason.
    """

    operation: Operation
    state: RunState
    runs: int
    rewritten_bytes: int
    added_bytes: int
    groups_committed: int = 0
    groups_lost: int = 0
    wasted_bytes: int = 0


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One entry of a run's event log; `sequence` increases within the run. Events are never updated."""

    run_id: RunId
    sequence: int
    at: datetime
    kind: str
    actor: str
    attempt: int
    from_state: RunState | None = None
    to_state: RunState | None = None
    reason: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StoredGroup:
    """A stored file group of a run.

    `attempt`: the last one that changed it; `measured`: the report of its task; `output_spec_id` as in `FileGroup`.
    """

    run_id: RunId
    ordinal: int
    state: GroupState
    attempt: int
    spec_id: int
    partition: str
    inputs: tuple[InputFile, ...]
    predicted_outputs: int
    outputs: tuple[OutputFile, ...]
    rows_deleted: int
    measured: Mapping[str, Any]
    snapshot_id: int | None
    reason: DropReason | None
    updated_at: datetime
    output_spec_id: int | None = None

    @property
    def place(self) -> Place:
        """Its partition."""
        return self.spec_id, self.partition

    @property
    def input_bytes(self) -> int:
        """Bytes of all inputs as stored."""
        return sum(file.file_bytes for file in self.inputs)

    @property
    def input_rows(self) -> int:
        """Rows of all inputs, before deletes."""
        return sum(file.record_count for file in self.inputs)

    @property
    def output_bytes(self) -> int:
        """Bytes of all outputs as stored."""
        return sum(file.file_bytes for file in self.outputs)


@dataclass(frozen=True, slots=True)
class GroupOutline:
    """A stored file group without its files: a run may have hundreds of thousands of those."""

    ordinal: int
    state: GroupState
    attempt: int
    spec_id: int
    partition: str
    input_bytes: int
    output_bytes: int
    rows_deleted: int
    measured: Mapping[str, Any]
    snapshot_id: int | None
    reason: DropReason | None

    @property
    def place(self) -> Place:
        """Its partition."""
        return self.spec_id, self.partition


@dataclass(frozen=True, slots=True)
class FileCounts:
    """Files and rows that groups read and wrote."""

    input_files: int = 0
    input_rows: int = 0
    output_files: int = 0
    output_rows: int = 0


@dataclass(frozen=True, slots=True)
class GroupTotals:
    """A run's groups by state: number, bytes of inputs, bytes of outputs. Every state is a key."""

    counts: Mapping[GroupState, int]
    input_bytes: Mapping[GroupState, int]
    output_bytes: Mapping[GroupState, int]
