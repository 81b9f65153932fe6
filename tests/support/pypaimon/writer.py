"""Tables that pypaimon makes and changes; columns are pairs of a name and an expression of pyarrow for its type."""

from collections.abc import Mapping, Sequence
from datetime import time
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory, Schema
from pypaimon.common.options.config_option import ConfigOption
from pypaimon.common.options.core_options import CoreOptions
from pypaimon.schema.data_types import PyarrowFieldParser
from pypaimon.schema.schema_change import SchemaChange


def create(
    warehouse: str,
    table: str,
    *,
    columns: Sequence[tuple[str, str]],
    partition_keys: Sequence[str] = (),
    primary_keys: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> None:
    """Create a table; columns of the primary key are required."""
    catalog = CatalogFactory.create({"warehouse": warehouse})
    catalog.create_database("lake", ignore_if_exists=True)
    fields = [pa.field(name, eval(kind, vars(pa)), name not in primary_keys) for name, kind in columns]
    schema = Schema.from_pyarrow_schema(pa.schema(fields), list(partition_keys), list(primary_keys), options or {})
    catalog.create_table(f"lake.{table}", schema, ignore_if_exists=False)


def write(
    warehouse: str, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Any]], overwrite: Any = None
) -> None:
    """Commit rows; `overwrite`: values of the partition that they replace, by column."""
    opened = CatalogFactory.create({"warehouse": warehouse}).get_table(f"lake.{table}")
    values = zip(*rows, strict=True) if rows else [()] * len(columns)
    arrays = [_array(list(each), eval(kind, vars(pa))) for each, (_, kind) in zip(values, columns, strict=True)]
    keys = set(opened.primary_keys)
    schema = pa.schema(
        [pa.field(name, each.type, name not in keys) for (name, _), each in zip(columns, arrays, strict=True)]
    )
    builder = opened.new_batch_write_builder()
    if overwrite is not None:
        builder = builder.overwrite(overwrite)
    writer, commit = builder.new_write(), builder.new_commit()
    try:
        writer.write_arrow(pa.Table.from_arrays(arrays, schema=schema))
        commit.commit(writer.prepare_commit())
    finally:
        writer.close()
        commit.close()


def alter(warehouse: str, table: str, change: str, arguments: Sequence[Any]) -> None:
    """Change the schema by a method of `SchemaChange`; types are expressions, as in `create`."""
    if change in ("add_column", "update_column_type"):
        name, kind = arguments
        arguments = [name, PyarrowFieldParser.to_paimon_type(eval(kind, vars(pa)), nullable=True)]
    catalog = CatalogFactory.create({"warehouse": warehouse})
    catalog.alter_table(f"lake.{table}", [getattr(SchemaChange, change)(*arguments)], False)


def options(warehouse: str, table: str) -> list[str]:
    """Return the names of all options of tables."""
    return sorted(each.key() for each in vars(CoreOptions).values() if isinstance(each, ConfigOption))


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    """Return values, texts of dates, times and decimals among them, as an array; a map is a list of pairs."""
    if pa.types.is_time(kind):
        return pa.array([each and time.fromisoformat(each) for each in values], kind)
    if pa.types.is_map(kind):
        return pa.array([each if each is None else [tuple(pair) for pair in each] for each in values], kind)
    is_text = any(isinstance(each, str) for each in values) and not pa.types.is_nested(kind)
    return pa.array(values, pa.string()).cast(kind) if is_text else pa.array(values, kind)
