"""A real Iceberg table under a preset, and a coordinator whose time a test lets pass."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.manifest import DataFile
from redis.asyncio import Redis

from engine.domain.runs.plans import Plan
from engine.domain.runs.run import Run, RunState
from engine.domain.tables.watches import Verdict, Watch
from tests.support.file_copies import add_copies, add_entries, live_files
from tests.support.moved_clock import MovedClock
from tests.support.passing_time import PassingTime
from tests.support.watching import Watching, finish_live, runs_of
from tests.support.world import Lake, World, open_world


@dataclass
class Kept:
    """A table that is kept by a policy. `firsts`: the first file of each partition, which stays where it was."""

    world: World
    time: PassingTime
    firsts: dict[str, DataFile] = field(default_factory=dict)

    @property
    def lake(self) -> Lake:
        return self.world.lake

    async def by(self, **policy: Any) -> None:
        """Set the table's policy."""
        await self.world.set_policy(policy)

    def files(self, day: str) -> list[DataFile]:
        """Return the live files of a partition."""
        return live_files(self.lake.table, lambda file: day in file.file_path)

    def arrived(self, day: str) -> list[DataFile]:
        """Return the live files of a partition in the order of their data sequence numbers."""
        paths = self.lake.table.inspect.entries().sort_by("sequence_number")["data_file"].to_pylist()
        known = {file.file_path: file for file in self.files(day)}
        return [known[each["file_path"]] for each in paths if each["file_path"] in known]

    def rows(self, day: str) -> int:
        """Return how many rows the files of a partition hold, all of them really read."""
        return int(self.lake.table.scan(row_filter=f"day == '{day}'").to_arrow().num_rows)

    async def has(self, day: str, files: int, *, sized: int | None = None) -> None:
        """Add files to a partition: real ones, or entries of a size without a file behind them."""
        missing = files
        if day not in self.firsts:
            await asyncio.to_thread(self.lake.append, day=day, rows=5)
            (self.firsts[day],) = self.files(day)
            missing -= sized is None
        if sized is None:
            await asyncio.to_thread(add_copies, self.lake.table, self.firsts[day], missing)
        else:
            await asyncio.to_thread(add_entries, self.lake.table, self.firsts[day], missing, file_bytes=sized)

    async def look(self) -> Watch:
        """Let the coordinator look at the table now, also when nothing was written to it."""
        return await self.time.watching.look(wake=True)

    async def due_days(self) -> set[str]:
        """Return the partitions that triggers make due now."""
        evaluation = (await self.time.facts()).sight.evaluation
        assert evaluation is not None
        return {ref.partition.split('"')[-2] for rule in evaluation.triggers for ref in rule.due}

    async def due_plan(self) -> Plan:
        """Return what a run that begins now would plan."""
        due = (await self.time.facts()).sight.due
        assert due is not None
        return due.plan

    async def rewritten(self) -> Run:
        """Let the run that began come to its end, and be a success."""
        run = await finish_live(self.world)
        assert run.state is RunState.SUCCEEDED, (run.reason, run.detail)
        return run

    async def is_left_alone(self) -> None:
        """Look once more at once: a rewrite by itself is not followed by another."""
        before = len(await runs_of(self.world))
        assert (await self.look()).verdict is Verdict.NOT_DUE
        assert len(await runs_of(self.world)) == before


@pytest.fixture
async def kept(sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[Kept]:
    """An empty table with partitions by day, which are strings and so no times."""
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, days=0) as world:
        watching = Watching(world)
        yield Kept(world, PassingTime(watching, await MovedClock.of(world.container.database)))
        await watching.service.close()
