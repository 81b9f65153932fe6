"""Decide by its folder whether a file of a Paimon table may be deleted as one of its kind. Paths are untrusted.

Snapshots, schemas, tags and other documents by which readers find a table are never files of an expired snapshot.
"""

import re
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.paimon.removal.outputs import METADATA_FOLDERS
from engine.formats.removal.file_lists import CONTENT, FileKind
from engine.formats.removal.scopes import PROTECTED, RefusedFiles, Scope

_CONTENT = pa.array(sorted(each.value for each in CONTENT))
_STATISTICS = "statistics"


@dataclass(frozen=True, slots=True)
class DeletablePlaces:
    """Folders of one table in which files may be deleted: in its `scope`, data outside of the folders of metadata."""

    scope: Scope
    location: str

    def allowed(self, files: pa.Table, refused: RefusedFiles) -> pa.Table:
        """Return the files, with the schema `file_lists.LISTED`, that may be deleted; count the others in `refused`."""
        files = self.scope.allowed(files, refused)
        if not files.num_rows:
            return files
        may_go = self._are_in_place(files)
        refused.add(files.filter(pc.invert(may_go))["path"], PROTECTED)
        return files.filter(may_go)

    def _are_in_place(self, files: pa.Table) -> pa.ChunkedArray:
        below, paths = re.escape(self.location), files["path"]
        metadata = "|".join(sorted(METADATA_FOLDERS | {_STATISTICS}))
        is_content = pc.is_in(files["kind"], value_set=_CONTENT)
        is_statistics = pc.equal(files["kind"], FileKind.STATISTICS.value)
        is_data_file = pc.and_(
            pc.match_substring_regex(paths, f"^{below}/[^/]+/"),
            pc.invert(pc.match_substring_regex(paths, f"^{below}/+(?:{metadata})/|/\\.\\.?/")),
        )
        is_metadata_file = pc.match_substring_regex(paths, f"^{below}/manifest/[^/]+$")
        is_statistics_file = pc.match_substring_regex(paths, f"^{below}/{_STATISTICS}/[^/]+$")
        return pc.if_else(is_content, is_data_file, pc.if_else(is_statistics, is_statistics_file, is_metadata_file))
