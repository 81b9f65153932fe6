"""The file groups that wait for a lane, in bundles, and which of them may begin before a window.

Tiny groups are sent in bundles (one task rewrites them in turn) so that ten thousand small partitions do not cost ten
thousand round trips. Before a window in which the run has to stop, only bundles or parts of one may begin that may end
in time according to measurements (`lane_times`).
"""

from collections import deque
from collections.abc import Collection, Sequence

from engine.domain.runs.plans import FileGroup
from engine.services.operations.tasks.lane_times import LaneTimes
from engine.services.runs.holds import WindowGap

LEAST_BUNDLE_BYTES = 4 * 2**20
MOST_BUNDLE_BYTES = 64 * 2**20
BUNDLES_PER_LANE = 4
BUNDLE_GROUPS = 32


class WaitingGroups:
    """The groups of an attempt that no lane has taken."""

    def __init__(self, groups: Sequence[FileGroup], lanes: int, times: LaneTimes) -> None:
        self._bundles = deque(bundles(groups, lanes))
        self._times = times

    def __len__(self) -> int:
        return len(self._bundles)

    @property
    def groups(self) -> Sequence[FileGroup]:
        """The groups, in the order in which lanes take them."""
        return [group for bundle in self._bundles for group in bundle]

    def put_back(self, group: FileGroup) -> None:
        """Add a group again, at the end and alone."""
        self._bundles.append((group,))

    def remove(self, ordinals: Collection[int]) -> Sequence[FileGroup]:
        """Remove groups by ordinal; return those that were waiting."""
        removed = [group for group in self.groups if group.ordinal in ordinals]
        kept = (tuple(group for group in bundle if group.ordinal not in ordinals) for bundle in self._bundles)
        self._bundles = deque(bundle for bundle in kept if bundle)
        return removed

    def take(self, room: WindowGap) -> tuple[FileGroup, ...]:
        """Remove and return the first bundle that may begin now, otherwise the part of one that may; () if none may.

        A group that never fits between two windows begins right after one, alone.
        """
        for part_of in (self._whole, self._fitting, self._overrunning):
            for at, bundle in enumerate(self._bundles):
                if part := part_of(bundle, room):
                    del self._bundles[at]
                    if rest := tuple(group for group in bundle if group not in part):
                        self._bundles.insert(at, rest)
                    return part
        return ()

    def why_not(self, room: WindowGap) -> str:
        """Return which estimate keeps the waiting groups from being sent, and its basis."""
        shortest = min(self._times.seconds([group]) for group in self.groups)
        return shortest_left(len(self.groups), shortest, self._times.evidence, room)

    def _fits(self, groups: Sequence[FileGroup], room: WindowGap) -> bool:
        seconds = self._times.least_seconds(groups)
        return room.admits(seconds) and not room.never_fits(seconds)

    def _whole(self, bundle: tuple[FileGroup, ...], room: WindowGap) -> tuple[FileGroup, ...]:
        return bundle if self._fits(bundle, room) else ()

    def _fitting(self, bundle: tuple[FileGroup, ...], room: WindowGap) -> tuple[FileGroup, ...]:
        """Return the groups of a bundle that fit together, the largest first."""
        part: list[FileGroup] = []
        for group in bundle:
            if self._fits([*part, group], room):
                part.append(group)
        return tuple(part)

    def _overrunning(self, bundle: tuple[FileGroup, ...], room: WindowGap) -> tuple[FileGroup, ...]:
        """Return the first group of a bundle if it may run into a window because it fits nowhere."""
        return bundle[:1] if room.admits(self._times.least_seconds(bundle[:1])) else ()


def shortest_left(count: int, seconds: float, evidence: str, room: WindowGap) -> str:
    """Return in words why none of the remaining groups is sent before a window."""
    left = "the group left" if count == 1 else f"the shortest of {count} groups left"
    return f"{left} needs about {seconds:.0f} s ({evidence}), and {room.seconds or 0:.0f} s remain"


def bundles(groups: Sequence[FileGroup], lanes: int) -> list[tuple[FileGroup, ...]]:
    """Bundle tiny groups, most level 0 first, then largest first; several bundles for each lane, to end together."""
    fair = sum(group.input_bytes for group in groups) // (BUNDLES_PER_LANE * lanes)
    room = min(MOST_BUNDLE_BYTES, max(LEAST_BUNDLE_BYTES, fair))
    made: list[tuple[FileGroup, ...]] = []
    held: list[FileGroup] = []
    size = 0
    for group in sorted(groups, key=lambda group: (-group.level0_file_count, -group.input_bytes, group.ordinal)):
        if held and (size + group.input_bytes > room or len(held) >= BUNDLE_GROUPS):
            made.append(tuple(held))
            held, size = [], 0
        held.append(group)
        size += group.input_bytes
    return [*made, tuple(held)] if held else made
