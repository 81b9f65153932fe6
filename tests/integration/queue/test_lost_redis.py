"""Redis killed in the middle of things: the domain's error, and on with the work when it is back."""

import asyncio
import re

import pytest
from redis.asyncio import Redis

from engine.domain.errors import Transient
from engine.domain.fleet.budgets import Budget, TaskReport
from engine.domain.ids import RunId
from engine.embedded.redis import EmbeddedRedis
from engine.queue.budgets import PaceLedger
from engine.queue.connection import connect_redis
from engine.queue.streams import QueueDepth, RunQueue
from tests.support.redis_server import until_blocked

RUN = RunId("run_1")
REPORT = TaskReport(group=1, bytes_read=10, bytes_written=0, requests=1, throttled_seconds=0.0)


async def test_a_waiting_take_ends_as_transient_when_redis_dies(mortal_redis: EmbeddedRedis, mortal_client: Redis):
    queue = RunQueue(redis=mortal_client, consumer="a")
    await queue.ensure()
    waiting = asyncio.create_task(queue.take(block_seconds=4))
    await until_blocked(mortal_client)
    mortal_redis.kill()
    with pytest.raises(Transient, match="Redis did not answer"):
        await waiting


async def test_reports_under_way_end_as_transient_when_redis_dies(mortal_redis: EmbeddedRedis, mortal_client: Redis):
    ledger = PaceLedger(redis=mortal_client)
    await ledger.open(RUN, 1, Budget(1e6), 1)
    reporting = asyncio.create_task(report_for_ever(ledger))
    await asyncio.to_thread(mortal_redis.kill)
    with pytest.raises(Transient):
        await reporting


async def test_every_call_without_redis_is_transient(mortal_redis: EmbeddedRedis, mortal_client: Redis) -> None:
    mortal_redis.kill()
    queue, ledger = RunQueue(redis=mortal_client, consumer="a"), PaceLedger(redis=mortal_client)
    for call in (queue.ensure(), queue.enqueue(RUN), queue.depth(), ledger.stop(RUN, 1), ledger.progress(RUN)):
        with pytest.raises(Transient):
            await call


async def test_what_was_queued_and_taken_is_there_after_a_crash(mortal_redis: EmbeddedRedis, mortal_client: Redis):
    queue = RunQueue(redis=mortal_client, consumer="a")
    for number in range(3):
        await queue.enqueue(RunId(f"run_{number}"))
    await queue.take(block_seconds=1)
    mortal_redis.kill()
    mortal_redis.start()
    assert await queue.depth() == QueueDepth(waiting=2, in_flight=1, dead=0)
    following = await queue.take(block_seconds=1)
    assert following.run_id == "run_1"


async def test_the_ledger_goes_on_after_a_crash(mortal_redis: EmbeddedRedis, mortal_client: Redis) -> None:
    ledger = PaceLedger(redis=mortal_client)
    await ledger.open(RUN, 1, Budget(1e6), 1)
    await ledger.report(RUN, 1, REPORT)
    mortal_redis.kill()
    mortal_redis.start()
    answer = await ledger.report(RUN, 1, REPORT)
    assert answer.budget.bytes_per_second == pytest.approx(0.99e6)
    assert (await ledger.progress(RUN)).bytes_read == 10


async def test_a_wrong_password_is_transient_and_does_not_show_it(mortal_redis: EmbeddedRedis) -> None:
    client = connect_redis(re.sub(r"//.*@", "//:hunter2@", mortal_redis.start()))
    with pytest.raises(Transient) as caught:
        await RunQueue(redis=client, consumer="a").enqueue(RUN)
    await client.aclose()
    assert "hunter2" not in str(caught.value)


async def report_for_ever(ledger: PaceLedger) -> None:
    while True:
        await ledger.report(RUN, 1, REPORT)
