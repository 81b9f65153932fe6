"""Upkeep of a loaded table, as the parts of `formats.base.OpenTable`: expiry, removals, manifests, delete files."""

from functools import cached_property

from engine.formats.iceberg.errors import reading_of
from engine.formats.iceberg.loaded import LoadedTable
from engine.formats.iceberg.removal.tables import TableRemovals
from engine.formats.iceberg.upkeep.expiries import TableExpiry
from engine.formats.iceberg.upkeep.rewrites import TableDeletes, TableManifests
from engine.formats.removal.tables import TableExpiredRemoval, TableOrphanRemoval


class UpkeepTable(LoadedTable):
    """The operations besides rewriting data files: each call delegates to the module that implements it."""

    @cached_property
    def expiry(self) -> TableExpiry:
        """The expiry of its snapshots."""
        return TableExpiry(self._view, self._catalog, self._fresh, self._removals.expired_of, self.reading)

    @cached_property
    def manifest_rewrite(self) -> TableManifests:
        """Rewrites of its manifests."""
        return TableManifests(self._view, self._fresh, self._tries, self.reading)

    @cached_property
    def delete_rewrite(self) -> TableDeletes:
        """Rewrites of its delete files."""
        return TableDeletes(self._view, self._fresh, self._tries, self.reading)

    @cached_property
    def expired_removal(self) -> TableExpiredRemoval:
        """The removal of files that only expired snapshots needed."""
        return self._removals.expired()

    @cached_property
    def orphan_removal(self) -> TableOrphanRemoval:
        """The removal of files that nothing refers to."""
        return self._removals.orphans()

    @property
    def _removals(self) -> TableRemovals:
        return TableRemovals(self._view, self._fresh, self.reading, reading_of(self._ref))
