"""Hot partitions: those whose file groups lost races to other writers, and have not won one since.

Each loss in a row lets a partition cool down for twice as long, and halves its file groups: a smaller group is read,
written and committed sooner, so that less can happen meanwhile. A win forgets both.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Self, TypeAlias

from engine.domain.ids import RunId

FIRST_COOL_DOWN: Final = timedelta(minutes=5)
LONGEST_COOL_DOWN: Final = timedelta(hours=6)
LEAST_GROUP_BYTES: Final = 64 * 2**20
_MOST_HALVINGS: Final = 20
_BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)

LOST_RACES: Final = frozenset({"source_gone", "new_deletes", "deletes_gone", "table_changed", "dropped_in_commit"})
"""Reasons of dropped groups that other writers made useless; all other reasons are faults or wishes of our own."""

Place: TypeAlias = tuple[int, str]
"""A partition: the id of its spec, and its canonical JSON."""


@dataclass(frozen=True, slots=True)
class LostGroup:
    """A file group that lost a race; `wasted_bytes`: of outputs that were written in vain."""

    ordinal: int
    place: Place
    reason: str
    wasted_bytes: int


@dataclass(frozen=True, slots=True)
class HotPartition:
    """A partition that lost `losses` races in a row (those of one attempt count once), the last one at `lost_at`.

    `wasted_bytes`: of all of them. `run_id`, `attempt`: whose groups lost last.
    """

    place: Place
    losses: int
    lost_at: datetime
    cools_until: datetime
    wasted_bytes: int
    reason: str
    run_id: RunId
    attempt: int

    def group_bytes(self, usual: int, *, least: int) -> int:
        """Return how large its file groups may be: half of the usual for each loss, not below `least` and 64 MiB."""
        return max(min(usual, max(least, LEAST_GROUP_BYTES)), usual >> min(self.losses, _MOST_HALVINGS))


def cool_down(losses: int) -> timedelta:
    """Return for how long a partition is left alone after so many losses in a row."""
    return min(LONGEST_COOL_DOWN, FIRST_COOL_DOWN * (1 << min(losses - 1, _MOST_HALVINGS)))


@dataclass(frozen=True, slots=True)
class HotPartitions:
    """The hot partitions of a table at one instant."""

    now: datetime = _BEFORE_ALL
    by_place: Mapping[Place, HotPartition] = field(default_factory=dict)

    @classmethod
    def at(cls, now: datetime, partitions: Iterable[HotPartition]) -> Self:
        """Return partitions as they are at an instant."""
        return cls(now, {each.place: each for each in partitions})

    @property
    def cooling(self) -> list[HotPartition]:
        """Those that cool down now, the one that does longest first."""
        found = [each for each in self.by_place.values() if each.cools_until > self.now]
        return sorted(found, key=lambda each: (each.cools_until, each.place), reverse=True)

    def cooling_until(self, place: Place) -> datetime | None:
        """Return until when a partition cools down; None when it does not."""
        found = self.by_place.get(place)
        return None if found is None or found.cools_until <= self.now else found.cools_until

    def group_bytes(self, place: Place, usual: int, *, least: int) -> int:
        """Return how large file groups of a partition may be, see `HotPartition.group_bytes`."""
        found = self.by_place.get(place)
        return usual if found is None else found.group_bytes(usual, least=least)

    def let_in(self, places: AbstractSet[Place] | None = None) -> Self:
        """Return them with these (None: all) cooling no longer; their file groups stay small."""
        warm = {
            place: replace(each, cools_until=each.lost_at) if places is None or place in places else each
            for place, each in self.by_place.items()
        }
        return replace(self, by_place=warm)


NONE_HOT: Final = HotPartitions()
