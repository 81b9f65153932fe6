"""Removals of files of a loaded table of Paimon: what its roots need, for the deletions in `formats.removal`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.domain.errors import NotEligible
from engine.formats.intake.guards import Reading
from engine.formats.paimon.removal.expired_files import PaimonExpired, preview
from engine.formats.paimon.removal.orphan_checks import check_options
from engine.formats.paimon.removal.orphan_files import PaimonOrphans
from engine.formats.paimon.removal.places import DeletablePlaces
from engine.formats.paimon.upkeep.tags import read_tags
from engine.formats.paimon.view import TableView
from engine.formats.removal.expired_files import FoundFiles, Unread
from engine.formats.removal.scopes import Scope
from engine.formats.removal.tables import TableExpiredRemoval, TableOrphanRemoval


@dataclass(frozen=True)
class TableRemovals:
    """Removals of files of one table: previews are of `view`, deletions of what `fresh` loads."""

    view: TableView
    fresh: Callable[[], TableView]
    reading: Reading
    _unread: dict[str, Unread] = field(default_factory=dict)
    """By run, what could not be read of the snapshots that it expired; its deletion states this."""

    def expired(self) -> TableExpiredRemoval:
        """Return the removal of files that only expired snapshots and tags needed."""
        return TableExpiredRemoval(self.reading, self.reading, self._storage, self._preview, self.expired_of)

    def expired_of(self, run_id: str, others: Sequence[str] = ()) -> PaimonExpired:
        """Return the files that what this run expires needs."""
        unread = self._unread.setdefault(run_id, Unread())
        return PaimonExpired(load=self.fresh, run_id=run_id, places=self._places(others), unread=unread)

    def orphans(self) -> TableOrphanRemoval:
        """Return the removal of files that nothing refers to."""
        return TableOrphanRemoval(
            self.reading,
            self.reading,
            self._storage,
            lambda: check_options(self.view),
            lambda others, runs: PaimonOrphans(load=self.fresh, scope=self._scope(others), open_runs=runs),
        )

    def _preview(self, snapshot_ids: Sequence[int], others: Sequence[str], tags: Sequence[str]) -> FoundFiles:
        """Raise `NotEligible` if the snapshots are not the oldest ones."""
        every, gone = self.view.every_snapshot(), frozenset(snapshot_ids)
        expired = [each for each in every if each.id in gone]
        is_all = bool(every) and len(expired) == len(every)
        if list(expired) != list(every[: len(expired)]) or is_all:
            raise NotEligible("only the oldest snapshots of a Paimon table can expire, and not all")
        following = every[len(expired)] if expired else None
        named = read_tags(self.view.files, tags)
        return preview(self.view, expired, following, self._places(others), named)

    def _scope(self, others: Sequence[str]) -> Scope:
        return Scope.of(self.view.files.location, others)

    def _places(self, others: Sequence[str]) -> DeletablePlaces:
        return DeletablePlaces(self._scope(others), self.view.files.location)

    def _storage(self) -> Mapping[str, str]:
        return self.view.files.storage.properties
