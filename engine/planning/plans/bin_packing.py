"""Packing of one partition's files into groups of limited size in bytes.

First aim: at most 1 % more groups than total ÷ capacity. Second aim: neighbours stay together, so that the outputs keep
the clustering of the data by arrival. The files are therefore given in the order to keep, and are cut into contiguous
ranges where that meets the first aim; otherwise they are packed by size, first-fit decreasing, within windows of
neighbours; otherwise by size over all files. That is the order `locality`. `fill` packs by size immediately, for the
fewest groups; `arrival` never packs by size: groups are contiguous ranges, and files keep their order.

A file above the capacity is a separate group. Sizes are bytes; positions are indices into the given order.
"""

from bisect import bisect_left, bisect_right
from typing import Final

import numpy as np
import numpy.typing as npt

from engine.planning.predictions.estimates import output_count

Ints = npt.NDArray[np.int64]

LOCALITY: Final = "locality"
FILL: Final = "fill"
ARRIVAL: Final = "arrival"

VOLUME_SLACK_PERCENT: Final = 1
WINDOW_GROUPS: Final = 32
"""Size of a window of neighbours, as a multiple of the capacity."""


def pack(sizes: Ints, *, capacity: int, target: int, at_least: int = 1, order_by: str = LOCALITY) -> list[Ints]:
    """Return groups of positions, each ascending, ordered by their first position; each position is in one group.

    Args:
        sizes: bytes of the files, in the order to keep.
        capacity: the most bytes in a group.
        target: bytes of an output: groups are cut at the end of whole outputs, as near as the files allow.
        at_least: requested number of groups, for parallel tasks; limited by the number of outputs.
        order_by: `locality`, `fill` or `arrival`, as `rewrite.order_bins_by`.
    """
    over = np.flatnonzero(sizes > capacity)
    rest = np.flatnonzero(sizes <= capacity)
    bins = [over[at : at + 1] for at in range(len(over))]
    parts = np.split(rest, np.searchsorted(rest, over)) if order_by == ARRIVAL else [rest]
    for part in parts:
        if len(part):
            wanted = at_least - len(over)
            inside = _pack_fitting(sizes[part], capacity=capacity, target=target, at_least=wanted, order_by=order_by)
            bins += [part[positions] for positions in inside]
    return sorted(bins, key=lambda positions: int(positions[0]))


def volume_bound(total: int, capacity: int) -> int:
    """Return the lower bound of the number of groups: the total bytes divided by the capacity."""
    return max(1, -(-total // capacity))


def _pack_fitting(sizes: Ints, *, capacity: int, target: int, at_least: int, order_by: str) -> list[Ints]:
    total = int(sizes.sum())
    least = volume_bound(total, capacity)
    wanted = max(least, min(at_least, output_count(total, target)))
    allowed = max(wanted, least * (100 + VOLUME_SLACK_PERCENT) // 100)
    if order_by == FILL:
        room = max(int(sizes.max()), -(-total // wanted)) if wanted > least else capacity
        filled = first_fit_decreasing(sizes, room)
        if len(filled) <= wanted:
            return filled
        # first fit is a heuristic: for a few sizes another packing needs fewer groups
        kept = _pack_fitting(sizes, capacity=capacity, target=target, at_least=at_least, order_by=LOCALITY)
        return min(filled, kept, key=len)
    for groups in sorted({wanted, allowed}):
        dealt = _deal(sizes, groups=groups, outputs=output_count(total, target))
        if all(int(sizes[positions].sum()) <= capacity for positions in dealt):
            return dealt
    for packing in (_next_fit, _fill_windows):
        packed = packing(sizes, capacity)
        if len(packed) <= allowed or order_by == ARRIVAL:
            return packed
    return first_fit_decreasing(sizes, capacity)


def _deal(sizes: Ints, *, groups: int, outputs: int) -> list[Ints]:
    """Cut into contiguous ranges of whole outputs, as equal as possible; the middle of a file decides its range."""
    each, more = divmod(max(outputs, groups), groups)
    ends = np.cumsum([each + (group < more) for group in range(groups)])
    running = np.cumsum(sizes)
    middles = running - sizes / 2
    owner = np.searchsorted(ends[:-1] * (running[-1] / ends[-1]), middles, side="right")
    return _stretches(np.flatnonzero(np.diff(owner)) + 1, len(sizes))


def _next_fit(sizes: Ints, capacity: int) -> list[Ints]:
    """Cut into contiguous ranges, each as full as possible: the fewest groups that keep the order."""
    running = np.cumsum(sizes).tolist()
    cuts: list[int] = []
    start, before = 0, 0
    while (end := bisect_right(running, before + capacity, lo=start)) < len(running):
        cuts.append(end)
        start, before = end, running[end - 1]
    return _stretches(np.array(cuts, dtype=np.int64), len(sizes))


def _stretches(cuts: Ints, length: int) -> list[Ints]:
    return np.split(np.arange(length, dtype=np.int64), cuts)


def _fill_windows(sizes: Ints, capacity: int) -> list[Ints]:
    """Pack window after window by size; the files in the last group of a window are moved to the next window."""
    bins: list[Ints] = []
    carried = np.zeros(0, dtype=np.int64)
    for window in _next_fit(sizes, WINDOW_GROUPS * capacity):
        positions = np.concatenate([carried, window])
        packed = [positions[inside] for inside in first_fit_decreasing(sizes[positions], capacity)]
        emptiest = min(range(len(packed)), key=lambda at: int(sizes[packed[at]].sum()))
        carried = packed.pop(emptiest)
        bins += packed
    return [*bins, carried] if len(carried) else bins


def first_fit_decreasing(sizes: Ints, capacity: int) -> list[Ints]:
    """Pack by size, largest first, each file into the first group with room; equal sizes in the given order.

    The content of a group depends only on earlier groups, so groups are filled one after the other: each goes down the
    remaining files, and where one does not fit, a bisection finds the next that does. The result is the same as going
    through the files with a tree over the groups, with one step per file instead of log₂(groups).

    Raises:
        ValueError: a file is larger than the capacity.
    """
    order = np.argsort(-sizes, kind="stable")
    falling = sizes[order].tolist()
    if falling and falling[0] > capacity:
        raise ValueError(f"a file of {falling[0]} bytes does not fit into groups of {capacity}")
    rising = [-size for size in falling]  # bisect requires ascending keys
    following = list(range(len(falling) + 1))  # the next remaining position, found with path halving
    bins: list[Ints] = []
    while (first := _next_left(following, 0)) < len(falling):
        taken = _fill(falling, rising, following, first=first, room=capacity)
        bins.append(np.sort(order[taken]))
    return sorted(bins, key=lambda positions: int(positions[0]))


def _fill(falling: list[int], rising: list[int], following: list[int], *, first: int, room: int) -> list[int]:
    taken: list[int] = []
    at, end = first, len(falling)
    while at < end:
        size = falling[at]
        if size > room:
            at = _next_left(following, bisect_left(rising, -room, lo=at))
            continue
        taken.append(at)
        room -= size
        following[at] = at + 1
        at = _next_left(following, at + 1)
    return taken


def _next_left(following: list[int], at: int) -> int:
    while following[at] != at:
        following[at] = following[following[at]]
        at = following[at]
    return at
