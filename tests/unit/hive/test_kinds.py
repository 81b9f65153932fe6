"""Kinds of entries of a Metastore: tables are opened, other entries are not."""

import pytest
from hive_metastore.ttypes import SerDeInfo, StorageDescriptor, Table

from engine.formats.hive.metadata.tables import TableEntry

PARQUET = StorageDescriptor(
    inputFormat="org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
    serdeInfo=SerDeInfo(serializationLib="org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"),
)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("EXTERNAL_TABLE", None),
        ("MANAGED_TABLE", None),
        ("VIRTUAL_VIEW", "it is a view"),
        ("MATERIALIZED_VIEW", "it is a view"),
        ("INDEX_TABLE", "its kind is 'INDEX_TABLE', which is neither a table nor a view"),
    ],
)
def test_f38_entries_of_other_kinds_are_no_tables(kind: str, problem: str | None) -> None:
    """F38: files of an entry whose kind is not known may mean something else."""
    assert TableEntry.of(Table(tableName="t", dbName="d", tableType=kind, sd=PARQUET)).problem == problem
