"""Size tiers for the strategy `tiered`: the tier of each file, and the rule that makes full tiers due.

A tier that has its number of files makes the partition due, regardless of the policy's triggers: that number is the
trigger of `tiered`.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from engine.planning.due.triggers import Check, Rule
from engine.planning.measures.partition_metrics import PartitionMetrics
from engine.planning.measures.partitions import Ints, PartitionedFiles
from engine.planning.plans.rewrite_limits import RewriteLimits

FULLEST_TIER: Final = "fullest_tier_percent"


def tier_of(files: PartitionedFiles, limits: RewriteLimits) -> Ints:
    """Return the tier of each file, 0 for the smallest; files from the last bound on are in an extra tier."""
    bounds = np.array([tier.below_bytes for tier in limits.tiers], dtype=np.int64)
    tiers: Ints = np.searchsorted(bounds, files.file_bytes, side="right").astype(np.int64)
    return tiers


def tier_rules(limits: RewriteLimits) -> list[Rule]:
    """Return the rule for full tiers; no rule for other strategies."""
    return [Rule("rewrite.tiers", (Check(FULLEST_TIER, "at_least", 100.0),))] if limits.tiers else []


def with_fullest_tier(metrics: PartitionMetrics, limits: RewriteLimits) -> PartitionMetrics:
    """Return the metrics with the fill of the fullest tier of each partition, in percent of its required files."""
    tiers = tier_of(metrics.files, limits)
    fill = [100 * metrics.files.count(tiers == at) / tier.files for at, tier in enumerate(limits.tiers)]
    return replace(metrics, values={**metrics.values, FULLEST_TIER: np.maximum.reduce(fill)})
