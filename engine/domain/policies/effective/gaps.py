"""Gaps between windows: the current gap, and the longest one to come."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final, NamedTuple

from engine.domain.policies.effective.windows import Windows

_BACK: Final = timedelta(days=9)
_AHEAD: Final = timedelta(days=16)
"""Time to look ahead: long enough to contain each gap between weekly windows whole, even one of nearly a week."""


class Gap(NamedTuple):
    """The time between two windows in which an instant lies.

    Attributes:
        start: when the last window ended; None when none did within nine days, or none comes any more.
        end: when the next begins; None when none does within about a year.
        longest: the longest time without a window from here on, this gap whole; None when it has no end.
    """

    start: datetime | None
    end: datetime | None
    longest: timedelta | None

    def is_young_at(self, at: datetime) -> bool:
        """True in the first quarter of the gap."""
        return self.start is not None and self.end is not None and at - self.start <= (self.end - self.start) / 4


def gap_at(windows: Windows, at: datetime) -> Gap | None:
    """Return the gap that contains an instant (aware); None inside a window."""
    now = at.astimezone(UTC)
    state = windows.state_at(now)
    if state.inside:
        return None
    if state.next_start is None:
        return Gap(None, None, None)
    upper = max(now + _AHEAD, state.next_start + _AHEAD)
    spans = windows.spans(now - _BACK, upper)
    start = max((span.end for span in spans if span.end <= now), default=None)
    longest = None
    if windows.are_weekly:
        lengths = [after.start - before.end for before, after in pairwise(spans) if after.start > now]
        longest = max([state.next_start - (start or now), *lengths])
    return Gap(start, state.next_start, longest)
