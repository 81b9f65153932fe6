"""How a shared limit is dealt to runs: the promises of `engine/queue/shared_budgets.py` over random histories."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from redis.asyncio import Redis

from engine.domain.fleet.budgets import Budget
from engine.domain.ids import RunId
from engine.queue.budgets import SILENCE_SECONDS
from engine.queue.shared_budgets import FLEET, RunReport, RunShare, SharedLedgers, SharedLimit, catalog_ledger

LIMIT = 100e6
REQUESTS = 300.0
DEALT = 0.99
LANES = 6
ROUNDING = 1e-6

any_history = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
"""Each example empties the server first."""

caps = st.sampled_from([None, 0.2e6, 5e6, 12e6, 40e6, 99e6, 500e6])


@dataclass(frozen=True)
class Step:
    """So many seconds later a run reports, its tasks having slowed down to its last share or not yet; or it leaves."""

    seconds: float
    run: int
    cap: float | None
    tasks_follow: bool
    leaves: bool = False


steps = st.lists(
    st.builds(
        Step,
        seconds=st.sampled_from([0.0, 0.01, 0.5, 1.0, 2.5, 4.999, 5.0, 7.0]),
        run=st.integers(0, LANES - 1),
        cap=caps,
        tasks_follow=st.booleans(),
        leaves=st.sampled_from([False] * 5 + [True]),
    ),
    max_size=40,
)


@dataclass
class Holding:
    """A run as it sees itself: its last share, what its tasks may hold or take, and when it last reported."""

    share: float
    tasks: float
    seen_at: float
    most: float


@dataclass
class Runs:
    """Runs that obey: a run's tasks hold what it was given last, or still what it was given before."""

    ledgers: SharedLedgers
    clock: list[float]
    limit: SharedLimit
    held: dict[int, Holding] = field(default_factory=dict)

    async def step(self, step: Step) -> RunShare | None:
        self.clock[0] += step.seconds
        if step.leaves:
            await self.ledgers.leave(FLEET, run_id(step.run), 1)
            self.held.pop(step.run, None)
            return None
        if step.run not in self.alive():  # it is new, or its tasks slowed down meanwhile: its budget lapsed
            self.held.pop(step.run, None)
        return await self.report(step.run, cap=step.cap, tasks_follow=step.tasks_follow)

    async def report(self, run: int, *, cap: float | None = None, tasks_follow: bool = True) -> RunShare:
        before = self.held.get(run)
        tasks = 0.0 if before is None else before.share if tasks_follow else before.tasks
        held = 0.0 if before is None else max(before.share, tasks)  # a task may take the old share until it is changed
        report = report_of(held=Budget(held, 0.0), cap=Budget(cap), is_returning=before is not None)
        answer = await self.ledgers.share(FLEET, run_id(run), 1, self.limit, report)
        share = answer.budget.bytes_per_second or 0.0
        self.held[run] = Holding(share, tasks, self.clock[0], max(share, held))
        return answer

    def alive(self) -> Mapping[int, Holding]:
        now = self.clock[0]
        return {run: each for run, each in self.held.items() if now - each.seen_at < SILENCE_SECONDS}

    def shares(self) -> Mapping[int, float]:
        return {run: each.share for run, each in self.alive().items()}


def run_id(run: int) -> RunId:
    return RunId(f"run_{run}")


def report_of(*, read: int = 0, held: Budget | None = None, cap: Budget | None = None, is_returning: bool = False):
    nothing = {"bytes_written": 0, "requests": 0, "throttled_seconds": 0.0, "is_returning": is_returning}
    return RunReport(bytes_read=read, held=held or Budget(0.0, 0.0), cap=cap or Budget(), **nothing)


async def open_runs(redis: Redis) -> Runs:
    await redis.flushall()
    clock = [1_000_000.0]
    ledgers = SharedLedgers(redis=redis, now=lambda: clock[0])
    return Runs(ledgers, clock, SharedLimit(Budget(LIMIT, REQUESTS), LANES, 1))


def fair(wanted: Mapping[int, float | None], amount: float) -> Mapping[int, float]:
    """Max-min fair shares by definition: fill everybody up alike until the amount or what each can use is reached."""
    shares = dict.fromkeys(wanted, 0.0)
    left, open_runs = amount, set(wanted)
    while open_runs and left > amount * 1e-12:
        room = {run: (wanted[run] or 1e18) - shares[run] for run in open_runs}
        part = min(left / len(open_runs), *room.values())
        for run in open_runs:
            shares[run] += part
        left -= part * len(open_runs)
        open_runs = {run for run in open_runs if room[run] > part}
    return shares


@any_history
@given(history=steps)
async def test_live_runs_and_their_tasks_never_hold_more_than_the_limit_and_none_starves_or_gets_what_it_cannot_use(
    redis: Redis, history: list[Step]
) -> None:
    runs = await open_runs(redis)
    for step in history:
        answer = await runs.step(step)
        assert sum(each.most for each in runs.alive().values()) <= LIMIT * (1 + ROUNDING)
        if answer is not None:
            share, cap = answer.budget.bytes_per_second or 0.0, step.cap or LIMIT
            assert min(cap, 0.005 * LIMIT / LANES) * (1 - ROUNDING) <= share <= cap


@any_history
@given(history=steps, wanted=st.dictionaries(st.integers(0, LANES - 1), caps, min_size=1))
async def test_after_four_rounds_the_shares_are_max_min_fair(
    redis: Redis, history: list[Step], wanted: dict[int, float | None]
) -> None:
    runs = await open_runs(redis)
    for step in history:
        await runs.step(step)
    runs.clock[0] += SILENCE_SECONDS
    for _ in range(4):  # a run makes room in the second, so that the others have grown after the fourth
        for run, cap in wanted.items():
            await runs.report(run, cap=cap)
        runs.clock[0] += 1.0
    expected = fair(wanted, DEALT * LIMIT)
    assert {run: runs.shares()[run] for run in wanted} == pytest.approx(expected, rel=1e-6)


@any_history
@given(runs_before=st.integers(1, LANES), order=st.permutations(range(LANES)), newcomer=st.booleans())
async def test_after_a_loss_nobody_grows_until_everybody_is_back(
    redis: Redis, runs_before: int, order: list[int], newcomer: bool
) -> None:
    runs = await open_runs(redis)
    for _ in range(4):
        for run in range(runs_before):
            await runs.report(run)
    await redis.flushall()
    order = [run for run in order if run < runs_before]
    for run in order:
        runs.clock[0] += 1.0 / runs_before  # all report within a second, and newcomers after the first of them
        await runs.report(run)
        if newcomer:
            await runs.report(LANES - 1 + order.index(run) + 1)
        floors = 0.005 * LIMIT
        assert sum(each.most for each in runs.alive().values()) <= LIMIT + floors
    for _ in range(4):
        runs.clock[0] += 1.0
        for run in list(runs.held):
            await runs.report(run)
    assert sum(runs.shares().values()) == pytest.approx(DEALT * LIMIT)


async def test_a_run_that_joins_gets_its_share_once_the_tasks_of_the_other_slowed_down(redis: Redis) -> None:
    runs = await open_runs(redis)
    for _ in range(2):
        await runs.report(0)
    first = await runs.report(1)
    for _ in range(2):
        await runs.report(0, tasks_follow=False)
    second = await runs.report(1)
    await runs.report(0)
    third = await runs.report(1)
    assert [answer.budget.bytes_per_second for answer in (first, second, third)] == [
        pytest.approx(0.005 * LIMIT / LANES),
        pytest.approx(0.005 * LIMIT / LANES),
        pytest.approx(DEALT * LIMIT / 2),
    ]
    assert third.runs == 2


async def test_the_share_of_a_run_that_left_is_dealt_again_at_once_and_of_one_that_died_after_five_seconds(
    redis: Redis,
) -> None:
    runs = await open_runs(redis)
    for run in (0, 1, 2) * 4:
        await runs.report(run)
    await runs.ledgers.leave(FLEET, run_id(2), 1)
    for run in (0, 1) * 2:
        answer = await runs.report(run)
        assert answer.budget.bytes_per_second == pytest.approx(DEALT * LIMIT / 2)
    runs.clock[0] += SILENCE_SECONDS - 0.001
    early = await runs.report(1)
    runs.clock[0] += 0.001
    late = await runs.report(1)
    assert early.budget.bytes_per_second == pytest.approx(DEALT * LIMIT / 2)
    assert late.budget.bytes_per_second == pytest.approx(DEALT * LIMIT)


async def test_a_later_attempt_counts_from_its_own_beginning_and_an_earlier_one_gets_and_takes_nothing(redis: Redis):
    runs = await open_runs(redis)
    for attempt, read in ((1, 500), (2, 200)):
        await runs.ledgers.share(FLEET, run_id(0), attempt, runs.limit, report_of(read=read))
    assert await runs.ledgers.share(FLEET, run_id(0), 1, runs.limit, report_of(read=900)) is None
    await runs.ledgers.leave(FLEET, run_id(0), 1)
    progress = await runs.ledgers.progress(FLEET)
    assert (progress.members, progress.bytes_read) == (1, 700)


async def test_a_limit_of_an_older_version_does_not_come_back(redis: Redis) -> None:
    runs = await open_runs(redis)
    newer = SharedLimit(Budget(LIMIT / 2, None), LANES, 2)
    await runs.ledgers.share(FLEET, run_id(0), 1, newer, report_of())
    await runs.report(0)
    assert runs.shares()[0] == pytest.approx(DEALT * LIMIT / 2)
    assert (await runs.ledgers.progress(FLEET)).budget == Budget(LIMIT / 2, None)


async def test_requests_are_shared_like_bytes(redis: Redis) -> None:
    runs = await open_runs(redis)
    limit = SharedLimit(Budget(None, REQUESTS), LANES, 1)
    for _ in range(2):
        answers = [
            await runs.ledgers.share(FLEET, run_id(run), 1, limit, report_of(cap=Budget(None, cap)))
            for run, cap in enumerate([30.0, None])
        ]
    assert answers[0].budget == Budget(None, 30.0)
    assert answers[1].budget == Budget(None, DEALT * REQUESTS - 30.0)


async def test_the_live_rate_is_that_of_all_runs_and_counts_nothing_twice_after_a_loss(redis: Redis) -> None:
    runs = await open_runs(redis)
    catalog = catalog_ledger("lake")
    for second in range(31):
        if second == 15:
            await redis.flushall()
        for run in range(2):
            report = report_of(read=second * 1000, is_returning=second > 0)
            await runs.ledgers.share(catalog, run_id(run), 1, runs.limit, report)
        runs.clock[0] += 1
        if second >= 16:
            assert (await runs.ledgers.progress(catalog)).bytes_per_second <= 2200
    assert (await runs.ledgers.progress(catalog)).bytes_per_second == pytest.approx(2000, rel=0.11)


async def test_runs_that_came_and_went_leave_nothing_behind(redis: Redis) -> None:
    runs = await open_runs(redis)
    for run in range(20):
        await runs.report(run)
        if run % 2:
            await runs.ledgers.leave(FLEET, run_id(run), 1)
        runs.clock[0] += 10
    runs.clock[0] += 100
    await runs.report(99)
    keys = [key async for key in redis.scan_iter("packhouse:pace:*")]
    assert not [key for key in keys if "resting" in key]
    assert all([0 < await redis.ttl(key) <= 3600 for key in keys])
