"""Find manifest entries whose files are outside of a table's places, without a Python object for each entry.

A manifest is summarized once, when it is decoded: the common folder of all its paths, and whether any path needs a
closer check. This nearly always decides for all entries at once; otherwise each distinct folder is compared once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.rewriting.kernel.storage.places import AllowedFolders
from engine.uris.locations import UNCLEAR

_SUSPECT: Final = (b"/.", b"\\")
_SUSPECT_CODES: Final = (b"%2e", b"%2E", b"%2f", b"%2F", b"%5c", b"%5C", b"%25")
"""Every path that `uris.locations.UNCLEAR` matches contains one of these, or a control character."""

_SPACE, _DELETE = 0x20, 0x7F


@dataclass(frozen=True, slots=True)
class PathSummary:
    """Summary of paths. `folder`: their common prefix up to a slash. `is_plain`: no path has a suspect character."""

    folder: str
    is_plain: bool

    @staticmethod
    def of(paths: pa.ChunkedArray) -> "PathSummary":
        """Return the summary of paths."""
        if not len(paths):
            return PathSummary("", is_plain=True)
        ends = pc.min_max(paths).as_py()
        shared = _common_prefix(ends["min"], ends["max"])
        return PathSummary(shared.rpartition("/")[0], all(_is_plain(chunk) for chunk in paths.chunks))

    def is_inside(self, places: AllowedFolders) -> bool:
        """Return whether all paths are certainly below the places."""
        return self.is_plain and places.contains(self.folder)


def are_behind_links(paths: pa.ChunkedArray, places: AllowedFolders) -> pa.ChunkedArray:
    """Return for each path below the places whether it is behind a link; see `AllowedFolders.is_behind_link`."""
    return _by_folder(paths, lambda folder: places.is_behind_link(f"{folder}/_"))


def are_outside(paths: pa.ChunkedArray, places: AllowedFolders) -> pa.ChunkedArray:
    """Return for each path whether it is outside of the places."""
    is_inside = _by_folder(paths, places.contains)
    return pc.or_(pc.invert(is_inside), pc.match_substring_regex(paths, UNCLEAR))


def _by_folder(paths: pa.ChunkedArray, decide: Callable[[str], bool]) -> pa.ChunkedArray:
    """Return the decision for each path, made once for each folder."""
    folders = pc.replace_substring_regex(paths, pattern="/[^/]*$", replacement="")
    distinct = folders.unique()
    decisions = pa.array([decide(folder) for folder in distinct.to_pylist()], pa.bool_())
    return decisions.take(pc.index_in(folders, value_set=distinct))


def _common_prefix(first: str, last: str) -> str:
    """Return the common prefix of two texts; for the least and greatest of many it is the prefix of all."""
    at = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), None)
    return first[:at] if at is not None else min(first, last, key=len)


def _is_plain(paths: pa.StringArray) -> bool:
    _, ends, data = paths.buffers()
    if data is None or not len(paths):
        return True
    # manifests that were decoded together share one buffer, which is as large as all of them
    first, last = np.frombuffer(ends, np.int32)[[paths.offset, paths.offset + len(paths)]].tolist()
    data = data.slice(first, last - first)
    text = np.frombuffer(data, np.uint8)
    if not len(text):
        return True
    if text.min() < _SPACE or text.max() == _DELETE:
        return False
    body = data.to_pybytes()
    codes = _SUSPECT_CODES if b"%" in body else ()
    return not any(each in body for each in (*_SUSPECT, *codes))
