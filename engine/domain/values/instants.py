"""Instants as people read them, in UTC, and periods of time to filter lists by."""

from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` on, before `until`; None leaves a bound out."""

    since: datetime | None = None
    until: datetime | None = None


ALWAYS = Period()


def format_instant(at: datetime) -> str:
    """Return an instant as text, to the second: `2026-11-01 12:00:00 UTC`."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def format_minute(at: datetime | None) -> str:
    """Return an instant as text, to the minute: `2026-11-01 12:00 UTC`."""
    return "an unknown time" if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
