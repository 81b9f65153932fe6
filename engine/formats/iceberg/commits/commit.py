"""Commits of written groups to an Iceberg table: those that survive on a fresh head, in one atomic snapshot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from pyiceberg.catalog import Catalog

from engine.domain.errors import Fatal
from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import (
    CommitOutcome,
    CommitRequest,
    CommittedBatch,
    RollBack,
    Verification,
    WrittenGroup,
)
from engine.formats.iceberg.commits.conflicts import Surviving, base_of, lost_groups, surviving
from engine.formats.iceberg.commits.parents import keep_parent, protect, release, roll_back
from engine.formats.iceberg.commits.producer import ReadManifests, SnapshotProducer
from engine.formats.iceberg.commits.tries import CommitTries, Proposal
from engine.formats.iceberg.commits.verification import verify_snapshot
from engine.formats.iceberg.errors import reading_table
from engine.formats.iceberg.metadata.history import commits_of
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.outputs import list_run_files, remove_run_files, remove_run_metadata
from engine.formats.intake.guards import Reading, reads


@dataclass(frozen=True, slots=True)
class TableCommits:
    """Commits to the table of a view, on what `fresh` and `tries` load."""

    view: TableView
    fresh: Callable[[], TableView]
    tries: Callable[[], CommitTries]
    catalog: Catalog
    reading: Reading
    are_apart: ClassVar[bool] = False

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit the groups that survive on a fresh head, in one snapshot."""
        check_rows(request)
        read: ReadManifests = {}
        done = self.tries().commit(lambda view: self._proposal(view, request, read), before_try=before_try)
        dropped = done.content.dropped
        if done.snapshot is None:
            return CommitOutcome(None, (), dropped, done.tries)
        committed = tuple(group.ordinal for group in done.content.groups)
        return CommitOutcome(done.snapshot.snapshot_id, committed, dropped, done.tries)

    @reads("read the manifests of")
    def lost(self, base_snapshot_id: int, schema_id: int, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        """Return the reasons, by ordinal, why groups planned on a base can no longer be committed in this view."""
        return lost_groups(self.view, base_snapshot_id, schema_id, groups)

    @reads("read the metadata of")
    def find(self, run_id: str) -> Sequence[CommittedBatch]:
        """Return all snapshots of this run in the main branch's history, from the catalog's current metadata."""
        return commits_of(self.fresh().metadata, run_id)

    @reads("read the manifests of")
    def prove(self, snapshot_id: int, groups: Sequence[WrittenGroup]) -> Verification:
        """Verify a Packhouse snapshot against the groups it claims to contain, from the catalog's current metadata."""
        return verify_snapshot(self.fresh(), snapshot_id, groups)

    @reads("read the metadata of")
    def undo(self, snapshot_id: int) -> RollBack:
        """Roll main back to the parent of this Packhouse snapshot, unless another commit followed it."""
        return roll_back(self.catalog, self.fresh, snapshot_id)

    @reads("read the metadata of")
    def protect_parent(self, run_id: str, snapshot_id: int) -> int | None:
        """Tag this snapshot's parent until the next Packhouse commit; return its id, None if it has expired."""
        return keep_parent(self.catalog, self.fresh, run_id, snapshot_id)

    @reads("read the metadata of")
    def release(self) -> Sequence[str]:
        """Remove the tags set by commits with `protects_parent`; return their names."""
        return release(self.catalog, self.fresh)

    @reads("list the files of")
    def list_outputs(self, run_id: str) -> Sequence[str]:
        """Return the paths of all files under the data location that this run wrote, recognized by name."""
        return list_run_files(self.view, run_id)

    @reads("remove files of a run from")
    def remove_outputs(self, run_id: str, keep: frozenset[str], *, up_to_attempt: int, is_settled: bool = False) -> int:
        """Delete files written by this run's attempts up to `up_to_attempt`, except `keep` and referenced ones.

        Includes manifests and manifest lists if no commit of the run can be in progress (`is_settled`). Nothing is
        deleted where a commit of the run may be hidden. Raises `Fatal` if the catalog's pointer has moved to older
        metadata since this view was loaded.
        """
        if self.view.may_hide_commits:
            return 0
        removed = remove_run_files(self.view, self.fresh, run_id, keep=keep, up_to_attempt=up_to_attempt)
        if is_settled:
            removed += remove_run_metadata(self.view, self.fresh, run_id, up_to_attempt=up_to_attempt)
        return removed

    def _proposal(self, view: TableView, request: CommitRequest, read: ReadManifests) -> Proposal[Surviving]:
        base = base_of(view, request, uuid=str(self.view.metadata.table_uuid))
        with reading_table("read the manifests"):
            found = surviving(view, base, request.groups)
        if not found.groups:
            return Proposal(found, None)
        return Proposal(
            found,
            lambda: SnapshotProducer(view, base, request, found, read).stage(),
            lambda staged: (
                protect(view.metadata, request.run_id, staged.snapshot.parent_snapshot_id)
                if request.protects_parent
                else ()
            ),
        )


def check_rows(request: CommitRequest) -> None:
    """Check that no group loses or gains a row, and that no file is listed twice.

    Raises:
        Fatal: the request would change the table's rows.
    """
    for group in request.groups:
        _check_group(group)
    for kind, paths in (
        ("input", [each.path for group in request.groups for each in group.inputs]),
        ("output", [each.path for group in request.groups for each in group.outputs]),
    ):
        if len(set(paths)) != len(paths):
            raise Fatal(f"the same {kind} file is named twice in one commit")


def _check_group(group: WrittenGroup) -> None:
    removed = sum(each.record_count for each in group.inputs)
    added = sum(each.record_count for each in group.outputs)
    if added != removed - group.rows_deleted or group.rows_deleted < 0:
        counts = f"{removed} rows in, {group.rows_deleted} deleted, {added} out"
        raise Fatal(f"group {group.ordinal} would change the table: {counts}")
    if group.rows_deleted and not any(each.deletes for each in group.inputs):
        raise Fatal(f"group {group.ordinal} lost {group.rows_deleted} rows although no delete file applies to it")
