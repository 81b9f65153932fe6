"""Run the preset `artemis` on a table without a time in its partitions: one mission gets a commit every 30 seconds.

Such a partition never ends and its writer never pauses, so it is rewritten beside the writer. Three other missions get
a commit every ten minutes. Another writer deletes rows, or a whole file, of any mission at random moments, so that some
rewrites lose a race. Without the preset's quiet hours.

Checked: small files of a mission are at most those that its commits added during the seal and until the next run could
start and end; rewrites write at most `MOST_AMPLIFICATION` bytes for each byte of the writers; no row is lost.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from bench.fleet.artemis import AVAILABLE, MB, SMALL_BYTES, slow_upkeep
from bench.fleet.tables import as_table, count, size
from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import TableRef
from tests.simulation.lake import ModelTable
from tests.simulation.world import World

COMMIT_SECONDS = 30.0
OTHERS_SECONDS = 600.0
MISSIONS: Final = tuple(f'{{"mission":"{name}"}}' for name in ("busy", "second", "third", "fourth"))
MOST_FILES = 4
"""Files of a commit, 1 to this number, of 1 to 2 MB each."""
INTERVAL_SECONDS = 600
"""The shortest time between two runs, `schedule.min_interval`."""
LOST_SECONDS = 300
"""The cool-down of a partition after a race that it lost."""
MOST_AMPLIFICATION = 2.5


@dataclass(frozen=True, slots=True)
class Plan:
    """The extent of a scenario.

    `available`: bytes per second, of which the preset takes 30 %. `changes`: seconds between changes of the other
    writer.
    """

    hours: float
    seal_minutes: int = 60
    available: int = AVAILABLE
    changes: float = 60.0

    @property
    def most_small(self) -> int:
        """How many small files of the busy mission may wait, with a fifth more for chance."""
        seconds = 60 * self.seal_minutes + INTERVAL_SECONDS + LOST_SECONDS
        return int(seconds / COMMIT_SECONDS * (1 + MOST_FILES) / 2 * 1.2)


FULL: Final = Plan(hours=12)


@dataclass(slots=True)
class Missions:
    """The result: small files of the busy mission and of the whole table at each look, bytes, and runs that ended."""

    plan: Plan
    small: list[int] = field(default_factory=list)
    small_in_all: list[int] = field(default_factory=list)
    written: int = 0
    rewritten: int = 0
    runs: list[Run] = field(default_factory=list)
    lost_rows: int = 0

    @property
    def amplification(self) -> float:
        """Bytes that rewrites wrote for each byte of the writers."""
        return self.rewritten / max(1, self.written)

    @property
    def longest_seconds(self) -> float:
        """Seconds of the longest run at work."""
        return max((float(each.result.document["seconds"]) for each in self.succeeded), default=0.0)

    @property
    def succeeded(self) -> list[Run]:
        """The runs that rewrote something."""
        return [each for each in self.runs if each.state is RunState.SUCCEEDED]

    @property
    def groups(self) -> tuple[int, int]:
        """File groups that runs committed, and that they lost to the other writer."""
        races = [each.result.races for each in self.runs]
        committed = sum(each.result.document.get("groups_committed", 0) for each in self.runs)
        return committed, sum(each.groups_lost for each in races)

    def broken(self) -> list[str]:
        """Return in words each bound that does not hold."""
        bounds = (
            ("small files of the busy mission", max(self.small), self.plan.most_small),
            ("bytes rewritten for each byte written", self.amplification, MOST_AMPLIFICATION),
            ("rows lost or duplicated", self.lost_rows, 0),
        )
        return [f"{value:.1f} {what}, at most {most:g}" for what, value, most in bounds if value > most]


async def missions(world: World, plan: Plan) -> Missions:
    """Run the scenario."""
    slow_upkeep()
    await world.add_catalog("lake")
    model = world.lake.table(TableRef("lake", ("lake",), "missions"))
    found = Missions(plan)
    writers = [
        asyncio.create_task(_append(world, model, found, MISSIONS[:1], COMMIT_SECONDS)),
        asyncio.create_task(_append(world, model, found, MISSIONS[1:], OTHERS_SECONDS)),
        asyncio.create_task(_change(world, model, plan.changes)),
    ]
    await asyncio.sleep(1.5 * OTHERS_SECONDS)
    table = await world.api.tables.register(SYSTEM, model.ref, owner_team=None, labels={})
    limits, seal = {"available_bandwidth": plan.available}, {"after": f"{plan.seal_minutes}m"}
    await world.set_policy(table.id, {"preset": "artemis", "limits": limits, "seal": seal, "quiet_hours": []})
    running = [world.start("coordinator", "leader"), world.start("worker", "hands")]
    for _ in range(round(plan.hours * 60)):
        await asyncio.sleep(60)
        small = [each.partition for each in model.files.values() if each.file_bytes < SMALL_BYTES]
        found.small.append(small.count(MISSIONS[0]))
        found.small_in_all.append(len(small))
    for writer in writers:
        writer.cancel()
    for each in running:
        await world.stop(each)
    async with world.api.database.read() as unit:
        found.runs = [each for each in await unit.runs.list(table_id=table.id, limit=1000) if each.is_terminal]
    _judge(model, found)
    return found


def report(found: Missions) -> str:
    """Return the table of results."""
    rows = [
        ("small files of the mission with a commit every 30 s, at most and at the end", _ends(found.small)),
        ("small files in all, at most and at the end", _ends(found.small_in_all)),
        ("files that its commits add in an hour", count(round(3600 / COMMIT_SECONDS * (1 + MOST_FILES) / 2))),
        ("runs, and seconds of the longest", f"{len(found.succeeded)}, {found.longest_seconds:.0f}"),
        ("file groups committed, and lost to another writer", "{}, {}".format(*found.groups)),
        ("bytes written, and rewritten for each of them", f"{size(found.written)}, {found.amplification:.2f}"),
        ("rows lost or duplicated", f"{found.lost_rows}"),
        ("broken bounds", "; ".join(found.broken()) or "none"),
    ]
    return as_table(
        f"**Missions without a time, {found.plan.hours:g} h, sealed after {found.plan.seal_minutes} min**",
        ("figure", "found"),
        rows,
    )


async def _append(
    world: World, model: ModelTable, found: Missions, partitions: tuple[str, ...], seconds: float
) -> None:
    while True:
        for partition in partitions:
            sizes = [world.random.randint(MB, 2 * MB) for _ in range(world.random.randint(1, MOST_FILES))]
            model.append(partition, sizes)
            found.written += sum(sizes)
        await asyncio.sleep(seconds)


async def _change(world: World, model: ModelTable, seconds: float) -> None:
    while True:
        await asyncio.sleep(world.random.expovariate(1 / seconds))
        path = world.random.choice(sorted(model.files))
        rows = sorted(model.files[path].live_rows)
        if world.random.random() < 1 / 2 or len(rows) < 2:
            model.delete_files([path])
        else:
            model.delete_rows(path, frozenset(rows[:1]))


def _judge(model: ModelTable, found: Missions) -> None:
    found.rewritten = sum(file.file_bytes for each in model.snapshots if each.run_id for file in each.added)
    live = [row for each in model.files.values() for row in each.live_rows]
    found.lost_rows = abs(len(live) - len(model.expected)) + len(model.expected ^ set(live))


def _ends(counts: list[int]) -> str:
    return f"{count(max(counts))}, {count(counts[-1])}"
