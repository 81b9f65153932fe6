"""Division of the fleet's limit of rewrite tasks (`parallel_groups`) among the runs that rewrite.

A slot is the right to have one task at work. Slots are not taken away from a task: a run that holds more than its share
gives slots up as its tasks end, because runs with fewer slots are served first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import inf


@dataclass(frozen=True, slots=True)
class SlotHolder:
    """A run that rewrites: the slots it holds, and since when it waits for another one (None: it does not wait)."""

    held: int
    waits_since: datetime | None = None


def slots_granted(limit: int, most: int, own: SlotHolder, others: Sequence[SlotHolder]) -> int:
    """Return the number of further slots that a run gets now, 0 if it has to wait.

    One free slot is left to each waiting run that holds fewer slots, or as many and has waited longer. So the slots
    never exceed the limit, every run gets one as soon as enough tasks have ended, and a lone run gets all of them.

    Args:
        limit: the most slots of all runs together.
        most: the most that the run can use (≥ 1); it gets several at once only up to an equal share of the limit.
        own: the run's own slots.
        others: all other runs.
    """
    free = limit - own.held - sum(other.held for other in others)
    first = sum(other.waits_since is not None and _rank(other) < _rank(own) for other in others)
    share = limit // (1 + len(others))
    return max(0, min(most, free - first, max(1, share - own.held)))


def _rank(holder: SlotHolder) -> tuple[int, float]:
    return holder.held, inf if holder.waits_since is None else holder.waits_since.timestamp()
