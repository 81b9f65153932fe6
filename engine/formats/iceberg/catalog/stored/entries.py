"""Entries of tables in Glue and in Hive Metastores: parameters, of which some state where the metadata file is."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Final

from pyiceberg.catalog import METADATA_LOCATION, PREVIOUS_METADATA_LOCATION, TABLE_TYPE
from pyiceberg.typedef import Identifier

_ICEBERG: Final = "ICEBERG"
_LEVELS: Final = 2


def is_iceberg(parameters: Mapping[str, str] | None) -> bool:
    """Return whether parameters are those of an Iceberg table, with a metadata file."""
    found = parameters or {}
    return str(found.get(TABLE_TYPE, "")).upper() == _ICEBERG and bool(found.get(METADATA_LOCATION))


def location_in(parameters: Mapping[str, str]) -> str:
    """Return the location of the metadata file that parameters of an Iceberg table state."""
    return str(parameters[METADATA_LOCATION])


def following(parameters: Mapping[str, str], location: str) -> dict[str, str]:
    """Return the parameters that a commit writes: the new location, the one before it, and all others as they are."""
    before = location_in(parameters)
    return {**parameters, METADATA_LOCATION: location, PREVIOUS_METADATA_LOCATION: before}


def by_database(tables: Iterable[Identifier]) -> Iterator[tuple[str, list[str]]]:
    """Group tables by database; an address with more levels is left out, as no table here has one."""
    found = sorted(each for each in tables if len(each) == _LEVELS)
    for database, of_database in groupby(found, key=itemgetter(0)):
        yield database, [name for _, name in of_database]


def spelled_as(asked: Collection[Identifier], found: Mapping[Identifier, str]) -> Mapping[Identifier, str]:
    """Return what was found by the addresses that were asked for: these services store names in lower case."""
    lowered = {_lowered(address): value for address, value in found.items()}
    return {address: lowered[_lowered(address)] for address in asked if _lowered(address) in lowered}


def _lowered(address: Identifier) -> Identifier:
    return tuple(each.lower() for each in address)
