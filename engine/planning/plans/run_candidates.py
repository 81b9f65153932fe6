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
"""Sorted runs of a bucket that are always merged by a full rewrite; one alone has nothing to merge with."""

_ANY: Final = 2**62
_NONE: Final = -(2**62)


@dataclass(frozen=True, slots=True)
class BucketRule:
    """The rule by which a bucket is due.

    `sorted_runs`: from this number of sorted runs on. `new_before_ms`: also if it has files of level 0 that were
    committed before, milliseconds since 1970, and `least_with_new` sorted runs. `last_level`: the level to which a full
    rewrite brings all files of a bucket; None: not known.
    """

    sorted_runs: int
    new_before_ms: int
    least_with_new: int
    last_level: int | None = None

    @property
    def lifts_new(self) -> bool:
        """Whether new rows wait for a compaction, so that a single file of level 0 is worth one."""
        return self.least_with_new < LEAST_TO_MERGE

    @staticmethod
    def of(
        policy: EffectivePolicy, committed_at_ms: Collection[int], *, lifts_new: bool, last_level: int | None = None
    ) -> "BucketRule":
        """Return the rule of a policy, given the times of the table's newest commits."""
        every = policy.forced_every
        newest = sorted(committed_at_ms, reverse=True)
        waited = newest[every - 1] if len(newest) >= every else _NONE
        is_eager = policy.is_lookup_eager
        return BucketRule(
            sorted_runs=policy.sorted_run_trigger,
            new_before_ms=_ANY if is_eager else waited,
            least_with_new=1 if lifts_new else LEAST_TO_MERGE,
            last_level=last_level,
        )


def in_due_buckets(files: PartitionedFiles, rule: BucketRule, *, full: bool) -> Flags:
    """Return flags of the files in buckets that are due, or for a full rewrite not compacted in full."""
    runs = SortedRuns.of(files)
    is_due = runs.sorted_run_count >= (LEAST_TO_MERGE if full else rule.sorted_runs)
    if full:
        is_due |= _are_unfinished(files, runs, rule.last_level)
    has_waited = (runs.level0_file_count > 0) & (runs.oldest_level0_ms < rule.new_before_ms)
    is_due |= has_waited & (runs.sorted_run_count >= rule.least_with_new)
    flags = np.zeros(len(files.bucket), np.bool_)
    flags[runs.rows] = is_due[runs.bucket_of]
    return flags


def _are_unfinished(files: PartitionedFiles, runs: SortedRuns, last_level: int | None) -> Flags:
    """Return flags of buckets with one sorted run that a full compaction changes.

    It applies deletion vectors, and brings the files to the last level, which alone is read by read-optimized views.
    """
    flags = np.zeros(len(runs.bucket), np.bool_)
    flags[runs.bucket_of[files.delete_files[runs.rows] > 0]] = True
    if last_level is not None:
        deepest = np.full(len(runs.bucket), -1, np.int64)
        np.maximum.at(deepest, runs.bucket_of, files.level[runs.rows])
        flags |= deepest < last_level
    return flags
