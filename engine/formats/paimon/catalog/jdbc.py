"""Tables of a JDBC catalog: rows of its database; each is in the folder `<database>.db/<table>` of the warehouse."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from engine.domain.tables.table import TableRef
from engine.formats.base import IsWanted, TableListing
from engine.formats.paimon.catalog.database import CatalogDatabase
from engine.formats.paimon.catalog.warehouse import is_folder, place_of


@dataclass(frozen=True, slots=True)
class JdbcWarehouse:
    """The tables of a catalog. A folder without a row is not a table: it was dropped, or is not of this catalog.

    Names that no folder can have, or that would be another name after decoding, are left out. No other text of the
    database becomes part of a path.
    """

    database: CatalogDatabase
    root: str

    def databases(self) -> Sequence[str]:
        """Return the names of the databases, in order."""
        return [name for name in self.database.databases() if _is_plain(name)]

    def tables(self, limit: int, is_wanted: IsWanted) -> TableListing:
        """Return the addresses of the tables in the accepted databases, ordered, at most `limit`."""
        found, is_cut = list[tuple[str, ...]](), False
        for database in self.databases():
            if not is_wanted([database]):
                continue
            names = self.database.tables(database, limit + 1)
            found += ((database, name) for name in names if _is_plain(name))
            is_cut |= len(names) > limit  # of which some may have been left out
            if len(found) > limit:
                break
        return TableListing(tuple(found[:limit]), is_cut or len(found) > limit)

    def locations(self, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
        """Return the locations of those tables that the catalog has."""
        possible = {(ref.namespace[0], ref.name): ref for ref in refs if len(ref.namespace) == 1 and _are_plain(ref)}
        existing = self.database.existing(possible) if possible else ()
        return {possible[each]: place_of(self.root, *each) for each in existing}


def _are_plain(ref: TableRef) -> bool:
    return all(map(_is_plain, (ref.name, *ref.namespace)))


def _is_plain(name: str) -> bool:
    return is_folder(name) and unquote(name) == name
