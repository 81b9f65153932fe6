"""How a budget is dealt to the tasks of an attempt: the promises of `engine/queue/budgets.py` over random histories."""

from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from engine.domain.fleet.budgets import Budget, PaceAnswer, TaskReport
from engine.domain.ids import RunId
from engine.queue.budgets import SILENCE_SECONDS, PaceLedger

RUN = RunId("run_1")
BYTES = 50e6
REQUESTS = 40.0
ROUNDING = 1e-6

any_history = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""Each example empties the server first."""


@dataclass(frozen=True)
class Step:
    """So many seconds later a task reports."""

    seconds: float
    task: int
    finished: bool


steps = st.lists(
    st.builds(
        Step,
        seconds=st.sampled_from([0.0, 0.01, 0.5, 1.0, 2.5, 4.999, 5.0, 7.0]),
        task=st.integers(0, 7),
        finished=st.sampled_from([False, False, False, True]),
    ),
    max_size=40,
)


@dataclass
class Fleet:
    """Tasks as they see themselves: the last share each was answered, and when it last reported."""

    ledger: PaceLedger
    clock: list[float]
    shares: dict[int, Budget] = field(default_factory=dict)
    seen_at: dict[int, float] = field(default_factory=dict)
    finished_at: dict[int, float] = field(default_factory=dict)

    async def report(self, step: Step) -> PaceAnswer:
        self.clock[0] += step.seconds
        now, task = self.clock[0], step.task
        answer = await self.ledger.report(RUN, 1, report_of(task, finished=step.finished))
        overtaken = now - self.finished_at.get(task, -SILENCE_SECONDS) < SILENCE_SECONDS
        if step.finished:
            self.shares.pop(task, None)
            self.finished_at[task] = now
        elif not overtaken:
            self.shares[task], self.seen_at[task] = answer.budget, now
        return answer

    def live(self) -> list[Budget]:
        return [b for task, b in self.shares.items() if self.clock[0] - self.seen_at[task] < SILENCE_SECONDS]


def report_of(task: int, *, finished: bool = False) -> TaskReport:
    return TaskReport(group=task, bytes_read=0, bytes_written=0, requests=0, throttled_seconds=0.0, finished=finished)


def reports(*tasks: int, seconds: float = 0.0, finished: bool = False) -> list[Step]:
    return [Step(seconds=seconds, task=task, finished=finished) for task in tasks]


async def open_fleet(redis: Redis, lanes: int, budget: Budget | None = None) -> Fleet:
    await redis.flushall()
    clock = [1_000_000.0]
    ledger = PaceLedger(redis=redis, now=lambda: clock[0])
    await ledger.open(RUN, 1, budget or Budget(BYTES, REQUESTS), lanes)
    return Fleet(ledger=ledger, clock=clock)


@any_history
@given(lanes=st.integers(1, 8) | st.just(8), history=steps)
async def test_shares_of_live_tasks_never_sum_above_the_budget_and_each_has_one(
    redis: Redis, lanes: int, history: list[Step]
) -> None:
    """With no more tasks than lanes each has at least its floor; with more, some share above zero."""
    fleet = await open_fleet(redis, lanes)
    for step in history:
        answer = await fleet.report(step)
        assert sum(share.bytes_per_second or 0 for share in fleet.live()) <= BYTES * (1 + ROUNDING)
        assert sum(share.requests_per_second or 0 for share in fleet.live()) <= REQUESTS * (1 + ROUNDING)
        assert (answer.budget.bytes_per_second or 0) > 0
        if lanes == 8:
            assert (answer.budget.bytes_per_second or 0) >= 0.005 * BYTES / 8 * (1 - ROUNDING)
            assert (answer.budget.requests_per_second or 0) >= 0.005 * REQUESTS / 8 * (1 - ROUNDING)


@any_history
@given(lanes=st.integers(1, 8), history=steps, survivors=st.sets(st.integers(0, 7), min_size=1))
async def test_after_two_rounds_the_live_tasks_hold_nearly_all_of_the_budget_in_equal_parts(
    redis: Redis, lanes: int, history: list[Step], survivors: set[int]
) -> None:
    fleet = await open_fleet(redis, lanes)
    for step in history:
        await fleet.report(step)
    fleet.clock[0] += SILENCE_SECONDS
    for _ in range(2):
        for task in survivors:
            await fleet.report(Step(seconds=0.01, task=task, finished=False))
    fair = pytest.approx(0.99 * BYTES / len(survivors))
    assert [share.bytes_per_second for share in fleet.live()] == [fair] * len(survivors)


async def test_a_lone_task_gets_the_share_of_lanes_that_stand_empty_and_no_limit_where_there_is_none(redis: Redis):
    (report,) = reports(1)
    fleet = await open_fleet(redis, lanes=8)
    assert (await fleet.report(report)).budget.bytes_per_second == pytest.approx(0.99 * BYTES)
    fleet = await open_fleet(redis, lanes=2, budget=Budget(bytes_per_second=None, requests_per_second=10.0))
    assert (await fleet.report(report)).budget == Budget(None, 0.99 * 10.0)


async def test_the_share_of_a_finished_task_is_dealt_again_at_once(redis: Redis) -> None:
    fleet = await open_fleet(redis, lanes=2)
    for step in (*reports(1, 2, 1), *reports(1, finished=True), *reports(2)):
        answer = await fleet.report(step)
    assert answer.budget.bytes_per_second == pytest.approx(0.99 * BYTES)


async def test_the_share_of_a_silent_task_is_dealt_again_after_five_seconds(redis: Redis) -> None:
    fleet = await open_fleet(redis, lanes=2)
    for task in (1, 2, 1, 2):
        await fleet.report(Step(seconds=0, task=task, finished=False))
    early = await fleet.report(Step(seconds=SILENCE_SECONDS - 0.001, task=2, finished=False))
    late = await fleet.report(Step(seconds=0.001, task=2, finished=False))
    assert early.budget.bytes_per_second == pytest.approx(0.495 * BYTES)
    assert late.budget.bytes_per_second == pytest.approx(0.99 * BYTES)


async def test_a_finished_task_comes_back_with_a_new_run_of_its_group_and_not_with_an_overtaken_report(redis: Redis):
    fleet = await open_fleet(redis, lanes=2)
    for step in (*reports(1, finished=True), *reports(1, seconds=1)):
        await fleet.report(step)
    assert (await fleet.ledger.progress(RUN)).members == 0
    answer = await fleet.report(Step(seconds=SILENCE_SECONDS, task=1, finished=False))
    assert answer.budget.bytes_per_second == pytest.approx(0.99 * BYTES)


async def test_a_lowered_budget_holds_once_each_task_has_reported(redis: Redis) -> None:
    fleet = await open_fleet(redis, lanes=3)
    for step in reports(*(1, 2, 3) * 2, seconds=0.1):
        await fleet.report(step)
    await fleet.ledger.open(RUN, 1, Budget(BYTES / 10, REQUESTS), 3)
    for step in reports(1, 2, 3, seconds=0.1):
        await fleet.report(step)
    assert sum(share.bytes_per_second or 0 for share in fleet.live()) <= BYTES / 10


async def test_a_raised_budget_is_dealt_at_the_next_report(redis: Redis) -> None:
    fleet = await open_fleet(redis, lanes=1)
    await fleet.report(Step(seconds=0, task=1, finished=False))
    await fleet.ledger.open(RUN, 1, Budget(BYTES * 2, REQUESTS), 1)
    answer = await fleet.report(Step(seconds=1, task=1, finished=False))
    assert answer.budget.bytes_per_second == pytest.approx(0.99 * BYTES * 2)


async def test_a_budget_that_nobody_renews_lapses_to_the_floor_and_comes_back(redis: Redis) -> None:
    fleet = await open_fleet(redis, lanes=4)
    shares = []
    for seconds, is_renewed in ((0.0, True), (2.9, False), (0.1, False), (1.0, False), (1.0, True)):
        fleet.clock[0] += seconds
        if is_renewed:
            await fleet.ledger.open(RUN, 1, Budget(BYTES, REQUESTS), 4, seconds=3.0)
        answer = await fleet.report(Step(seconds=0, task=1, finished=False))
        shares.append(answer.budget)
    whole, floor = Budget(0.99 * BYTES, 0.99 * REQUESTS), Budget(0.005 * BYTES / 4, 0.005 * REQUESTS / 4)
    assert shares == [whole, whole, floor, floor, whole]
