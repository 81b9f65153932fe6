"""Protocols that every table format implements, one folder under `formats/` per format.

Every call may block on storage or the catalog: callers run them in threads. An `OpenTable` is a view of the table at
the time of loading; call `CatalogConnection.open_table` again to see newer commits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol, runtime_checkable

import pyarrow as pa

from engine.domain.runs.expiry import Expiry, ExpiryPlan
from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.domain.tables.table import OutsideFiles, TableRef
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.predicates import PartitionSpecFields
from engine.rewriting.kernel.contract import GroupTask, WriteSettings


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step of a connection check: its name, whether it succeeded, and its findings (no secrets)."""

    name: str
    ok: bool
    detail: str


IsWanted = Callable[[Sequence[str]], bool]
"""Predicate on namespaces: returns whether their tables are listed."""


def every_namespace(_namespace: Sequence[str]) -> bool:
    """Accept every namespace."""
    return True


@dataclass(frozen=True, slots=True)
class TableListing:
    """Addresses of a catalog's tables, each with its namespace levels and its name; `truncated`: there are more."""

    identifiers: tuple[tuple[str, ...], ...]
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of eligibility: `holds` is False when it is not met; `detail` has the value found."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True, slots=True)
class FileScope:
    """Locations in which the files of one table may be.

    `location`: the table's location as registered; None: the one in its metadata. `allowed`: the catalog's allowed
    locations, empty without any. `outside_files`: which files may be outside of the table's location.
    """

    location: str | None = None
    allowed: tuple[str, ...] = ()
    outside_files: OutsideFiles = OutsideFiles.REFUSE

    def folders(self, stated: str) -> tuple[str, ...]:
        """Return the folders that may contain files; `stated` is the location in the table's metadata."""
        is_open = self.outside_files is OutsideFiles.ALLOWED_LOCATIONS
        return (self.location or stated, *(self.allowed if is_open else ()))


OWN_LOCATION: Final = FileScope()
"""Only the location in the table's metadata."""


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot for health and history; `added_bytes`: size of the data files that it added, 0 if not in its summary.

    `compactor`: engine and application of a compaction by another client than Packhouse, otherwise None.
    """

    snapshot_id: int
    parent_id: int | None
    committed_at_ms: int
    operation: str
    summary: Mapping[str, str]
    added_bytes: int = 0
    compactor: tuple[str, str | None] | None = None


@dataclass(frozen=True, slots=True)
class WrittenGroup:
    """A finished group, ready to be committed: all outputs replace all inputs."""

    ordinal: int
    spec_id: int
    partition: str
    inputs: tuple[InputFile, ...]
    outputs: tuple[OutputFile, ...]
    rows_deleted: int

    @property
    def place(self) -> Place:
        """The partition of its files."""
        return self.spec_id, self.partition


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """One batch of written groups for one atomic snapshot.

    `protects_parent`: protect the parent snapshot from expiry until `release_parents`. `removes_dangling_deletes`:
    remove delete files, in the partitions of its groups, that no longer apply to any live data file.
    """

    run_id: str
    attempt: int
    base_snapshot_id: int
    schema_id: int
    groups: tuple[WrittenGroup, ...]
    protects_parent: bool = False
    removes_dangling_deletes: bool = False


@dataclass(frozen=True, slots=True)
class CommittedBatch:
    """A snapshot committed by Packhouse: its groups and its changes."""

    snapshot_id: int
    groups: tuple[int, ...]
    attempt: int


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """Result of a commit. `snapshot_id` is None when every group was dropped; `dropped` has the reasons by ordinal."""

    snapshot_id: int | None
    committed: tuple[int, ...]
    dropped: Mapping[int, str] = field(default_factory=dict)
    tries: int = 1


IN_HISTORY: Final = "in_main_history"
"""Name of the check that a snapshot is an ancestor of main."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Verification of one snapshot from the table's metadata: each check by name, with its findings.

    Files, rows and bytes are those of data files; `removed_delete_files` are counted separately.
    """

    snapshot_id: int
    ok: bool
    checks: tuple[Condition, ...]
    removed_files: int
    added_files: int
    removed_rows: int
    added_rows: int
    removed_bytes: int
    added_bytes: int
    removed_delete_files: int = 0

    @property
    def was_taken_back(self) -> bool:
        """Whether every check holds except being in main's history: another client rolled main back past it."""
        return {check.name for check in self.checks if not check.holds} == {IN_HISTORY}


class RollBack(StrEnum):
    """Result of a rollback to the parent of a snapshot committed by Packhouse."""

    DONE = "done"
    """The snapshot is not, or no longer, in the history of main."""

    FOLLOWED = "followed"
    """Another commit followed it, or the catalog refused repeatedly."""

    NO_PARENT = "no_parent"
    """Its parent snapshot has expired."""


class OpenTable(Protocol):
    """A table as loaded at one point in time."""

    @property
    def ref(self) -> TableRef:
        """The address under which it was opened."""

    @property
    def uuid(self) -> str:
        """The table's own stable identity."""

    @property
    def location(self) -> str:
        """The table's base location."""

    @property
    def locations(self) -> Sequence[str]:
        """All locations of the table's files, read or written: base, data, metadata file, as set by its properties."""

    @property
    def pointer(self) -> str:
        """The catalog's pointer when the table was loaded, as returned by `CatalogConnection.pointers`."""

    @property
    def head_snapshot_id(self) -> int | None:
        """Id of the main branch's current snapshot; None before the first commit."""

    @property
    def schema_id(self) -> int:
        """Id of the current schema."""

    def describe(self) -> Mapping[str, Any]:
        """Return format, version, snapshot and manifest counts and the schema's columns, as JSON-ready values."""

    def policy_properties(self) -> Mapping[str, Any]:
        """Return the policy fields set by the table's own properties, by dotted name."""

    def digest(self) -> pa.Table:
        """Return the live data files of the head snapshot, in the shape of `planning.measures.digest.FILE_DIGEST`."""

    def figures(self) -> TableMeasures:
        """Return table-level measurements: snapshots, manifests, commit times, deletes by partition."""

    def conditions(self, order: RequestedOrder | None = None) -> Sequence[Condition]:
        """Return every condition of the rewrite kernel for this table, met or not, including those of `order`."""

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        """Resolve an order by column names on this table. Raises `NotEligible` where that is not possible."""

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        """Return the ranges of an order's columns in files, by default all of `digest`; for a sort only its first.

        The first column decides pruning: the others only order rows within equal values of the first.
        """

    def partition_specs(self) -> Sequence[PartitionSpecFields]:
        """Return every partition spec in the form that predicates are evaluated with; the current one is last."""

    def column_names(self) -> Sequence[str]:
        """Return the full names of the current schema's columns."""

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path, each with the position deletes that apply to it."""

    def group_task(
        self, group: FileGroup, *, run_id: str, attempt: int, write: WriteSettings, order: RowOrdering | None = None
    ) -> GroupTask:
        """Return the task that rewrites one group: schema, storage, inputs, output location, settings."""

    def task_storage(self) -> Mapping[str, str]:
        """Return a task's storage properties, with the credentials from the time the table was opened."""

    def read_storage(self) -> None:
        """Read the first byte of the table's metadata, bypassing all caches.

        Raises:
            Away: the storage does not answer.
            StateConflict, Transient: it answers with an error.
        """

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit a batch, with at most 16 tries on lost races; drops whole groups whose inputs were removed or changed.

        `before_try` is called before every try, when only the request remains to be sent, and may raise to stop the
        try: nothing is sent before it returns.

        Raises:
            OutcomeUnknown: an answer was lost; check `find_commits` before doing anything else.
            CommitConflict: the base is no longer an ancestor or the schema changed: plan again.
            Transient: the catalog can't be reached and nothing was sent.
        """

    def lost_groups(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, str]:
        """Return the reasons, by ordinal, why groups planned on a base can no longer be committed in this view."""

    def find_commits(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return all snapshots of this run in the history of the main branch."""

    def verify(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Verify a snapshot committed by Packhouse against the groups it claims to contain, from metadata alone."""

    def roll_back(self, snapshot_id: int) -> RollBack:
        """Roll main back to the parent of this Packhouse snapshot, unless another commit followed it. Idempotent.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; try again.
        """

    def protect_parent(self, run_id: str, snapshot_id: int) -> int | None:
        """Protect this Packhouse snapshot's parent from expiry until the next Packhouse commit; None if it has expired.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; the parent may be protected.
        """

    def release_parents(self) -> Sequence[str]:
        """Remove the protection set by commits with `protects_parent`; return the names of the removed tags.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; the next Packhouse commit removes it.
        """

    def list_outputs(self, run_id: str) -> Sequence[str]:
        """Return the paths of all files under the data location that this run wrote, recognized by name."""

    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:
        """Delete files written by this run's attempts up to `up_to_attempt`, except `keep` and referenced ones.

        `is_settled`: no commit of the run can be in progress, so metadata files that only such a commit could reference
        are deleted too.

        Files of later attempts are kept, so that a stale holder can't remove the work of its successor. Returns the
        number of deleted files. Must not be called while a task of those attempts may still write.
        """

    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        """Return the newest snapshots of the main branch, newest first."""


@runtime_checkable
class HistoryKeeper(Protocol):
    """A table whose format keeps old snapshots and can expire them. All calls may block."""

    def plan_expiry(self, expiry: Expiry) -> ExpiryPlan:
        """Return which snapshots would be removed; the stricter of the rule and the table's own settings holds.

        Raises:
            NotEligible: the table forbids expiry, or its own settings for it can't be read.
        """

    def expire(
        self, snapshot_ids: Sequence[int], expiry: Expiry, *, before_try: Callable[[], None]
    ) -> Sequence[Condition]:
        """Remove those of the snapshots that may still expire from the metadata; return what was proven.

        No file is deleted. Calling it again with the same ids has no further effect. `before_try` is called before
        every request and may raise to stop: nothing is sent then.

        Raises:
            OutcomeUnknown: the answer was lost; the snapshots may be gone.
            Transient: other commits were faster each time; nothing was changed.
            NotEligible: as `plan_expiry`.
        """

    def retained(self, snapshot_ids: Sequence[int]) -> frozenset[int]:
        """Return those of the snapshots that the table has now."""


class CatalogConnection(Protocol):
    """An open connection to one catalog."""

    @property
    def has_all_pointers(self) -> bool:
        """Whether `pointers` sends one request for many tables; otherwise it sends one request per table."""

    def ping(self) -> None:
        """Send the catalog a request that depends on no table.

        Raises:
            Away: it does not answer.
            StateConflict, Transient: it answers with an error.
        """

    def check(self) -> Sequence[CheckStep]:
        """Test the connection step by step; never raises for a broken connection."""

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of the accepted namespaces, ordered by address, at most `limit`.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return the catalog's pointer for each table: a value that changes with every commit.

        As cheap as the catalog allows. Tables that are missing or can't be read are left out: open one for the reason.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> OpenTable:
        """Load a table's current metadata. No file outside of the scope is read, written or deleted through it.

        Raises:
            NotFound: no such table.
            NotEligible: the metadata requires a file outside of the scope; also raised by later calls.
            TableUnreadable: its metadata can't be read; also raised by the methods of `OpenTable`.
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """


class TableFormat(Protocol):
    """A table format: opens catalogs of its kind."""

    def capabilities(self) -> Capabilities:
        """Return the supported operations of this format, with the reason for each unsupported one. Never blocks."""

    def validate(self, properties: Mapping[str, str]) -> None:
        """Raise `InvalidInput`, naming the field, for properties that can't make a connection."""

    def connect(self, name: str, properties: Mapping[str, str]) -> CatalogConnection:
        """Open a connection; secrets in `properties` are already resolved.

        Raises:
            Transient: the catalog does not answer.
        """
