"""Schedule settings: cron expressions in a time zone, and the seal of partitions."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, Self

from cronsim import CronSim, CronSimError
from pydantic import AfterValidator, ConfigDict, Field, model_validator

from engine.domain.policies.documents.fields import OFF, Interval, PolicyPart, Section, setting
from engine.domain.values.hints import Misread
from engine.domain.values.time_zones import TimeZone, zone_of
from engine.domain.values.units import Duration

_LONGEST_CRON: Final = 100
_FIELDS: Final = 5
_ALIASES: Final = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_ANY_DAY: Final = datetime(2026, 1, 1, tzinfo=UTC)


def next_cron(expression: str, time_zone: str, after: datetime) -> datetime | None:
    """Return the first instant later than `after` that a cron expression matches, in UTC; None when it matches none.

    A skipped local time is replaced by the next one that exists; a repeated one matches the first time only, unless
    the expression has `*` for minutes or hours.
    """
    try:
        return next(CronSim(expression, after.astimezone(zone_of(time_zone)))).astimezone(UTC)
    except StopIteration:
        return None


def _readable(expression: str) -> str:
    if expression in _ALIASES:
        raise Misread(f"{expression!r} is not a cron expression of 5 fields", f"did you mean '{_ALIASES[expression]}'?")
    if len(expression.split()) != _FIELDS:
        message = f"a cron expression has {_FIELDS} fields: minute, hour, day of month, month, day of week"
        raise Misread(message, "such as '0 2 * * *' (every day at 02:00)")
    try:
        never = next_cron(expression, "UTC", _ANY_DAY) is None
    except (CronSimError, AssertionError, ValueError) as error:
        reason = str(error).lower() or "it can't be read"
        raise Misread(f"{expression!r} is not a cron expression: {reason}", "such as '0 2 * * 1-5'") from error
    if never:
        raise Misread(f"{expression!r} names a day that never comes")
    return expression


Cron = Annotated[
    str,
    Field(max_length=_LONGEST_CRON, examples=["0 2 * * *", "*/30 * * * 1-5"]),
    AfterValidator(_readable),
]


class ScheduleSettings(Section):
    """Times at which the table is looked at, in addition to looks after its commits."""

    min_interval: Duration | None = setting(
        600,
        description="Shortest time from the start of a rewrite that changed the table to the next automatic rewrite.",
        examples=["10m"],
    )
    cron: Literal["off"] | Cron | None = setting(
        OFF,
        description="More times at which the table is looked at: minute, hour, day of month, month, day of week.",
        examples=["0 2 * * *"],
    )
    time_zone: TimeZone | None = setting("UTC", description="IANA name of the time zone of `cron`.")
    urgent_after: Literal["off"] | Interval | None = setting(
        OFF,
        description="After this wait a due partition ignores quiet hours and goes first.",
        examples=["2d"],
    )


_ONE_OF_TWO: Final[dict[str, Any]] = {
    "oneOf": [
        {"required": ["after"], "properties": {"after": {"type": "string"}, "quiet_for": {"not": {"type": "string"}}}},
        {
            "required": ["quiet_for"],
            "properties": {"quiet_for": {"type": "string"}, "after": {"not": {"type": "string"}}},
        },
    ]
}


class Seal(PolicyPart):
    """Rewrite sealed partitions only: give exactly one of the two fields."""

    model_config = ConfigDict(json_schema_extra={"allOf": [_ONE_OF_TWO]})

    after: Duration | None = Field(
        None,
        description="Time after the end of the partition's time window. For a partition without a time: age of its "
        "oldest small file that no rewrite wrote.",
        examples=["1h"],
    )
    quiet_for: Interval | None = Field(
        None, description="Time since the last commit to the partition.", examples=["30m"]
    )

    @model_validator(mode="after")
    def _exactly_one(self) -> Self:
        if (self.after is None) == (self.quiet_for is None):
            raise Misread("a seal has exactly one of after, quiet_for", "such as {'after': '1h'}")
        return self
