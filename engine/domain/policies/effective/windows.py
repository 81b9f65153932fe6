"""All windows of a policy together: whether one holds at an instant, until when, and when the next begins.

The windows form a union: overlapping windows end when the last of them ends.
"""

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final, NamedTuple, Self

from engine.domain.policies.documents.windows import Blackout, OnStart, QuietHours
from engine.domain.policies.effective.merging import EffectivePolicy
from engine.domain.values.local_times import Span, union

_LOOK_AHEAD_DAYS: Final = (2, 9, 400)  # usually tomorrow; weeks repeat; offsets of several zones repeat after a year
_NEVER: Final = datetime.max.replace(tzinfo=UTC)
_SEVERITY: Final = {on_start: severity for severity, on_start in enumerate(OnStart)}


class WindowKind(StrEnum):
    """The two kinds of windows; a blackout is named where both hold."""

    QUIET_HOURS = "quiet_hours"
    BLACKOUT = "blackout"


class WindowState(NamedTuple):
    """The state of all windows at an instant.

    Attributes:
        inside: in a window: nothing new is admitted.
        kind: the kind of window; a blackout if one of several is one.
        on_start: the strictest of the windows that hold.
        ends_at: the end of the union; None outside, and inside when it never ends.
        reason: in words, for people.
        next_start: when the next window begins, after the present union; None when none does within about a year.
    """

    inside: bool
    kind: WindowKind | None
    on_start: OnStart | None
    ends_at: datetime | None
    reason: str | None
    next_start: datetime | None


class WindowSpan(NamedTuple):
    """One occurrence of a window: from `starts_at` up to, not including, `ends_at`."""

    starts_at: datetime
    ends_at: datetime
    kind: WindowKind
    on_start: OnStart
    reason: str


class Windows:
    """All windows of a policy."""

    def __init__(self, quiet_hours: tuple[QuietHours, ...] = (), blackouts: tuple[Blackout, ...] = ()) -> None:
        self._quiet_hours = quiet_hours
        self._blackouts = [(window, window.spans()) for window in blackouts]

    @classmethod
    def of(cls, policy: EffectivePolicy) -> Self:
        """Return the windows of an effective policy."""
        document = policy.document()
        return cls(document.quiet_hours or (), document.blackouts or ())

    @property
    def are_none(self) -> bool:
        """Whether the policy has no windows."""
        return not self._quiet_hours and not self._blackouts

    @property
    def are_weekly(self) -> bool:
        """Whether some windows repeat each week."""
        return bool(self._quiet_hours)

    def only_blackouts(self) -> Self:
        """Return the windows without quiet hours."""
        return type(self)((), tuple(window for window, _ in self._blackouts))

    def that_stop(self) -> Self:
        """Return the windows that stop a running rewrite: all but those with `finish`."""
        quiet = tuple(window for window in self._quiet_hours if window.on_start is not OnStart.FINISH)
        once = tuple(window for window, _ in self._blackouts if window.on_start is not OnStart.FINISH)
        return type(self)(quiet, once)

    def spans(self, lower: datetime, upper: datetime) -> list[Span]:
        """Return unions of windows, in order: at least those that touch the time from `lower` to `upper` (UTC)."""
        return union(self._spans(lower, upper))

    def occurrences(self, lower: datetime, upper: datetime) -> list[WindowSpan]:
        """Return every occurrence of a window that touches the time from `lower` up to `upper` (UTC), in order.

        Windows that overlap are all listed, each with its own start and end.
        """
        quiet = [
            WindowSpan(*span, WindowKind.QUIET_HOURS, window.on_start, window.reason)
            for window in self._quiet_hours
            for span in window.spans(lower, upper)
        ]
        once = [
            WindowSpan(*span, WindowKind.BLACKOUT, window.on_start, window.reason)
            for window, spans in self._blackouts
            for span in spans
        ]
        return sorted(span for span in (*quiet, *once) if span.starts_at < upper and lower < span.ends_at)

    def state_at(self, instant: datetime) -> WindowState:
        """Return the state at an instant (aware)."""
        at = instant.astimezone(UTC)
        end = self._end_of_union(at)
        next_start = self._next_start(end)
        if end == at:
            return WindowState(False, None, None, None, None, next_start)
        holding = self._holding(at)
        blackout = next((window for window in holding if isinstance(window, Blackout)), None)
        shown = blackout or holding[0]
        return WindowState(
            inside=True,
            kind=WindowKind.BLACKOUT if blackout else WindowKind.QUIET_HOURS,
            on_start=max((window.on_start for window in holding), key=_SEVERITY.__getitem__),
            ends_at=end if end < _NEVER else None,
            reason=shown.reason,
            next_start=next_start,
        )

    def _end_of_union(self, at: datetime) -> datetime:
        """Return the end of the present windows and those that follow without a gap; `at` outside windows."""
        end, ahead = at, timedelta(days=_LOOK_AHEAD_DAYS[0])
        for _ in range(_LOOK_AHEAD_DAYS[-1] // _LOOK_AHEAD_DAYS[0] + len(self._blackouts)):
            joined = union(self._spans(end, end + ahead))
            holding = next((span for span in joined if span.start <= end < span.end), None)
            if holding is None:
                return end
            end = holding.end
        return _NEVER

    def _next_start(self, since: datetime) -> datetime | None:
        if since == _NEVER:
            return None
        start = None
        for days in _LOOK_AHEAD_DAYS:
            upper = since + timedelta(days=days)
            start = min((span.start for span in self._spans(since, upper) if span.start > since), default=None)
            if not self._quiet_hours or (start is not None and start < upper):
                break
        return start

    def _holding(self, at: datetime) -> list[QuietHours | Blackout]:
        quiet = [window for window in self._quiet_hours if _contains(window.spans(at, at), at)]
        return [*quiet, *(window for window, spans in self._blackouts if _contains(spans, at))]

    def _spans(self, lower: datetime, upper: datetime) -> list[Span]:
        quiet = [span for window in self._quiet_hours for span in window.spans(lower, upper)]
        return quiet + [span for _, spans in self._blackouts for span in spans]


def _contains(spans: list[Span], at: datetime) -> bool:
    return any(span.start <= at < span.end for span in spans)
