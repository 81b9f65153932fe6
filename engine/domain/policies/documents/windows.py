"""Quiet hours and blackouts: windows in which no rewrite starts, and how running rewrites react to their start.

Windows are local to their time zone. One whose end is at or before its start crosses midnight and belongs to the day
on which it starts. `values.local_times` handles skipped and repeated local times.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, PlainSerializer, model_validator

from engine.domain.policies.documents.fields import PolicyPart, Text
from engine.domain.values.hints import Misread
from engine.domain.values.local_times import Span, local_span, union
from engine.domain.values.time_zones import TimeZone, zone_of

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
_DAY: Final = timedelta(days=1)


class OnStart(StrEnum):
    """Behaviour of a running rewrite when a window begins, mildest first."""

    FINISH = "finish"
    DRAIN = "drain"
    INTERRUPT = "interrupt"


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


class QuietHours(PolicyPart):
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
                found += union(list(_spans_of_day(day, self.start, self.end, self.time_zone)))
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


class Blackout(PolicyPart):
    """A window that comes once: a freeze, a holiday, a migration.

    Times carry an offset (`Z`), or are local to `time_zone`. A date alone is its midnight.
    """

    model_config = ConfigDict(json_schema_extra={"allOf": [_ZONE_OR_OFFSETS]})

    start: Annotated[WindowTime, Field(alias="from", description="Start of the window.")]
    end: Annotated[WindowTime, Field(alias="to", description="End of the window.")]
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
        return union(list(local_span(self.start, self.end, zone_of(self.time_zone))))


@lru_cache(maxsize=65_536)
def _spans_of_day(day: date, begin: str, end: str, time_zone: str) -> tuple[Span, ...]:
    """Return the spans of a window that starts on a local day. Cached: many tables have the same windows."""
    begins, ends = time.fromisoformat(begin), time.fromisoformat(end)
    last = day + _DAY if ends <= begins else day
    return tuple(local_span(datetime.combine(day, begins), datetime.combine(last, ends), zone_of(time_zone)))
