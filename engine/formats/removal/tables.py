"""Removals of files of a loaded table, as `formats.base.ExpiredRemoval` and `formats.base.OrphanRemoval`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.intake.guards import Reading, reads
from engine.formats.removal.deletions import DeletedFiles, TableDeletion
from engine.formats.removal.expired_files import ExpiredFiles, ExpirySource, FoundFiles
from engine.formats.removal.file_lists import batches_of
from engine.formats.removal.orphan_files import OrphanFiles, OrphanSource, preview_orphans


@dataclass(frozen=True)
class TableRemoval:
    """Base of removals.

    Attributes:
        reading: guards reads of the version that was loaded.
        deleting: guards reads of the current version.
        storage: returns the current properties of file access.
    """

    reading: Reading
    deleting: Reading
    storage: Callable[[], Mapping[str, str]]

    def _deletion(self, files: DeletedFiles, what: str) -> TableDeletion:
        return TableDeletion(reading=self.deleting, storage=self.storage, files=files, what=what)


@dataclass(frozen=True)
class TableExpiredRemoval(TableRemoval):
    """Removal of the files that only expired snapshots needed, and in some formats tags.

    Attributes:
        find: returns the files that nothing would need if snapshots and tags expired now: takes the ids of the
            snapshots, locations of other tables, and names of the tags.
        source: returns what the format knows of the files of a run; takes its id, and locations of other tables.
    """

    find: Callable[[Sequence[int], Sequence[str], Sequence[str]], FoundFiles]
    source: Callable[[str, Sequence[str]], ExpirySource]

    @reads("read the manifests of")
    def preview(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> RemovalPlan:
        """Return which files would be deleted if snapshots expired now; see `ExpiredRemoval.preview`."""
        return self.find(snapshot_ids, others, tags).plan()

    @reads("read the manifests of")
    def files(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Find the files that `preview` counts, and yield them; see `ExpiredRemoval.files`."""
        return self.find(snapshot_ids, others, tags).files.batches()

    @reads("read the lists of deleted files of")
    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files; see `ExpiredRemoval.deleted_files`."""
        return batches_of(list(self.source(run_id, ()).records().recorded()))

    def deletion(self, run_id: str, others: Sequence[str]) -> TableDeletion:
        """Return the deletion of the files that snapshots expired by this run needed."""
        return self._deletion(ExpiredFiles(self.source(run_id, others)), "expired files")


@dataclass(frozen=True)
class TableOrphanRemoval(TableRemoval):
    """Removal of files that nothing refers to.

    Attributes:
        may_search: raises `NotEligible` if the metadata forbids to look for orphans.
        source: returns what the format knows of orphans; takes locations of other tables, and ids of live runs.
    """

    may_search: Callable[[], None]
    source: Callable[[Sequence[str], Sequence[str]], OrphanSource]

    @reads("read the metadata of")
    def check(self) -> None:
        """Raise `NotEligible` if the metadata forbids to look for orphans."""
        self.may_search()

    @reads("look for orphans of")
    def preview(
        self, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str], before_page: Callable[[int], None]
    ) -> RemovalPlan:
        """Return which orphans would be deleted now; see `OrphanRemoval.preview`."""
        return preview_orphans(OrphanFiles(self.source(others, open_runs), "dry-run", rule), before_page)

    def deletion(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> TableDeletion:
        """Return the deletion of orphans by this run; see `OrphanRemoval.deletion`."""
        return self._deletion(OrphanFiles(self.source(others, open_runs), run_id, rule), "orphans")
