"""Two real workers under one limit of the fleet, one of which is killed while shares are re-dealt.

Measured from the outside, by what system calls of both processes moved; the pace channel is the real one, over HTTP.
"""

import asyncio
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import uvicorn
from redis.asyncio import Redis

from api.http.metrics import Metrics
from api.task_app import create_task_app
from bench.processes import moved_bytes
from engine.domain.access.callers import SYSTEM
from engine.domain.fleet.limits import FleetLimits
from engine.domain.ids import RunId, TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from tests.support.eventually import seen_when, until
from tests.support.killable_process import killable, killed
from tests.support.moved_clock import MovedClock
from tests.support.processes import environment_of
from tests.support.world import NAME, SCHEMA, SPEC, World, open_world

LIMIT = 3_000_000
WINDOW_SECONDS, SAMPLES_PER_SECOND = 10.0, 10
FILES, ROWS = 12, 200_000
OTHER = "others"


@dataclass
class Moved:
    """What processes moved together since each began to rewrite, sampled over time."""

    began: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)
    samples: list[tuple[float, int]] = field(default_factory=list)

    def count(self, pid: int) -> None:
        self.began[pid] = self.last[pid] = moved_bytes(pid)

    def of(self, pid: int) -> int:
        return self.last[pid] - self.began[pid]

    async def sample(self) -> None:
        """Sample until cancelled; what a dead process moved stays counted."""
        while True:
            for pid in self.began:
                try:
                    self.last[pid] = max(self.last[pid], moved_bytes(pid))
                except ProcessLookupError:
                    continue
            self.samples.append((time.monotonic(), sum(map(self.of, self.began))))
            await asyncio.sleep(1 / SAMPLES_PER_SECOND)

    def rate_since(self, begin: float, *, seconds: float) -> float:
        """Return bytes per second of the last so many seconds, 0 while they began before an instant."""
        at, moved = self.samples[-1]
        before = [sample for sample in self.samples if begin <= sample[0] <= at - seconds]
        return (moved - before[-1][1]) / (at - before[-1][0]) if before else 0.0

    def highest(self) -> float:
        """Return the highest rate over any window."""
        at, moved = (np.array(column, dtype=np.float64) for column in zip(*self.samples, strict=True))
        ends = np.searchsorted(at, at + WINDOW_SECONDS)
        starts = np.flatnonzero(ends < len(at))
        assert len(starts), "no window is complete"
        return float(((moved[ends[starts]] - moved[starts]) / (at[ends[starts]] - at[starts])).max())


@pytest.fixture
async def world(postgres_url: str, redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[World]:
    """Two tables of incompressible files, a limit of the fleet, and an api that serves the pace channel."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/internal/pace"
        folder = tmp_path / "world"
        async with open_world(folder, database_url=postgres_url, redis_url=redis_url, pace_url=url, days=0) as opened:
            opened.lake.catalog.create_table((NAME[0], OTHER), SCHEMA, partition_spec=SPEC)
            for name in (NAME[1], OTHER):
                await asyncio.to_thread(fill, opened, name)
            await set_limits(opened, FleetLimits(parallel_runs=2, bandwidth=LIMIT))
            async with serving(opened, listener):
                yield opened


async def set_limits(world: World, limits: FleetLimits) -> None:
    async with world.container.database.begin() as unit:
        await unit.fleet.replace_limits(limits, by="test", version=(await unit.fleet.get()).version)


def fill(world: World, name: str) -> None:
    random = np.random.default_rng(5)
    for number in range(FILES):
        columns = {
            "id": pa.array(np.arange(number * ROWS, (number + 1) * ROWS)),
            "day": pa.array(["2026-11-01"] * ROWS),
            "value": pa.array(random.random(ROWS)),
            "note": pa.nulls(ROWS, pa.string()),
        }
        schema = pa.schema([pa.field(n, c.type, nullable=n not in {"id", "day"}) for n, c in columns.items()])
        world.lake.catalog.load_table((NAME[0], name)).append(pa.table(columns, schema=schema))


@asynccontextmanager
async def serving(world: World, listener: socket.socket) -> AsyncIterator[None]:
    app = create_task_app(world.container, Metrics())
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await task


async def at_work(world: World, table_id: TableId) -> Run:
    """Submit a run of a table and wait until it rewrites."""
    run, _ = await world.container.runs.submit(SYSTEM, table_id, RunRequest())
    return await seen_when(lambda: world.get(run.id), lambda seen: seen.state is RunState.REWRITING)


async def ended(world: World, run_id: RunId) -> Run:
    return await seen_when(lambda: world.get(run_id), lambda seen: seen.is_terminal, within_seconds=120)


async def test_the_share_of_a_killed_worker_goes_to_the_other_and_the_limit_holds(world: World, tmp_path: Path) -> None:
    clock, moved = await MovedClock.of(world.container.database), Moved()
    other = await world.register(OTHER)
    environment, log = environment_of(world.container.settings, worker_slots=1), tmp_path / "workers.log"
    never = ("worker", "never")
    with killable(environment, *never, log=log) as one, killable(environment, *never, log=log) as two:
        first = await at_work(world, world.table_id)
        victim, survivor = (one, two) if f"-{one.pid}-" in str(first.lease_holder) else (two, one)
        moved.count(victim.pid)
        sampling = asyncio.create_task(moved.sample())
        await until(lambda: moved.of(victim.pid) > 2 * LIMIT)  # it has all of the limit
        second = await at_work(world, other.id)
        moved.count(survivor.pid)
        await until(lambda: moved.of(survivor.pid) > LIMIT / 10)  # shares are re-dealt
        victim.kill()
        await killed(victim, within_seconds=30, log=log)
        killed_at = time.monotonic()
        await until(lambda: moved.rate_since(killed_at, seconds=2) > 0.8 * LIMIT)  # what the dead one had
        await until(lambda: moved.samples[-1][0] > killed_at + WINDOW_SECONDS)
        sampling.cancel()
        assert moved.highest() <= 1.05 * LIMIT
        await set_limits(world, FleetLimits(parallel_runs=2))
        assert (await ended(world, second.id)).state is RunState.SUCCEEDED, log.read_text()
        await clock.pass_by(seconds=31)
        assert await world.container.coordinator.reap() == 1
        again = await ended(world, first.id)
    assert (again.state, again.attempt, again.lease_holder) == (RunState.SUCCEEDED, 2, None), log.read_text()
    assert (world.lake.ids(), len(world.lake.paths())) == (list(range(FILES * ROWS)), 1)
