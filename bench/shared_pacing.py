"""Two runs under one limit of the fleet: the second begins after a third of the time and ends after two.

All of the way is real: a Redis, the ledgers, the `RunPacing` of each run, the pace channel of the api over HTTP, and
the kernel in a process for each task. Only Spark is left out: nothing in between is paced.
"""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
import uvicorn

from api.http.metrics import Metrics
from api.task_app import create_task_app
from bench.paced_tasks import Workers
from bench.processes import moved_bytes
from engine.domain.fleet.limits import FleetLimits
from engine.domain.ids import RunId, TableId
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import Catalog, FormatName, Table, TableRef
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.services.operations.tasks.pacing import PaceTools, RunPacing
from engine.services.policies.effective import PolicyReader
from engine.services.runs.attempts import Attempt
from engine.services.runs.budgets import run_limits
from engine.settings.model import Settings

SAMPLES_PER_SECOND = 10


@dataclass
class Moved:
    """Bytes of all processes together since each began to work; those of ended ones stay counted."""

    before: dict[int, int] = field(default_factory=dict)
    last: dict[int, int] = field(default_factory=dict)

    def add(self, pids: Sequence[int]) -> None:
        """Count these processes from now on."""
        self.before |= {pid: moved_bytes(pid) for pid in pids}

    def total(self) -> int:
        """Return the bytes so far."""
        for pid in self.before:
            try:
                self.last[pid] = moved_bytes(pid)
            except ProcessLookupError:
                continue
        return sum(self.last[pid] - before for pid, before in self.before.items() if pid in self.last)


def shared_samples(
    folder: Path, template: SentKernelTask, *, tasks: int, limit: float, seconds: float
) -> list[tuple[float, int]]:
    """Return pairs of seconds and bytes so far of two runs of `tasks` tasks each under a limit in bytes per second."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())  # a line for each report would be moved as well
    return asyncio.run(_measure(folder, template, tasks=tasks, limit=limit, seconds=seconds))


async def _measure(
    folder: Path, template: SentKernelTask, *, tasks: int, limit: float, seconds: float
) -> list[tuple[float, int]]:
    async with AsyncExitStack() as stack:
        container, url = await stack.enter_async_context(_service(folder, limit))
        paces = [await _pacing(container, url, lanes=tasks, number=number) for number in (1, 2)]
        workers = [await asyncio.to_thread(stack.enter_context, Workers(tasks)) for _ in paces]
        moved = Moved()
        first = asyncio.create_task(_work(paces[0], workers[0], template, moved, after=0.0, seconds=seconds))
        second = asyncio.create_task(
            _work(paces[1], workers[1], template, moved, after=seconds / 3, seconds=seconds / 3)
        )
        began, samples = time.monotonic(), []
        while (now := time.monotonic() - began) < seconds:
            samples.append((now, moved.total()))
            await asyncio.sleep(1 / SAMPLES_PER_SECOND)
        await asyncio.gather(first, second)
        return samples


async def _work(
    pacing: RunPacing, workers: Workers, template: SentKernelTask, moved: Moved, *, after: float, seconds: float
) -> None:
    """Let a run be at work for so long, after a while."""
    await asyncio.sleep(after)
    async with pacing.at_work():
        moved.add(workers.pids)
        workers.begin(template, pacing.of_task())
        await asyncio.sleep(seconds)
        moved.total()
        workers.end()


async def _pacing(container: Container, url: str, *, lanes: int, number: int) -> RunPacing:
    now = datetime.now(UTC)
    table = Table(
        TableId(f"tbl_{number}"), TableRef("lake", ("bench",), f"t{number}"), f"u{number}", "file:///t", None, now, {}
    )
    async with container.database.begin() as unit:
        if await unit.catalogs.get("lake") is None:
            await unit.catalogs.insert(Catalog("lake", FormatName.ICEBERG, {}, 1, now, now))
        await unit.tables.insert(table)
        limits = await run_limits(unit, "lake", await PolicyReader.effective(unit, table, {}))
    run = Run(RunId(f"run_{number}"), table.id, Operation.REWRITE, RunState.REWRITING, "bench", now, now)
    attempt = Attempt(
        database=container.database,
        hints=container.hints,
        clock=container.clock,
        run=run,
        lease=Lease(run.id, "bench", 1, now + timedelta(days=1)),
        lease_seconds=60,
    )
    tools = PaceTools(container.database, container.pace, container.shared, container.pace_tokens, container.clock, url)
    return RunPacing(tools=tools, attempt=attempt, limits=limits, properties={}, lanes=lanes)


@asynccontextmanager
async def _service(folder: Path, limit: float) -> AsyncIterator[tuple[Container, str]]:
    """Start Redis, record and api; yield the container and the pace channel's URL."""
    async with AsyncExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        settings = Settings(data_dir=folder, spark_url="sc://127.0.0.1:1", mode="embedded")
        container = await stack.enter_async_context(open_container(settings, migrates=True))
        async with container.database.begin() as unit:
            limits = FleetLimits(parallel_runs=2, bandwidth=int(limit))
            await unit.fleet.replace_limits(limits, by="bench", version=(await unit.fleet.get()).version)

        app = create_task_app(container, Metrics())
        server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on"))
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        yield container, f"http://127.0.0.1:{listener.getsockname()[1]}/internal/pace"
        server.should_exit = True
        await serving
