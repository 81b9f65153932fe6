"""Plans of very large tables in parts: each plan contains the partitions with the highest gain among the remaining.

So the cost of a plan, the time until its first commit, and the planning repeated after the loss of a worker are bounded
for any number of files; and between the parts of a run, runs of other tables have their turn.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from engine.domain.runs.plans import Later
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles
from engine.planning.plans.candidates import CandidateFlags

MOST_FILES: Final = 20_000
"""The most candidates of one part; a partition with more is a separate part."""


def parts_of(files: PartitionedFiles, chosen: CandidateFlags, most_files: int) -> Iterator[tuple[CandidateFlags, Ints]]:
    """Yield the candidates of each part with the partitions of all later parts; a single item if one part suffices."""
    count = files.count(chosen.is_candidate)
    if count.sum() <= most_files:
        yield chosen, np.empty(0, dtype=np.int64)
        return
    order = _best_first(files, chosen, count)
    total, begin = 0, 0
    for at, partition in enumerate(order.tolist()):
        if at > begin and total + count[partition] > most_files:
            yield _only(files, chosen, order[begin:at]), order[at:]
            total, begin = 0, at
        total += int(count[partition])
    yield _only(files, chosen, order[begin:]), np.empty(0, dtype=np.int64)


def left_for_later(files: PartitionedFiles, chosen: CandidateFlags, partitions: Ints) -> Later:
    """Return the partitions and candidate files of later parts."""
    if not len(partitions):
        return Later()
    count, size = files.count(chosen.is_candidate), files.total(files.file_bytes, chosen.is_candidate)
    return Later(len(partitions), int(count[partitions].sum()), int(size[partitions].sum()))


def _best_first(files: PartitionedFiles, chosen: CandidateFlags, count: Ints) -> Ints:
    """Return the partitions with candidates, by files saved per byte read, highest first."""
    size = files.total(files.file_bytes, chosen.is_candidate)
    gain = count - chosen.outputs + files.count(chosen.is_forced)
    worth = gain / np.maximum(1, size)
    with_any = np.flatnonzero(count)
    ordered: Ints = with_any[np.argsort(-worth[with_any], kind="stable")]
    return ordered


def _only(files: PartitionedFiles, chosen: CandidateFlags, partitions: Ints) -> CandidateFlags:
    is_taken = np.zeros(len(files.names), dtype=np.bool_)
    is_taken[partitions] = True
    here: Flags = is_taken[files.partition_of]
    return replace(chosen, is_candidate=chosen.is_candidate & here, is_forced=chosen.is_forced & here)
