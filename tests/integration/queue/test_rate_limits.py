"""Counts of requests: by kind and subject, over several processes, without Redis, and never waiting."""

import asyncio
from datetime import UTC, datetime

import pytest
from redis.asyncio import Redis

from engine.embedded.redis import EmbeddedRedis
from engine.queue.connection import connect_redis
from engine.queue.rate_limits import Kind, RateLimits
from tests.support.fake_clock import FakeClock

LIMITS = {Kind.READS: 10, Kind.WRITES: 3, Kind.FAILED_AUTHENTICATIONS: 2}
MID_MINUTE = datetime(2026, 11, 1, 12, 0, 15, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(MID_MINUTE)


def process(redis: Redis, clock: FakeClock) -> RateLimits:
    """The limits of one api process; its background task stands still, tests call `sync`."""
    limits = RateLimits(redis=redis, clock=clock, per_minute=LIMITS)
    limits._keep_in_sync = _nothing  # type: ignore[method-assign]
    return limits


async def _nothing() -> None:
    pass


def allowed(limits: RateLimits, count: int, *, subject: str = "key:etl", kind: Kind = Kind.WRITES) -> int:
    return sum(limits.hit(kind, subject).is_allowed for _ in range(count))


async def test_a_caller_has_its_limit_and_is_told_what_is_left_and_when_it_begins_anew(redis: Redis, clock: FakeClock):
    limits = process(redis, clock)
    assert [limits.look(Kind.WRITES, "key:etl").remaining for _ in range(5)] == [3] * 5
    found = [limits.hit(Kind.WRITES, "key:etl") for _ in range(4)]
    assert [(s.limit, s.remaining, s.reset_seconds) for s in found] == [(3, 2, 45), (3, 1, 45), (3, 0, 45), (3, 0, 45)]
    assert [s.is_allowed for s in found] == [True, True, True, False]


async def test_callers_and_kinds_are_counted_apart(redis: Redis, clock: FakeClock) -> None:
    limits = process(redis, clock)
    counts = [allowed(limits, 20), allowed(limits, 20, subject="key:other"), allowed(limits, 20, kind=Kind.READS)]
    assert counts == [3, 3, 10]


async def test_processes_count_together_and_what_was_told_is_told_once(redis: Redis, clock: FakeClock) -> None:
    one, two = process(redis, clock), process(redis, clock)
    assert [allowed(one, 1), allowed(two, 1)] == [1, 1]
    for _ in range(5):
        await one.sync()
    await two.sync()
    assert two.look(Kind.WRITES, "key:etl").remaining == 1
    assert allowed(two, 5) == 1  # it knows of the other's


async def test_a_new_minute_begins_anew_and_counts_in_redis_are_gone_after_theirs(redis: Redis, clock: FakeClock):
    limits = process(redis, clock)
    allowed(limits, 1)
    await limits.sync()
    (name,) = await redis.keys("packhouse:rate*")
    assert 0 < await redis.ttl(name) <= 60
    assert allowed(limits, 10) == 2
    await limits.sync()
    clock.advance(45)
    assert allowed(limits, 10) == 3


async def test_without_redis_a_process_limits_on_its_own(mortal_redis: EmbeddedRedis, clock: FakeClock) -> None:
    client = connect_redis(mortal_redis.start())
    mortal_redis.stop()
    limits = process(client, clock)
    assert allowed(limits, 2) == 2
    await limits.sync()
    assert allowed(limits, 5) == 1
    await client.aclose()


async def test_what_was_counted_without_redis_is_told_when_it_is_back(redis: Redis, clock: FakeClock) -> None:
    unreachable = connect_redis("redis://127.0.0.1:1")
    limits = process(unreachable, clock)
    allowed(limits, 2)
    await limits.sync()
    limits._redis = redis
    await limits.sync()
    other = process(redis, clock)
    allowed(other, 1)
    await other.sync()
    assert other.look(Kind.WRITES, "key:etl").remaining == 0
    await unreachable.aclose()


async def test_counts_are_exchanged_in_the_background_and_the_task_rests_when_all_is_told(
    redis: Redis, clock: FakeClock
) -> None:
    limits = RateLimits(redis=redis, clock=clock, per_minute=LIMITS)
    limits.hit(Kind.WRITES, "key:etl")
    assert limits._syncing is not None
    await asyncio.wait_for(limits._syncing, 5)
    (name,) = await redis.keys("packhouse:rate*")
    assert await redis.get(name) == "1"
    await limits.close()


class StillClock(FakeClock):
    """Whoever sleeps sleeps until it is cancelled."""

    async def sleep(self, seconds: float) -> None:
        await asyncio.Event().wait()


async def test_closing_waits_for_no_further_exchange(redis_url: str) -> None:
    for steps in range(30):  # redis-py loses a cancel at some steps of a connection's making
        client = connect_redis(redis_url)
        limits = RateLimits(redis=client, clock=StillClock(MID_MINUTE), per_minute=LIMITS)
        limits.hit(Kind.WRITES, "key:etl")
        for _ in range(steps):
            await asyncio.sleep(0)
        closed, _ = await asyncio.wait({asyncio.create_task(limits.close())}, timeout=5)
        assert closed
        await client.aclose()
