"""Databases and tables of a warehouse: folders `<database>.db`, with a folder for each table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from engine.domain.tables.table import TableRef
from engine.formats.base import IsWanted, TableListing
from engine.formats.paimon.files import TableFiles
from engine.formats.paimon.storage import TableStorage

_SUFFIX: Final = ".db"


@dataclass(frozen=True, slots=True)
class Warehouse:
    """The folder at `root`."""

    storage: TableStorage
    root: str

    def databases(self) -> Sequence[str]:
        """Return the names of the databases, in order."""
        folders = self.storage.folders(self.root)
        return sorted(name.removesuffix(_SUFFIX) for name in folders if name.endswith(_SUFFIX) and name != _SUFFIX)

    def tables(self, limit: int, is_wanted: IsWanted) -> TableListing:
        """Return the addresses of the tables in the accepted databases, ordered, at most `limit`."""
        found = list(islice(self._tables(is_wanted), limit + 1))
        return TableListing(tuple(found[:limit]), len(found) > limit)

    def location(self, ref: TableRef) -> str | None:
        """Return the location that a table of this address has; None if no table can have it."""
        if len(ref.namespace) != 1 or not all(map(_is_folder, (ref.name, *ref.namespace))):
            return None
        return f"{self.root.rstrip('/')}/{ref.namespace[0]}{_SUFFIX}/{ref.name}"

    def _tables(self, is_wanted: IsWanted) -> Iterator[tuple[str, ...]]:
        for database in self.databases():
            if not is_wanted([database]):
                continue
            folder = f"{self.root.rstrip('/')}/{database}{_SUFFIX}"
            for name in sorted(self.storage.folders(folder)):
                if TableFiles(self.storage, f"{folder}/{name}").schema_ids():
                    yield database, name


def _is_folder(name: str) -> bool:
    """Return whether a name is that of one folder in another."""
    return bool(name) and name.isprintable() and not {"/", "\\"} & set(name) and name not in (".", "..")
