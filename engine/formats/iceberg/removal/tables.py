"""Removals of files of a loaded table of Iceberg: what its metadata needs, for the deletions in `formats.removal`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.expired_files import IcebergExpired, preview
from engine.formats.iceberg.removal.orphan_checks import check_places
from engine.formats.iceberg.removal.orphan_files import IcebergOrphans
from engine.formats.intake.guards import Reading
from engine.formats.removal.expired_files import FoundFiles
from engine.formats.removal.scopes import Scope
from engine.formats.removal.tables import TableExpiredRemoval, TableOrphanRemoval


@dataclass(frozen=True)
class TableRemovals:
    """Removals of files of one table: previews are of `view`, deletions of what `fresh` loads.

    Attributes:
        reading: guards reads of `view`.
        deleting: guards reads of what `fresh` loads.
    """

    view: TableView
    fresh: Callable[[], TableView]
    reading: Reading
    deleting: Reading

    def expired(self) -> TableExpiredRemoval:
        """Return the removal of files that only expired snapshots needed."""
        return TableExpiredRemoval(self.reading, self.deleting, self._storage, self._preview, self.expired_of)

    def expired_of(self, run_id: str, others: Sequence[str] = ()) -> IcebergExpired:
        """Return the files that snapshots expired by this run need."""
        return IcebergExpired(load=self.fresh, run_id=run_id, scope=self._scope(others))

    def orphans(self) -> TableOrphanRemoval:
        """Return the removal of files that nothing refers to."""
        return TableOrphanRemoval(
            self.reading,
            self.deleting,
            self._storage,
            lambda: check_places(self.view, self._scope(())),
            lambda others, runs: IcebergOrphans(load=self.fresh, scope=self._scope(others), open_runs=runs),
        )

    def _preview(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str]) -> FoundFiles:  # noqa: ARG002 - no tags expire
        return preview(self.view, snapshot_ids, self._scope(others))

    def _scope(self, others: Sequence[str]) -> Scope:
        return Scope.of(self.view.metadata.location, others)

    def _storage(self) -> Mapping[str, str]:
        return self.fresh().table.io.properties
