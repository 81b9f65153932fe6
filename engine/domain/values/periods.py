"""Periods of time to filter lists by."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` on, before `until`; None leaves a bound out."""

    since: datetime | None = None
    until: datetime | None = None


ALWAYS = Period()
