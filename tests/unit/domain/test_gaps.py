"""The time between windows."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engine.domain.policies import Blackout, QuietHours, Windows
from engine.domain.policies.effective.gaps import Gap, gap_at
from tests.unit.domain.policy_documents import quiet_hours

HOUR = timedelta(hours=1)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def weekly(*windows: dict[str, Any]) -> Windows:
    return Windows(tuple(QuietHours.model_validate(window) for window in windows))


def test_without_windows_and_behind_the_last_blackout_the_gap_has_no_end() -> None:
    assert gap_at(Windows(), at("2026-11-21T12:00")) == Gap(None, None, None)
    freeze = Blackout.model_validate({"from": "2026-12-01T00:00:00Z", "to": "2026-12-02T00:00:00Z", "reason": "x"})
    windows = Windows((), (freeze,))
    assert gap_at(windows, at("2026-11-21T12:00")) == Gap(None, at("2026-12-01T00:00"), None)
    assert gap_at(windows, at("2026-12-03T00:00")) == Gap(None, None, None)


def test_a_gap_of_each_day_is_longer_or_shorter_when_clocks_change_and_another_may_be_the_longest() -> None:
    office = weekly({"from": "09:00", "to": "17:00"})
    gap = gap_at(office, at("2026-11-21T20:00"))
    assert gap == Gap(at("2026-11-21T17:00"), at("2026-11-22T09:00"), 16 * HOUR)
    assert gap_at(office, at("2026-11-21T09:00")) is None
    assert gap.is_young_at(at("2026-11-21T21:00"))
    assert not gap.is_young_at(at("2026-11-21T21:01"))
    workdays = weekly({"days": ["mon", "tue", "wed", "thu", "fri"], "from": "01:00", "to": "00:00"})
    gap = gap_at(workdays, at("2026-11-25T00:30"))  # a Wednesday
    assert gap == Gap(at("2026-11-25T00:00"), at("2026-11-25T01:00"), 49 * HOUR)
    office = weekly({"from": "09:00", "to": "17:00", "time_zone": "Europe/Berlin"})
    autumn, spring = at("2026-10-24T20:00"), at("2026-03-28T20:00")
    nights = [gap_at(office, night) for night in (autumn, spring)]
    assert [gap.end - gap.start for gap in nights if gap and gap.end and gap.start] == [17 * HOUR, 15 * HOUR]


@given(st.lists(quiet_hours, min_size=1, max_size=3), st.integers(0, 14 * 24 * 60))
def test_a_gap_is_what_lies_between_two_windows(documents: Sequence[dict[str, Any]], minutes: int) -> None:
    windows = weekly(*documents)
    instant = at("2026-10-20T00:00") + timedelta(minutes=minutes)
    gap = gap_at(windows, instant)
    assert (gap is None) == windows.state_at(instant).inside
    if gap is None:
        return
    assert gap.end is not None
    assert gap.longest is not None
    assert windows.state_at(gap.end).inside
    assert not windows.state_at(gap.end - timedelta(microseconds=1)).inside
    if gap.start is not None:
        assert gap.start <= instant < gap.end
        assert not windows.state_at(gap.start).inside
        assert windows.state_at(gap.start - timedelta(microseconds=1)).inside
        assert gap.longest >= gap.end - gap.start
