"""Partitions in words: the same text in prose, in tables of the command line and in `text` of the API."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, Final

WHOLE_TABLE: Final = "whole table"
"""Text of the partition of a table without partitions."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_HOUR: Final = timedelta(hours=1)
_MONTHS: Final = 12


class TimeUnit(StrEnum):
    """The unit of time that one partition covers."""

    HOUR = "hour"
    DAY = "day"
    MONTH = "month"
    YEAR = "year"


_LENGTHS: Final = {TimeUnit.HOUR: 16, TimeUnit.DAY: 10, TimeUnit.MONTH: 7, TimeUnit.YEAR: 4}


def time_value(ordinal: int, unit: TimeUnit) -> str | int:
    """Return the value of a time partition in canonical JSON, by its number since 1970, in UTC.

    Hours are `2026-11-01 16:00`, days `2026-11-01`, months `2026-11` and years `2026`; a time that is not in the years
    1 to 9999 is the number itself.
    """
    try:
        start = time_start(ordinal, unit)
    except (OverflowError, ValueError):  # outside of the calendar, which `time_ordinal` reads back
        return ordinal
    return start.replace(tzinfo=None).isoformat(" ", "minutes")[: _LENGTHS[unit]]


def time_ordinal(value: str | int, unit: TimeUnit) -> int:
    """Return the number since 1970 of a time partition's value in canonical JSON; a number is returned as it is.

    Raises:
        ValueError: the value is not a time of this unit.
    """
    if isinstance(value, int):  # also in older records, of before there were texts
        return value
    start = datetime.fromisoformat(value + "0001-01-01 00:00"[len(value) :]).replace(tzinfo=UTC)
    match unit:
        case TimeUnit.HOUR:
            return (start - _EPOCH) // _HOUR
        case TimeUnit.DAY:
            return (start - _EPOCH).days
        case TimeUnit.MONTH:
            return (start.year - 1970) * _MONTHS + start.month - 1
        case TimeUnit.YEAR:
            return start.year - 1970


def time_start(ordinal: int, unit: TimeUnit) -> datetime:
    """Return when a time partition begins, by its number since 1970.

    Raises:
        ValueError, OverflowError: it is not in the years 1 to 9999.
    """
    match unit:
        case TimeUnit.HOUR:
            return _EPOCH + ordinal * _HOUR
        case TimeUnit.DAY:
            return _EPOCH + timedelta(days=ordinal)
        case TimeUnit.MONTH:
            return datetime(1970 + ordinal // _MONTHS, ordinal % _MONTHS + 1, 1, tzinfo=UTC)
        case TimeUnit.YEAR:
            return datetime(1970 + ordinal, 1, 1, tzinfo=UTC)


def partition_values(partition: str) -> Mapping[str, Any] | None:
    """Return the value of each field of a partition in canonical JSON; None for any other text."""
    try:
        values = json.loads(partition)
    except (ValueError, RecursionError):  # a text of an earlier version's record, which is shown as it is
        return None
    return values if isinstance(values, dict) else None


def partition_text(partition: str) -> str:
    """Return a partition in canonical JSON as text: `day=2026-11-01, region=eu`; any other text unchanged."""
    values = partition_values(partition)
    if values is None:
        return partition
    words = (f"{name}={'null' if value is None else value}" for name, value in values.items())
    return ", ".join(words) or WHOLE_TABLE
