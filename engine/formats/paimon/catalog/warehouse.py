"""Databases and tables of a filesystem catalog: folders `<database>.db`, with a folder for each table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from engine.domain.tables.table import TableRef
from engine.formats.base import IsWanted, TableListing
from engine.formats.intake.table_storage import TableStorage
from engine.formats.paimon.files import TableFiles

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

    def locations(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return the locations that tables of these addresses have; none for an address that no table can have."""
        return {
            ref: place_of(self.root, ref.namespace[0], ref.name)
            for ref in refs
            if len(ref.namespace) == 1 and all(map(is_folder, (ref.name, *ref.namespace)))
        }

    def _tables(self, is_wanted: IsWanted) -> Iterator[tuple[str, ...]]:
        for database in self.databases():
            if not is_wanted([database]):
                continue
            for name in sorted(self.storage.folders(_folder_of(self.root, database))):
                if TableFiles(self.storage, place_of(self.root, database, name)).schema_ids():
                    yield database, name


def place_of(root: str, database: str, name: str) -> str:
    """Return the location of a table."""
    return f"{_folder_of(root, database)}/{name}"


def is_folder(name: str) -> bool:
    """Return whether a name is that of one folder in another."""
    return bool(name) and name.isprintable() and not {"/", "\\"} & set(name) and name not in (".", "..")


def _folder_of(root: str, database: str) -> str:
    return f"{root.rstrip('/')}/{database}{_SUFFIX}"
