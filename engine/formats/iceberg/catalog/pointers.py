"""Read the metadata locations of many tables at once, without reading metadata where the catalog allows it.

A SQL catalog needs one query for all tables. A REST catalog has no such request: it is called once per table, and
returns all of the table's metadata.
"""

from collections.abc import Mapping, Sequence

import requests
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import IcebergTables, SqlCatalog

from engine.domain.tables.table import TableRef


def pointers(catalog: Catalog, refs: Sequence[TableRef]) -> Mapping[TableRef, str]:
    """Return the metadata location of each table that the catalog has."""
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
        try:
            found[ref] = catalog.load_table((*ref.namespace, ref.name)).metadata_location
        except (requests.RequestException, OSError):  # the catalog does not answer, nor would it for the other tables
            raise
        except Exception:  # noqa: BLE001, S112 - a problem of this table, reported when it is opened
            continue
    return found
