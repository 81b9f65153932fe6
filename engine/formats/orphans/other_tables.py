"""Tables of any format below a table's location, found in a listing by the files that each format keeps.

Catalogs show only their own tables: a Delta table of another team, a Hudi table, or the output of a streaming query
below a wide location is known by its files alone. No file is deleted at such a location.

Limit: a table above the location is not found, as only the location is listed; neither is one without metadata of its
own, such as a Hive table. Names (`iceberg.orphans.names`, `paimon.orphans.names`) protect the files of those.
"""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.errors import NotEligible
from engine.formats.intake.errors import printable
from engine.formats.intake.outside_files import are_outside
from engine.rewriting.kernel.storage.places import Places

ICEBERG, PAIMON = "an Iceberg table", "a Paimon table"
_MARKS: Final = (
    ("a Delta table", r"(?s)/_delta_log/.*$"),
    ("a Hudi table", r"(?s)/\.hoodie/.*$"),
    ("the output of a Spark streaming query", r"(?s)/_spark_metadata/.*$"),
    (PAIMON, r"/schema/schema-[0-9]+$"),
    (ICEBERG, r"(?:/metadata)?/[^/]+\.metadata\.json(?:\.gz)?$"),
)
"""Formats with the end of the paths of files that show where a table is: what is before it is the table's location."""

_ANY: Final = r"/(?:_delta_log|\.hoodie|_spark_metadata)/|/schema/schema-[0-9]+$|\.metadata\.json(?:\.gz)?$"
_LONGEST_NAMED: Final = 300


class OtherTables:
    """The locations of tables that files of a listing show, those of the listed table included.

    Memory: one path for each location.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], str] = {}

    def add(self, found: pa.Table) -> pa.Table:
        """Add the files of a page, with the schema `listings.FOUND`; return those that show a table."""
        shown = found.filter(pc.match_substring_regex(found["path"], _ANY))
        if shown.num_rows:
            for kind, end in _MARKS:
                paths = shown["path"].filter(pc.match_substring_regex(shown["path"], end))
                roots = pc.replace_substring_regex(paths, end, "", max_replacements=1)
                for root, path in zip(roots.to_pylist(), paths.to_pylist(), strict=True):
                    self._found.setdefault((kind, root), path)
        return shown

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
