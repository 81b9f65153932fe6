"""Quiet hours and blackouts: windows in which no rewrite starts, and how running rewrites react to their start.

Windows are local to their time zone. One whose end is at or before its start crosses midnight and belongs to the day
on which it starts. `local_times` handles skipped and repeated local times. All windows of a policy form a union:
overlapping windows end when the last of them ends.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from engine.domain.policies.fields import Part, Text
from engine.domain.policies.local_times import Span, local_span, union
from engine.domain.policies.time_zones import TimeZone, zone_of
from engine.domain.values.hints import Misread

if TYPE_CHECKING:
    from engine.domain.policies.merging import EffectivePolicy

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
WEEK: Final[tuple[Day, ...]] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

_TIME: Final = re.compile(r"^([01][0-9]|2[0-3]):[0-5][0-9]$")
_DATE_TIME: Final = re.compile(
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"
)
_LOCAL: Final = (
    r"^2[01][0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"(T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?)?$"
)
_WITH_OFFSET: Final = _LOCAL.removesuffix(")?$") + "(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))$"
_YEARS: Final = range(2000, 2200)
_LOOK_AHEAD_DAYS: Final = (2, 9, 400)  # usually tomorrow; weeks repeat; offsets of several zones repeat after a year
_DAY: Final = timedelta(days=1)


class OnStart(StrEnum):
    """What a running rewrite does when a window begins, mildest first."""

    FINISH = "finish"
    DRAIN = "drain"
    INTERRUPT = "interrupt"


class WindowKind(StrEnum):
    """The two kinds of windows; a blackout is named where both hold."""

    QUIET_HOURS = "quiet_hours"
    BLACKOUT = "blackout"


_SEVERITY: Final = {on_start: severity for severity, on_start in enumerate(OnStart)}
_OnStart = Annotated[
    OnStart,
    Field(
        description="`drain`: no new groups, commit those in flight, park the rest; `interrupt`: stop those in flight "
        "within 5 s, commit finished ones, park; `finish`: only new runs are held."
    ),
]


def _days(days: tuple[Day, ...]) -> tuple[Day, ...]:
    return tuple(day for day in WEEK if day in days)


def _written_instant(value: Any) -> Any:
    if not isinstance(value, datetime) and not (isinstance(value, str) and _DATE_TIME.fullmatch(value)):
        raise Misread("not a date or a time", "such as '2026-12-24', '2026-12-24T18:00' or '2026-12-24T18:00:00Z'")
    return value


def _near_years(at: datetime) -> datetime:
    if at.year not in _YEARS:
        raise Misread(f"the year must be from {_YEARS.start} to {_YEARS.stop - 1}")
    return at.astimezone(UTC) if at.tzinfo is not None else at


def _format_instant(at: datetime) -> str:
    return at.isoformat().replace("+00:00", "Z")


def _time_of_day(text: str) -> str:
    if _TIME.fullmatch(text):
        return text
    hour, _, minute = text.strip().partition(":")
    meant = f"{hour:>02}:{minute or '00':>02}".replace("24:00", "00:00")
    hint = f"did you mean '{meant}'?" if _TIME.fullmatch(meant) else "such as '09:00' or '17:30'"
    raise Misread(f"{text[:20]!r} is not a time of day: write hours and minutes as HH:MM, 00:00 to 23:59", hint)


LocalTime = Annotated[
    str,
    AfterValidator(_time_of_day),
    Field(examples=["09:00", "17:30"], json_schema_extra={"pattern": _TIME.pattern}),
]
_WrittenTime = Annotated[str, Field(pattern=_LOCAL)] | Annotated[str, Field(pattern=_WITH_OFFSET)]
WindowTime = Annotated[
    datetime,
    BeforeValidator(_written_instant, json_schema_input_type=_WrittenTime),
    AfterValidator(_near_years),
    PlainSerializer(_format_instant, return_type=str),
    Field(examples=["2026-12-24T18:00:00Z", "2026-12-24T18:00", "2026-12-24"]),
]


class QuietHours(Part):
    """A window of each week."""

    days: Annotated[
        tuple[Day, ...],
        Field(min_length=1, max_length=7, description="Days on which it begins; all when absent."),
        AfterValidator(_days),
    ] = WEEK
    start: Annotated[LocalTime, Field(alias="from", description="Local time at which it begins.")]
    end: Annotated[
        LocalTime, Field(alias="to", description="Local time at which it ends; at or before `from`: on the next day.")
    ]
    time_zone: Annotated[TimeZone, Field(description="IANA name.")] = "UTC"
    on_start: _OnStart = OnStart.DRAIN

    @property
    def reason(self) -> str:
        """The window as text for messages."""
        days = "" if self.days == WEEK else f"{', '.join(self.days)} "
        return f"quiet hours {days}{self.start}-{self.end} {self.time_zone}"

    def spans(self, lower: datetime, upper: datetime) -> list[Span]:
        """Return the window's spans that start on a local day touching `lower` to `upper` (both UTC)."""
        zone = zone_of(self.time_zone)
        found: list[Span] = []
        day = lower.astimezone(zone).date() - 2 * _DAY  # started the day before; one more for changes of the date line
        while day <= upper.astimezone(zone).date():
            if WEEK[day.weekday()] in self.days:
                found += _spans_of_day(day, self.start, self.end, self.time_zone)
            day += _DAY
        return found


_ZONE_OR_OFFSETS: Final[dict[str, Any]] = {
    "oneOf": [
        {
            "required": ["time_zone"],
            "properties": {
                "from": {"pattern": _LOCAL},
                "to": {"pattern": _LOCAL},
                "time_zone": {"type": "string"},
            },
        },
        {
            "properties": {
                "from": {"pattern": _WITH_OFFSET},
                "to": {"pattern": _WITH_OFFSET},
                "time_zone": {"not": {"type": "string"}},
            }
        },
    ]
}


class Blackout(Part):
    """A window that comes once: a freeze, a holiday, a migration.

    Times carry an offset (`Z`), or are local to `time_zone`. A date alone is its midnight.
    """

    model_config = ConfigDict(json_schema_extra={"allOf": [_ZONE_OR_OFFSETS]})

    start: Annotated[WindowTime, Field(alias="from", description="When it begins.")]
    end: Annotated[WindowTime, Field(alias="to", description="When it is over.")]
    time_zone: Annotated[TimeZone | None, Field(description="IANA name, for times without an offset.")] = None
    reason: Annotated[Text, Field(description="Shown where a run waits for it.", examples=["year-end close"])]
    on_start: _OnStart = OnStart.DRAIN

    @model_validator(mode="after")
    def _has_a_length(self) -> Self:
        local = [at.tzinfo is None for at in (self.start, self.end)]
        if any(local) and self.time_zone is None:
            raise Misread("a time without an offset needs time_zone", "add time_zone, or write '2026-12-24T18:00:00Z'")
        if not all(local) and self.time_zone is not None:
            raise Misread(
                "a time with an offset needs no time_zone", "leave out the offset (or Z) in both, or time_zone"
            )
        if self.start >= self.end:
            raise Misread("a blackout ends after it begins: 'to' must be later than 'from'")
        return self

    def spans(self) -> list[Span]:
        """Return the spans of the blackout: usually one, none if all of its local time is skipped."""
        if self.time_zone is None:
            return [Span(self.start, self.end)]
        return list(local_span(self.start, self.end, zone_of(self.time_zone)))


class WindowState(NamedTuple):
    """How things stand at an instant.

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


class Windows:
    """All windows of a policy."""

    def __init__(self, quiet_hours: tuple[QuietHours, ...] = (), blackouts: tuple[Blackout, ...] = ()) -> None:
        self._quiet_hours = quiet_hours
        self._blackouts = [(window, window.spans()) for window in blackouts]

    @classmethod
    def of(cls, policy: "EffectivePolicy") -> Self:
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


@lru_cache(maxsize=65_536)
def _spans_of_day(day: date, begin: str, end: str, time_zone: str) -> tuple[Span, ...]:
    """Return the spans of a window that starts on a local day. Cached: many tables have the same windows."""
    begins, ends = time.fromisoformat(begin), time.fromisoformat(end)
    last = day + _DAY if ends <= begins else day
    return tuple(local_span(datetime.combine(day, begins), datetime.combine(last, ends), zone_of(time_zone)))


_NEVER: Final = datetime.max.replace(tzinfo=UTC)
