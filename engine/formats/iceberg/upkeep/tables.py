"""Upkeep of a loaded table, as the roles of `formats.base` define it: expiry, orphans, manifests, delete files."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

import pyarrow as pa

from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.iceberg.errors import reading_of
from engine.formats.iceberg.loaded import LoadedTable
from engine.formats.iceberg.removal.expired_files import ExpiredFiles, preview
from engine.formats.iceberg.removal.orphan_checks import check_places
from engine.formats.iceberg.removal.orphan_files import IcebergOrphans
from engine.formats.iceberg.removal.records import records_of
from engine.formats.iceberg.upkeep.expiries import TableExpiry
from engine.formats.iceberg.upkeep.rewrites import TableDeletes, TableManifests
from engine.formats.intake.guards import reads
from engine.formats.removal.deletions import DeletedFiles, TableDeletion
from engine.formats.removal.orphan_files import OrphanFiles, preview_orphans
from engine.formats.removal.plans import plan_of
from engine.formats.removal.scopes import Scope


class TableUpkeep(LoadedTable):
    """The operations besides rewriting data files: each call delegates to the module that implements it."""

    @cached_property
    def expiry(self) -> TableExpiry:
        """The expiry of its snapshots."""
        return TableExpiry(self._view, self._catalog, self._fresh, self._expired_files, self.reading)

    @reads("read the manifests of")
    def preview_removal(
        self,
        snapshot_ids: Sequence[int],
        others: Sequence[str],
        tags: Sequence[str] = (),  # noqa: ARG002 - no tags expire
    ) -> RemovalPlan:
        """Return which files would be deleted if snapshots expired now; see `FileKeeper.preview_removal`."""
        found = preview(self._view, snapshot_ids, self._scope(others))
        return plan_of(found.files, found.unread, found.refused, found.still_needed)

    @reads("read the manifests of")
    def removable_files(
        self,
        snapshot_ids: Sequence[int],
        others: Sequence[str],
        tags: Sequence[str] = (),  # noqa: ARG002 - no tags expire
    ) -> Iterator[pa.Table]:
        """Find the files that `preview_removal` counts, and yield them; see `FileKeeper.removable_files`."""
        return preview(self._view, snapshot_ids, self._scope(others)).files.batches()

    @reads("read the lists of deleted files of")
    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files; see `FileKeeper.deleted_files`."""
        lists = list(records_of(self._fresh(), run_id).recorded())
        return (batch for each in lists for batch in each.batches())

    def deletion(self, run_id: str, others: Sequence[str]) -> TableDeletion:
        """Return the deletion of the files that snapshots expired by this run needed."""
        files = ExpiredFiles(load=self._fresh, run_id=run_id, scope=self._scope(others))
        return self._deletion(files, "expired files")

    @reads("read the metadata of")
    def check_orphans(self) -> None:
        """Raise `NotEligible` if the metadata forbids to look for orphans."""
        check_places(self._view, self._scope(()))

    @reads("look for orphans of")
    def preview_orphans(
        self, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str], before_page: Callable[[int], None]
    ) -> RemovalPlan:
        """Return which orphans would be deleted now; see `OrphanKeeper.preview_orphans`."""
        return preview_orphans(self._orphan_files("dry-run", rule, others, open_runs), before_page)

    def orphans(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> TableDeletion:
        """Return the deletion of orphans by this run; see `OrphanKeeper.orphans`."""
        return self._deletion(self._orphan_files(run_id, rule, others, open_runs), "orphans")

    def _deletion(self, files: DeletedFiles, what: str) -> TableDeletion:
        return TableDeletion(
            reading=reading_of(self._ref),
            storage=lambda: self._fresh().table.io.properties,
            files=files,
            what=what,
        )

    def _orphan_files(
        self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]
    ) -> OrphanFiles:
        source = IcebergOrphans(load=self._fresh, scope=self._scope(others), open_runs=open_runs)
        return OrphanFiles(source, run_id, rule)

    def _expired_files(self, run_id: str) -> ExpiredFiles:
        return ExpiredFiles(load=self._fresh, run_id=run_id, scope=self._scope(()))

    def _scope(self, others: Sequence[str]) -> Scope:
        return Scope.of(self._view.metadata.location, others)

    @cached_property
    def manifest_rewrite(self) -> TableManifests:
        """Rewrites of its manifests."""
        return TableManifests(self._view, self._fresh, self._tries, self.reading)

    @cached_property
    def delete_rewrite(self) -> TableDeletes:
        """Rewrites of its delete files."""
        return TableDeletes(self._view, self._fresh, self._tries, self.reading)
