"""Whatever another program writes into Redis costs its own entry: Redis is a hint, SQL is the record."""

from typing import Any

import pytest
from redis.asyncio import Redis

from engine.domain.fleet.budgets import Budget, TaskReport
from engine.domain.ids import RunId
from engine.queue.budgets import PaceLedger
from engine.queue.rate_limits import Kind, RateLimits
from engine.queue.streams import QueueDepth, RunQueue
from tests.support.fake_clock import FakeClock

RUN = RunId("run_1")
_MALFORMED: dict[str, dict[bytes | str, bytes | str]] = {
    "not utf-8": {"run": b"\xff\xfe"},
    "a name that is not utf-8": {b"\xff": RUN},
    "no run": {"other": RUN},
    "empty": {"run": ""},
    "a NUL, which Postgres refuses": {"run": "run_\0"},
    "no id": {"run": "'; drop table runs --"},
    "huge": {"run": "r" * 2**20, "more": "x" * 2**20},
}


async def taken_run(queue: RunQueue) -> RunId | None:
    delivery = await queue.take(block_seconds=0.01)
    return None if delivery is None else delivery.run_id


@pytest.mark.parametrize("fields", _MALFORMED.values(), ids=_MALFORMED)
@pytest.mark.parametrize("is_taken_first", [True, False])
async def test_f33_a_malformed_entry_is_a_dead_letter_and_spares_the_others(
    redis: Redis, fields: dict[Any, Any], is_taken_first: bool
) -> None:
    queue = RunQueue(redis=redis, consumer="a")
    await queue.ensure()
    await redis.xadd("packhouse:runs", fields)
    await queue.enqueue(RUN)
    if is_taken_first:
        assert await queue.take(block_seconds=0.01) is None
        assert await taken_run(queue) == RUN
    else:  # delivered to a worker that died
        await redis.execute_command("XREADGROUP", "GROUP", "workers", "dead", "STREAMS", "packhouse:runs", ">", **_RAW)
        assert [found.run_id for found in await queue.reclaim(idle_seconds=0, limit=10)] == [RUN]
    assert await queue.depth() == QueueDepth(waiting=0, in_flight=1, dead=1)
    letters: Any = await redis.xrange("packhouse:runs:dead")
    [(_, letter)] = letters
    assert letter["reason"].startswith("the entry carries no run id")
    assert len(letter["reason"]) < 500


_RAW: dict[str, Any] = {"NEVER_DECODE": True}


@pytest.mark.parametrize("key", ["packhouse:runs", "packhouse:runs:dead"])
async def test_f33_a_key_of_another_type_is_replaced(redis: Redis, key: str) -> None:
    queue = RunQueue(redis=redis, consumer="a")
    for call in (queue.depth, lambda: queue.enqueue(RUN), lambda: queue.reclaim(idle_seconds=0, limit=1)):
        await redis.flushall()
        await redis.set(key, b"\xff")
        await call()
    await redis.xadd("packhouse:runs", {"foreign": "entry"})
    await redis.set("packhouse:runs:dead", "x")
    assert await queue.take(block_seconds=0.01) is None
    await queue.enqueue(RUN)
    assert await taken_run(queue) == RUN
    assert (await queue.depth()).dead == 1


@pytest.mark.parametrize(
    "damage",
    [
        lambda redis, key: redis.set(key, "x"),
        lambda redis, key: redis.hset(key, mapping={"bytes_limit": "x", "lanes": "\0", "attempt": "x"}),
        lambda redis, key: redis.hset(key.replace(":ledger", ":live"), "0", b"\xc1\xff"),
        lambda redis, key: redis.hset(key.replace(":ledger", ":live"), "0", b"\x01"),
    ],
)
async def test_f33_a_damaged_ledger_counts_as_a_lost_one(redis: Redis, damage: Any) -> None:
    ledger = PaceLedger(redis=redis)
    await ledger.open(RUN, 1, Budget(1000.0), 2)
    await damage(redis, "packhouse:pace:{run_1}:ledger")
    report = TaskReport(group=0, bytes_read=1, bytes_written=0, requests=0, throttled_seconds=0.0, finished=False)
    await ledger.report(RUN, 1, report)
    await ledger.open(RUN, 1, Budget(1000.0), 2)
    assert (await ledger.report(RUN, 1, report)).budget.bytes_per_second
    assert (await ledger.progress(RUN)).members == 1


async def test_f33_a_foreign_counter_leaves_the_limit_to_the_process(redis: Redis) -> None:
    clock = FakeClock()
    limits = RateLimits(redis=redis, clock=clock, per_minute=dict.fromkeys(Kind, 2))
    assert limits.hit(Kind.READS, "a").is_allowed
    await limits.sync()
    [key] = await redis.keys("packhouse:rate*")
    await redis.set(key, "x")
    assert limits.hit(Kind.READS, "a").is_allowed
    await limits.sync()
    assert not limits.hit(Kind.READS, "a").is_allowed
    await limits.close()
