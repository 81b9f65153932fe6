"""Conversion of local wall-clock times to instants, across changes of the UTC offset (daylight saving and others).

A local span contains an instant when the wall clock of the zone shows a time in the span at that instant. So a span
that starts at a skipped local time starts at the next instant that exists, and a repeated local time is in the span
both times.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

_STEP: Final = timedelta(hours=3)  # no zone ever changed its offset twice within this time
_DAY: Final = timedelta(days=1)
_EDGE: Final = timedelta(days=3)
_FARTHEST: Final = timedelta(hours=26)  # offsets are within a day of UTC; an hour or two more for a change


class Span(NamedTuple):
    """Instants from `start` up to, not including, `end`; both in UTC."""

    start: datetime
    end: datetime


def local_span(start: datetime, end: datetime, zone: ZoneInfo) -> Iterator[Span]:
    """Yield the instants at which the wall clock of a zone shows a time from `start` up to `end`.

    Usually one span; none if all of it is skipped, two if the clock is set back within it.

    Args:
        start: local, naive.
        end: local, naive.
        zone: the time zone of the wall clock.
    """
    begins, ends = start.replace(tzinfo=UTC), end.replace(tzinfo=UTC)
    if end - start > 3 * _EDGE:
        middle = Span(
            begins + _FARTHEST, ends - _FARTHEST
        )  # inside regardless of clock changes: only the edges are examined
        yield from union([*local_span(start, start + _EDGE, zone), middle, *local_span(end - _EDGE, end, zone)])
        return
    for piece, offset in _pieces(begins - _FARTHEST, ends + _FARTHEST, zone):
        span = Span(max(piece.start, begins - offset), min(piece.end, ends - offset))
        if span.start < span.end:
            yield span


def union(spans: list[Span]) -> list[Span]:
    """Return spans in order of time, with those that touch or overlap merged."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and span.start <= joined[-1].end:
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return joined


def _pieces(lower: datetime, upper: datetime, zone: ZoneInfo) -> Iterator[tuple[Span, timedelta]]:
    """Yield the parts of `lower` to `upper` with a constant UTC offset, each with that offset."""
    begin = lower
    day = lower.replace(hour=0, minute=0, second=0, microsecond=0)
    while day < upper:
        for change in _changes(day, zone):
            if lower < change < upper:
                yield Span(begin, change), _offset(change - timedelta(seconds=1), zone)
                begin = change
        day += _DAY
    yield Span(begin, upper), _offset(begin, zone)


@lru_cache(maxsize=65_536)
def _changes(day: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """Return the instants at which the offset changes, after the start of a UTC day and not after its end."""
    found = []
    before = day
    while before < day + _DAY:
        after = before + _STEP
        if _offset(before, zone) != _offset(after, zone):
            found.append(_change_between(before, after, zone))
        before = after
    return tuple(found)


def _change_between(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """Return the first whole second with a different offset than at `before`."""
    old = _offset(before, zone)
    seconds = int((after - before).total_seconds())
    low, high = 0, seconds
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(before + timedelta(seconds=middle), zone) == old else (low, middle)
    return before + timedelta(seconds=high)


def _offset(instant: datetime, zone: ZoneInfo) -> timedelta:
    return instant.astimezone(zone).utcoffset() or timedelta()
