"""Rules for full rewrites, which include well-sized files of a partition: the settings `rewrite.full.*`.

Each setting that is on is one rule on the partition's metrics; any of them makes it due for a full rewrite:

- `interval`: at least this time since the last full rewrite; a partition without a full rewrite is due.
- `always_below_bytes`: the partition is smaller than this, so that the cost of a full rewrite is negligible.
- `when_increment_above_bytes`: more than these bytes were added since the last full rewrite.
- `size_amplification_percent`: bytes added since the last full rewrite, as a percentage of the bytes that it left. A
  partition without a full rewrite has no such measure.

One guard applies to all of them: data must have been added since the last rewrite of any kind, and a partition without
deletes must have more small files than others, and at least three (`rewrite.full.eligibility`).
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from engine.planning.due.triggers import Check, Rule
from engine.planning.measures.partition_metrics import PartitionMetrics
from engine.planning.measures.partitions import Flags

SIZE_AMPLIFICATION: Final = "size_amplification_percent"
NOT_ELIGIBLE: Final = "not_eligible_for_full"
LEAST_FILES: Final = 3

_CHECKS: Final = {
    "rewrite.full.interval": ("time_since_full", "at_least"),
    "rewrite.full.always_below_bytes": ("total_bytes", "below"),
    "rewrite.full.when_increment_above_bytes": ("bytes_since_full", "above"),
    "rewrite.full.size_amplification_percent": (SIZE_AMPLIFICATION, "above"),
}


def full_rules(values: Mapping[str, Any]) -> list[Rule]:
    """Return a rule for each of the settings (effective values by dotted name) that is on."""
    return [
        Rule(name, (Check(metric, operator, float(values[name])),), needs_change=True)
        for name, (metric, operator) in _CHECKS.items()
        if isinstance(values.get(name), int | float)
    ]


def with_amplification(metrics: PartitionMetrics) -> PartitionMetrics:
    """Return the metrics with the size amplification, in percent, added."""
    since = metrics.values["bytes_since_full"]
    base = metrics.values["total_bytes"] - since
    percent = np.where(base > 0, 100 * since / np.maximum(1, base), np.nan)
    was_full = np.isfinite(metrics.values["time_since_full"])
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
