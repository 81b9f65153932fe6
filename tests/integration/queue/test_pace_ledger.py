"""What the ledger counts, and whom it tells to stop."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from engine.domain.fleet.budgets import Budget, TaskReport
from engine.domain.ids import RunId
from engine.queue.budgets import NEXT_TO_NOTHING, LiveProgress, PaceLedger

RUN = RunId("run_1")
LIMIT = Budget(100e6, 50.0)


class Moment:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.at = 5_000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def moment() -> Moment:
    return Moment()


@pytest.fixture
async def unopened(redis: Redis, moment: Moment) -> PaceLedger:
    return PaceLedger(redis=redis, now=moment)


@pytest.fixture
async def ledger(unopened: PaceLedger) -> PaceLedger:
    """A ledger with an open attempt of a run."""
    await unopened.open(RUN, 1, LIMIT, 2)
    return unopened


def moved(group: int, read: int, written: int = 0, *, throttled: float = 0.0, finished: bool = False) -> TaskReport:
    return TaskReport(
        group=group, bytes_read=read, bytes_written=written, requests=1, throttled_seconds=throttled, finished=finished
    )


async def test_progress_sums_the_tasks_and_keeps_the_finished_ones(
    ledger: PaceLedger,
) -> None:
    await ledger.report(RUN, 1, moved(1, 100, 40, throttled=0.5, finished=True))
    await ledger.report(RUN, 1, moved(2, 10, 2, throttled=0.25))
    progress = await ledger.progress(RUN)
    assert (progress.bytes_read, progress.bytes_written, progress.throttled_seconds) == (110, 42, 0.75)
    assert progress.members == 1


async def test_a_late_report_lowers_nothing(ledger: PaceLedger) -> None:
    await ledger.report(RUN, 1, moved(1, 100, 40))
    await ledger.report(RUN, 1, moved(1, 60, 10))
    progress = await ledger.progress(RUN)
    assert (progress.bytes_read, progress.bytes_written) == (100, 40)


async def test_totals_of_a_task_that_fell_silent_stay_and_go_on(ledger: PaceLedger, moment: Moment) -> None:
    await ledger.report(RUN, 1, moved(1, 100))
    moment.at += 60
    await ledger.report(RUN, 1, moved(2, 5))
    await ledger.report(RUN, 1, moved(1, 130))
    assert (await ledger.progress(RUN)).bytes_read == 135


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(amounts=st.lists(st.integers(0, 2**52), min_size=1, max_size=8), seed=st.integers())
async def test_lost_and_shuffled_reports_change_no_total(
    redis: Redis, unopened: PaceLedger, amounts: list[int], seed: int
) -> None:
    await redis.flushall()
    await unopened.open(RUN, 1, LIMIT, 2)
    for amount in random.Random(seed).sample(amounts, len(amounts)):
        await unopened.report(RUN, 1, moved(1, amount))
    assert (await unopened.progress(RUN)).bytes_read == max(amounts)


async def test_the_rate_is_measured_over_about_ten_seconds(ledger: PaceLedger, moment: Moment) -> None:
    await ledger.report(RUN, 1, moved(1, 0))
    for second in range(1, 31):
        moment.at += 1
        speed = 1000 if second <= 15 else 3000
        done = min(second, 15) * 1000 + max(second - 15, 0) * 3000
        await ledger.report(RUN, 1, moved(1, done))
        if second in {15, 30}:
            assert (await ledger.progress(RUN)).bytes_per_second == pytest.approx(speed, rel=0.11)


async def test_the_rate_counts_reads_and_writes_of_all_tasks_and_falls_to_zero_when_nothing_moves(
    ledger: PaceLedger, moment: Moment
) -> None:
    for second in range(21):
        for group in (1, 2):
            await ledger.report(RUN, 1, moved(group, second * 300, second * 200))
        moment.at += 1
    assert (await ledger.progress(RUN)).bytes_per_second == pytest.approx(1000, rel=0.11)
    moment.at += 12
    assert (await ledger.progress(RUN)).bytes_per_second == 0


async def test_an_attempt_that_was_never_opened_gives_next_to_nothing_and_can_be_stopped(unopened: PaceLedger) -> None:
    assert await unopened.progress(RUN) == LiveProgress(0, 0, 0.0, 0, 0.0)
    answer = await unopened.report(RUN, 1, moved(1, 1))
    assert (answer.budget, answer.stop) == (NEXT_TO_NOTHING, False)
    await unopened.stop(RUN, 1)
    await unopened.open(RUN, 1, LIMIT, 2)
    assert (await unopened.report(RUN, 1, moved(1, 1))).stop


async def test_a_stop_answers_every_later_report_of_its_attempt_and_none_of_the_next(ledger: PaceLedger) -> None:
    assert not (await ledger.report(RUN, 1, moved(1, 1))).stop
    await ledger.stop(RUN, 1)
    assert (await ledger.report(RUN, 1, moved(1, 2))).stop
    assert (await ledger.report(RUN, 1, moved(2, 1))).stop
    await ledger.open(RUN, 1, LIMIT, 2)
    assert (await ledger.report(RUN, 1, moved(1, 3))).stop
    await ledger.open(RUN, 2, LIMIT, 2)
    assert not (await ledger.report(RUN, 2, moved(1, 1))).stop


async def test_an_earlier_attempt_is_told_to_stop_counts_for_nothing_and_can_do_nothing_to_a_later_one(
    ledger: PaceLedger,
) -> None:
    await ledger.report(RUN, 1, moved(1, 70))
    await ledger.open(RUN, 2, LIMIT, 2)
    assert (await ledger.report(RUN, 1, moved(1, 90))).stop
    assert (await ledger.progress(RUN)).bytes_read == 0
    await ledger.open(RUN, 1, Budget(1.0, 1.0), 2)
    await ledger.stop(RUN, 1)
    await ledger.close(RUN, 1)
    answer = await ledger.report(RUN, 2, moved(1, 1))
    assert not answer.stop
    assert answer.budget.bytes_per_second == pytest.approx(99e6)


async def test_after_an_attempt_was_closed_its_progress_can_be_read_and_its_tasks_are_told_to_stop(ledger: PaceLedger):
    await ledger.report(RUN, 1, moved(1, 70, finished=True))
    await ledger.close(RUN, 1)
    assert (await ledger.progress(RUN)).bytes_read == 70
    assert (await ledger.report(RUN, 1, moved(1, 71))).stop


async def test_a_flushed_redis_needs_the_attempt_opened_again_and_nothing_else(redis: Redis, ledger: PaceLedger):
    await ledger.report(RUN, 1, moved(1, 50))
    await redis.flushall()
    assert (await ledger.report(RUN, 1, moved(1, 60))).budget == NEXT_TO_NOTHING
    await ledger.open(RUN, 1, LIMIT, 2)
    await ledger.report(RUN, 1, moved(1, 70))
    assert (await ledger.progress(RUN)).bytes_read == 70


async def test_every_key_expires(redis: Redis, ledger: PaceLedger) -> None:
    await ledger.report(RUN, 1, moved(1, 1, finished=True))
    await ledger.report(RUN, 1, moved(2, 1))
    keys = [key async for key in redis.scan_iter("packhouse:pace:*")]
    assert len(keys) == 3
    assert all([0 < await redis.ttl(key) <= 3600 for key in keys])
    await ledger.close(RUN, 1)
    assert all([0 < await redis.ttl(key) <= 900 for key in keys])


async def test_without_a_given_clock_the_server_tells_the_time(redis: Redis) -> None:
    ledger = PaceLedger(redis=redis)
    await ledger.open(RUN, 1, LIMIT, 2)
    await ledger.report(RUN, 1, moved(1, 1000))
    progress = await ledger.progress(RUN)
    assert progress.members == 1
    assert progress.bytes_per_second == pytest.approx(1000)


async def test_what_a_task_asked_of_storage_does_not_become_its_limit(ledger: PaceLedger) -> None:
    report = TaskReport(group=0, bytes_read=10, bytes_written=10, requests=7, throttled_seconds=0.0)
    for limit in (None, 40.0):
        await ledger.open(RUN, 1, Budget(None, limit), 1)
        answers = [await ledger.report(RUN, 1, report) for _ in range(3)]
        assert {answer.budget.requests_per_second for answer in answers} == {None if limit is None else limit * 0.99}
