"""Commit times of data files, from the changes of the newest snapshots.

Entries have the creation time of each file only in the local time of its writer, without a time zone. The commit time
of the snapshot that added a file is exact. So the delta manifests of the newest snapshots are read; of a file that
none of them added it is only known that it is older.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.paimon.metadata.snapshots import COMPACT, Snapshot

MOST_SNAPSHOTS: Final = 128
"""Snapshots whose changes are read, the newest ones: two small files each, cached."""


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The files that snapshots added, oldest first. `known_since_ms`: older files are not known; 0 without snapshots.

    `paths` has a path once for each snapshot that added it; `added` and `data` are times in milliseconds since 1970.
    `added_bytes`: size of all files that each snapshot added, by its id.
    """

    paths: pa.Array
    added: pa.Array
    data: pa.Array
    known_since_ms: int
    added_bytes: Mapping[int, int]

    @staticmethod
    def of(snapshots: Sequence[Snapshot], paths: Sequence[pa.ChunkedArray], added_bytes: Sequence[int]) -> "Arrivals":
        """Return the arrivals of files.

        Args:
            snapshots: consecutive ones, oldest first.
            paths: the paths that each of them added.
            added_bytes: the size of the files that each of them added.
        """
        data_at = _newest_data(snapshots)
        counts = [len(each) for each in paths]
        times = [each.committed_at_ms for each in snapshots]
        chunks = [chunk for each in paths for chunk in each.chunks]
        return Arrivals(
            pa.chunked_array(chunks, pa.string()).combine_chunks() if chunks else pa.array([], pa.string()),
            _repeated(times, counts),
            _repeated(data_at, counts),
            times[0] if times else 0,
            {each.id: size for each, size in zip(snapshots, added_bytes, strict=True)},
        )

    @property
    def nbytes(self) -> int:
        """Bytes in memory, for the cache."""
        return int(self.paths.nbytes + self.added.nbytes + self.data.nbytes)

    def added_at_ms(self, paths: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return when each file was committed first; null if that was before the snapshots."""
        return self.added.take(pc.index_in(paths, value_set=self.paths))

    def data_at_ms(self, paths: pa.ChunkedArray) -> pa.ChunkedArray:
        """Return the time by which the newest rows of each file were committed; compactions commit no new rows."""
        found = self.data.take(pc.index_in(paths, value_set=self.paths))
        return pc.fill_null(found, self.known_since_ms)


def _newest_data(snapshots: Sequence[Snapshot]) -> list[int]:
    """Return for each snapshot the time of the newest rows that its files can have.

    For a compaction it is the time of the last other snapshot before it. If there is none, its own.
    """
    found = [each.committed_at_ms for each in snapshots]
    for at, (before, each) in enumerate(pairwise(snapshots), start=1):
        if each.kind == COMPACT:
            found[at] = found[at - 1] if before.kind == COMPACT else before.committed_at_ms
    return found


def _repeated(values: Sequence[int], counts: Sequence[int]) -> pa.Array:
    parts = [pa.repeat(pa.scalar(value, pa.int64()), count) for value, count in zip(values, counts, strict=True)]
    return pa.concat_arrays([pa.array([], pa.int64()), *parts])
