"""The age of read-optimized views of key tables, which read the last level of each bucket only.

Other levels get there by a full compaction, so that a view lacks all rows that were committed since. Rows of a file
that a compaction wrote to an intermediate level are as old as its oldest input, which the file does not show: it was
written after the bucket's last full compaction, so that the first commit after it is the earliest possible time.
"""

from collections.abc import Collection
from typing import Final

import numpy as np

from engine.planning.measures.partitions import Ints, PartitionedFiles

COMPLETE: Final = np.iinfo(np.int64).max
"""Stands for a view that has all rows."""


def complete_until_ms(files: PartitionedFiles, last_level: int, committed_at_ms: Collection[int]) -> Ints:
    """Return by partition the time before which all commits are in the view, milliseconds since 1970, or `COMPLETE`.

    Args:
        files: files of a table whose buckets have levels.
        last_level: the last level.
        committed_at_ms: times of the commits that are known.
    """
    bucket_of, partitions = files.number_buckets()
    in_view, none = files.level == last_level, np.full(len(partitions), COMPLETE, np.int64)
    oldest, newest_seen = none.copy(), np.zeros_like(none)
    np.minimum.at(oldest, bucket_of[~in_view], files.data_at_ms[~in_view])
    np.maximum.at(newest_seen, bucket_of[in_view], files.data_at_ms[in_view])
    is_merged = ~in_view & (files.level > 0)
    commits = np.append(np.sort(np.array(list(committed_at_ms), np.int64)), COMPLETE)
    first = none.copy()
    merged = bucket_of[is_merged]
    first[merged] = commits[np.searchsorted(commits[:-1], newest_seen[merged], side="right")]
    found = np.full(len(files.names), COMPLETE, np.int64)
    np.minimum.at(found, partitions, np.minimum(oldest, first))
    return found
