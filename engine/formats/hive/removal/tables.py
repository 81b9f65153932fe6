"""A table whose replaced folders are watched and deleted, as `formats.base.CopyKeeper`."""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from engine.domain.runs.removals import CopyRule, ReplacedCopy
from engine.formats.hive.removal.old_copies import OldCopies, records_of, replaced_copies
from engine.formats.hive.rewritable import RewritableHiveTable
from engine.formats.intake.guards import reads
from engine.formats.removal.deletions import TableDeletion
from engine.formats.removal.scopes import Scope


class UpkeptHiveTable(RewritableHiveTable):
    """A loaded table with rewrites and the upkeep that they need."""

    @reads("list the replaced folders of")
    def replaced_copies(self) -> Sequence[ReplacedCopy]:
        """Return the folders that rewrites replaced; see `CopyKeeper.replaced_copies`."""
        return [ReplacedCopy(*each) for each in replaced_copies(self._view)]

    def copies(self, run_id: str, rule: CopyRule, others: Sequence[str]) -> TableDeletion:
        """Return the deletion of replaced folders by this run; see `CopyKeeper.copies`."""
        found = OldCopies(self._fresh, run_id, rule, Scope.of(self.location, others))
        return TableDeletion(reading=self.reading, storage=self.task_storage, files=found, what="old copies")

    @reads("read the lists of deleted files of")
    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files; see `CopyKeeper.deleted_files`."""
        lists = list(records_of(self._view, run_id).recorded())
        return (batch for each in lists for batch in each.batches())
