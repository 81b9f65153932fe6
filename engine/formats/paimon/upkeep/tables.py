"""Upkeep of a loaded table, as the parts of `formats.base.OpenTable`: expiry and removals."""

from functools import cached_property

from engine.formats.paimon.loaded import LoadedTable
from engine.formats.paimon.removal.records import check_same, origin_of
from engine.formats.paimon.removal.tables import TableRemovals
from engine.formats.paimon.upkeep.expiries import TableExpiry
from engine.formats.paimon.view import TableView
from engine.formats.removal.tables import TableExpiredRemoval, TableOrphanRemoval


class UpkeepTable(LoadedTable):
    """The operations besides rewriting data files: each call delegates to the module that implements it."""

    @property
    def expiry(self) -> TableExpiry:
        """The expiry of its snapshots and tags."""
        return TableExpiry(self._view, self._same, self._removals.expired_of, self.reading)

    @property
    def expired_removal(self) -> TableExpiredRemoval:
        """The removal of files that only expired snapshots and tags needed."""
        return self._removals.expired()

    @property
    def orphan_removal(self) -> TableOrphanRemoval:
        """The removal of files that nothing refers to."""
        return self._removals.orphans()

    @cached_property
    def _removals(self) -> TableRemovals:
        return TableRemovals(self._view, self._fresh, self.reading)

    def _same(self) -> TableView:
        """Load the table again. Raises `TableReplaced` if another table has its name now."""
        view = self._fresh()
        check_same(view, origin_of(self._view))
        return view
