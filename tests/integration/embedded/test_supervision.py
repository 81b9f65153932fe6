"""Embedded servers that are killed come back on their port with their data; one that cannot start is tried again."""

import os
import signal
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from engine.domain.errors import Transient
from engine.embedded.redis import EmbeddedRedis
from engine.embedded.supervision import LONGEST_WAIT_SECONDS, Supervisor
from tests.support.eventually import eventually, seen_when
from tests.support.fake_clock import FakeClock


async def test_a_redis_that_is_killed_comes_back_with_its_data(mortal_redis: EmbeddedRedis, mortal_client: Redis):
    supervisor = Supervisor(servers={"Redis": mortal_redis}, clock=FakeClock())
    url = mortal_redis.start()
    await mortal_client.set("kept", "yes")
    await mortal_client.bgrewriteaof()
    killed = (await mortal_client.info("server"))["process_id"]
    os.kill(killed, signal.SIGKILL)
    eventually(lambda: not mortal_redis.is_running)
    assert await supervisor.look() == 1
    assert mortal_redis.start() == url
    assert await seen_when(lambda: _kept(mortal_client)) == "yes"
    assert (await mortal_client.info("server"))["process_id"] != killed


async def _kept(client: Redis) -> str | None:
    try:
        return await client.get("kept")
    except (RedisConnectionError, RedisTimeoutError):  # a loaded machine: it may still read its file
        return None


async def test_a_server_that_runs_is_left_alone(mortal_redis: EmbeddedRedis) -> None:
    assert await Supervisor(servers={"Redis": mortal_redis}, clock=FakeClock()).look() == 0


@dataclass
class _Dead:
    """A server that does not start."""

    starts: int = 0
    is_running: bool = False

    def start(self) -> str:
        self.starts += 1
        raise Transient("no")


async def test_the_wait_between_restarts_grows_to_a_minute() -> None:
    clock, server = FakeClock(), _Dead()
    supervisor = Supervisor(servers={"it": server}, clock=clock)
    at: list[float] = []
    while len(at) < 10:
        await supervisor.look()
        if server.starts > len(at):
            at.append(clock.monotonic())
        clock.advance(1)
    waits = [after - before for before, after in pairwise(at)]
    assert waits == sorted(waits)
    assert (waits[0], waits[-1]) == (1, LONGEST_WAIT_SECONDS)


async def test_nothing_is_restarted_after_close(tmp_path: Path) -> None:
    server = _Dead()
    supervisor = Supervisor(servers={"it": server}, clock=FakeClock())
    await supervisor.close()
    supervisor.begin()
    await supervisor.close()
    assert server.starts == 0
