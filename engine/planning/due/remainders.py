"""What rewrites left behind, and when it is worth another one: hysteresis, so that no layout is rewritten for ever.

A rewrite may leave small files: the last of a partition, or all of them where data turned out smaller than predicted.
A partition whose candidates are all of that kind is rewritten by itself only if that would at least halve their number:
new files have to come first, or a policy that wants much larger ones. Deletes and files that are too large are reasons
of their own. A run that somebody asks for knows no such bound.
"""

import numpy as np

from engine.planning.measures.partition_metrics import PartitionMetrics
from engine.planning.measures.partitions import Flags
from engine.planning.plans.candidates import Candidates

REMAINDER = "remainder"
_LEAST_GAIN = 2
"""A rewrite of what rewrites left makes one file of so many at least."""


def are_remainders(metrics: PartitionMetrics, candidates: Candidates) -> Flags:
    """Return, by partition, whether there is nothing to rewrite but what rewrites left."""
    files, chosen = metrics.files, candidates.is_candidate
    count = files.count(chosen)
    others = files.count(chosen & ~metrics.is_own) + files.count(candidates.is_forced)
    flags: Flags = (count > 0) & (others == 0) & (_LEAST_GAIN * candidates.outputs > count)
    return np.asarray(flags, dtype=np.bool_)
