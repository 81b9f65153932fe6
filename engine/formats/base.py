"""What a table format has to do for Packhouse. One folder under `formats/` implements it; nothing else knows it.

Every call may block on storage or the catalog: callers run them in threads. An `OpenTable` is a view of one moment;
call `CatalogConnection.open_table` again to see newer commits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

import pyarrow as pa

from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.domain.tables.capabilities import Capabilities
from engine.domain.tables.orders import OrderWish, RowOrdering
from engine.domain.tables.table import OutsideFiles, TableRef
from engine.planning.measures.digest import TableFigures
from engine.planning.measures.overlaps import ColumnRanges
from engine.planning.plans.predicates import PartitionSpecFields
from engine.rewriting.kernel.contract import GroupTask, WriteSettings


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One step of a connection check: its name, whether it worked, and what was seen (no secrets)."""

    name: str
    ok: bool
    detail: str


IsWanted = Callable[[Sequence[str]], bool]
"""Returns whether the tables of a namespace are listed."""


def every_namespace(_namespace: Sequence[str]) -> bool:
    """Want the tables of every namespace."""
    return True


@dataclass(frozen=True, slots=True)
class TableListing:
    """Addresses of tables of a catalog, each with its namespace levels and its name; truncated: there are more."""

    identifiers: tuple[tuple[str, ...], ...]
    is_truncated: bool


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of eligibility: `holds` is False when it stands in the way; `detail` says what was found."""

    name: str
    holds: bool
    detail: str


@dataclass(frozen=True, slots=True)
class FileScope:
    """Where the files of one table may be.

    `location`: the table's location as registered; None: the one that its metadata states. `allowed`: the catalog's
    allowed locations, empty without any. `outside_files`: what may be outside of the table's location.
    """

    location: str | None = None
    allowed: tuple[str, ...] = ()
    outside_files: OutsideFiles = OutsideFiles.REFUSE

    def folders(self, stated: str) -> tuple[str, ...]:
        """Return the folders that files may be in; `stated` is the location in the table's metadata."""
        is_open = self.outside_files is OutsideFiles.ALLOWED_LOCATIONS
        return (self.location or stated, *(self.allowed if is_open else ()))


OWN_LOCATION: Final = FileScope()
"""The location that the table's metadata states, and nothing else."""


@dataclass(frozen=True, slots=True)
class SnapshotInfo:
    """A snapshot as health and history show it; `added_bytes`: of data files that it added, 0 if it does not say.

    `compactor`: who replaced data files by it, an engine and its application, None unless somebody other than us did.
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
    """A finished group, ready to be committed: all inputs go, all outputs come."""

    ordinal: int
    spec_id: int
    partition: str
    inputs: tuple[InputFile, ...]
    outputs: tuple[OutputFile, ...]
    rows_deleted: int

    @property
    def place(self) -> Place:
        """The partition that its files lie in."""
        return self.spec_id, self.partition


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """One batch of written groups for one atomic snapshot.

    `protects_parent`: keep the snapshot before it from expiry until `release_parents`. `removes_dangling_deletes`: drop
    delete files, in the partitions of its groups, that apply to no live data file any more.
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
    """A snapshot of ours: which groups it holds and what it did."""

    snapshot_id: int
    groups: tuple[int, ...]
    attempt: int


@dataclass(frozen=True, slots=True)
class CommitOutcome:
    """What a commit came to. `snapshot_id` is None when every group was dropped; `dropped` says why, by ordinal."""

    snapshot_id: int | None
    committed: tuple[int, ...]
    dropped: Mapping[int, str] = field(default_factory=dict)
    tries: int = 1


IN_HISTORY: Final = "in_main_history"
"""Name of the check that a snapshot is an ancestor of main."""


@dataclass(frozen=True, slots=True)
class Verification:
    """The proof of one snapshot, from the table's own metadata: each check by name, with what was found.

    Files, rows and bytes are those of data files; `removed_delete_files` are counted besides.
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
        """Whether all of it holds but its place in the history of main: somebody else went back to before it."""
        return {check.name for check in self.checks if not check.holds} == {IN_HISTORY}


class RollBack(StrEnum):
    """What came of going back to the snapshot before one of ours."""

    DONE = "done"
    """The snapshot is not in the history of main, or not any more."""

    FOLLOWED = "followed"
    """Somebody committed after it, or the catalog refused again and again."""

    NO_PARENT = "no_parent"
    """The snapshot before it is gone."""


class OpenTable(Protocol):
    """A loaded table at one moment."""

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
        """Every place where the table's files are or are written: base, data, metadata file, as its properties set."""

    @property
    def pointer(self) -> str:
        """What the catalog pointed to when the table was loaded, as `CatalogConnection.pointers` returns it."""

    @property
    def head_snapshot_id(self) -> int | None:
        """The current snapshot of the main branch; None while nothing was committed."""

    @property
    def schema_id(self) -> int:
        """The current schema."""

    def describe(self) -> Mapping[str, Any]:
        """Return format, version, snapshot and manifest counts and the schema's columns, as JSON-ready values."""

    def policy_properties(self) -> Mapping[str, Any]:
        """Return the policy fields that the table's own properties set, by dotted name."""

    def digest(self) -> pa.Table:
        """Return the live data files of the head snapshot, in the shape of `planning.measures.digest.FILE_DIGEST`."""

    def figures(self) -> TableFigures:
        """Return what is measured of the table as a whole: snapshots, manifests, commit times, deletes by partition."""

    def conditions(self, order: OrderWish | None = None) -> Sequence[Condition]:
        """Return every condition of the rewrite kernel on this table, held or not; also of an order asked for."""

    def resolve_order(self, wish: OrderWish) -> RowOrdering:
        """Return what an order by names means on this table. Raises `NotEligible` where it means nothing."""

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        """Return the ranges of an order's columns in files, by default all of `digest`; a sort's first column only.

        That is what rules pruning: the other columns of a sort only order rows within equal values of the first.
        """

    def partition_specs(self) -> Sequence[PartitionSpecFields]:
        """Return every partition spec, the current one last, as predicates are judged by it."""

    def column_names(self) -> Sequence[str]:
        """Return the full names of the current schema's columns."""

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path, each with the position deletes that apply to it."""

    def group_task(
        self, group: FileGroup, *, run_id: str, attempt: int, write: WriteSettings, order: RowOrdering | None = None
    ) -> GroupTask:
        """Return all that a task needs to rewrite one group: schema, storage, inputs, output place, settings."""

    def task_storage(self) -> Mapping[str, str]:
        """Return the properties of the storage that a task gets, with the credentials of when the table was opened."""

    def read_storage(self) -> None:
        """Read the first byte of the table's metadata, past every cache.

        Raises:
            Away: the storage does not answer.
            StateConflict, Transient: it answers something else.
        """

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit a batch, at most 16 tries on lost races; groups whose sources are gone or touched are dropped whole.

        `before_try` is called before every try, when nothing but the request is left to be made, and may raise to stop
        it: only after it anything may leave.

        Raises:
            OutcomeUnknown: an answer was lost; read `find_commits` before anything else.
            CommitConflict: the base is no longer an ancestor or the schema changed: plan again.
            Transient: the catalog can't be reached and nothing was sent.
        """

    def lost_groups(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, str]:
        """Return, by ordinal, why groups that were planned on a base could not be committed in this view any more."""

    def find_commits(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return every snapshot of this run that is in the history of the main branch."""

    def verify(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Prove one snapshot of ours against the groups it claims to hold, from metadata alone."""

    def roll_back(self, snapshot_id: int) -> RollBack:
        """Make the snapshot before this one of ours the newest again, unless anybody committed since. Safe to repeat.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; ask again.
        """

    def protect_parent(self, run_id: str, snapshot_id: int) -> int | None:
        """Keep the snapshot before this one of ours from expiry until the next commit of ours; None when it is gone.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; it may be kept.
        """

    def release_parents(self) -> Sequence[str]:
        """Let snapshots expire that commits with `protects_parent` have kept; return what kept them.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; the next commit of ours releases them.
        """

    def list_outputs(self, run_id: str) -> Sequence[str]:
        """Return the paths of all files under the data location whose names say that this run wrote them."""

    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:
        """Delete files that attempts of this run up to a number wrote, but `keep` and what any snapshot references.

        `is_settled`: no commit of the run can be under way, so metadata files that only such a commit names go too.

        Files of later attempts are left alone, so that a stale holder can't remove the work of its successor. Returns
        how many were removed. Never called while a task of those attempts may still write.
        """

    def snapshots(self, limit: int) -> Sequence[SnapshotInfo]:
        """Return the newest snapshots of the main branch, newest first."""


class CatalogConnection(Protocol):
    """An open connection to one catalog."""

    @property
    def has_all_pointers(self) -> bool:
        """Whether `pointers` is one question for many tables; else it asks for one table after the other."""

    def ping(self) -> None:
        """Ask the catalog for something that depends on no table.

        Raises:
            Away: it does not answer.
            StateConflict, Transient: it answers something else.
        """

    def check(self) -> Sequence[CheckStep]:
        """Try the connection step by step; never raises for a broken connection."""

    def list_tables(self, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
        """List the tables of the namespaces that are wanted, in order of their addresses, at most `limit`.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """

    def pointers(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return what the catalog points to for each table: something that differs after every commit.

        As cheap as the catalog allows. A table that is not there, or can't be told, is left out: open it to learn why.

        Raises:
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """

    def open_table(self, ref: TableRef, scope: FileScope = OWN_LOCATION) -> OpenTable:
        """Load a table's present metadata. No file outside of the scope is ever read, written or deleted through it.

        Raises:
            NotFound: no such table.
            NotEligible: the metadata names a file outside of the scope that has to be read; also of later calls.
            TableUnreadable: its metadata can't be read, which all methods of `OpenTable` may find out later as well.
            StateConflict: the catalog refuses the credentials, or its properties are wrong.
            Transient: the catalog does not answer.
        """


class TableFormat(Protocol):
    """A table format: opens catalogs of its kind."""

    def capabilities(self) -> Capabilities:
        """Return what this format can do in this version, with the reason for each no. Never blocks."""

    def validate(self, properties: Mapping[str, str]) -> None:
        """Raise `InvalidInput` where properties can't make a connection, naming the field."""

    def connect(self, name: str, properties: Mapping[str, str]) -> CatalogConnection:
        """Open a connection; `properties` have their secrets resolved.

        Raises:
            Transient: the catalog does not answer.
        """
