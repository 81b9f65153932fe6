"""Make every table due while no coordinator runs, then start one: a storm (fault F24 in docs/contributing/register.md).

The coordinator, its watch, the evaluation, the submits and the claims are the real code on a real database. Runs are
executed by stand-ins that claim like workers and end each run after five seconds. Each second, the numbers of looks and
of held runs are read from the database.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import func, select

from bench.fleet.tables import as_table, count
from engine.domain.ids import TableId
from engine.domain.runs.run import Operation, RunState
from engine.domain.tables.table import Table, TableRef
from engine.formats.base import SnapshotKind
from engine.services.runs.claims import ClaimService
from engine.stores.schema.core import runs
from engine.stores.schema.watching import watches
from engine.stores.watching.watches import LOOKS_PER_SECOND, RAMP_SECONDS
from tests.simulation.lake import ModelTable, Snapshot
from tests.simulation.world import World

MIB = 2**20
RUN_SECONDS = 5.0
AWAY_SECONDS = 3600.0
MORE_HANDS = 2
"""Stand-ins in excess of `parallel_runs`, so that the limit holds runs back."""
LEADING_SECONDS = 30.0
"""A new leader takes over within 15 seconds; its first evaluation follows a few seconds later."""


@dataclass(slots=True)
class Stormed:
    """The result: looks and held runs of each second since the coordinator started, waits until runs started."""

    tables: int
    parallel_runs: int
    looks: list[int] = field(default_factory=list)
    held: list[int] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    runs: int = 0
    drained_after: float = float("inf")

    @property
    def window(self) -> int:
        """Seconds over which looks are summed: a sixth of the ramp, which evens out a visit of many tables."""
        return max(1, int(min(RAMP_SECONDS, self.tables / LOOKS_PER_SECOND) / 6))

    @property
    def looks_at_once(self) -> int:
        """The most looks in a window."""
        return max(sum(self.looks[at : at + self.window]) for at in range(len(self.looks)))

    @property
    def most_looks(self) -> float:
        """The limit of a window: two and a half times its even part of the ramp."""
        return 2.5 * self.tables / 6

    @property
    def longest_wait(self) -> float:
        """Seconds until the last run must have started: the ramp, and 1.1 times the time that all runs need."""
        return LEADING_SECONDS + RAMP_SECONDS + 1.1 * self.tables * RUN_SECONDS / self.parallel_runs

    def broken(self) -> list[str]:
        """Return in words each bound that does not hold."""
        bounds = (
            ("looks at once", self.looks_at_once, self.most_looks),
            ("runs held at once", max(self.held), self.parallel_runs),
            ("runs", self.runs, self.tables),
            ("seconds until the last run began", max(self.waits, default=0.0), self.longest_wait),
            ("seconds until all was done", self.drained_after, self.longest_wait + RUN_SECONDS),
        )
        found = [f"{value:.0f} {what}, at most {most:.0f}" for what, value, most in bounds if value > most]
        return found + ([f"{self.runs} runs of {self.tables} tables"] if self.runs < self.tables else [])


async def storm(world: World, *, tables: int, parallel_runs: int) -> Stormed:
    """Make all tables due, start a coordinator and wait until all runs ended."""
    made = await _tables(world, tables)
    await world.set_limits(parallel_runs=parallel_runs)
    await asyncio.sleep(AWAY_SECONDS)
    for table in made:
        table.append('{"day":"2026-11-02"}', [MIB] * 20)
    found = Stormed(tables, parallel_runs)
    hands = [asyncio.create_task(_hand(world, number, found)) for number in range(parallel_runs + MORE_HANDS)]
    world.start("coordinator", "late")
    began = world.loop.time()
    while world.loop.time() < began + found.longest_wait + 60:
        await asyncio.sleep(1)
        await _measure(world, found)
        if found.looks_at_once > found.most_looks:
            break  # the bound is broken already
        if found.runs >= tables and not found.held[-1]:
            found.drained_after = world.loop.time() - began
            break
    for hand in hands:
        hand.cancel()
    return found


def report(results: Sequence[Stormed]) -> str:
    """Return the table of results."""
    rows = [
        (
            f"{each.tables:,}",
            each.parallel_runs,
            f"{each.looks_at_once} in {each.window} s (<= {each.most_looks:.0f})",
            f"{max(each.held)}",
            count(each.runs),
            f"{max(each.waits):.0f} s (<= {each.longest_wait:.0f} s)",
            f"{each.drained_after:.0f} s",
            "; ".join(each.broken()) or "none",
        )
        for each in results
    ]
    head = (
        "tables",
        "parallel_runs",
        "most looks",
        "most runs held",
        "runs",
        "last run began after",
        "all done after",
        "broken bounds",
    )
    return as_table("**All tables become due while the coordinator is away for an hour; runs of 5 s**", head, rows)


async def _tables(world: World, number: int) -> list[ModelTable]:
    """Register tables like a service, but in few transactions."""
    await world.add_catalog("lake")
    made = []
    database = world.api.database
    for first in range(0, number, 500):
        async with database.begin() as unit:
            now = await unit.now()
            for at in range(first, min(number, first + 500)):
                ref = TableRef("lake", ("lake",), f"t{at:05d}")
                made.append(world.lake.table(ref))
                table = Table(TableId(f"tbl_{at:05d}"), ref, made[-1].uuid, made[-1].location, None, now, {})
                await unit.tables.insert(table)
    return made


async def _hand(world: World, number: int, found: Stormed) -> None:
    """Claim and end runs like a worker with one slot."""
    database = world.api.database
    claims = ClaimService(database=database, operations=tuple(Operation), holder=f"hand-{number}", lease_seconds=600)
    began = world.loop.time()
    while True:
        claimed = await claims.claim_next()
        if claimed is None:
            await asyncio.sleep(2)
            continue
        run, lease = claimed
        found.waits.append(world.loop.time() - began)
        await asyncio.sleep(RUN_SECONDS)
        async with database.begin() as unit:
            table = await unit.tables.get(run.table_id)
            if table is None:
                raise LookupError(run.table_id)
            _merge(world.lake.table(table.ref))
            await unit.runs.transition(lease, to=RunState.SUCCEEDED)
        found.runs += 1


def _merge(table: ModelTable) -> None:
    """Replace all files of a table by one."""
    files = tuple(table.files.values())
    path = f"{table.location}/data/merged{len(table.snapshots)}.parquet"
    whole = type(files[0])(path, files[0].partition, 200 * MIB, frozenset(), len(table.snapshots), table.lake.now_ms())
    table.install(Snapshot(0, 0, SnapshotKind.REWRITE, {path: whole}, removed=files, added=(whole,)))


async def _measure(world: World, found: Stormed) -> None:
    async with world.api.database.read() as unit:
        connection = unit.connection
        looked = select(func.count()).where(watches.c.looked_at > await unit.now() - timedelta(seconds=1))
        held = select(func.count()).where(runs.c.lease_holder.is_not(None))
        found.looks.append(int((await connection.execute(looked)).scalar_one()))
        found.held.append(int((await connection.execute(held)).scalar_one()))
