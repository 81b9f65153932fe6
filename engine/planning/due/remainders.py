"""Small files left by rewrites, and when to rewrite them again: hysteresis that prevents endless rewrites.

A rewrite may leave small files: the last of a partition, or all of them where data is smaller than predicted. A
partition whose candidates are all of that kind is rewritten automatically only if that would at least halve their
number: new files have to arrive first, or a policy with a much larger target. Deletes and over-large files are separate
reasons. Requested runs have no such bound.
"""

import numpy as np

from engine.planning.measures.partition_metrics import PartitionMetrics
from engine.planning.measures.partitions import Flags
from engine.planning.plans.candidates import CandidateFlags

REMAINDER = "remainder"
_LEAST_GAIN = 2
"""The least number of files left by rewrites that a further rewrite must merge into one."""


def are_remainders(metrics: PartitionMetrics, candidates: CandidateFlags) -> Flags:
    """Return, by partition, whether all candidates are files left by rewrites."""
    files, chosen = metrics.files, candidates.is_candidate
    count = files.count(chosen)
    others = files.count(chosen & ~metrics.is_own) + files.count(candidates.is_forced)
    flags: Flags = (count > 0) & (others == 0) & (_LEAST_GAIN * candidates.outputs > count)
    return np.asarray(flags, dtype=np.bool_)
