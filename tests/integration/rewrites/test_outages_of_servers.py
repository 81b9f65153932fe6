"""Postgres and Redis are restarted or away in the middle of a run, or when it or a process starts: nothing is counted.

Redis carries hints: what is submitted while it is down is accepted, and runs when it is back.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import structlog
from redis.asyncio import Redis

from engine.domain.errors import Transient
from engine.domain.runs.run import Priority, RunState
from engine.embedded.redis import EmbeddedRedis
from engine.factory.container import open_container
from engine.factory.wiring import Container
from engine.stores.migrations.upgrade import upgrade
from tests.support.attempts import content, worked_off
from tests.support.eventually import seen_when
from tests.support.postgres_server import PostgresServer
from tests.support.settings import settings_of
from tests.support.world import open_world


@dataclass
class MortalRecord:
    """A migrated database of the test's own, on a server that a test may halt."""

    server: PostgresServer
    url: str
    restarts: list[Thread] = field(default_factory=list)

    def restart(self) -> None:
        """End the server; another thread starts it again at once, which takes a while."""
        self.server.halt()
        self.restarts.append(Thread(target=self.server.resume))
        self.restarts[-1].start()


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    """A server with a migrated database `template`; what was committed outlives the server's process."""
    server = PostgresServer({"synchronous_commit": "on"})
    try:
        server.start()
        server.execute("CREATE DATABASE template")
        upgrade(server.url("template"))
        yield server
    finally:
        server.stop()


@pytest.fixture
def record(postgres: PostgresServer, request: pytest.FixtureRequest) -> Iterator[MortalRecord]:
    name = f"record_{abs(hash(request.node.name))}"
    postgres.execute(f"CREATE DATABASE {name} TEMPLATE template")
    made = MortalRecord(postgres, postgres.url(name))
    yield made
    for each in made.restarts:
        each.join()


DEEP_STEPS = [
    pytest.param(step, marks=pytest.mark.deep)
    for step in ("claimed", "planned", "rewriting", "group_written", "verified")
]


@pytest.mark.parametrize("step", ["before_commit", *DEEP_STEPS])
async def test_a_run_goes_on_after_postgres_was_restarted(
    step: str, record: MortalRecord, redis_url: str, tmp_path: Path
) -> None:
    async with open_world(tmp_path / "world", database_url=record.url, redis_url=redis_url) as world:
        rows = content(world)
        world.at(step, record.restart)
        run = await worked_off(world, (await world.submit()).id)
        assert (run.state, run.failures) == (RunState.SUCCEEDED, 0), run.detail
        assert content(world) == rows


async def test_a_lease_that_expired_while_postgres_was_away_is_no_failure(
    record: MortalRecord, redis_url: str, tmp_path: Path
) -> None:
    """The holder could not extend it, so its run is reaped without a count; that of a dead worker is counted."""
    async with open_world(tmp_path / "world", database_url=record.url, redis_url=redis_url) as world:
        container = world.container
        run = await world.submit()
        claimed = await container.worker._claims.claim(run.id)
        assert claimed is not None
        duties = asyncio.create_task(container.coordinator._repeat(container.coordinator.seal, 0.01))
        await asyncio.to_thread(record.server.halt)
        lost = container.coordinator
        await seen_when(lambda: _now(lost._database_lost_at is not None))
        await asyncio.to_thread(record.server.resume)
        container.coordinator.stop()
        await duties
        assert await _reaped(container, ago="1 second") == 1
        assert (await world.get(run.id)).failures == 0
        assert await container.worker._claims.claim(run.id) is not None
        assert await _reaped(container, ago="1 hour") == 1
        assert (await world.get(run.id)).failures == 1


async def _reaped(container: Container, *, ago: str) -> int:
    """Let the leases have expired some time ago, and count the runs that are reaped."""
    async with container.database.begin() as unit:
        expired = f"UPDATE runs SET lease_expires_at = clock_timestamp() - INTERVAL '{ago}'"
        await unit.connection.exec_driver_sql(f"{expired} WHERE lease_holder IS NOT NULL")
    return await container.coordinator.reap()


async def _now(value: bool) -> bool:
    return value


async def test_redis_is_restarted_in_the_middle_of_a_run(
    sqlite_url: str, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=mortal_redis.start()) as world:
        rows = content(world)
        world.at("planned", mortal_redis.kill)
        world.at("group_written", lambda: str(mortal_redis.start()))
        run = await worked_off(world, (await world.submit()).id)
        assert (run.state, run.failures) == (RunState.SUCCEEDED, 0), run.detail
        assert content(world) == rows


async def test_a_process_that_starts_without_its_servers_waits_for_postgres_and_says_so(
    record: MortalRecord, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    redis_url = mortal_redis.start()
    mortal_redis.kill()
    await asyncio.to_thread(record.server.halt)
    settings = settings_of(tmp_path / "state", database_url=record.url, redis_url=redis_url)
    with structlog.testing.capture_logs() as logs:
        opening = open_container(settings)
        entering = asyncio.create_task(opening.__aenter__())
        waits = await seen_when(lambda: _first(logs, "start_waits"))
        assert waits is not None
        assert waits["waiting_for"] == "database"
        await asyncio.to_thread(record.server.resume)
        container = await asyncio.wait_for(entering, 60)
        await container.database.ping()
        await opening.__aexit__(None, None, None)


async def _first(logs: Sequence[Mapping[str, Any]], event: str) -> Mapping[str, Any] | None:
    return next((each for each in logs if each["event"] == event), None)


async def test_a_process_whose_password_is_refused_ends_and_says_so(record: MortalRecord, tmp_path: Path) -> None:
    url = record.server.url("nowhere")
    settings = settings_of(tmp_path / "state", database_url=url, redis_url="redis://127.0.0.1:1/0")
    with pytest.raises(Transient, match="does not exist"):
        await open_container(settings).__aenter__()


async def test_a_run_submitted_without_redis_runs_when_it_is_back(
    sqlite_url: str, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    url = mortal_redis.start()
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=url) as world:
        mortal_redis.kill()
        run = await world.submit()
        assert run.state is RunState.QUEUED
        mortal_redis.start()
        assert (await worked_off(world, run.id)).state is RunState.SUCCEEDED


async def test_a_queue_that_lost_everything_loses_no_run(
    sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> None:
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url) as world:
        run = await world.submit()
        async with world.container.database.begin() as unit:
            await unit.outbox.delete([entry for entry, _ in await unit.outbox.list_due(10)])
        await redis.flushall()
        assert (await worked_off(world, run.id)).state is RunState.SUCCEEDED


async def test_a_rewrite_goes_on_while_redis_is_down(
    sqlite_url: str, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    url = mortal_redis.start()
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=url) as world:
        world.at("planned", mortal_redis.kill)
        run = await world.rewrite()
        assert run.state is RunState.SUCCEEDED
        assert len(world.lake.replaces()) == 1


async def test_runs_are_taken_by_priority_while_redis_is_down(
    sqlite_url: str, mortal_redis: EmbeddedRedis, tmp_path: Path
) -> None:
    url = mortal_redis.start()
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=url) as world:
        mortal_redis.kill()
        low = await world.submit(priority=Priority.LOW)
        high = await world.submit(priority=Priority.HIGH, allow_duplicate=True)
        worker = asyncio.create_task(world.container.worker.run())
        try:
            last = await seen_when(lambda: world.get(low.id), lambda seen: seen.is_terminal)
        finally:
            world.container.worker.stop()
            await worker
        first = await world.get(high.id)
    assert (first.state, last.state) == (RunState.SUCCEEDED, RunState.SKIPPED)
