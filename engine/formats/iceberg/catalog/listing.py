"""List all tables of a catalog, namespace by namespace, ordered by address."""

from collections.abc import Iterator
from itertools import count
from typing import Final

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NoSuchNamespaceError
from pyiceberg.typedef import Identifier

from engine.domain.errors import StateConflict
from engine.formats.base import IsWanted, TableListing, every_namespace
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

MOST_NAMESPACES: Final = 100_000
"""Namespaces of a catalog that are listed, those without tables included."""

_DEEPEST: Final = 16
"""Maximum namespace levels that are listed; tables in deeper namespaces can't be registered."""


def list_tables(catalog: Catalog, limit: int, is_wanted: IsWanted = every_namespace) -> TableListing:
    """Return the addresses of at most `limit` tables in the accepted namespaces.

    Sends two requests per accepted namespace, and one for any other, because accepted ones may be nested in it.

    Raises:
        StateConflict: the catalog has more than `MOST_NAMESPACES`.
    """
    found: list[tuple[str, ...]] = []
    for identifier in _tables(catalog, (), is_wanted, count()):
        if len(found) == limit:
            return TableListing(tuple(found), is_truncated=True)
        found.append(identifier)
    return TableListing(tuple(found), is_truncated=False)


def _tables(
    catalog: Catalog, namespace: Identifier, is_wanted: IsWanted, numbers: Iterator[int]
) -> Iterator[tuple[str, ...]]:
    """Yield the tables of a namespace and of those in it; `numbers` counts namespaces."""
    stop_if_abandoned()
    try:  # a namespace may be dropped during the listing, and SQL catalogs return parents that do not exist
        if namespace and is_wanted(namespace):
            yield from sorted(tuple(identifier) for identifier in catalog.list_tables(namespace))
    except NoSuchNamespaceError:
        pass
    try:
        inner = sorted(tuple(each) for each in catalog.list_namespaces(namespace))
    except NoSuchNamespaceError:
        return
    for each in inner:
        if next(numbers) >= MOST_NAMESPACES:
            raise StateConflict(f"the catalog has more than {MOST_NAMESPACES} namespaces, or they have no end")
        if len(namespace) < len(each) <= _DEEPEST:
            yield from _tables(catalog, each, is_wanted, numbers)
