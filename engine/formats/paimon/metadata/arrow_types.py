"""The Arrow schema of a table's Parquet files: types, nullability and field ids as Paimon's Java writer gives them.

Ids of elements, keys and values are derived from that of their column, `SpecialFields` of Paimon: an element of column
19 at depth 1 has 2**29 - 1 + 19 * 1024 + 1.
"""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import pyarrow as pa

from engine.formats.paimon.metadata.schemas import Column, TableSchema
from engine.formats.paimon.metadata.types import ColumnType
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY

_BASE: Final = 2**29 - 1
_LEVELS: Final = 1024
_MILLIS: Final = 3
_MICROS: Final = 6
_MOST_DIGITS: Final = 38
_LARGEST_ID: Final = 2**31 - 1
_COUNT: Final = ColumnType("INT", "INT NOT NULL", is_nullable=False)
"""The number of times that a multiset has an element."""

_PLAIN: Final[Mapping[str, pa.DataType]] = MappingProxyType(
    {
        "BOOLEAN": pa.bool_(),
        "TINYINT": pa.int8(),
        "SMALLINT": pa.int16(),
        "INT": pa.int32(),
        "INTEGER": pa.int32(),
        "BIGINT": pa.int64(),
        "FLOAT": pa.float32(),
        "DOUBLE": pa.float64(),
        "CHAR": pa.large_string(),
        "VARCHAR": pa.large_string(),
        "STRING": pa.large_string(),
        "BINARY": pa.large_binary(),
        "VARBINARY": pa.large_binary(),
        "BYTES": pa.large_binary(),
        "DATE": pa.date32(),
        "TIME": pa.time32("ms"),
    }
)


class NoArrowType(Exception):
    """A column has a type that the kernel does not write as Paimon does; the text names both."""


def arrow_schema(schema: TableSchema) -> pa.Schema:
    """Return the schema of the table's files; every field, nested ones too, has its id.

    Raises:
        NoArrowType: a column can't be written.
    """
    return pa.schema([_field(each.name, each.type, each.id) for each in schema.columns])


def readable_columns(schema: TableSchema) -> tuple[Column, ...]:
    """Return the columns that `arrow_schema` has a type for."""
    return tuple(each for each in schema.columns if _is_readable(each))


def encoded_schema(schema: TableSchema, columns: Sequence[Column]) -> str:
    """Return the Arrow schema of some readable columns, as tasks get it: an IPC message, base 64."""
    made = arrow_schema(replace(schema, columns=tuple(columns)))
    return base64.b64encode(made.serialize().to_pybytes()).decode()


def _is_readable(column: Column) -> bool:
    try:
        _field(column.name, column.type, column.id)
    except NoArrowType:  # tasks name the columns that are left out of a comparison, and refuse to rewrite them
        return False
    return True


def _field(name: str, of: ColumnType, number: int) -> pa.Field:
    if not 0 <= number <= _LARGEST_ID:
        raise NoArrowType(f"{name} has no id")
    try:
        return _with_id(name, _type(of, number, 0), number, is_nullable=of.is_nullable)
    except NoArrowType as error:
        raise NoArrowType(f"{name}: {error}") from error


def _type(of: ColumnType, column: int, depth: int) -> pa.DataType:
    match of.root:
        case root if root in _PLAIN:
            return _PLAIN[root]
        case "DECIMAL" | "NUMERIC" if 1 <= of.precision <= _MOST_DIGITS and of.scale <= of.precision:
            return pa.decimal128(of.precision, of.scale)
        case "TIMESTAMP" | "TIMESTAMP_LTZ" if of.precision <= _MICROS:
            unit = "ms" if of.precision <= _MILLIS else "us"
            return pa.timestamp(unit, "UTC" if of.root == "TIMESTAMP_LTZ" else None)
        case "ROW":
            return pa.struct([_field(part.name, part.type, part.id) for part in of.parts])
        case "ARRAY":
            (element,) = of.parts
            return pa.large_list(_inner("element", element.type, column, depth + 1, 1))
        case "MAP" | "MULTISET":
            key = of.parts[0].type
            value = of.parts[1].type if of.root == "MAP" else _COUNT
            keys = _inner("key", key, column, depth + 1, -1).with_nullable(False)
            return pa.map_(keys, _inner("value", value, column, depth + 1, 1))
    raise NoArrowType(f"type {of.text}")


def _inner(name: str, of: ColumnType, column: int, depth: int, sign: int) -> pa.Field:
    number = _BASE + sign * (column * _LEVELS + depth)
    return _with_id(name, _type(of, column, depth), number, is_nullable=of.is_nullable)


def _with_id(name: str, of: pa.DataType, number: int, *, is_nullable: bool) -> pa.Field:
    return pa.field(name, of, is_nullable, {FIELD_ID_KEY: str(number).encode()})
