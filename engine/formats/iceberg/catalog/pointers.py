"""Read the metadata locations of many tables at once, without reading metadata where the catalog allows it.

A SQL catalog needs one query for all tables. A REST catalog has no such request: it is called once per table, and
returns all of the table's metadata.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog

from engine.domain.errors import InvalidInput, NotEligible, NotFound, TableUnreadable
from engine.domain.tables.table import TableRef
from engine.formats.iceberg.errors import reading_table
from engine.rewriting.kernel.storage.abandoned import stop_if_abandoned

OF_ONE_TABLE: Final = (NotFound, NotEligible, InvalidInput, TableUnreadable)
"""Errors that leave a table without a pointer. Tables without one are opened at each look, which reports the error."""


def pointers(catalog: Catalog, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
    """Return the metadata location of each table that the catalog has and that can be loaded.

    Raises:
        StateConflict, Away, CredentialsExpired, Transient: the catalog or a store refuses, or does not answer.
    """
    if isinstance(catalog, SqlCatalog):
        return _of_rows(catalog, refs)
    return _of_tables(catalog, refs)


def _of_rows(catalog: SqlCatalog, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
    by_address = {(Catalog.namespace_to_string(ref.namespace), ref.name): ref for ref in refs}
    stored = IcebergTables.__table__
    column = stored.c
    query = stored.select().with_only_columns(column.table_namespace, column.table_name, column.metadata_location)
    query = query.where(
        column.catalog_name == catalog.name,
        column.table_namespace.in_(sorted({namespace for namespace, _ in by_address})),
        column.table_name.in_(sorted({name for _, name in by_address})),
    )
    with catalog.engine.connect() as connection:
        rows = connection.execute(query).all()
    return {
        by_address[row[0], row[1]]: row.metadata_location
        for row in rows
        if (row[0], row[1]) in by_address and row.metadata_location
    }


def _of_tables(catalog: Catalog, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
    found = {}
    for ref in refs:
        stop_if_abandoned()
        with suppress(*OF_ONE_TABLE), reading_table(f"read the metadata location of {ref}"):
            found[ref] = catalog.load_table((*ref.namespace, ref.name)).metadata_location
    return found
