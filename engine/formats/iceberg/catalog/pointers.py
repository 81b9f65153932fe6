"""Read the metadata locations of many tables at once, without reading metadata where the catalog allows it.

Catalogs that store them need one query for all tables (SQL), or one request for many. A REST catalog has no such
request: it is called once per table, and returns all of the table's metadata.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from pyiceberg.catalog import Catalog

from engine.domain.errors import InvalidInput, NotEligible, NotFound, TableUnreadable
from engine.domain.tables.table import TableRef
from engine.formats.iceberg.catalog.stored.pointers import StoredPointers
from engine.formats.iceberg.errors import reading_table
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

OF_ONE_TABLE: Final = (NotFound, NotEligible, InvalidInput, TableUnreadable)
"""Errors that leave a table without a pointer. Tables without one are opened at each look, which reports the error."""


def pointers(catalog: Catalog, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
    """Return the metadata location of each table that the catalog has and that can be loaded.

    Raises:
        StateConflict, Away, CredentialsExpired, Transient: the catalog or a store refuses, or does not answer.
    """
    if isinstance(catalog, StoredPointers):
        by_address = {(*ref.namespace, ref.name): ref for ref in refs}
        found = catalog.locations(by_address.keys())
        return {ref: found[address] for address, ref in by_address.items() if address in found}
    return _of_tables(catalog, refs)


def _of_tables(catalog: Catalog, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
    found = {}
    for ref in refs:
        stop_if_abandoned()
        with suppress(*OF_ONE_TABLE), reading_table(f"read the metadata location of {ref}"):
            found[ref] = catalog.load_table((*ref.namespace, ref.name)).metadata_location
    return found
