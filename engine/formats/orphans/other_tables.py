"""Tables of any format below a table's location, found in a listing by the files that each format keeps.

Catalogs show only their own tables: a Delta table of another team, a Hudi table, or the output of a streaming query
below a wide location is known by its files alone. No file is deleted at such a location.

Limit: a table above the location is not found, as only the location is listed; neither is one without metadata of its
own, such as a Hive table. Names (`iceberg.orphans.names`, `paimon.orphans.names`) protect the files of those.
"""

from typing import Final

import pyarrow as pa

from engine.domain.errors import NotEligible
from engine.formats.intake.errors import printable
from engine.formats.intake.other_formats import marks_in
from engine.formats.intake.outside_files import are_outside
from engine.rewriting.kernel.storage.places import Places

_LONGEST_NAMED: Final = 300


class OtherTables:
    """The locations of tables that files of a listing show, those of the listed table included.

    Memory: one path for each location.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], str] = {}

    def add(self, paths: pa.ChunkedArray) -> None:
        """Add the paths of a page."""
        for each in marks_in(paths).to_pylist():
            self._found.setdefault((each["format"], each["folder"]), each["path"])

    def __len__(self) -> int:
        """Return the number of locations."""
        return len(self._found)

    def roots(self, kind: str) -> list[str]:
        """Return the locations of tables of a kind."""
        return [root for found, root in self._found if found == kind]

    def check(self, location: str, own: frozenset[tuple[str, str]], known: Places) -> None:
        """Check that the location has no other table.

        Args:
            location: of the listed table.
            own: format and location of tables that are the listed one.
            known: locations whose files are left alone anyway.

        Raises:
            NotEligible: it has one; the message names the file that shows it.
        """
        found = {path: mark for mark, path in self._found.items() if mark not in own}
        if not found:
            return
        listed = pa.chunked_array([pa.array(list(found), pa.string())])
        for path in listed.filter(are_outside(listed, known)).to_pylist():
            kind, root = found[path]
            where = "at" if root == location.rstrip("/") else "inside"
            raise NotEligible(
                f"{printable(path[:_LONGEST_NAMED])} shows {kind} {where} the location of this table: its files "
                "could be taken for orphans, so no file is deleted; move one of the tables to a location of its own, "
                "or remove that folder if its table is not used any more"
            )
