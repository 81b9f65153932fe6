"""Windows that begin while a rewrite runs: it stops as it was told, keeps what is done, and goes on afterwards.

Windows end when the record's clock is moved there.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.policies import OnStart
from engine.domain.runs.run import GroupState, Run, RunState, WaitingFor
from engine.services.operations.tasks import waiting_groups
from engine.services.operations.tasks.lane_times import LaneTimes
from engine.services.runs import hold_watch
from engine.services.runs.attempts import Attempt
from engine.services.runs.holds import StartBlocker, WindowGap
from tests.support.attempts import content, events_of, groups_of
from tests.support.eventually import until
from tests.support.moved_clock import MovedClock
from tests.support.windows_ahead import Gate, attempt_of, blackout, change_policy, go_on, instant
from tests.support.world import World

ONE_LANE = {"limits": {"parallel_groups": 1}}
GROUPS, FILES = 3, 18


def now_until(end: datetime, on_start: str = "drain") -> dict[str, Any]:
    """Return a policy with a blackout that began a second ago."""
    return ONE_LANE | {"blackouts": [blackout(instant(seconds=-1), end, on_start)]}


@dataclass
class Running:
    """A run whose second group is under way and waits at the gate."""

    world: World
    clock: MovedClock
    run: Run
    gate: Gate
    advancing: "asyncio.Task[bool]"
    rows: pa.Table

    async def held(self, end: datetime, on_start: str = "drain") -> None:
        """Let a blackout begin, and wait until the attempt has heard of it."""
        await change_policy(self.world, now_until(end, on_start))
        await until(lambda: is_held(self.world))

    async def parked(self) -> Run:
        """Wait for the end of the attempt."""
        await asyncio.wait_for(self.advancing, 30)
        return await self.world.get(self.run.id)

    async def committed(self) -> int:
        return Counter(group.state for group in await groups_of(self.world, self.run.id))[GroupState.COMMITTED]

    async def ends(self, *, attempts: int = 2) -> None:
        """Go on as soon as it may: every group once, no row lost or doubled."""
        if (at := (await self.world.get(self.run.id)).not_before) is not None:
            assert not await self.world.container.worker.advance(self.run.id)
            await self.clock.pass_until(at)
        ended = await go_on(self.world, self.run)
        assert (ended.state, ended.attempt, ended.failures) == (RunState.SUCCEEDED, attempts, 0), ended.detail
        assert (ended.result.groups_committed, ended.result.rewritten_files) == (GROUPS, FILES)
        assert (content(self.world), len(self.world.lake.paths())) == (self.rows, GROUPS)
        live = {path.removeprefix("file://") for path in self.world.lake.paths()}
        assert {path for path in self.world.lake.stored_files() if self.run.id in path} == live


Start = Callable[..., Awaitable[Running]]


@pytest.fixture
def running(world: World, clock: MovedClock, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Return what starts a run; each group is sent alone, and a changed policy is heard at the next look."""
    monkeypatch.setattr(waiting_groups, "LEAST_BUNDLE_BYTES", 1)
    monkeypatch.setattr(hold_watch, "POLICY_SECONDS", 0.0)

    async def start(policy: dict[str, Any] = ONE_LANE) -> Running:
        await change_policy(world, policy)
        gate, rows = Gate(world, 2), content(world)
        run = await world.submit()
        advancing = asyncio.create_task(world.container.worker.advance(run.id))
        await asyncio.wait_for(gate.reached.wait(), 30)
        return Running(world, clock, run, gate, advancing, rows)

    return start


def is_held(world: World) -> bool:
    return attempt_of(world)._watch.hold() is not None


@pytest.mark.parametrize(("on_start", "committed"), [("drain", 2), ("interrupt", 1)])
async def test_a_window_stops_a_running_rewrite_which_goes_on_afterwards(
    world: World, running: Start, on_start: str, committed: int
) -> None:
    """U3: groups that are committed stay; the next attempt rewrites only the rest."""
    under_way = await running()
    begin, end = instant(seconds=0.5), instant(seconds=3600)
    await change_policy(world, ONE_LANE | {"blackouts": [blackout(begin, end, on_start)]})
    await until(lambda: is_held(world))
    assert datetime.now(UTC) >= begin
    if on_start == "drain":
        under_way.gate.open()
    parked = await under_way.parked()
    assert (parked.state, parked.waiting_for, parked.reason) == (RunState.QUEUED, WaitingFor.BLACKOUT, "blackout")
    assert (parked.not_before, parked.failures) == (end, 0)
    assert parked.detail == "freeze; written file groups are committed, the rest is planned again afterwards"
    assert await under_way.committed() == committed
    assert (content(world), len(world.lake.paths())) == (under_way.rows, FILES - 5 * committed)
    await under_way.ends()
    assert await under_way.clock.now() >= end


async def test_a_window_that_lets_runs_finish_stops_none_and_lets_none_start(world: World, running: Start) -> None:
    under_way = await running()
    await under_way.held(instant(seconds=60), "finish")
    under_way.gate.open()
    ended = await under_way.parked()
    assert (ended.state, ended.attempt, ended.result.groups_committed) == (RunState.SUCCEEDED, 1, GROUPS)
    later = await world.submit()
    assert not await world.container.worker.advance(later.id)


async def test_an_interrupted_run_is_parked_within_five_seconds(world: World, running: Start) -> None:
    under_way = await running()
    begin = instant(seconds=1)
    await change_policy(world, ONE_LANE | {"blackouts": [blackout(begin, instant(seconds=60), "interrupt")]})
    await under_way.parked()
    assert datetime.now(UTC) - begin < timedelta(seconds=5)


async def test_of_two_windows_the_stricter_rules_and_the_later_end_counts(world: World, running: Start) -> None:
    under_way = await running()
    end = instant(seconds=60)
    both = [
        blackout(instant(seconds=-1), end, "finish"),
        blackout(instant(seconds=0), instant(seconds=30), "interrupt"),
    ]
    await change_policy(world, ONE_LANE | {"blackouts": both})
    parked = await under_way.parked()
    assert (parked.not_before, await under_way.committed()) == (end, 1)
    await under_way.ends()


async def test_a_pause_in_a_window_that_drains_interrupts_and_the_window_holds_after_the_resume(
    world: World, running: Start
) -> None:
    under_way = await running()
    end = instant(seconds=60)
    await under_way.held(end)
    await world.container.pauses.pause_table(SYSTEM, world.table_id, reason="backfill", stops=True)
    parked = await under_way.parked()
    assert (parked.waiting_for, parked.not_before) == (WaitingFor.PAUSED, None)
    assert await under_way.committed() == 1
    await world.container.pauses.resume_table(SYSTEM, world.table_id)
    assert not await world.container.worker.advance(parked.id)
    held = await world.get(parked.id)
    assert (held.waiting_for, held.not_before) == (WaitingFor.BLACKOUT, end)
    await under_way.ends()


async def test_a_run_that_waits_in_a_window_is_cancelled_at_once_and_keeps_what_it_committed(
    world: World, running: Start
) -> None:
    under_way = await running()
    await under_way.held(instant(seconds=60))
    under_way.gate.open()
    await under_way.parked()
    await world.container.runs.cancel(SYSTEM, under_way.run.id)
    cancelled = await go_on(world, under_way.run)
    assert (cancelled.state, cancelled.result.groups_committed) == (RunState.CANCELLED, 2)
    assert content(world) == under_way.rows


async def test_a_cancel_is_stronger_than_a_window_that_drains(world: World, running: Start) -> None:
    under_way = await running()
    await under_way.held(instant(seconds=60))
    await world.container.runs.cancel(SYSTEM, under_way.run.id)
    ended = await under_way.parked()
    assert (ended.state, ended.reason) == (RunState.CANCELLED, "cancelled")
    assert content(world) == under_way.rows


async def test_a_worker_that_is_stopped_in_a_window_leaves_the_run_to_wait_for_its_end(
    world: World, running: Start
) -> None:
    under_way = await running()
    end = instant(seconds=60)
    await under_way.held(end)
    world.container.worker.stop()
    world.container.worker.stop()  # at once
    parked = await under_way.parked()
    assert (parked.state, parked.waiting_for, parked.failures) == (RunState.QUEUED, WaitingFor.RETRY, 0)
    world.container.worker._stopping.clear()  # as a new worker
    assert not await world.container.worker.advance(parked.id)
    assert (await world.get(parked.id)).not_before == end
    await under_way.ends()


@pytest.mark.parametrize("step", ["group_written", "before_commit", "after_commit"])
async def test_a_worker_that_dies_while_it_parks_loses_nothing(world: World, running: Start, step: str) -> None:
    under_way = await running()
    end = instant(seconds=60)
    await under_way.held(end)
    world.at(step, world.steal_lease(under_way.run.id))
    under_way.gate.open()
    lost = await under_way.parked()
    assert lost.lease_holder == "another worker"
    await world.expire_lease(lost.id)
    assert not await world.container.worker.advance(lost.id)
    held = await world.get(lost.id)
    assert (held.waiting_for, held.not_before) == (WaitingFor.BLACKOUT, end)
    await under_way.clock.pass_until(end)
    ended = await go_on(world, under_way.run)
    assert (ended.state, ended.result.groups_committed) == (RunState.SUCCEEDED, GROUPS), ended.detail
    assert (content(world), len(world.lake.paths())) == (under_way.rows, GROUPS)
    committed = [group for summary in world.lake.replaces() for group in summary["packhouse.groups"].split(",")]
    assert len(committed) == len(set(committed)) == GROUPS


async def test_a_window_that_is_taken_back_before_it_begins_stops_nothing(world: World, running: Start) -> None:
    soon = [blackout(instant(seconds=60), instant(seconds=90), "interrupt")]
    under_way = await running(ONE_LANE | {"blackouts": soon})
    await change_policy(world, ONE_LANE)
    await until(lambda: attempt_of(world).room() == WindowGap())
    under_way.gate.open()
    ended = await under_way.parked()
    assert (ended.state, ended.attempt) == (RunState.SUCCEEDED, 1)


async def test_a_run_that_waits_for_a_window_that_is_taken_back_is_let_go(world: World, running: Start) -> None:
    under_way = await running()
    await change_policy(world, now_until(instant(seconds=60), "interrupt"))
    await under_way.parked()
    assert await world.container.coordinator.review() == 0
    await change_policy(world, ONE_LANE)
    assert await world.container.coordinator.review() == 1
    await under_way.ends()


def quiet_now(on_start: str = "drain") -> dict[str, Any]:
    """Quiet hours that hold now and for more than an hour."""
    now = datetime.now(UTC)
    begin, end = now - timedelta(hours=1), now + timedelta(hours=2)
    return {"quiet_hours": [{"from": f"{begin:%H:%M}", "to": f"{end:%H:%M}", "on_start": on_start}]}


async def test_quiet_hours_that_appear_stop_a_running_rewrite(world: World, running: Start) -> None:
    under_way = await running()
    await change_policy(world, ONE_LANE | quiet_now("interrupt"))
    parked = await under_way.parked()
    assert parked.waiting_for is WaitingFor.QUIET_HOURS
    assert parked.not_before is not None
    assert (parked.not_before.second, parked.not_before.microsecond) == (0, 0)
    assert timedelta(hours=1, minutes=55) < parked.not_before - datetime.now(UTC) < timedelta(hours=2)
    await change_policy(world, ONE_LANE)
    await world.container.coordinator.review()
    await under_way.ends()


async def test_an_urgent_run_goes_on_in_quiet_hours_and_stops_for_a_blackout(world: World, running: Start) -> None:
    urgent = ONE_LANE | {"schedule": {"urgent_after": "1s"}}
    under_way = await running(urgent)
    await under_way.clock.pass_until(under_way.run.created_at + timedelta(seconds=1.1))
    await change_policy(world, urgent | quiet_now("interrupt"))
    await until(lambda: not attempt_of(world)._watch._rules.windows.are_none)
    assert not is_held(world)
    end = instant(seconds=60)
    await change_policy(world, urgent | quiet_now() | {"blackouts": [blackout(instant(seconds=-1), end, "interrupt")]})
    parked = await under_way.parked()
    assert (parked.waiting_for, parked.not_before) == (WaitingFor.BLACKOUT, end)
    await under_way.ends()


async def test_what_would_not_end_before_a_window_is_not_started(
    world: World, running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way = await running()
    begin, end = instant(seconds=30), instant(seconds=60)
    await change_policy(world, ONE_LANE | {"blackouts": [blackout(begin, end, "interrupt")]})
    await until(lambda: attempt_of(world).room() != WindowGap())
    monkeypatch.setattr(LaneTimes, "least_seconds", lambda _self, _groups: 31.0)
    under_way.gate.open()
    parked = await under_way.parked()
    assert datetime.now(UTC) < begin
    assert (parked.waiting_for, parked.reason) == (WaitingFor.BLACKOUT, "window_ahead")
    assert (parked.not_before, parked.failures) == (end, 0)
    assert await under_way.committed() == 2
    assert parked.detail is not None
    assert parked.detail.startswith(f"freeze at {begin:%Y-%m-%d %H:%M:%S} UTC: the ")
    assert "(measured in this run), and " in parked.detail
    assert await world.container.coordinator.review() == 0
    await change_policy(world, ONE_LANE)
    assert await world.container.coordinator.review() == 1
    await under_way.ends()


async def test_a_group_that_no_time_between_windows_holds_is_sent_right_after_one(
    world: World, running: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    ahead = StartBlocker(WaitingFor.QUIET_HOURS, instant(seconds=60), OnStart.DRAIN, "window_ahead", "quiet hours")
    short = WindowGap(seconds=0.001, longest=0.002, is_young=True, ahead=ahead)
    under_way = await running()
    monkeypatch.setattr(Attempt, "room", lambda _self: short)
    under_way.gate.open()
    ended = await under_way.parked()
    assert (ended.state, ended.result.groups_committed) == (RunState.SUCCEEDED, GROUPS)
    told = [event for event in await events_of(world, ended.id) if event.kind == "longer_than_any_gap"]
    assert [event.details["groups"] for event in told] != []
