"""What holds a run back at an instant, and when its heartbeat wakes for it, over virtual time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from engine.domain.fleet.backoff import Latency
from engine.domain.fleet.limits import Pauses
from engine.domain.ids import RunId, TableId
from engine.domain.policies import OnStart, PolicyDocument, effective_policy
from engine.domain.runs.run import Operation, Run, RunState, WaitingFor
from engine.domain.tables.table import Pause
from engine.services.runs.hold_watch import HoldWatch
from engine.services.runs.holds import WINDOW_AHEAD, HoldRules, Latencies, WindowGap
from tests.support.fake_clock import FakeClock

HOUR = timedelta(hours=1)
OFFICE = {"from": "09:00", "to": "17:00"}
BACKOFF = {"signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s"}
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
NONE = Latencies()


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def rules(**settings: Any) -> HoldRules:
    trial = PolicyDocument.model_validate(settings)
    return HoldRules.of(effective_policy(table_properties={}, trial=trial))


def freeze(begin: str, end: str, on_start: str = "drain") -> dict[str, Any]:
    return {"from": f"{begin}Z", "to": f"{end}Z", "reason": "freeze", "on_start": on_start}


def pause(*, stops: bool) -> Pauses:
    return Pauses(table=Pause(LONG_AGO, "op", "backfill", stops=stops))


def slow(now: datetime, *seconds: float) -> Latencies:
    return Latencies(of_table=[Latency(now - timedelta(seconds=len(seconds) - n), s) for n, s in enumerate(seconds)])


def test_a_window_holds_until_the_end_of_its_union_and_without_rules_nothing_holds() -> None:
    assert rules() == HoldRules()
    assert HoldRules().hold(at("2026-11-21T12:00"), LONG_AGO, NONE, Pauses()) is None
    assert HoldRules().room(at("2026-11-21T12:00"), LONG_AGO) == WindowGap()
    both = rules(quiet_hours=[OFFICE, {"from": "16:00", "to": "20:00", "on_start": "interrupt"}])
    hold = both.hold(at("2026-11-21T10:00"), LONG_AGO, NONE)
    assert (hold.waiting_for, hold.until, hold.how) == (WaitingFor.QUIET_HOURS, at("2026-11-21T20:00"), OnStart.DRAIN)
    later = both.hold(at("2026-11-21T16:30"), LONG_AGO, NONE)
    assert later.how is OnStart.INTERRUPT
    always = rules(quiet_hours=[{"from": "00:00", "to": "00:00"}])
    assert always.free_from(at("2026-11-21T08:00"), LONG_AGO, NONE) is None


def test_of_several_holds_the_strictest_rules_and_the_last_counts() -> None:
    now = at("2026-11-21T12:00")
    found = rules(
        quiet_hours=[{**OFFICE, "on_start": "finish"}],
        blackouts=[freeze("2026-11-21T11:00:00", "2026-11-21T13:00:00")],
        backoff=BACKOFF,
    )
    hold = found.hold(now, LONG_AGO, slow(now, 6.0))
    assert (hold.waiting_for, hold.until) == (WaitingFor.BLACKOUT, at("2026-11-21T17:00"))
    assert hold.how is OnStart.INTERRUPT  # slow queries stop a run, whatever the windows say
    paused = found.hold(now, LONG_AGO, NONE, pause(stops=False))
    assert (paused.waiting_for, paused.until, paused.how) == (WaitingFor.PAUSED, None, OnStart.DRAIN)


def test_a_run_that_waited_long_enough_is_held_by_blackouts_only() -> None:
    found = rules(
        quiet_hours=[OFFICE],
        blackouts=[freeze("2026-11-21T13:00:00", "2026-11-21T14:00:00")],
        schedule={"urgent_after": "1h"},
    )
    since = at("2026-11-21T08:30")
    early = found.hold(at("2026-11-21T09:10"), since, NONE)
    assert early.until == at("2026-11-21T09:30")
    assert found.is_urgent(since, at("2026-11-21T09:30"))
    assert found.hold(at("2026-11-21T09:30"), since, NONE) is None
    black = found.hold(at("2026-11-21T13:30"), since, NONE)
    assert (black.waiting_for, black.until) == (WaitingFor.BLACKOUT, at("2026-11-21T14:00"))


def test_a_run_that_becomes_urgent_in_a_blackout_waits_for_its_end_and_not_for_the_quiet_hours_around_it() -> None:
    found = rules(
        quiet_hours=[OFFICE],
        blackouts=[freeze("2026-11-21T11:00:00", "2026-11-21T13:00:00")],
        schedule={"urgent_after": "2h"},
    )
    for due, until in (("10:30", "13:00"), ("11:30", "13:30"), ("09:30", "13:00")):
        hold = found.hold(at("2026-11-21T11:45"), at(f"2026-11-21T{due}"), NONE)
        assert hold.until == at(f"2026-11-21T{until}")


def test_the_first_instant_without_a_hold_may_lie_behind_several_of_them() -> None:
    found = rules(
        quiet_hours=[OFFICE],
        blackouts=[freeze("2026-11-21T18:00:00", "2026-11-21T19:00:00")],
        schedule={"urgent_after": "3h"},
        backoff=BACKOFF,
    )
    due_since = at("2026-11-21T15:30")
    assert found.free_from(due_since, due_since, NONE) == at("2026-11-21T17:00")
    assert found.free_from(at("2026-11-21T18:30"), due_since, NONE) == at("2026-11-21T19:00")
    slow_at = at("2026-11-21T17:58")
    assert found.free_from(slow_at, due_since, slow(slow_at, 6.0)) == at("2026-11-21T19:00")
    assert found.free_from(at("2026-11-21T08:00"), due_since, NONE) == at("2026-11-21T08:00")


def test_slow_queries_hold_until_the_measurement_is_old() -> None:
    now = at("2026-11-21T12:00")
    hold = rules(backoff=BACKOFF).hold(now, LONG_AGO, slow(now, 6.0, 3.0))
    assert hold.until is not None
    assert (hold.waiting_for, hold.how) == (WaitingFor.LATENCY_BACKOFF, OnStart.INTERRUPT)
    assert hold.detail == "the 95th percentile of query times is 3 s; it was above 5s, and runs continue below 1s"
    assert rules(backoff=BACKOFF).hold(hold.until + timedelta(seconds=1), LONG_AGO, slow(now, 6.0, 3.0)) is None
    assert rules(backoff=BACKOFF).slowdown(now, slow(now, 3.0, 3.0)).factor == 0.25
    of_fleet = Latencies(of_fleet=slow(now, 3.0).of_table)
    assert rules(backoff=BACKOFF).slowdown(now, of_fleet).factor == 0.5
    assert rules().slowdown(now, slow(now, 9.0)).factor == 1.0


@pytest.mark.parametrize(
    ("hour", "seconds", "admits"),
    [("08:00", 3600, True), ("08:00", 3601, False), ("17:30", 17 * 3600, True), ("22:00", 17 * 3600, False)],
)
def test_what_would_not_end_before_the_next_window_may_not_begin(hour: str, seconds: float, admits: bool) -> None:
    """Unless it never would: then it begins in the first quarter of the time between two."""
    assert rules(quiet_hours=[OFFICE]).room(at(f"2026-11-21T{hour}"), LONG_AGO).admits(seconds) is admits


def test_the_window_ahead_says_what_a_run_waits_for_and_takes_no_room_from_runs_that_finish_or_are_urgent() -> None:
    ahead = rules(quiet_hours=[OFFICE]).room(at("2026-11-21T08:00"), LONG_AGO).ahead
    assert (ahead.waiting_for, ahead.until) == (WaitingFor.QUIET_HOURS, at("2026-11-21T17:00"))
    assert (ahead.reason, ahead.how) == (WINDOW_AHEAD, OnStart.DRAIN)
    assert ahead.detail == "quiet hours 09:00-17:00 UTC at 2026-11-21 09:00:00 UTC"
    assert rules(quiet_hours=[{**OFFICE, "on_start": "finish"}]).room(at("2026-11-21T08:00"), LONG_AGO) == WindowGap()
    found = rules(quiet_hours=[OFFICE], schedule={"urgent_after": "1h"})
    now = at("2026-11-21T08:30")
    assert found.room(now, at("2026-11-21T08:00")) == WindowGap()
    assert found.room(now, at("2026-11-21T08:01")).seconds == 1800


def test_only_rewrites_ignore_quiet_hours_when_they_have_waited() -> None:
    policy = effective_policy(
        table_properties={},
        trial=PolicyDocument.model_validate({"quiet_hours": [OFFICE], "schedule": {"urgent_after": "1h"}}),
    )
    due, now = at("2026-11-21T08:30"), at("2026-11-21T10:00")
    found = {each: HoldRules.of(policy, each).hold(now, due, Latencies()) for each in Operation}
    assert [each for each, hold in found.items() if hold is None] == [Operation.REWRITE]


def waiting(reason: str, not_before: datetime) -> Run:
    run = Run(RunId("run_1"), TableId("t"), Operation.REWRITE, RunState.QUEUED, "key:x", LONG_AGO, LONG_AGO)
    return replace(run, waiting_for=WaitingFor.QUIET_HOURS, reason=reason, not_before=not_before)


def test_a_run_waits_on_for_a_window_that_has_not_begun_while_it_is_still_ahead() -> None:
    now, end = at("2026-11-21T08:00"), at("2026-11-21T17:00")
    office = rules(quiet_hours=[OFFICE])
    assert office.still_waits(waiting(WINDOW_AHEAD, end), now, NONE)
    assert not office.still_waits(waiting("quiet_hours", end), now, NONE)
    assert not rules(quiet_hours=[{"from": "10:00", "to": "16:00"}]).still_waits(waiting(WINDOW_AHEAD, end), now, NONE)
    assert not rules().still_waits(waiting(WINDOW_AHEAD, end), now, NONE)
    assert office.still_waits(waiting("quiet_hours", end), at("2026-11-21T09:00"), NONE)


class Pulse:
    """A heartbeat over virtual time: what a running attempt hears, and when."""

    def __init__(self, found: HoldRules, start: datetime) -> None:
        self.clock = FakeClock(instant=start)
        self.watch = HoldWatch(clock=self.clock, table_id=TableId("t"), operation=Operation.REWRITE, due_since=start)
        self.watch._rules = found
        self.watch._zero = start

    def heard(self, *, within: timedelta) -> tuple[datetime, OnStart, datetime | None] | None:
        end = self.clock.instant + within
        while self.clock.instant < end:
            hold = self.watch.hold()
            if hold is not None:
                return self.watch.now, hold.how, hold.until
            self.clock.advance(self.watch.seconds_to_look(2.0))
        return None


@pytest.mark.parametrize(
    ("start", "begins", "ends"),
    [
        ("2026-10-24T23:59", "2026-10-25T00:30", "2026-10-25T01:00"),  # clocks go back to 02:00: outside again
        ("2026-03-28T23:59", "2026-03-29T01:00", "2026-03-29T04:00"),  # 02:30 is skipped: the next instant there is
        ("2026-07-01T00:00", "2026-07-01T00:30", "2026-07-01T04:00"),
    ],
)
def test_a_running_attempt_hears_of_a_window_exactly_at_its_start(start: str, begins: str, ends: str) -> None:
    window = {"from": "02:30", "to": "06:00", "time_zone": "Europe/Berlin", "on_start": "interrupt"}
    heard = Pulse(rules(quiet_hours=[window]), at(start)).heard(within=3 * HOUR)
    assert heard is not None
    instant, how, until = heard
    assert timedelta() <= instant - at(begins) < timedelta(milliseconds=2)
    assert (how, until) == (OnStart.INTERRUPT, at(ends))


def test_a_stricter_window_inside_another_is_heard_at_its_start() -> None:
    found = rules(
        quiet_hours=[{**OFFICE, "on_start": "finish"}],
        blackouts=[freeze("2026-11-21T10:00:00", "2026-11-21T11:00:00", "interrupt")],
    )
    pulse = Pulse(found, at("2026-11-21T09:30"))
    assert pulse.watch.hold() is not None  # finish: the attempt goes on
    pulse.clock.advance(pulse.watch.seconds_to_look(9999))
    hold = pulse.watch.hold()
    assert pulse.watch.now == at("2026-11-21T10:00")
    assert (hold.how, hold.until) == (OnStart.INTERRUPT, at("2026-11-21T17:00"))


@pytest.mark.parametrize(
    ("begins", "hours", "ends"),
    [
        ("2026-11-21T06:00", 2, "2026-11-21T08:00"),
        ("2026-11-21T08:00", 2, "2026-11-21T18:00"),
        ("2026-11-21T12:00", 2, "2026-11-21T19:00"),
        ("2026-11-21T08:00", 20, "2026-11-22T20:00"),
    ],
)
def test_a_run_ends_after_the_windows_in_which_it_waits(begins: str, hours: float, ends: str) -> None:
    office = rules(quiet_hours=[OFFICE])
    assert office.end_of(hours * 3600, at(begins), at(begins), NONE) == at(ends)


def test_a_run_that_windows_leave_no_time_for_has_no_known_end() -> None:
    always = rules(quiet_hours=[{"from": "00:00", "to": "12:00"}, {"from": "12:00", "to": "00:00"}])
    assert always.end_of(60, at("2026-11-21T08:00"), at("2026-11-21T08:00"), NONE) is None
