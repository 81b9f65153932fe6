"""Time zones by their IANA names, and local times as instants. The rules come from the system or from `tzdata`."""

from functools import lru_cache
from typing import Annotated, Final
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, Field

from engine.domain.values.hints import Misread, nearest

_NOT_PLACES: Final = frozenset({"Factory", "localtime", "posixrules"})
_LONGEST: Final = 64


@lru_cache(maxsize=1)
def time_zone_names() -> frozenset[str]:
    """Return the names that this installation knows."""
    return frozenset(available_timezones()) - _NOT_PLACES


@lru_cache(maxsize=1024)
def zone_of(name: str) -> ZoneInfo:
    """Return a zone by its name.

    Raises:
        Misread: there is none; the hint has the nearest name.
    """
    if name not in time_zone_names():
        raise Misread(f"{name[:_LONGEST]!r} is not an IANA time zone", _meant(name))
    return ZoneInfo(name)


def _meant(name: str) -> str:
    names = time_zone_names()
    place = name.strip().replace(" ", "_").casefold()
    by_place = min((each for each in names if each.rpartition("/")[2].casefold() == place), key=len, default=None)
    near = by_place or nearest(name, names)
    return f"did you mean {near!r}?" if near else "such as 'UTC', 'Europe/Berlin' or 'America/New_York'"


def _known(name: str) -> str:
    zone_of(name)
    return name


TimeZone = Annotated[
    str,
    Field(
        max_length=_LONGEST,
        examples=["UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo"],
        json_schema_extra={"pattern": r"^[A-Za-z][A-Za-z0-9_+/-]*$"},
    ),
    AfterValidator(_known),
]
