"""Candidates of tables with a primary key: whole buckets, by the number of their sorted runs and not by sizes of files.

The table format's engine then chooses the runs that it merges.
"""

from typing import Final

import numpy as np

from engine.planning.measures.partitions import Flags, PartitionedFiles
from engine.planning.measures.sorted_runs import SortedRuns

LEAST_TO_MERGE: Final = 2
"""Sorted runs of a bucket that a full rewrite merges; one alone has nothing to merge with."""


def in_due_buckets(files: PartitionedFiles, least: int) -> Flags:
    """Return flags of the files in buckets with at least this number of sorted runs."""
    runs = SortedRuns.of(files)
    width = 1 + int(files.bucket.max(initial=0))
    buckets = runs.partition_of * width + runs.bucket
    mine = files.partition_of * width + files.bucket
    at = np.minimum(np.searchsorted(buckets, mine), max(0, len(buckets) - 1))
    if not len(buckets):
        return np.zeros(len(mine), np.bool_)
    flags: Flags = (files.bucket >= 0) & (runs.sorted_run_count[at] >= least)
    return flags
