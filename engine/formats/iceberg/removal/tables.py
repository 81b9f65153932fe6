"""Removals of files of a loaded table, as `formats.base.ExpiredRemoval` and `formats.base.OrphanRemoval`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.expired_files import ExpiredFiles, preview
from engine.formats.iceberg.removal.orphan_checks import check_places
from engine.formats.iceberg.removal.orphan_files import IcebergOrphans
from engine.formats.iceberg.removal.records import records_of
from engine.formats.intake.guards import Reading, reads
from engine.formats.removal.deletions import DeletedFiles, TableDeletion
from engine.formats.removal.orphan_files import OrphanFiles, preview_orphans
from engine.formats.removal.plans import plan_of
from engine.formats.removal.scopes import Scope


@dataclass(frozen=True)
class _TableRemoval:
    """Base of removals: previews are of `view`, deletions of what `fresh` loads; `deleting` guards their reads."""

    view: TableView
    fresh: Callable[[], TableView]
    reading: Reading
    deleting: Reading

    def _scope(self, others: Sequence[str]) -> Scope:
        return Scope.of(self.view.metadata.location, others)

    def _deletion(self, files: DeletedFiles, what: str) -> TableDeletion:
        return TableDeletion(
            reading=self.deleting,
            storage=lambda: self.fresh().table.io.properties,
            files=files,
            what=what,
        )


class TableExpiredRemoval(_TableRemoval):
    """Removal of the files that only expired snapshots needed."""

    @reads("read the manifests of")
    def preview(
        self,
        snapshot_ids: Sequence[int],
        others: Sequence[str],
        tags: Sequence[str] = (),  # noqa: ARG002 - no tags expire
    ) -> RemovalPlan:
        """Return which files would be deleted if snapshots expired now; see `ExpiredRemoval.preview`."""
        found = preview(self.view, snapshot_ids, self._scope(others))
        return plan_of(found.files, found.unread, found.refused, found.still_needed)

    @reads("read the manifests of")
    def files(
        self,
        snapshot_ids: Sequence[int],
        others: Sequence[str],
        tags: Sequence[str] = (),  # noqa: ARG002 - no tags expire
    ) -> Iterator[pa.Table]:
        """Find the files that `preview` counts, and yield them; see `ExpiredRemoval.files`."""
        return preview(self.view, snapshot_ids, self._scope(others)).files.batches()

    @reads("read the lists of deleted files of")
    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files; see `ExpiredRemoval.deleted_files`."""
        lists = list(records_of(self.fresh(), run_id).recorded())
        return (batch for each in lists for batch in each.batches())

    def deletion(self, run_id: str, others: Sequence[str]) -> TableDeletion:
        """Return the deletion of the files that snapshots expired by this run needed."""
        return self._deletion(self.files_of(run_id, others), "expired files")

    def files_of(self, run_id: str, others: Sequence[str] = ()) -> ExpiredFiles:
        """Return the files that snapshots expired by this run need."""
        return ExpiredFiles(load=self.fresh, run_id=run_id, scope=self._scope(others))


class TableOrphanRemoval(_TableRemoval):
    """Removal of files that nothing refers to."""

    @reads("read the metadata of")
    def check(self) -> None:
        """Raise `NotEligible` if the metadata forbids to look for orphans."""
        check_places(self.view, self._scope(()))

    @reads("look for orphans of")
    def preview(
        self, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str], before_page: Callable[[int], None]
    ) -> RemovalPlan:
        """Return which orphans would be deleted now; see `OrphanRemoval.preview`."""
        return preview_orphans(self.files_of("dry-run", rule, others, open_runs), before_page)

    def deletion(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> TableDeletion:
        """Return the deletion of orphans by this run; see `OrphanRemoval.deletion`."""
        return self._deletion(self.files_of(run_id, rule, others, open_runs), "orphans")

    def files_of(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> OrphanFiles:
        """Return the orphans that this run searches for."""
        source = IcebergOrphans(load=self.fresh, scope=self._scope(others), open_runs=open_runs)
        return OrphanFiles(source, run_id, rule)
