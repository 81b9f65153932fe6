"""Rules for full rewrites, which include well-sized files of a partition: the settings `rewrite.full.*`.

Each setting that is on is one rule on the partition's metrics; any of them makes it due for a full rewrite:

- `interval`: at least this time since the last full rewrite; a partition without a full rewrite is due.
- `always_below_bytes`: the partition is smaller than this, so that the cost of a full rewrite is negligible.
- `when_increment_above_bytes`: more than these bytes were added since the last full rewrite.
- `size_amplification_percent`: bytes added since the last full rewrite, as a percentage of the bytes that it left. A
  partition without a full rewrite has no such measure.

Guards apply to all of them: data must have been added since the last rewrite of any kind, and a partition without
deletes must have more small files than others, and at least three (`rewrite.full.eligibility`). Paimon's core counts
them in each bucket, from the first small file on (`has_eligible_bucket`), and not at all in tables with deletion
vectors.

Key tables with sorted runs have neither guard: planning skips a bucket that is compacted in full, and one that is not
may stay so after other rewrites. Their increment is what is not at the last level of its bucket. They are amplified
only from `rewrite.key_tables.sorted_run_trigger` sorted runs on, as in the core.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from engine.planning.due.triggers import Check, Rule
from engine.planning.measures.partition_metrics import PartitionMetrics
from engine.planning.measures.partitions import Flags
from engine.planning.plans.candidates import are_leading, left_in_full
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.planning.plans.run_candidates import BucketRule

INTERVAL: Final = "rewrite.full.interval"
SIZE_AMPLIFICATION: Final = "size_amplification_percent"
NOT_ELIGIBLE: Final = "not_eligible_for_full"
LEAST_FILES: Final = 3

_CHECKS: Final = {
    INTERVAL: ("time_since_full", "at_least"),
    "rewrite.full.always_below_bytes": ("total_bytes", "below"),
    "rewrite.full.when_increment_above_bytes": ("bytes_since_full", "above"),
    "rewrite.full.size_amplification_percent": (SIZE_AMPLIFICATION, "above"),
}


def full_rules(values: Mapping[str, Any], buckets: BucketRule | None = None) -> list[Rule]:
    """Return a rule for each of the settings (effective values by dotted name) that is on.

    `buckets`: the rule for buckets of a key table with sorted runs; None for other tables.
    """
    found = []
    for name, (metric, operator) in _CHECKS.items():
        if isinstance(values.get(name), int | float):
            checks = [Check(metric, operator, float(values[name]))]
            if buckets is not None and metric == SIZE_AMPLIFICATION:
                checks.append(Check("sorted_run_count", "at_least", buckets.sorted_runs))
            found.append(Rule(name, checks, needs_change=buckets is None))
    return found


def with_amplification(metrics: PartitionMetrics, *, has_levels: bool = False) -> PartitionMetrics:
    """Return the metrics with the size amplification, in percent, added; `has_levels`: the base is the last level."""
    since = metrics.values["bytes_since_full"]
    base = metrics.values["total_bytes"] - since
    percent = np.where(base > 0, 100 * since / np.maximum(1, base), np.nan)
    was_full = has_levels | np.isfinite(metrics.values["time_since_full"])
    values = {**metrics.values, SIZE_AMPLIFICATION: np.where(was_full, percent, np.nan)}
    return replace(metrics, values=values)


def is_eligible(
    metrics: PartitionMetrics, *, more_small_than_large: bool = True, min_files: int = LEAST_FILES
) -> Flags:
    """Return flags of partitions worth a full rewrite, by `rewrite.full.eligibility` or because of deletes."""
    small, count = metrics.values["small_file_count"], metrics.values["file_count"]
    deletes = (metrics.values["delete_file_count"] > 0) | (metrics.values["delete_ratio"] > 0)
    enough = (small > count - small) | (not more_small_than_large)
    flags: Flags = deletes | (enough & (count >= min_files))
    return flags


def has_eligible_bucket(
    metrics: PartitionMetrics,
    limits: RewriteLimits,
    *,
    more_small_than_large: bool = True,
    min_files: int = LEAST_FILES,
) -> Flags:
    """Return flags of partitions with a bucket that Paimon's core would compact in full.

    Files of the right size count only after the first other file, in the order of arrival
    (`BucketedAppendCompactManager.FullCompactTask`). Without buckets, the partition is one.
    """
    files = metrics.files
    sized = left_in_full(files, limits)
    rest = ~are_leading(files, sized)
    bucket_of, partitions = files.number_buckets()
    count = np.bincount(bucket_of[rest], minlength=len(partitions))
    large = np.bincount(bucket_of[rest & sized], minlength=len(partitions))
    fits = (count >= min_files) & ((count > 2 * large) | (not more_small_than_large))
    flags = np.zeros(len(files.names), np.bool_)
    flags[partitions[fits]] = True
    return flags
