"""Commits of rewrites to a loaded table, as `formats.base.TableCommits`: each call delegates to its module."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import (
    CommitDefaults,
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    RollBack,
    Verification,
    WrittenGroup,
)
from engine.formats.hive.removal.outputs import list_run_files, remove_run_files
from engine.formats.hive.rewrite.proofs import find_commits, verify_commit
from engine.formats.hive.rewrite.returns import roll_back
from engine.formats.hive.rewrite.swaps import commit_groups, lost_groups
from engine.formats.hive.view import TableView
from engine.formats.intake.guards import Reading, reads


@dataclass(frozen=True, slots=True)
class TableCommits(CommitDefaults):
    """Commits to the table of a view, on what `fresh` loads: each partition is an entry of its own in the Metastore."""

    view: TableView
    fresh: Callable[[], TableView]
    reading: Reading
    are_apart = True

    @reads("change partitions of")
    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit each partition of a batch; see `formats.base.TableCommits.commit`."""
        return commit_groups(self.fresh(), request, before_try)

    @reads("list the files of")
    def lost(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:  # noqa: ARG002
        """Return the reasons, by ordinal, why groups can no longer be committed in this view."""
        if schema_id != self.view.entry.schema_id:
            return {group.ordinal: Loss.TABLE_CHANGED for group in groups}
        digest = self.view.digest
        columns = (digest[name].to_pylist() for name in ("path", "file_bytes", "sequence_number"))
        return lost_groups({path: (size, at) for path, size, at in zip(*columns, strict=True)}, groups)

    @reads("read the partitions of")
    def find(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return the commits of a run that are in place."""
        return find_commits(self.fresh(), run_id)

    @reads("read the partitions of")
    def prove(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Verify a commit from the present partitions and their files."""
        return verify_commit(self.fresh(), snapshot_id, groups)

    @reads("change partitions of")
    def undo(self, snapshot_id: int) -> RollBack:
        """Give the partition of a commit its previous folder again; see `TableCommits.undo`."""
        return roll_back(self.fresh(), snapshot_id)

    @reads("list the files of")
    def list_outputs(self, run_id: str) -> Sequence[str]:
        """Return the paths of all files of this run, recognized by name."""
        return list_run_files(self.fresh(), run_id)

    @reads("list the files of")
    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:  # noqa: ARG002
        """Delete files written by this run's attempts up to `up_to_attempt`, except `keep` and those of partitions."""
        return remove_run_files(self.fresh, run_id, keep=keep, up_to_attempt=up_to_attempt)
