"""Removals of files of a loaded table, as `formats.base.ExpiredRemoval` and `formats.base.OrphanRemoval`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.intake.guards import Reading, reads
from engine.formats.paimon.removal.expired_files import ExpiredFiles, Unneeded, preview
from engine.formats.paimon.removal.orphan_checks import check_options
from engine.formats.paimon.removal.orphan_files import PaimonOrphans
from engine.formats.paimon.removal.places import DeletablePlaces
from engine.formats.paimon.removal.records import records_of
from engine.formats.paimon.upkeep.tags import read_tags
from engine.formats.paimon.view import TableView
from engine.formats.removal.deletions import DeletedFiles, TableDeletion
from engine.formats.removal.orphan_files import OrphanFiles, preview_orphans
from engine.formats.removal.plans import Unread, plan_of
from engine.formats.removal.scopes import Scope


@dataclass(frozen=True)
class _TableRemoval:
    """Base of removals: previews are of `view`, deletions of what `fresh` loads."""

    view: TableView
    fresh: Callable[[], TableView]
    reading: Reading

    def _scope(self, others: Sequence[str]) -> Scope:
        return Scope.of(self.view.files.location, others)

    def _deletion(self, files: DeletedFiles, what: str) -> TableDeletion:
        return TableDeletion(
            reading=self.reading,
            storage=lambda: self.view.files.storage.properties,
            files=files,
            what=what,
        )


@dataclass(frozen=True)
class TableExpiredRemoval(_TableRemoval):
    """Removal of the files that only expired snapshots and tags needed."""

    _unread: dict[str, Unread] = field(default_factory=dict)
    """By run, what could not be read of the snapshots that it expired; its deletion states this."""

    @reads("read the manifests of")
    def preview(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> RemovalPlan:
        """Return which files would be deleted if snapshots expired now; see `ExpiredRemoval.preview`."""
        found, unread = self._preview(snapshot_ids, others, tags)
        return plan_of(found.files, unread, found.refused, found.still_needed)

    @reads("read the manifests of")
    def files(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()) -> Iterator[pa.Table]:
        """Find the files that `preview` counts, and yield them; see `ExpiredRemoval.files`."""
        return self._preview(snapshot_ids, others, tags)[0].files.batches()

    @reads("read the lists of deleted files of")
    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files; see `ExpiredRemoval.deleted_files`."""
        lists = list(records_of(self.view.files, run_id).recorded())
        return (batch for each in lists for batch in each.batches())

    def deletion(self, run_id: str, others: Sequence[str]) -> TableDeletion:
        """Return the deletion of the files that snapshots expired by this run needed."""
        return self._deletion(self.files_of(run_id, others), "expired files")

    def files_of(self, run_id: str, others: Sequence[str] = ()) -> ExpiredFiles:
        """Return the files that what this run expires needs."""
        unread = self._unread.setdefault(run_id, Unread())
        return ExpiredFiles(load=self.fresh, run_id=run_id, places=self._places(others), unread=unread)

    def _preview(
        self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str]
    ) -> tuple[Unneeded, Unread]:
        """Raise `NotEligible` if the snapshots are not the oldest ones."""
        every, gone = self.view.every_snapshot(), frozenset(snapshot_ids)
        expired = [each for each in every if each.id in gone]
        is_all = bool(every) and len(expired) == len(every)
        if list(expired) != list(every[: len(expired)]) or is_all:
            raise NotEligible("only the oldest snapshots of a Paimon table can expire, and not all")
        following = every[len(expired)] if expired else None
        named = read_tags(self.view.files, tags)
        return preview(self.view, expired, following, self._places(others), named)

    def _places(self, others: Sequence[str]) -> DeletablePlaces:
        return DeletablePlaces(self._scope(others), self.view.files.location)


class TableOrphanRemoval(_TableRemoval):
    """Removal of files that nothing refers to."""

    @reads("read the metadata of")
    def check(self) -> None:
        """Raise `NotEligible` if the metadata forbids to look for orphans."""
        check_options(self.view)

    @reads("look for orphans of")
    def preview(
        self, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str], before_page: Callable[[int], None]
    ) -> RemovalPlan:
        """Return which orphans would be deleted now; see `OrphanRemoval.preview`."""
        return preview_orphans(self._files("dry-run", rule, others, open_runs), before_page)

    def deletion(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> TableDeletion:
        """Return the deletion of orphans by this run; see `OrphanRemoval.deletion`."""
        return self._deletion(self._files(run_id, rule, others, open_runs), "orphans")

    def _files(self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> OrphanFiles:
        source = PaimonOrphans(load=self.fresh, scope=self._scope(others), open_runs=open_runs)
        return OrphanFiles(source, run_id, rule)
