"""Registered tables whose locations overlap: files of one are below the location of the other.

Two catalogs that name different endpoints have different stores, also where their buckets have one name. An endpoint
that is not known, as a REST catalog or a secret gives it, can be any.
"""

from typing import Final

from engine.domain.errors import NotEligible
from engine.domain.tables.table import Catalog, Table
from engine.services.catalogs.places import Place, uri_parts
from engine.services.catalogs.secrets import is_reference
from engine.stores.unit_of_work import UnitOfWork

_ENDPOINTS: Final = {"s3": "s3.endpoint", "gs": "gcs.service.host"}
"""Properties with the address of a store, by scheme; in Azure, locations have it."""

_OF_AMAZON: Final = (".amazonaws.com", ".amazonaws.com.cn")
_MOST_NAMED: Final = 3


async def overlapping_tables(unit: UnitOfWork, table: Table, catalog: Catalog, limit: int) -> list[Table]:
    """Return other registered tables at the location of this one, below it or around it, oldest first."""
    place = Place.of(table.location)
    if place is None:
        return []
    endpoint, others = _endpoint(place, catalog), dict[str, Catalog | None]()

    def is_near(location: str) -> bool:
        other = Place.of(location)
        return other is not None and place.overlaps(other)

    found: list[Table] = []
    for each in await unit.tables.list_like(table.ref, place.patterns(), is_near):
        name = each.ref.catalog
        if name not in others:
            others[name] = await unit.catalogs.get(name)
        other = others[name]
        theirs = None if other is None else _endpoint(place, other)
        if endpoint is None or theirs is None or endpoint == theirs:
            found.append(each)
    return found[:limit]


async def check_alone(unit: UnitOfWork, table: Table, catalog: Catalog) -> None:
    """Check that no other table is registered at the location of a table, below it or around it.

    Raises:
        NotEligible: there is one, so that a deletion could take its files for those of this table.
    """
    if Place.of(table.location) is None:
        raise NotEligible(f"the location of {table.ref} is no absolute address, so none of its files is deleted")
    if found := await overlapping_tables(unit, table, catalog, limit=_MOST_NAMED + 1):
        many = f"more than {_MOST_NAMED}" if len(found) > _MOST_NAMED else str(len(found))
        raise NotEligible(
            f"{many} other tables are registered at the location of {table.ref}, below it or around it: none of its "
            "files is deleted, as they could be files of those; give each table a location of its own, or remove "
            "registrations of tables that do not exist any more"
        )


def _endpoint(place: Place, catalog: Catalog) -> str | None:
    """Return the host of the catalog's store; None if it is not known."""
    value = catalog.properties.get(_ENDPOINTS.get(place.scheme, ""))
    if not value or is_reference(value):
        return None
    scheme, authority, path = uri_parts(value if "://" in value else f"https://{value}")
    host = authority.lower()
    if host.partition(":")[0].endswith(_OF_AMAZON):
        return "amazonaws.com"
    default = ":80" if scheme == "http" else ":443"
    return f"{host.removesuffix(default)}{path.rstrip('/')}"
