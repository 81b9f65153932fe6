"""Registered tables whose locations overlap: files of one are below the location of the other.

Two catalogs that name different endpoints have different stores, also where their buckets have one name. An endpoint
that is not known, as a REST catalog or a secret gives it, can be any. Two registrations of one uuid whose locations
overlap are of one table, whatever the endpoints are: these are names of one store, or the store is replicated.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.domain.errors import NotEligible
from engine.domain.tables.table import Catalog, Table
from engine.services.catalogs.secrets import is_reference
from engine.stores.unit_of_work import UnitOfWork
from engine.uris.hosts import canonical_server
from engine.uris.locations import Location, split_uri
from engine.uris.schemes import AZURE, FILE, HDFS, S3

_ENDPOINTS: Final = {"s3": "s3.endpoint", "gs": "gcs.service.host"}
"""Properties with the address of a store, by scheme; in Azure, locations have it."""

_ALIASES: Final = ("%-s3alias", "%--ol-s3", "%.mrap")
"""Patterns of access points, each of which may be another name of a bucket of S3 (`Location.overlaps`)."""

_WILDCARDS: Final = re.compile(r"([\\%_])")
_OF_AMAZON: Final = (".amazonaws.com", ".amazonaws.com.cn")
_MOST_NAMED: Final = 3


async def overlapping_tables(unit: UnitOfWork, table: Table, catalog: Catalog, limit: int) -> list[Table]:
    """Return other registered tables at the location of this one, below it or around it, oldest first."""
    here = Location.of(table.location)
    if here is None:
        return []
    endpoint, others = _endpoint(here, catalog), dict[str, Catalog | None]()

    def is_near(location: str) -> bool:
        there = Location.of(location)
        return there is None or here.overlaps(there) or _without_links(here).overlaps(_without_links(there))

    found: list[Table] = []
    for each in await unit.tables.list_like(table.ref, patterns_of(here), is_near):
        name = each.ref.catalog
        if name not in others:
            others[name] = await unit.catalogs.get(name)
        other = others[name]
        theirs = None if other is None else _endpoint(here, other)
        if endpoint is None or theirs is None or endpoint == theirs or each.uuid == table.uuid:
            found.append(each)
    return found[:limit]


async def check_alone(unit: UnitOfWork, table: Table, catalog: Catalog, *, present: str | None = None) -> None:
    """Check that a table is where it is registered, and that no other one is there, below it or around it.

    Args:
        unit: the record.
        table: the registered table.
        catalog: its catalog.
        present: the location that the catalog has for it now; None if the table was not opened.

    Raises:
        NotEligible: it is not, so that a deletion could take files of another table for those of this one.
    """
    if present is not None and Location.of(present) != Location.of(table.location):
        raise NotEligible(
            f"{table.ref} is registered at {table.location}, and the catalog has it at {present[:300]!r} now: none of "
            "its files is deleted; register it again if it was moved"
        )
    if Location.of(table.location) is None:
        raise NotEligible(f"the location of {table.ref} is not an absolute URI: no file was deleted")
    if found := await overlapping_tables(unit, table, catalog, limit=_MOST_NAMED + 1):
        many = f"more than {_MOST_NAMED}" if len(found) > _MOST_NAMED else str(len(found))
        raise NotEligible(
            f"{many} other tables are registered at the location of {table.ref}, below it or around it: none of its "
            "files is deleted, as they could be files of those; give each table a location of its own, or remove "
            "registrations of tables that do not exist any more"
        )


def patterns_of(location: Location) -> Sequence[str]:
    """Return patterns of `LIKE`, with a backslash before literal wildcards, that overlapping locations match.

    They are for locations in lower case in which each run of slashes is one. Others can match as well, and
    percent-encoded ones do not. Local locations all match, as links of the disk lead from one to another.
    """
    if location.scheme == FILE:
        return "file:%", "/%"
    if location.scheme == HDFS:
        return ("hdfs:/%",)
    found = list[str]()
    for store in _stores_like(location):
        for depth in range(len(location.parts) + 1):
            folder = "".join(f"/{_literal(part)}" for part in location.parts[:depth])
            found += [f"%:/{store}{folder}", f"%:/{store}{folder}/"]
        found.append(f"{found[-1]}%")
    return found


def _stores_like(location: Location) -> Sequence[str]:
    """Return patterns of the authorities of locations that may be in the store of this one."""
    kind, name, _ = location.store
    if kind == AZURE:
        return [f"{_literal(name)}%"]  # the account may be left out
    if not name:
        return ["%"]
    return [_literal(name), *_ALIASES] if kind == S3 else [_literal(name)]


def _literal(text: str) -> str:
    return _WILDCARDS.sub(r"\\\1", text)


def _without_links(location: Location) -> Location:
    """Return a local location without links of the disk, any other as it is."""
    if location.scheme != FILE:
        return location
    return replace(location, path=os.path.realpath(location.path or "/"))


def _endpoint(location: Location, catalog: Catalog) -> str | None:
    """Return the canonical form of the server of a location's store by its catalog; None if it is not known."""
    value = catalog.properties.get(_ENDPOINTS.get(location.scheme, ""))
    if not value or is_reference(value):
        return None
    scheme, authority, path = split_uri(value if "://" in value else f"https://{value}")
    server = canonical_server((authority or "").rpartition("@")[2], without="80" if scheme == "http" else "443")
    if server is None:
        return None
    if server.partition(":")[0].endswith(_OF_AMAZON):
        return "amazonaws.com"
    return f"{server}{path.rstrip('/')}"
