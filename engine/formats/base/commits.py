"""Commits of written groups: sent, found again after a lost answer, proven, and the files that runs leave."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from engine.domain.runs.drops import Loss
from engine.domain.runs.files import InputFile, OutputFile
from engine.domain.runs.hot_partitions import Place
from engine.domain.runs.plans import FileGroup
from engine.formats.base.views import Condition


@dataclass(frozen=True, slots=True)
class WrittenGroup:
    """A finished group, ready to be committed: all outputs replace all inputs.

    `output_spec_id`: the spec of the outputs, each of which has its own `partition`; None: that of the inputs.
    `message`: what the format's library needs to commit it, base 64, if that wrote it.
    """

    ordinal: int
    spec_id: int
    partition: str
    inputs: tuple[InputFile, ...]
    outputs: tuple[OutputFile, ...]
    rows_deleted: int
    output_spec_id: int | None = None
    message: str = ""

    @property
    def spec_of_outputs(self) -> int:
        """The partition spec of its outputs."""
        return self.spec_id if self.output_spec_id is None else self.output_spec_id

    @property
    def place(self) -> Place:
        """The partition of its inputs."""
        return self.spec_id, self.partition


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """One batch of written groups for one atomic snapshot.

    `protects_parent`: protect the parent snapshot from expiry until `TableCommits.release`. `removes_dangling_deletes`:
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
    dropped: Mapping[int, Loss] = field(default_factory=dict)
    tries: int = 1


IN_HISTORY: Final = "in_main_history"
"""Name of the check that a snapshot is an ancestor of main."""


@dataclass(frozen=True, slots=True)
class Verification:
    """Verification of one snapshot from the table's metadata: each check by name, with its findings.

    Files, rows and bytes are those of data files; `removed_delete_files` are counted separately. `is_overtaken`: in a
    table without history, another client has replaced since what the commit put in place: nothing is left to check.
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
    is_overtaken: bool = False

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

    NOT_POSSIBLE = "not_possible"
    """The table's format has no such step."""


class TableCommits(Protocol):
    """Commits of rewrites to one open table: files are replaced by those that tasks wrote, in atomic snapshots."""

    @property
    def are_apart(self) -> bool:
        """Whether each group is a commit of its own, because it changes an entry of its own.

        `commit` and `prove` then look at the present state of that entry, whenever the table was opened.
        """

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit a batch, with at most 16 tries on lost races; drops whole groups whose inputs were removed or changed.

        `before_try` is called before every try, when only the request remains to be sent, and may raise to stop the
        try: nothing is sent before it returns.

        Raises:
            OutcomeUnknown: an answer was lost; check `find` before doing anything else.
            CommitConflict: the base is no longer an ancestor or the schema changed: plan again.
            Transient: the catalog can't be reached and nothing was sent.
        """

    def lost(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        """Return the reasons, by ordinal, why groups planned on a base can no longer be committed in this view."""

    def find(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return all snapshots of this run in the history of the main branch."""

    def prove(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Prove a snapshot committed by Packhouse against the groups it claims to contain, from metadata alone."""

    def undo(self, snapshot_id: int) -> RollBack:
        """Go back to the parent of this Packhouse snapshot, unless another commit followed it. Idempotent.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; try again.
        """

    def protect_parent(self, run_id: str, snapshot_id: int) -> int | None:
        """Protect this Packhouse snapshot's parent from expiry until the next Packhouse commit.

        Returns its id; None if it has expired, or parents can't be protected in this format.

        Raises:
            OutcomeUnknown, Transient: the catalog did not answer; the parent may be protected.
        """

    def release(self) -> Sequence[str]:
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


class CommitDefaults:
    """Base of `TableCommits`: a batch is one commit, and a table can't go back, so that no parent is protected."""

    are_apart = False

    def undo(self, snapshot_id: int) -> RollBack:  # noqa: ARG002
        """See `TableCommits`."""
        return RollBack.NOT_POSSIBLE

    def protect_parent(self, run_id: str, snapshot_id: int) -> int | None:  # noqa: ARG002
        """See `TableCommits`."""
        return None

    def release(self) -> Sequence[str]:
        """See `TableCommits`."""
        return ()
