"""Run the preset `artemis` on two years of small files, a commit every 30 seconds, and analysts in the daytime.

Scaled down: `partitions` of the 40,000, each with 50 files of 18 MB (two million files in all); writers, hours, share
and sizes are those of the archive (8 to 15 files a commit, of 1 to 2 MB). It begins at 08:00 UTC. Where no activity is
expected (from ten minutes after nine, and in the evening) writers commit every ten minutes, as many files in total.

Checked: bytes over any ten seconds, at most four groups at once, no group started between nine and five and none active
longer than the longest group, half the rate while queries are slow and no bytes while they are very slow; no small file
of the backlog is left at the end, and a day is rewritten once it is sealed.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import numpy as np

from bench.fleet.long_table import LongTable
from bench.fleet.tables import as_table, count, size
from engine.domain.access.callers import SYSTEM
from engine.domain.tables.signals import QueryLatency, SignalKind
from engine.workers import coordinator
from tests.simulation.loop import EPOCH, START
from tests.simulation.world import World

MB = 1_000_000
FILES_EACH = 50
FILE_BYTES = 18 * MB
AVAILABLE = 200 * MB
LIMIT = 0.3 * AVAILABLE
PARALLEL_GROUPS = 4
SMALL_BYTES = 32 * MB
NINE, FIVE = 9.0, 17.0
SLOW_SECONDS, VERY_SLOW_SECONDS, FAST_SECONDS = 3.0, 6.0, 0.5
HEARD_WITHIN = 15.0
"""Seconds until a signal takes effect: a run reads it at its next heartbeat, its tasks at their next report."""
LONGEST_GROUP_SECONDS: Final = 2 * FILES_EACH * FILE_BYTES / (LIMIT / PARALLEL_GROUPS) * 1.3
UPKEEP: Final = {"RELAY_SECONDS": 5.0, "REAP_SECONDS": 10.0, "SWEEP_SECONDS": 10.0, "SEAL_SECONDS": 60.0}
"""Longer intervals of the coordinator's periodic work: they determine the cost of days of virtual time."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The extent of a scenario, in hours of the day (above 24: of the next day).

    No process and no writer runs in the hours `asleep`. Queries are slow for `phase` seconds, and then very slow for as
    long; a signal is valid for five minutes.
    """

    partitions: int
    begins: float
    watched: tuple[tuple[float, float], ...]
    slow: float
    phase: float
    ends: float
    asleep: tuple[tuple[float, float], ...] = ()


FULL = Plan(
    partitions=300,
    begins=8.0,
    watched=((8.0, 9.2), (16.9, 20.0), (24.9, 26.5)),
    slow=17.2,
    phase=240.0,
    ends=26.5,
)
SMALL = Plan(
    partitions=14,
    begins=8.92,
    watched=((8.92, 9.03), (16.99, 17.2), (24.98, 25.1)),
    slow=17.01,
    phase=40.0,
    ends=25.1,
    asleep=((9.02, 16.99), (17.19, 24.98)),
)


@dataclass(slots=True)
class Archive:
    """The result, by hour of the day."""

    plan: Plan
    model: LongTable
    rates: list[tuple[float, float]] = field(default_factory=list)
    backlog: list[tuple[float, int]] = field(default_factory=list)
    small: list[tuple[float, int]] = field(default_factory=list)
    most_groups: int = 0
    quiet_bytes: int = 0
    quiet_begun: int = 0
    slow_rate: float = 0.0
    paused_bytes: int = 0
    rewritten: int = 0
    lost_rows: int = 0
    commits: int = 0

    @property
    def top_rate(self) -> float:
        """The highest rate over any ten seconds, as a part of the limit."""
        return max((rate for _, rate in self.rates), default=0.0) / LIMIT

    @property
    def gone_at(self) -> float | None:
        """The hour at which no small file of the backlog was left; None: some are."""
        return next((hour for hour, files in self.backlog if not files), None)

    def broken(self) -> list[str]:
        """Return in words each bound that does not hold."""
        bounds = (
            ("% of the limit in ten seconds", 100 * self.top_rate, 105),
            ("groups at once", self.most_groups, PARALLEL_GROUPS),
            ("groups begun in quiet hours", self.quiet_begun, 0),
            ("bytes in quiet hours after the last group in flight", self.quiet_bytes, 0),
            ("% of the limit while queries were slow", 100 * self.slow_rate / LIMIT, 52.5),
            ("bytes while queries were very slow", self.paused_bytes, 0),
            ("rows lost or duplicated", self.lost_rows, 0),
            ("files of the backlog left", self.backlog[-1][1], 0),
        )
        return [f"{value:.1f} {what}, at most {most:g}" for what, value, most in bounds if value > most]


def slow_upkeep() -> None:
    """Give the coordinator's periodic work the intervals of `UPKEEP`."""
    for name, seconds in UPKEEP.items():
        setattr(coordinator, name, seconds)


async def artemis(world: World, plan: Plan) -> Archive:
    """Run the scenario. It starts the worker and the coordinator when the plan begins."""
    slow_upkeep()
    await world.add_catalog("lake")
    model = LongTable(world, "lake", "archive")
    for day in range(plan.partitions):
        model.append(_partition(-1 - day), [FILE_BYTES] * FILES_EACH)
    table = await world.api.tables.register(SYSTEM, model.ref, owner_team=None, labels={})
    await world.set_policy(table.id, {"preset": "artemis", "limits": {"available_bandwidth": AVAILABLE}})
    await _until(world, plan.begins)
    found = Archive(plan, model)
    others = [asyncio.create_task(each) for each in (_write(world, model, plan, found), _slow_down(world, plan))]
    running = [world.start("coordinator", "leader"), world.start("worker", "hands")]
    while _hour(world) < plan.ends:
        await asyncio.sleep(30 if _is_watched(plan, _hour(world)) else 600)
        _count(world, model, found)
        if (wakes := _wakes(plan, _hour(world))) is not None:
            for each in running:
                await world.stop(each)
            await _until(world, wakes)
            running = [world.start("coordinator", f"leader from {wakes:g}"), world.start("worker", f"hands {wakes:g}")]
    for other in others:
        other.cancel()
    judge(world, found)
    return found


def report(found: Archive) -> str:
    """Return the table of results."""
    plan = found.plan
    files = plan.partitions * FILES_EACH
    rows = [
        (
            "backlog at the beginning",
            f"{count(files)} files, {size(files * FILE_BYTES)} in {plan.partitions} partitions",
        ),
        ("backlog gone", "never" if found.gone_at is None else f"at {_clock(found.gone_at)}"),
        ("small files in sealed partitions, at most and at the end", _falls(found.backlog)),
        ("small files in all, at most and at the end", _falls(found.small)),
        ("commits of writers", count(found.commits)),
        ("bytes rewritten", size(found.rewritten)),
        ("most of any 10 s", f"{100 * found.top_rate:.1f} % of {LIMIT / MB:.0f} MB/s"),
        ("most groups at once", f"{found.most_groups}"),
        ("groups begun from 09:00 to 17:00", f"{found.quiet_begun}"),
        ("bytes from 09:00 to 17:00 after those in flight", f"{found.quiet_bytes}"),
        ("most of any 10 s while queries took 3 s", f"{100 * found.slow_rate / LIMIT:.1f} % of the limit"),
        ("bytes while queries took 6 s", f"{found.paused_bytes}"),
        ("rows lost or duplicated", f"{found.lost_rows}"),
        ("broken bounds", "; ".join(found.broken()) or "none"),
    ]
    title = f"**Artemis, 1/{40_000 // plan.partitions} of its partitions, {plan.begins:g} h to {plan.ends:g} h**"
    return as_table(title, ("figure", "found"), rows)


async def _write(world: World, model: LongTable, plan: Plan, found: Archive) -> None:
    while True:
        is_watched = _is_watched(plan, _hour(world))
        await asyncio.sleep(30 if is_watched else 600)
        if _wakes(plan, _hour(world)) is not None:
            continue
        files = sum(world.random.randint(8, 15) for _ in range(1 if is_watched else 20))
        sizes = [world.random.randint(MB, 2 * MB) for _ in range(files)]
        model.append(_partition(int(_hour(world) // 24)), sizes)
        found.commits += 1 if is_watched else 20


async def _slow_down(world: World, plan: Plan) -> None:
    """Report slow queries, then very slow ones, then fast ones, each for some minutes."""
    for number, seconds in enumerate((SLOW_SECONDS, VERY_SLOW_SECONDS, FAST_SECONDS)):
        await _until(world, plan.slow + number * plan.phase / 3600)
        value = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=seconds)
        await world.api.signals.send(SYSTEM, None, value)


def _count(world: World, model: LongTable, found: Archive) -> None:
    hour = _hour(world)
    sealed = {_partition(day) for day in range(-found.plan.partitions, int((hour - 1) // 24))}
    small = [each.partition in sealed for each in model.files.values() if each.file_bytes < SMALL_BYTES]
    found.backlog.append((hour, sum(small)))
    found.small.append((hour, len(small)))


def judge(world: World, found: Archive) -> None:
    """Compute the measured rates and counts from every transfer and operation of the world."""
    model = found.model
    moves = sorted(world.spark.moves, key=lambda move: move.at)
    times = np.array([move.at for move in moves])
    sums = np.concatenate([[0], np.cumsum([move.count for move in moves])])
    rates = (sums[np.searchsorted(times, times + 10)] - sums[np.arange(len(times))]) / 10
    hours = (times - START) / 3600 + EPOCH.hour
    found.rates = list(zip(hours.tolist(), rates.tolist(), strict=True))
    slow, very, fast = (found.plan.slow + number * found.plan.phase / 3600 for number in range(3))
    heard = HEARD_WITHIN / 3600
    found.slow_rate = float(rates[(hours > slow + heard) & (hours < very - 10 / 3600)].max(initial=0))
    counts = np.diff(sums)
    found.paused_bytes = int(counts[(hours > very + heard) & (hours < fast)].sum())
    late = LONGEST_GROUP_SECONDS / 3600
    found.quiet_bytes = int(counts[(hours % 24 > NINE + late) & (hours % 24 < FIVE)].sum())
    begun = [(each.began - START) / 3600 + EPOCH.hour for each in world.spark.operations]
    found.quiet_begun = sum(NINE + 0.05 / 3600 < hour % 24 < FIVE for hour in begun)
    found.most_groups = max(_at_once(world), default=0)
    found.rewritten = int(
        sum(len(each.removed) and sum(f.file_bytes for f in each.removed) for each in model.snapshots)
    )
    live = [row for each in model.files.values() for row in each.live_rows]
    found.lost_rows = abs(len(live) - len(model.expected)) + len(model.expected - set(live))


def _at_once(world: World) -> Iterator[int]:
    steps = []
    for each in world.spark.operations:
        ends = [at for at in (each.ended, each.killed_at) if at is not None]
        steps += [(each.began, 1), (min(ends, default=np.inf), -1)]
    alive = 0
    for _, by in sorted(steps):
        alive += by
        yield alive


async def _until(world: World, hour: float) -> None:
    seconds = START + (hour - EPOCH.hour) * 3600 - world.loop.time()
    if seconds > 0:
        await asyncio.sleep(seconds)


def _is_watched(plan: Plan, hour: float) -> bool:
    return any(start <= hour < end for start, end in plan.watched)


def _wakes(plan: Plan, hour: float) -> float | None:
    """Return the hour at which the processes start again, None while they run."""
    return next((end for start, end in plan.asleep if start <= hour < end), None)


def _hour(world: World) -> float:
    return EPOCH.hour + (world.loop.time() - START) / 3600


def _partition(day: int) -> str:
    """Return the partition of a day, 0 for the first; its text sorts and parses like a partition of Iceberg."""
    return f'{{"day":"{EPOCH.date() + timedelta(days=day)}"}}'


def _falls(counted: list[tuple[float, int]]) -> str:
    return f"{count(max(files for _, files in counted))}, {count(counted[-1][1])}"


def _clock(hour: float) -> str:
    return f"{int(hour) % 24:02d}:{int(hour % 1 * 60):02d}"
