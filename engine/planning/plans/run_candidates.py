"""Candidates of tables with a primary key: whole buckets, by the number of their sorted runs and not by sizes of files.

The table format's engine then chooses the runs that it merges.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import numpy as np

from engine.domain.policies import EffectivePolicy
from engine.planning.measures.partitions import Flags, PartitionedFiles
from engine.planning.measures.sorted_runs import SortedRuns

LEAST_TO_MERGE: Final = 2
"""Sorted runs of a bucket that a full rewrite merges; one alone has nothing to merge with."""

_ANY: Final = 2**62
_NONE: Final = -(2**62)


@dataclass(frozen=True, slots=True)
class BucketRule:
    """When a bucket is due.

    `sorted_runs`: from this number of sorted runs on. `new_before_ms`: also if it has files of level 0 that were
    committed before, milliseconds since 1970, and `least_with_new` sorted runs.
    """

    sorted_runs: int
    new_before_ms: int
    least_with_new: int

    @staticmethod
    def of(policy: EffectivePolicy, committed_at_ms: Collection[int], *, lifts_new: bool) -> "BucketRule":
        """Return the rule of a policy, given the times of the table's newest commits."""
        every = int(policy.values["rewrite.key_tables.forced_every"])
        newest = sorted(committed_at_ms, reverse=True)
        waited = newest[every - 1] if len(newest) >= every else _NONE
        is_eager = policy.values["rewrite.key_tables.lookup"] == "eager"
        return BucketRule(
            sorted_runs=int(policy.values["rewrite.key_tables.sorted_run_trigger"]),
            new_before_ms=_ANY if is_eager else waited,
            least_with_new=1 if lifts_new else LEAST_TO_MERGE,
        )


def in_due_buckets(files: PartitionedFiles, rule: BucketRule, *, full: bool) -> Flags:
    """Return flags of the files in buckets that are due, or for a full rewrite have something to merge."""
    runs = SortedRuns.of(files)
    width = 1 + int(files.bucket.max(initial=0))
    buckets = runs.partition_of * width + runs.bucket
    mine = files.partition_of * width + files.bucket
    at = np.minimum(np.searchsorted(buckets, mine), max(0, len(buckets) - 1))
    if not len(buckets):
        return np.zeros(len(mine), np.bool_)
    is_due = runs.sorted_run_count >= (LEAST_TO_MERGE if full else rule.sorted_runs)
    has_waited = (runs.level0_file_count > 0) & (runs.oldest_level0_ms < rule.new_before_ms)
    is_due |= has_waited & (runs.sorted_run_count >= rule.least_with_new)
    flags: Flags = (files.bucket >= 0) & is_due[at]
    return flags
