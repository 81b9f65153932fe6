"""Write histories of single tables for `replays`: instant, partition and size of each file, for some days.

All are seeded. File sizes are log-normal around the size that each history names (sigma 0.5). Assumptions:

- `hourly`: a stream into hourly partitions, a commit each minute of one file around 1.5 MiB: 90 MiB an hour.
- `hourly, tiny`: hourly partitions, a commit each five minutes of one file around 4 kB.
- `daily`: a stream into daily partitions, a commit each minute of one file around 100 kB: 140 MB a day.
- `daily, large`: daily partitions, a commit each ten minutes of four files around 8 MiB: 4.5 GiB a day.
- `one partition`: no partitions, a commit each minute of one file around 500 kB.
- `sparse`: 3,000 partitions by customer; each ten minutes ten of them get a file around 1 MB, some more often than
  others.
- `late`: daily partitions, a commit each five minutes around 1 MiB; each tenth file is of a day before, the day
  exponentially distributed (mean three days), and around 100 kB. The 30 days before exist, each as one file of
  200 MiB.
- `mixed`: `hourly` in two regions, one of them a tenth as busy; a load of 400 files around 1 MiB each night into eight
  partitions of their own; and each 15 minutes one late file around 100 kB, hours back (exponential, mean 12 hours).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

import numpy as np

from bench.fleet.population import MIB, Floats, Ints
from engine.domain.values.partitions import TimeUnit, time_value
from engine.planning.measures.digest import PartitionTime

KB: Final = 1000
MINUTE, HOUR, DAY = 60.0, 3600.0, 86_400.0
BEGIN: Final = datetime(2026, 11, 2, tzinfo=UTC)
"""A Monday: the instant from which a history's seconds count."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_SIGMA: Final = 0.5


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Files in order of arrival: seconds since `BEGIN`, index of their partition, bytes."""

    at: Floats
    partition: Ints
    bytes: Ints


@dataclass(frozen=True, slots=True)
class History:
    """The writes of a table. `before`: files that exist at the beginning; they do not count as ingested."""

    name: str
    partitions: tuple[str, ...]
    arrivals: Arrivals
    before: Arrivals
    times: Mapping[int, PartitionTime] = field(default_factory=dict)


@dataclass(slots=True)
class _Writer:
    """Collects files; partitions are numbered in the order of their first file."""

    random: np.random.Generator
    days: float
    at: list[float] = field(default_factory=list)
    partition: list[int] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)
    places: dict[str, int] = field(default_factory=dict)

    def add(self, at: float, partition: str, around: float, *, sigma: float = _SIGMA) -> None:
        self.at.append(at)
        self.partition.append(self.places.setdefault(partition, len(self.places)))
        self.bytes.append(max(1000, int(self.random.lognormal(np.log(around), sigma))))

    def every(self, seconds: float) -> list[float]:
        """Return the instants of commits, each moved by up to a tenth of the distance."""
        count = int(self.days * DAY / seconds)
        return [seconds * (at + 0.1 * self.random.random()) for at in range(count)]

    def arrivals(self) -> Arrivals:
        order = np.argsort(np.array(self.at), kind="stable")
        return Arrivals(
            np.array(self.at, np.float64)[order],
            np.array(self.partition, np.int64)[order],
            np.array(self.bytes, np.int64)[order],
        )


def _hour(at: float, region: str = "") -> str:
    hour = time_value(int((BEGIN - _EPOCH).total_seconds() + at) // 3600, TimeUnit.HOUR)
    return f'{{"at_hour":"{hour}"}}' if not region else f'{{"at_hour":"{hour}","region":"{region}"}}'


def _day(at: float) -> str:
    return f'{{"at_day":"{(BEGIN + timedelta(seconds=at)).date().isoformat()}"}}'


def _hourly(writer: _Writer) -> None:
    for at in writer.every(MINUTE):
        writer.add(at, _hour(at), 1.5 * MIB)


def _hourly_tiny(writer: _Writer) -> None:
    for at in writer.every(5 * MINUTE):
        writer.add(at, _hour(at), 4 * KB)


def _daily(writer: _Writer) -> None:
    for at in writer.every(MINUTE):
        writer.add(at, _day(at), 100 * KB)


def _daily_large(writer: _Writer) -> None:
    for at in writer.every(10 * MINUTE):
        for _ in range(4):
            writer.add(at, _day(at), 8 * MIB)


def _one_partition(writer: _Writer) -> None:
    for at in writer.every(MINUTE):
        writer.add(at, "{}", 500 * KB)


def _sparse(writer: _Writer) -> None:
    customers = 3000
    weights = 1 / np.sqrt(np.arange(1, customers + 1))
    for at in writer.every(10 * MINUTE):
        for customer in writer.random.choice(customers, size=10, p=weights / weights.sum()).tolist():
            writer.add(at, f'{{"customer":{customer}}}', 1000 * KB)


def _late(writer: _Writer) -> None:
    for at in writer.every(5 * MINUTE):
        writer.add(at, _day(at), MIB)
        if writer.random.random() < 1 / 9:
            writer.add(at, _day(at - DAY * (1 + writer.random.exponential(3))), 100 * KB)


def _mixed(writer: _Writer) -> None:
    for at in writer.every(MINUTE):
        writer.add(at, _hour(at, "north"), 1.5 * MIB)
        if writer.random.random() < 0.1:
            writer.add(at, _hour(at, "south"), 1.5 * MIB)
    for at in writer.every(15 * MINUTE):
        writer.add(at, _hour(at - writer.random.exponential(12 * HOUR), "north"), 100 * KB)
    for at in writer.every(DAY):
        for load in range(400):
            writer.add(at, _hour(at, f"load {load % 8}"), MIB)


_HOURS: Final = {0: PartitionTime("at_hour", TimeUnit.HOUR)}
_DAYS: Final = {0: PartitionTime("at_day", TimeUnit.DAY)}
_WRITERS: Final[Mapping[str, tuple[Callable[[_Writer], None], Mapping[int, PartitionTime]]]] = {
    "hourly": (_hourly, _HOURS),
    "hourly, tiny": (_hourly_tiny, _HOURS),
    "daily": (_daily, _DAYS),
    "daily, large": (_daily_large, _DAYS),
    "one partition": (_one_partition, {}),
    "sparse": (_sparse, {}),
    "late": (_late, _DAYS),
    "mixed": (_mixed, _HOURS),
}
NAMES: Final = tuple(_WRITERS)


def history(name: str, *, days: float, seed: int) -> History:
    """Return one of `NAMES` over some days."""
    write, times = _WRITERS[name]
    writer = _Writer(np.random.default_rng(seed), days)
    before = _Writer(np.random.default_rng(seed), days, places=writer.places)
    if name == "late":
        for day in range(1, 31):
            before.add(-day * DAY, _day(-day * DAY), 200 * MIB, sigma=0)
    write(writer)
    return History(name, tuple(writer.places), writer.arrivals(), before.arrivals(), times)
