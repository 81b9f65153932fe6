"""Sources of the files below a table's location: a listing of the store, or an inventory that a user names.

An inventory is older than the search. So the metadata folder is listed in any case, files of recent snapshots need not
be in the inventory, and an orphan is deleted only if the store still has it with the same size and time.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.domain.runs.expiry import instant
from engine.domain.runs.removals import OrphanRule
from engine.formats.iceberg.catalog.paths import metadata_location
from engine.formats.iceberg.metadata.views import TableView
from engine.formats.iceberg.removal.inventories.stored import StoredInventory
from engine.formats.intake.outside_files import are_outside
from engine.formats.removal.existing_files import Presence, compare
from engine.formats.removal.listings import FileSource, Listing, files_below, store_of
from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.arrow_files import local

LONGEST_AGE: Final = timedelta(days=30)
"""Age above which an inventory is refused: probably no newer one is written."""

_SETTLED: Final = timedelta(days=1)
_AHEAD: Final = timedelta(hours=1)
_US: Final = timedelta(microseconds=1)


class TableSource(FileSource, Protocol):
    """The files below a table's location, and which of its files must be among them."""

    @property
    def listed(self) -> AllowedFolders:
        """Folders in which every file must be found."""

    @property
    def settled_ms(self) -> int:
        """Time in milliseconds: of files of earlier snapshots, at most a tenth may be missing in other folders."""


@dataclass(frozen=True, slots=True)
class WholeListing(Listing):
    """A listing of the table's whole location."""

    listed: AllowedFolders
    settled_ms: int = 0


@dataclass(frozen=True, slots=True)
class Inventory:
    """The files that an inventory has, with a listing of the metadata folder."""

    view: TableView
    stored: StoredInventory
    listed: AllowedFolders
    before_page: Callable[[int], None]

    @property
    def taken_us(self) -> int:
        """The time at which the inventory was taken."""
        return self.stored.taken_us

    @property
    def settled_ms(self) -> int:
        """A day before the inventory: it can lack files that were written shortly before."""
        return (self.taken_us - _SETTLED // _US) // 1000

    def files(self) -> Iterator[pa.Table]:
        """Yield all files.

        Raises:
            NotEligible: the inventory can't be read, or has no file below the table's location.
            OSError: the store does not answer.
        """
        location, storage = self.view.metadata.location, self.view.table.io.properties
        yield from files_below(metadata_location(self.view.metadata), storage, self.before_page)
        is_empty = True
        for found in self.stored.files_below(location):
            is_empty = is_empty and not found.num_rows
            yield found.filter(are_outside(found["path"], self.listed))
        if is_empty:
            raise NotEligible(
                f"the inventory {self.stored.location} has no file below {location[:300]}: name one of this table's "
                "bucket, whose prefix includes this folder"
            )

    def are_unchanged(self, files: pa.Table) -> pa.Array:
        """Return for each file whether the store has it now, with the same size and time. Raises OSError."""
        _, store = store_of(self.view.metadata.location, self.view.table.io.properties)
        names = [address_of(path).path for path in files["path"].to_pylist()]
        sizes, times = (files[name].to_pylist() for name in ("file_bytes", "modified_us"))
        found = compare(store or local(), names, sizes, times, self.before_page)
        return pa.array([each is Presence.SAME for each in found], pa.bool_())


def source_of(
    view: TableView, own: AllowedFolders, rule: OrphanRule, before_page: Callable[[int], None], now_us: int
) -> TableSource:
    """Return the inventory that the rule names, otherwise a listing.

    Raises:
        NotEligible: the inventory is missing, damaged, too old, or in a place that may not be read.
        OSError: the store does not answer.
    """
    if rule.inventory is None:
        return WholeListing(view.metadata.location, view.table.io.properties, before_page, own)
    stored = StoredInventory.find(view.table.io.properties, rule.inventory, before_page)
    written = f"the inventory {stored.location} was written on {instant(stored.taken_us // 1000).isoformat()}"
    if stored.taken_us < now_us - LONGEST_AGE // _US:
        raise NotEligible(f"{written}, more than {LONGEST_AGE.days} days ago: name a newer one")
    if stored.taken_us > now_us + _AHEAD // _US:
        raise NotEligible(f"{written}, which is later than now by the store's clock")
    return Inventory(view, stored, AllowedFolders([metadata_location(view.metadata)]), before_page)
