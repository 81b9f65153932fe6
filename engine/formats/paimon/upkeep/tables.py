"""Upkeep of a loaded table, as the roles of `formats.base` define it: expiry, expired files, orphans."""

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.domain.runs.removals import OrphanRule, RemovalPlan
from engine.formats.intake.guards import reads
from engine.formats.paimon.catalog.locks import TableLock
from engine.formats.paimon.loaded import LoadedTable
from engine.formats.paimon.removal.expired_files import ExpiredFiles, Unneeded, preview
from engine.formats.paimon.removal.orphan_checks import check_options
from engine.formats.paimon.removal.orphan_files import PaimonOrphans
from engine.formats.paimon.removal.places import DeletablePlaces
from engine.formats.paimon.removal.records import check_same, origin_of, records_of
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.formats.paimon.upkeep.expiries import TableExpiry
from engine.formats.paimon.upkeep.tags import read_tags
from engine.formats.paimon.view import TableView
from engine.formats.removal.deletions import DeletedFiles, TableDeletion
from engine.formats.removal.orphan_files import OrphanFiles, preview_orphans
from engine.formats.removal.plans import Unread, plan_of
from engine.formats.removal.scopes import Scope


class TableUpkeep(LoadedTable):
    """The operations besides rewriting data files: each call delegates to the module that implements it."""

    def __init__(
        self,
        view: TableView,
        *,
        core: CoreCalls | None,
        fresh: Callable[[], TableView],
        lock: TableLock | None = None,
    ) -> None:
        super().__init__(view, core=core, fresh=fresh, lock=lock)
        self._unread: dict[str, Unread] = {}

    @property
    def expiry(self) -> TableExpiry:
        """The expiry of its snapshots and tags."""
        return TableExpiry(self._view, self._same, lambda run_id: self._expired_files(run_id, ()), self.reading)

    @reads("read the manifests of")
    def preview_removal(
        self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()
    ) -> RemovalPlan:
        """Return which files would be deleted if snapshots expired now; see `FileKeeper.preview_removal`."""
        found, unread = self._preview(snapshot_ids, others, tags)
        return plan_of(found.files, unread, found.refused, found.still_needed)

    @reads("read the manifests of")
    def removable_files(
        self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str] = ()
    ) -> Iterator[pa.Table]:
        """Find the files that `preview_removal` counts, and yield them; see `FileKeeper.removable_files`."""
        return self._preview(snapshot_ids, others, tags)[0].files.batches()

    @reads("read the lists of deleted files of")
    def deleted_files(self, run_id: str) -> Iterator[pa.Table]:
        """Yield what a run recorded before it deleted files; see `FileKeeper.deleted_files`."""
        lists = list(records_of(self._view.files, run_id).recorded())
        return (batch for each in lists for batch in each.batches())

    def deletion(self, run_id: str, others: Sequence[str]) -> TableDeletion:
        """Return the deletion of the files that snapshots expired by this run needed."""
        return self._deletion(self._expired_files(run_id, others), "expired files")

    @reads("read the metadata of")
    def check_orphans(self) -> None:
        """Raise `NotEligible` if the metadata forbids to look for orphans."""
        check_options(self._view)

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
            reading=self.reading,
            storage=lambda: self._view.files.storage.properties,
            files=files,
            what=what,
        )

    def _same(self) -> TableView:
        """Load the table again. Raises `TableReplaced` if another table has its name now."""
        view = self._fresh()
        check_same(view, origin_of(self._view))
        return view

    def _orphan_files(
        self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]
    ) -> OrphanFiles:
        scope = Scope.of(self._view.files.location, others)
        return OrphanFiles(PaimonOrphans(load=self._fresh, scope=scope, open_runs=open_runs), run_id, rule)

    def _preview(
        self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str]
    ) -> tuple[Unneeded, Unread]:
        """Raise `NotEligible` if the snapshots are not the oldest ones."""
        every, gone = self._view.every_snapshot(), frozenset(snapshot_ids)
        expired = [each for each in every if each.id in gone]
        is_all = bool(every) and len(expired) == len(every)
        if list(expired) != list(every[: len(expired)]) or is_all:
            raise NotEligible("only the oldest snapshots of a Paimon table can expire, and not all")
        following = every[len(expired)] if expired else None
        named = read_tags(self._view.files, tags)
        return preview(self._view, expired, following, self._places(others), named)

    def _expired_files(self, run_id: str, others: Sequence[str]) -> ExpiredFiles:
        unread = self._unread.setdefault(run_id, Unread())
        return ExpiredFiles(load=self._fresh, run_id=run_id, places=self._places(others), unread=unread)

    def _places(self, others: Sequence[str]) -> DeletablePlaces:
        location = self._view.files.location
        return DeletablePlaces(Scope.of(location, others), location)
