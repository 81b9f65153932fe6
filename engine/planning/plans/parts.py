"""Plans of very large tables in parts: a plan takes on the partitions that gain most, the run plans the others later.

So the cost of a plan, the time until its first commit, and what a lost worker has to plan again stay bounded however
many files a table has; and a run of one huge table lets others have their turn between its parts.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from engine.domain.runs.plans import Later
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles
from engine.planning.plans.candidates import Candidates

MOST_FILES: Final = 20_000
"""Candidates of one part; a partition with more is a part of its own."""


def parts_of(files: PartitionedFiles, chosen: Candidates, most_files: int) -> Iterator[tuple[Candidates, Ints]]:
    """Yield candidates part by part, each with the partitions of all parts after it; once all, if they are one part."""
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


def left_for_later(files: PartitionedFiles, chosen: Candidates, partitions: Ints) -> Later:
    """Return how much lies in partitions that later parts take on."""
    if not len(partitions):
        return Later()
    count, size = files.count(chosen.is_candidate), files.total(files.file_bytes, chosen.is_candidate)
    return Later(len(partitions), int(count[partitions].sum()), int(size[partitions].sum()))


def _best_first(files: PartitionedFiles, chosen: Candidates, count: Ints) -> Ints:
    """Return the partitions with candidates, those first that lose most files for each byte that is read."""
    size = files.total(files.file_bytes, chosen.is_candidate)
    gain = count - chosen.outputs + files.count(chosen.is_forced)
    worth = gain / np.maximum(1, size)
    with_any = np.flatnonzero(count)
    ordered: Ints = with_any[np.argsort(-worth[with_any], kind="stable")]
    return ordered


def _only(files: PartitionedFiles, chosen: Candidates, partitions: Ints) -> Candidates:
    is_taken = np.zeros(len(files.names), dtype=np.bool_)
    is_taken[partitions] = True
    here: Flags = is_taken[files.partition_of]
    return replace(chosen, is_candidate=chosen.is_candidate & here, is_forced=chosen.is_forced & here)
