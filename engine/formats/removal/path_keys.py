"""Keys of file paths: 64-bit hashes that are equal whenever two paths may name the same file.

The key of a path ignores scheme, bucket and host, repeated and trailing slashes, and everything after `?` or `#`, which
some readers cut off. So `file:/x` and `/x`, `s3://b/x` and `s3a://b/x`, or an Azure container's names by two hosts have
one key. Two different files may have one key too, by these rules or because their hashes are equal: keys may only be
used to decide that a file is kept, for which a file too many is harmless.
"""

from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

Keys: TypeAlias = npt.NDArray[np.uint64]

_PLACE: Final = r"^(?:[A-Za-z][A-Za-z0-9+.-]*:(?://[^/]*)?)?/*"
_CUT: Final = r"(?s)[?#].*$"
_DOUBLED: Final = r"/{2,}"


def keys_of(paths: pa.ChunkedArray | pa.Array) -> Keys:
    """Return the key of each path. They are valid in this process only: a hash depends on the library's version."""
    if not len(paths):
        return np.empty(0, np.uint64)
    text = pl.Series(values=pl.from_arrow(paths), dtype=pl.String).str.replace(_PLACE, "")
    if text.str.contains(r"[?#]").any():
        text = text.str.replace(_CUT, "")
    if text.str.contains("//", literal=True).any():
        text = text.str.replace_all(_DOUBLED, "/")
    return text.str.strip_chars_end("/").hash(seed=0).to_numpy()


def first_of_each(keys: Keys) -> npt.NDArray[np.bool_]:
    """Return for each key whether it is the first of its value."""
    is_first = np.zeros(len(keys), np.bool_)
    is_first[np.unique(keys, return_index=True)[1]] = True
    return is_first


class SeenKeys:
    """A set of keys that grows in batches: 8 bytes for each, in a few sorted runs."""

    def __init__(self) -> None:
        self._runs: list[Keys] = []

    def add(self, keys: Keys) -> npt.NDArray[np.bool_]:
        """Add keys; return for each whether it was new, and the first of its value."""
        is_new = first_of_each(keys)
        for run in self._runs:
            is_new &= ~are_in(run, keys)
        new = np.sort(keys[is_new])
        while self._runs and len(self._runs[-1]) <= 2 * len(new):
            new = np.sort(np.concatenate([self._runs.pop(), new]), kind="stable")  # merges the two
        if len(new):
            self._runs.append(new)
        return is_new


def places_in(ordered: Keys, keys: Keys) -> npt.NDArray[np.intp]:
    """Return for each key its place in a sorted, non-empty array, or that of another key."""
    found: npt.NDArray[np.intp] = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return found


def are_in(ordered: Keys, keys: Keys) -> npt.NDArray[np.bool_]:
    """Return for each key whether a sorted, non-empty array has it."""
    found: npt.NDArray[np.bool_] = ordered[places_in(ordered, keys)] == keys
    return found
