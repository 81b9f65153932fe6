"""A whole installation under virtual time: processes on one record, one Redis, one lake and one Spark server.

    with open_world(seed=1) as world:
        world.run(scenario(world))

Each process is wired by `engine.factory.wire`, as the real ones are. `world.api` is a process for callers, which no
fault befalls. Everything random comes from `world.random`.
"""

import asyncio
import json
import random as global_random
import tempfile
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final
from urllib.parse import urlsplit

from api.schemas.runs.pace import PaceReport, PaceShare
from engine.domain.access.callers import SYSTEM
from engine.domain.clock import SystemClock
from engine.domain.errors import NotFound, PackhouseError
from engine.domain.fleet.limits import FleetLimits
from engine.domain.ids import IdSource, TableId
from engine.domain.policies import PolicyDocument
from engine.domain.tables.table import FormatName, Table, TableRef
from engine.embedded.redis import EmbeddedRedis
from engine.factory.dependencies import Dependencies, RedisParts
from engine.factory.wiring import Container, wire
from engine.queue.budgets import PaceLedger
from engine.queue.connection import connect_redis
from engine.queue.hints import Hints
from engine.queue.rate_limits import RateLimits
from engine.queue.shared_budgets import SharedLedgers
from engine.queue.streams import RunQueue
from engine.services.operations.tasks.executors import ask_executor
from engine.services.operations.tasks.servers import EndpointServer, EndpointServers
from engine.settings.model import Settings
from engine.spark.dispatch import SparkDispatcher
from engine.spark.native import SparkProcedures
from engine.spark.sessions import SparkSessions
from engine.workers import coordinator
from tests.simulation.lake import Lake, ModelTable
from tests.simulation.loop import VirtualClock, VirtualLoop
from tests.simulation.processes import Process
from tests.simulation.record import Record, make_template, open_record
from tests.simulation.redis_model import RedisServer
from tests.simulation.scripts import ScriptServer
from tests.simulation.spark import ModelDispatcher, SparkServer
from tests.simulation.tables import ModelFormat
from tests.support.acknowledging import acknowledged
from tests.support.memory import memory_folder

PACE_URL: Final = "http://pace/internal/pace"
_NO_SPARK: Final = "sc://nowhere:1"
_SLOWER: Final = {
    "RELAY_SECONDS": 2.0,
    "REAP_SECONDS": 3.0,
    "SEAL_SECONDS": 30.0,
    "WATCH_SECONDS": 2.0,
    "POLL_SECONDS": 10.0,
}
"""How often the coordinator looks: half of what a seed costs is looks that find nothing, and they promise nothing."""


@dataclass
class Running:
    """A process with its services and its clock."""

    process: Process
    container: Container
    clock: VirtualClock
    kind: str


@dataclass(frozen=True, slots=True)
class Ground:
    """What all processes that play seeds share: a Redis for scripts, and a migrated record to copy."""

    redis_url: str
    template: Path


class Machine:
    """What the seeds of one process share; `number` tells it from those of others on the same ground."""

    def __init__(self, ground: Ground, *, number: int = 0) -> None:
        self.scripts = ScriptServer(ground.redis_url, database=number)
        self.template = ground.template
        self.name = f"seed-{number}"
        self.rates = RateLimits(redis=connect_redis("redis://nowhere"), clock=SystemClock(), per_minute={})


@dataclass
class World:
    """One seed's installation."""

    loop: VirtualLoop
    random: Random
    record: Record
    redis: RedisServer
    lake: Lake
    spark: SparkServer
    settings: Settings
    rates: RateLimits
    api: Container = field(init=False)
    running: list[Running] = field(default_factory=list)
    leaving: list[Running] = field(default_factory=list)  # asked to end, and not at their end yet
    trace: Callable[[str], None] | None = None
    steps: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.spark.post = self._post
        self.api = self._wired("api", VirtualClock(self.loop), Process("api"))

    def run(self, main: Coroutine[Any, Any, Any]) -> Any:
        """Run a scenario to its end."""
        return self.loop.finish(main)

    def start(self, kind: str, name: str) -> Running:
        """Start a `worker` or a `coordinator`."""
        process, clock = Process(name), VirtualClock(self.loop)
        container = self._wired(name, clock, process)
        running = Running(process, container, clock, kind)
        process.at_end(lambda: self.record.cut_off(process))
        process.start(container.worker.run if kind == "worker" else container.coordinator.run)
        self.running.append(running)
        self.say(f"{name} starts")
        return running

    def kill(self, running: Running) -> None:
        """End a process at once, as SIGKILL does."""
        self.say(f"{running.process.name} is killed")
        running.process.kill()
        self.running.remove(running)

    async def stop(self, running: Running) -> None:
        """End a process as SIGTERM does."""
        self.say(f"{running.process.name} is stopped")
        self.running.remove(running)
        self.leaving.append(running)
        (running.container.worker if running.kind == "worker" else running.container.coordinator).stop()
        await running.process.ended()
        self.leaving.remove(running)

    async def add_catalog(self, name: str) -> None:
        """Register the lake's catalog under a name."""
        await self.api.catalogs.create(SYSTEM, name, FormatName.ICEBERG, {})

    async def add_table(self, catalog: str, name: str, *, team: str | None = None) -> tuple[Table, ModelTable]:
        """Make a table in the lake and register it."""
        ref = TableRef(catalog, ("lake",), name)
        made = self.lake.table(ref)
        return await self.api.tables.register(SYSTEM, ref, owner_team=team, labels={}), made

    async def set_policy(self, table_id: TableId, document: dict[str, Any]) -> None:
        """Write a table's own policy, whether it had one or not."""
        policy = PolicyDocument.model_validate(document)
        try:
            version = (await self.api.policies.get(SYSTEM, table_id)).policy.version
        except NotFound:
            version = None
        put = self.api.policies.replace
        await acknowledged(put, SYSTEM, table_id, policy, if_match=version, if_none_match=version is None)

    async def set_limits(self, **limits: Any) -> None:
        """Write the fleet's limits."""
        await self.write_limits(FleetLimits(**limits))

    async def write_limits(self, limits: FleetLimits) -> None:
        """Write the fleet's limits as they are."""
        fleet = await self.api.limits.get(SYSTEM)
        await self.api.limits.replace(SYSTEM, limits, version=fleet.version)

    def say(self, text: str) -> None:
        """Tell what happens, when somebody listens."""
        if self.trace is not None:
            self.trace(f"{self.loop.time() - 1000:9.3f} {text}")

    def _wired(self, name: str, clock: VirtualClock, process: Process) -> Container:
        client: Any = self.redis.client()
        pace = PaceLedger(redis=client, now=self.loop.time)
        shared = SharedLedgers(redis=client, now=self.loop.time)
        spark = SparkSessions(url=_NO_SPARK, user_id="simulation")
        database = self.record.database()
        around = Dependencies(
            holder=name,
            clock=clock,
            ids=IdSource(clock=clock, entropy=self.random.randbytes),
            database=database,
            redis=RedisParts(RunQueue(redis=client, consumer=name), Hints(redis=client), pace, shared, self.rates),
            spark=spark,
            servers=EndpointServers(
                default=EndpointServer(
                    ModelDispatcher(self.spark, f"session-{name}"),
                    SparkProcedures(sessions=spark, dispatcher=SparkDispatcher(sessions=spark)),
                    "simulation",
                    spark.version,
                    lambda: ask_executor(spark, url=None, token=""),
                ),
                make=_one_endpoint,
                database=database,
                environ={},
                own_folder=Path("/nowhere"),
            ),
            keep_sessions=spark.keep,
            warm_up=lambda: None,
            formats=lambda _locations: {FormatName.ICEBERG: ModelFormat(self.lake)},
            step=lambda step: self.say(f"{process.name}: {step}"),
        )
        return wire(self.settings, around)

    def _post(self, url: str, headers: dict[str, str], body: bytes) -> bytes:
        """Answer a task's report as the api's route does (`api/routes/runs/pace.py`)."""
        assert urlsplit(url).path == "/internal/pace"
        self.loop.pause(self.random.uniform(0.001, 0.02))
        token = self.api.pace_tokens.read(headers["Authorization"].removeprefix("Bearer "))
        report = PaceReport.model_validate_json(body).to_domain()
        answer = self.loop.create_task(self.api.pace.report(token.run_id, token.attempt, report))
        try:
            share = PaceShare.from_domain(self.loop.block(answer))
        except PackhouseError as error:
            raise OSError(error.message) from error
        return json.dumps(share.model_dump()).encode()


def _one_endpoint(name: str, _url: str) -> EndpointServer:
    raise AssertionError(name)


@contextmanager
def open_ground() -> Iterator[Ground]:
    """Start what processes share, in memory where there is a place for it."""
    with tempfile.TemporaryDirectory(prefix="packhouse-", dir=memory_folder()) as folder:
        server = EmbeddedRedis(data_dir=Path(folder))
        try:
            yield Ground(server.start(), make_template(Path(folder)))
        finally:
            server.stop()


@contextmanager
def open_machine() -> Iterator[Machine]:
    """Start all that one process needs."""
    with open_ground() as ground:
        machine = Machine(ground)
        try:
            yield machine
        finally:
            machine.scripts.close()


@contextmanager
def open_world(machine: Machine, *, seed: int, **settings: Any) -> Iterator[World]:
    """Make a world of a seed; `settings` are those of `engine.settings`."""
    random = Random(seed)
    global_random.seed(seed)
    loop = VirtualLoop()
    asyncio.set_event_loop(loop)
    lake = Lake(loop=loop, random=random)
    record = open_record(machine.template, name=machine.name, loop=loop, random=random)
    usual = {name: getattr(coordinator, name) for name in _SLOWER}
    try:
        vars(coordinator).update(_SLOWER)
        yield World(
            loop=loop,
            random=random,
            record=record,
            redis=RedisServer(loop=loop, random=random, server=machine.scripts),
            lake=lake,
            spark=SparkServer(loop=loop, random=random, lake=lake, post=_no_post, speed=40e6),
            settings=_settings(machine, settings),
            rates=machine.rates,
        )
    finally:
        vars(coordinator).update(usual)
        record.close()


def _settings(machine: Machine, given: dict[str, Any]) -> Settings:
    fixed = {"data_dir": machine.template.parent, "secret_key": "a key for simulations", "mode": "embedded"}
    fixed |= {"first_run_grace_seconds": 0}
    return Settings(**{"pace_url": PACE_URL, **fixed, **given})  # type: ignore[arg-type]


def _no_post(url: str, headers: dict[str, str], body: bytes) -> bytes:
    raise OSError("nobody is there yet")
