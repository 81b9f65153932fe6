"""Removal of the copies that rewrites of a loaded table replaced, as `formats.base.CopyRemoval`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from engine.domain.runs.removals import CopyRule, ReplacedCopy
from engine.formats.hive.removal.old_copies import OldCopies, records_of, replaced_copies
from engine.formats.hive.view import TableView
from engine.formats.intake.guards import reads
from engine.formats.removal.deletions import TableDeletion
from engine.formats.removal.file_lists import batches_of
from engine.formats.removal.scopes import Scope
from engine.formats.removal.tables import TableRemoval


@dataclass(frozen=True)
class TableCopyRemoval(TableRemoval):
    """Watching of the replaced folders of `view`, and their deletion from what `fresh` loads."""

    view: TableView
    fresh: Callable[[], TableView]

    @reads("list the replaced folders of")
    def copies(self) -> Sequence[ReplacedCopy]:
        """Return the folders that rewrites replaced; see `CopyRemoval.copies`."""
        return [ReplacedCopy(*each) for each in replaced_copies(self.view)]

    def deletion(self, run_id: str, rule: CopyRule, others: Sequence[str]) -> TableDeletion:
        """Return the deletion of replaced folders by this run; see `CopyRemoval.deletion`."""
        found = OldCopies(self.fresh, run_id, rule, Scope.of(self.view.entry.location, others))
        return self._deletion(found, "old copies")

    @reads("read the lists of deleted files of")
    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files; see `CopyRemoval.deleted_files`."""
        return batches_of(list(records_of(self.view, run_id).recorded()))
