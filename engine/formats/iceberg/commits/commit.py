"""Commit written groups: the groups that survive on a fresh head, in one atomic snapshot."""

from collections.abc import Callable
from dataclasses import dataclass

from pyiceberg.manifest import ManifestEntry

from engine.domain.errors import Fatal
from engine.formats.base import CommitOutcome, CommitRequest, WrittenGroup
from engine.formats.iceberg.commits.conflicts import Surviving, base_of, surviving
from engine.formats.iceberg.commits.parents import protect
from engine.formats.iceberg.commits.producer import SnapshotProducer
from engine.formats.iceberg.commits.tries import CommitTries, Proposal
from engine.formats.iceberg.errors import reading_table
from engine.formats.iceberg.metadata.views import TableView


@dataclass(frozen=True, kw_only=True)
class Committer:
    """Commits groups to the table with this uuid."""

    tries: CommitTries
    uuid: str

    def commit(self, request: CommitRequest, *, before_try: Callable[[], None]) -> CommitOutcome:
        """Commit a batch; see `OpenTable.commit` for the contract."""
        check_rows(request)
        read: dict[str, list[ManifestEntry]] = {}
        done = self.tries.commit(lambda view: self._proposal(view, request, read), before_try=before_try)
        dropped = done.content.dropped
        if done.snapshot is None:
            return CommitOutcome(None, (), dropped, done.tries)
        committed = tuple(group.ordinal for group in done.content.groups)
        return CommitOutcome(done.snapshot.snapshot_id, committed, dropped, done.tries)

    def _proposal(
        self, view: TableView, request: CommitRequest, read: dict[str, list[ManifestEntry]]
    ) -> Proposal[Surviving]:
        base = base_of(view, request, uuid=self.uuid)
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
