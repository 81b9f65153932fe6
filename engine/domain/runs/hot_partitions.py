"""Hot partitions: partitions whose file groups lost commits to other writers, without a successful commit since.

Each consecutive loss doubles the cool-down of the partition and halves its file groups: a smaller group is read,
written and committed sooner, so that fewer conflicts can occur. A successful commit resets both.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Self, TypeAlias

from engine.domain.ids import RunId
from engine.domain.runs.drops import Loss

FIRST_COOL_DOWN: Final = timedelta(minutes=5)
LONGEST_COOL_DOWN: Final = timedelta(hours=6)
LEAST_GROUP_BYTES: Final = 64 * 2**20
_MOST_HALVINGS: Final = 20
_BEFORE_ALL: Final = datetime.min.replace(tzinfo=UTC)

Place: TypeAlias = tuple[int, str]
"""A partition: the id of its spec, and its canonical JSON."""


@dataclass(frozen=True, slots=True)
class LostGroup:
    """A file group that lost a race; `wasted_bytes`: bytes of its outputs, which were written without effect."""

    ordinal: int
    place: Place
    reason: Loss
    wasted_bytes: int


@dataclass(frozen=True, slots=True)
class HotPartition:
    """A partition that lost `losses` races in a row (those of one attempt count once), the last one at `lost_at`.

    `wasted_bytes`: sum over these races. `run_id`, `attempt`: the attempt whose groups lost last.
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
        """Return the size limit of its file groups: `usual` halved once per loss, not below `least` and 64 MiB."""
        return max(min(usual, max(least, LEAST_GROUP_BYTES)), usual >> min(self.losses, _MOST_HALVINGS))


def cool_down(losses: int) -> timedelta:
    """Return the cool-down of a partition after this number of consecutive losses."""
    return min(LONGEST_COOL_DOWN, FIRST_COOL_DOWN * (1 << min(losses - 1, _MOST_HALVINGS)))


@dataclass(frozen=True, slots=True)
class HotPartitions:
    """The hot partitions of a table at one instant."""

    now: datetime = _BEFORE_ALL
    by_place: Mapping[Place, HotPartition] = field(default_factory=dict)

    @classmethod
    def at(cls, now: datetime, partitions: Iterable[HotPartition]) -> Self:
        """Return the state of these partitions at an instant."""
        return cls(now, {each.place: each for each in partitions})

    @property
    def cooling(self) -> list[HotPartition]:
        """The partitions that are cooling down now, the longest remaining time first."""
        found = [each for each in self.by_place.values() if each.cools_until > self.now]
        return sorted(found, key=lambda each: (each.cools_until, each.place), reverse=True)

    def cooling_until(self, place: Place) -> datetime | None:
        """Return the end of a partition's cool-down; None when it is not cooling down."""
        found = self.by_place.get(place)
        return None if found is None or found.cools_until <= self.now else found.cools_until

    def group_bytes(self, place: Place, usual: int, *, least: int) -> int:
        """Return the size limit of file groups of a partition, see `HotPartition.group_bytes`."""
        found = self.by_place.get(place)
        return usual if found is None else found.group_bytes(usual, least=least)

    def without_cool_down(self, places: AbstractSet[Place] | None = None) -> Self:
        """Return them without the cool-down of these partitions (None: all); their file groups stay small."""
        warm = {
            place: replace(each, cools_until=each.lost_at) if places is None or place in places else each
            for place, each in self.by_place.items()
        }
        return replace(self, by_place=warm)


NONE_HOT: Final = HotPartitions()
