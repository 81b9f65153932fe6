"""Quiet hours and blackouts, over days on which the clocks change."""

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from functools import lru_cache
from time import process_time
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.domain.policies import Blackout, OnStart, QuietHours, WindowKind, Windows, WindowSpan
from engine.domain.policies.documents.windows import WEEK
from tests.unit.domain.policy_documents import clocks, days

MINUTE = timedelta(minutes=1)
SCANNED = timedelta(days=9)

CHANGES = {
    "Europe/Berlin": ["2026-03-29", "2026-10-25"],
    "America/New_York": ["2026-03-08", "2026-11-01"],
    "Australia/Lord_Howe": ["2026-04-05", "2026-10-04"],  # half an hour
    "America/Havana": ["2026-03-08", "2026-11-01"],  # at midnight
    "America/Nuuk": ["2026-03-28", "2026-10-24"],  # the evening before
    "Pacific/Apia": ["2011-12-29", "2011-12-31"],  # a day left out
    "Africa/Casablanca": ["2026-02-15", "2026-03-22"],  # for a month
    "Asia/Kolkata": ["2026-03-29", "2026-10-25"],  # never
}


def quiet(begin: str, end: str, zone: str = "UTC", **rest: Any) -> QuietHours:
    return QuietHours.model_validate({"from": begin, "to": end, "time_zone": zone, **rest})


def blackout(begin: str, end: str, **rest: Any) -> Blackout:
    return Blackout.model_validate({"from": begin, "to": end, "reason": "freeze", **rest})


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@lru_cache(maxsize=64)
def wall_clock(zone: str, since: datetime) -> Sequence[datetime]:
    """The wall clock of a zone at each minute scanned."""
    steps = range(int(SCANNED / MINUTE))
    return [(since + step * MINUTE).astimezone(ZoneInfo(zone)).replace(tzinfo=None) for step in steps]


def holds(window: QuietHours, wall: datetime) -> bool:
    """The definition: what the wall clock shows lies in the window, which belongs to the day it begins."""
    begin, end, now = time.fromisoformat(window.start), time.fromisoformat(window.end), wall.time()
    today, yesterday = WEEK[wall.weekday()], WEEK[wall.weekday() - 1]
    if begin < end:
        return today in window.days and begin <= now < end
    return (today in window.days and now >= begin) or (yesterday in window.days and now < end)


def scan(windows: Sequence[QuietHours], since: datetime) -> list[bool]:
    found = [False] * int(SCANNED / MINUTE)
    for window in windows:
        walls = wall_clock(window.time_zone, since)
        found = [known or holds(window, wall) for known, wall in zip(found, walls, strict=True)]
    return found


@st.composite
def weeks(draw: st.DrawFn) -> tuple[list[QuietHours], datetime]:
    """Some windows of one or two zones, and the beginning of a UTC day near a change of the first one's clocks."""
    zone = draw(st.sampled_from(sorted(CHANGES)))
    others = st.sampled_from([zone, draw(st.sampled_from(sorted(CHANGES)))])
    early = st.sampled_from(["00:00", "00:30", "01:00", "01:45", "02:00", "02:15", "02:30", "02:59", "03:00", "23:30"])
    windows = draw(
        st.lists(
            st.builds(
                lambda begin, end, zone, days: quiet(begin, end, zone, days=days),
                early | clocks,
                early | clocks,
                others,
                days,
            ),
            min_size=1,
            max_size=3,
        )
    )
    return windows, at(draw(st.sampled_from(CHANGES[zone])))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(weeks(), st.lists(st.integers(0, 3 * 24 * 60), min_size=1, max_size=5))
@example(([quiet("22:00", "06:00", "Pacific/Apia", days=["thu", "fri"])], at("2011-12-29")), [600, 1300, 1440])
@example(([quiet("01:00", "02:30", "Europe/Berlin")], at("2026-10-25")), [0, 30, 60, 90])
def test_the_state_is_what_a_scan_of_every_minute_finds(case: tuple[list[QuietHours], datetime], minutes: list[int]):
    windows, day = case
    since = day - timedelta(days=1)
    scanned = scan(windows, since)
    for minute in minutes:
        state = Windows(tuple(windows)).state_at(since + minute * MINUTE)
        end = next((step for step in range(minute, len(scanned)) if not scanned[step]), len(scanned))
        start = next((step for step in range(end, len(scanned)) if scanned[step]), len(scanned))
        assert state.inside == scanned[minute] == (end > minute)
        if minute < end < len(scanned):  # what lies behind the scan it can't tell
            assert state.ends_at == since + end * MINUTE
        if start < len(scanned):
            assert state.next_start == since + start * MINUTE


def test_l18_every_day_from_nine_to_five_utc() -> None:
    windows = Windows((quiet("09:00", "17:00"),))
    before, first, last, after = (windows.state_at(at(f"2026-11-02T{t}")) for t in ("08:59", "09:00", "16:59", "17:00"))
    assert (before.inside, first.inside, last.inside, after.inside) == (False, True, True, False)
    assert before.next_start == at("2026-11-02T09:00")
    assert first.ends_at == at("2026-11-02T17:00")
    assert first.next_start == after.next_start == at("2026-11-03T09:00")
    assert first.kind is WindowKind.QUIET_HOURS
    assert first.reason == "quiet hours 09:00-17:00 UTC"


def test_a_window_past_midnight_belongs_to_the_day_it_begins_and_one_that_ends_when_it_begins_lasts_a_day() -> None:
    windows = Windows((quiet("22:00", "06:00", days=["fri"]),))
    assert windows.state_at(at("2026-11-07T05:59")).ends_at == at("2026-11-07T06:00")  # Saturday morning
    assert not windows.state_at(at("2026-11-06T05:59")).inside  # Friday morning
    assert windows.state_at(at("2026-11-07T06:00")).next_start == at("2026-11-13T22:00")
    windows = Windows((quiet("08:00", "08:00", days=["mon"]),))
    assert windows.state_at(at("2026-11-02T08:00")).ends_at == at("2026-11-03T08:00")


def test_a_local_time_that_is_skipped_begins_at_the_next_and_one_that_comes_twice_is_inside_both_times() -> None:
    windows = Windows((quiet("02:30", "04:00", "Europe/Berlin"),))
    assert windows.state_at(at("2026-03-29T00:00")).next_start == at("2026-03-29T01:00")  # 03:00, an hour after 01:59
    assert windows.state_at(at("2026-03-29T01:00")).ends_at == at("2026-03-29T02:00")
    windows = Windows((quiet("02:15", "02:45", "Europe/Berlin"),))
    assert windows.state_at(at("2026-03-29T00:00")).next_start == at("2026-03-30T00:15")
    windows = Windows((quiet("02:10", "02:20", "Europe/Berlin"),))
    first, second = windows.state_at(at("2026-10-25T00:10")), windows.state_at(at("2026-10-25T01:10"))
    assert first.inside
    assert first.ends_at == at("2026-10-25T00:20")
    assert first.next_start == at("2026-10-25T01:10")
    assert second.inside


def test_windows_that_touch_are_one_and_those_that_cover_the_week_never_end() -> None:
    windows = Windows((quiet("09:00", "12:00"), quiet("12:00", "13:00"), quiet("12:30", "15:00", "Europe/Berlin")))
    state = windows.state_at(at("2026-11-02T10:00"))
    assert state.ends_at == at("2026-11-02T14:00")
    assert state.next_start == at("2026-11-03T09:00")
    state = Windows((quiet("00:00", "12:00"), quiet("12:00", "00:00"))).state_at(at("2026-11-02T10:00"))
    assert (state.inside, state.ends_at, state.next_start) == (True, None, None)
    assert Windows().state_at(at("2026-11-02T10:00")) == (False, None, None, None, None, None)


def test_the_strictest_of_the_windows_that_hold_says_what_a_running_rewrite_does() -> None:
    windows = Windows(
        (
            quiet("09:00", "17:00", on_start="finish"),
            quiet("10:00", "11:00", on_start="interrupt"),
            quiet("10:00", "12:00"),
        )
    )
    states = [windows.state_at(at(f"2026-11-02T{t}")).on_start for t in ("09:30", "10:30", "11:30", "12:30")]
    assert states == [OnStart.FINISH, OnStart.INTERRUPT, OnStart.DRAIN, OnStart.FINISH]


def test_a_blackout_is_named_before_quiet_hours_lengthens_them_and_ends_when_it_says() -> None:
    windows = Windows((quiet("09:00", "17:00"),), (blackout("2026-11-02T16:00Z", "2026-11-04T10:00Z"),))
    assert windows.state_at(at("2026-11-02T10:00")).kind is WindowKind.QUIET_HOURS
    state = windows.state_at(at("2026-11-02T16:30"))
    assert (state.kind, state.reason, state.ends_at) == (WindowKind.BLACKOUT, "freeze", at("2026-11-04T17:00"))
    windows = Windows((quiet("09:00", "17:00"),), (blackout("2026-01-01", "2029-01-01", time_zone="UTC"),))
    assert windows.state_at(at("2026-11-02T16:30")).ends_at == at("2029-01-01T00:00")
    windows = Windows((), (blackout("2027-12-24T00:00Z", "2027-12-27T00:00Z"),))
    assert windows.state_at(at("2026-01-01")).next_start == at("2027-12-24")
    assert windows.state_at(at("2027-12-27")).next_start is None


@pytest.mark.parametrize("zone", sorted(CHANGES))
def test_a_long_local_blackout_holds_at_all_its_local_times(zone: str) -> None:
    begin, end = "2011-12-29T23:50", "2026-11-01T01:30"
    (window, there) = blackout(begin, end, time_zone=zone), ZoneInfo(zone)
    first, last = datetime.fromisoformat(begin), datetime.fromisoformat(end)
    windows = Windows((), (window,))
    for day in (at("2011-12-29"), at("2018-06-01"), at("2026-11-01")):
        for minute in range(-24 * 60, 2 * 24 * 60, 7):
            instant = day + minute * MINUTE
            wall = instant.astimezone(there).replace(tzinfo=None)
            assert windows.state_at(instant).inside == (first <= wall < last)


def test_windows_of_two_centuries_cost_little() -> None:
    ages = [blackout(f"{year}-01-01", "2199-12-31", time_zone="Europe/Berlin") for year in range(2000, 2100)]
    begun = process_time()
    state = Windows((quiet("00:00", "00:00"),), tuple(ages)).state_at(at("2026-11-02T10:00"))
    assert (state.inside, state.ends_at) == (True, None)
    assert process_time() - begun < 2


def test_a_local_blackout_follows_the_clocks_of_its_zone_also_from_a_time_that_comes_twice() -> None:
    windows = Windows((), (blackout("2026-03-28T12:00", "2026-03-29T12:00", time_zone="Europe/Berlin"),))
    state = windows.state_at(at("2026-03-28T12:00"))
    assert state.ends_at == at("2026-03-29T10:00")  # 23 hours after it began at 11:00 UTC
    assert not windows.state_at(at("2026-03-28T10:59")).inside
    windows = Windows((), (blackout("2026-10-25T02:30", "2026-10-25T12:00", time_zone="Europe/Berlin"),))
    inside = [windows.state_at(at(f"2026-10-25T{t}")).inside for t in ("00:29", "00:30", "01:00", "01:30")]
    assert inside == [False, True, False, True]


def test_any_instant_is_read_whatever_its_zone_and_days_are_in_the_order_of_the_week() -> None:
    there = datetime(2026, 11, 2, 18, 30, tzinfo=ZoneInfo("Asia/Kolkata"))
    assert Windows((quiet("09:00", "17:00"),)).state_at(there).inside
    assert quiet("09:00", "17:00", days=["fri", "mon", "wed"]).days == ("mon", "wed", "fri")


@pytest.mark.parametrize(
    "written",
    [
        {"from": "2026-12-24", "to": "2026-12-27", "reason": "no zone"},
        {"from": "2026-12-24T00:00Z", "to": "2026-12-27T00:00Z", "time_zone": "UTC", "reason": "two zones"},
        {"from": "2026-12-24T00:00Z", "to": "2026-12-27", "time_zone": "UTC", "reason": "mixed"},
        {"from": "2026-12-24T00:00Z", "to": "2026-12-24T00:00Z", "reason": "empty"},
        {"from": "2026-12-27T00:00Z", "to": "2026-12-24T00:00Z", "reason": "backwards"},
        {"from": "1735689600", "to": "2026-12-24T00:00Z", "reason": "a number"},
        {"from": "0001-01-01T00:00Z", "to": "9999-12-31T00:00Z", "reason": "for ever"},
        {"from": "2026-12-24T00:00Z", "to": "2026-12-27T00:00Z"},
        {"from": "2026-12-24T00:00Z", "to": "2026-12-27T00:00Z", "reason": "two\nlines"},
    ],
    ids=lambda written: str(written.get("reason")),
)
def test_a_blackout_that_makes_no_sense_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Blackout.model_validate(written)


@pytest.mark.parametrize(
    "written",
    [
        {"from": "9:00"},
        {"to": "24:00"},
        {"from": "09:00:00"},
        {"from": "\u0660\u0669:00"},
        {"days": []},
        {"time_zone": "CEST"},
        {"on_start": "stop"},
    ],
    ids=str,
)
def test_quiet_hours_that_make_no_sense_are_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        QuietHours.model_validate({"from": "09:00", "to": "17:00"} | written)


def test_occurrences_are_those_that_touch_the_time_asked_for_one_for_each_day() -> None:
    once = blackout("2026-11-03T01:00", "2026-11-04", time_zone="UTC")
    windows = Windows((quiet("22:00", "02:00", days=["mon", "tue"]),), (once,))
    found = windows.occurrences(at("2026-11-03T01:30"), at("2026-11-03T22:00"))  # from Monday night to Tuesday evening
    nightly = WindowSpan(
        at("2026-11-02T22:00"), at("2026-11-03T02:00"), WindowKind.QUIET_HOURS, OnStart.DRAIN, "quiet hours mon, tue"
    )
    assert [one._replace(reason="") for one in found] == [
        nightly._replace(reason=""),
        WindowSpan(at("2026-11-03T01:00"), at("2026-11-04"), WindowKind.BLACKOUT, OnStart.DRAIN, ""),
    ]
    assert [one.reason for one in found] == ["quiet hours mon, tue 22:00-02:00 UTC", "freeze"]
    windows = Windows((quiet("00:00", "00:00"),))
    found = windows.occurrences(at("2026-11-02T12:00"), at("2026-11-04T12:00"))
    assert [one.starts_at for one in found] == [at(f"2026-11-0{day}") for day in (2, 3, 4)]


@pytest.mark.parametrize(
    ("day", "start", "end"),
    [
        ("2026-03-29", "2026-03-28T23:00", "2026-03-29T04:00"),  # an hour shorter
        ("2026-10-25", "2026-10-24T22:00", "2026-10-25T05:00"),  # an hour longer, and still one occurrence
        ("2026-06-01", "2026-05-31T22:00", "2026-06-01T04:00"),
    ],
)
def test_an_occurrence_follows_the_clocks_of_its_zone(day: str, start: str, end: str) -> None:
    windows = Windows((quiet("00:00", "06:00", "Europe/Berlin"),))
    [found] = windows.occurrences(at(f"{day}T02:00"), at(f"{day}T03:00"))
    assert (found.starts_at, found.ends_at) == (at(start), at(end))
