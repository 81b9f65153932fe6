"""Decide by its path whether a file of a table may be deleted at all. Paths are untrusted.

A path must be below the table's own location and not inside that of another table in any client's reading. Every
store and reader must resolve it to the same file: an object store drops a slash at the end, so `x.parquet/` would
delete `x.parquet`, and a link on a local disk can lead to the files of another table. Only metadata files can have the
names by which catalogs and engines find a table's metadata, and its version hint is never deleted.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.errors import printable_path
from engine.formats.intake.outside_files import are_behind_links, are_outside
from engine.formats.removal.file_lists import FileKind, listed
from engine.rewriting.kernel.storage.places import AllowedFolders, OtherFolders

OUTSIDE, OF_OTHERS, UNCLEAR, PROTECTED, LINKED = "outside", "of_another_table", "unclear", "protected", "behind_a_link"
OTHER_NAME: Final = "other_name"
"""Reason of `RefusedFiles`: no writer of the format gives a file of this place such a name."""

OF_OPEN_RUN: Final = "of_open_run"
"""Reason of `RefusedFiles`: a live run may still commit the file."""

RECORDS: Final = "packhouse-deletions"
"""The folder, below the metadata location, of the lists of files to delete."""

_DOUBLED: Final = r"^[A-Za-z][A-Za-z0-9+.-]*://[^/]*/(?:/|.*//)"
_LOCAL: Final = r"^(?:/|[fF][iI][lL][eE]:)"
_CUT_OFF: Final = r"/$|[?#]"
_ENCODED: Final = r"%(?:25)*2[fF]"
_METADATA: Final = r"\.metadata\.json(?:\.gz)?$"
_HINT: Final = r"(?:^|/)version-hint\.text$"
_MOST_NAMED: Final = 10


@dataclass(slots=True)
class RefusedFiles:
    """Files that must not be deleted, by reason: their number, and the paths of the first."""

    counts: Counter[str] = field(default_factory=Counter)
    samples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, paths: pa.ChunkedArray, reason: str) -> None:
        """Count files."""
        if len(paths):
            self.counts[reason] += len(paths)
            named = self.samples.setdefault(reason, [])
            first = paths.slice(0, _MOST_NAMED - len(named)).to_pylist()
            named += [printable_path(path) for path in first]

    def document(self) -> Mapping[str, Any]:
        """Return it as JSON-ready values."""
        return {"counts": dict(self.counts), "samples": dict(self.samples)}


@dataclass(frozen=True, slots=True)
class Scope:
    """Locations in which files may be deleted.

    Attributes:
        own: the table's location as registered, never a property of the table.
        others: locations of other tables; what is below them stays, even below `own`.
    """

    own: AllowedFolders
    others: AllowedFolders

    @classmethod
    def of(cls, location: str, others: Sequence[str] = ()) -> "Scope":
        """Return the scope of the table that is registered with this location."""
        return cls(AllowedFolders([location]), OtherFolders(others))

    def allowed(self, files: pa.Table, refused: RefusedFiles) -> pa.Table:
        """Return the files, with the schema `file_lists.LISTED`, that may be deleted; count the others in `refused`."""
        for reason in (OUTSIDE, UNCLEAR, OF_OTHERS, LINKED, PROTECTED):
            if not files.num_rows:
                break
            is_refused = self._are(reason, files)
            if pc.any(is_refused).as_py():
                refused.add(files.filter(is_refused)["path"], reason)
                files = files.filter(pc.invert(is_refused))
        return files

    def _are(self, reason: str, files: pa.Table) -> pa.ChunkedArray:
        paths = files["path"]
        if reason == OUTSIDE:
            return are_outside(paths, self.own)
        if reason == OF_OTHERS:
            decoded = pc.replace_substring_regex(paths, _ENCODED, "/")  # `a%2Fb` is in the folder `a` for some clients
            return pc.invert(pc.and_(are_outside(paths, self.others), are_outside(decoded, self.others)))
        if reason == LINKED:
            return are_behind_links(paths, self.own)
        if reason == UNCLEAR:
            is_doubled = pc.match_substring_regex(paths, _DOUBLED)
            is_doubled = pc.and_(is_doubled, pc.invert(pc.match_substring_regex(paths, _LOCAL)))
            return pc.or_(is_doubled, pc.match_substring_regex(paths, _CUT_OFF))
        is_of_its_kind = pc.equal(files["kind"], FileKind.METADATA.value)
        is_metadata = pc.and_not(pc.match_substring_regex(paths, _METADATA), is_of_its_kind)
        is_metadata = pc.or_(is_metadata, pc.match_substring_regex(paths, _HINT))
        return pc.or_(is_metadata, pc.match_substring(paths, f"/{RECORDS}/"))


def in_scope(files: pa.Table, scope: Scope, refused: RefusedFiles) -> pa.Table:
    """Return the files, with the schema `listings.FOUND`, that may be deleted; count the others in `refused`."""
    as_content = listed(files["path"], FileKind.DATA, file_bytes=files["file_bytes"])
    allowed = scope.allowed(as_content, refused)["path"]
    return files if len(allowed) == files.num_rows else files.filter(pc.is_in(files["path"], value_set=allowed))


def of_kinds(
    files: pa.Table, kinds: Sequence[tuple[FileKind, str]], refused: RefusedFiles, *, untold: str = ""
) -> pa.Table:
    """Return the files whose place and name writers of the format give; count the others in `refused`.

    Args:
        files: with the schema `listings.FOUND`.
        kinds: each with a regular expression of the paths of its files.
        refused: counts the others.
        untold: a regular expression of the paths of those that are not counted; empty: all are.
    """
    is_known = pc.match_substring_regex(files["path"], "|".join(f"(?:{pattern})" for _, pattern in kinds))
    others = files["path"].filter(pc.invert(is_known))
    refused.add(others.filter(pc.invert(pc.match_substring_regex(others, untold))) if untold else others, OTHER_NAME)
    return files.filter(is_known)


def of_no_open_run(files: pa.Table, marks: Sequence[str], refused: RefusedFiles) -> pa.Table:
    """Return the files that no live run wrote; `marks`: the texts in the paths of the files of live runs."""
    for text in marks:
        is_open = pc.match_substring(files["path"], text)
        refused.add(files.filter(is_open)["path"], OF_OPEN_RUN)
        files = files.filter(pc.invert(is_open))
    return files
