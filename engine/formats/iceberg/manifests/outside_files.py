"""Which entries of a manifest name files outside of a table's places, without a Python object for each entry.

A manifest is summed up once, when it is decoded: the folder that all of its paths share, and whether any path needs a
closer look. Nearly always that decides for all entries at once; else folders are compared once each.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.rewriting.kernel.storage.places import UNCLEAR, Places

_SUSPECT: Final = (b"/.", b"\\")
_SUSPECT_CODES: Final = (b"%2e", b"%2E", b"%2f", b"%2F", b"%5c", b"%5C", b"%25")
"""One of these is in every path that `kernel.storage.places.UNCLEAR` finds, but for control characters."""

_SPACE, _DELETE = 0x20, 0x7F


@dataclass(frozen=True, slots=True)
class PathSummary:
    """`folder`: what all paths begin with, up to a slash. `is_plain`: no path has a character of a suspect kind."""

    folder: str
    is_plain: bool

    @staticmethod
    def of(paths: pa.ChunkedArray) -> "PathSummary":
        """Sum up paths."""
        if not len(paths):
            return PathSummary("", is_plain=True)
        ends = pc.min_max(paths).as_py()
        shared = _common_prefix(ends["min"], ends["max"])
        return PathSummary(shared.rpartition("/")[0], all(_is_plain(chunk) for chunk in paths.chunks))

    def is_inside(self, places: Places) -> bool:
        """Return whether all paths are below the places for sure."""
        return self.is_plain and places.cover(self.folder)


def are_outside(paths: pa.ChunkedArray, places: Places) -> pa.ChunkedArray:
    """Return for each path whether it is outside of the places."""
    folders = pc.replace_substring_regex(paths, pattern="/[^/]*$", replacement="")
    distinct = folders.unique()
    inside = pa.array([places.cover(folder) for folder in distinct.to_pylist()], pa.bool_())
    is_inside = inside.take(pc.index_in(folders, value_set=distinct))
    return pc.or_(pc.invert(is_inside), pc.match_substring_regex(paths, UNCLEAR))


def _common_prefix(first: str, last: str) -> str:
    """Return what two texts begin with; of the least and the greatest of many, what all of them begin with."""
    at = next((at for at, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), None)
    return first[:at] if at is not None else min(first, last, key=len)


def _is_plain(paths: pa.StringArray) -> bool:
    data = paths.buffers()[2]
    if data is None or not len(paths):
        return True
    text = np.frombuffer(data, np.uint8)
    if not len(text):
        return True
    if text.min() < _SPACE or text.max() == _DELETE:
        return False
    body = data.to_pybytes()
    codes = _SUSPECT_CODES if b"%" in body else ()
    return not any(each in body for each in (*_SUSPECT, *codes))
