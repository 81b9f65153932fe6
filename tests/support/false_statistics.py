"""Files whose statistics are wrong on purpose: what an engine answers tells whether it read rows or statistics."""

import datetime as dt
import io
import re
import uuid
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.conversions import to_bytes
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.typedef import Record
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FixedType,
    FloatType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
)

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import COLUMNS, METADATA, ROW_GROUPS, STATISTICS, framed
from engine.rewriting.kernel.parquet.thrift import BINARY, I64, TRUE

DOCUMENT: Final = Path(__file__).parents[2] / "docs/reference/statistics.md"
ROWS: Final = 2
FALSE_ROWS: Final = 9
"""Rows by the manifest, all of which have a value in each column by its counts."""

_LATE: Final = dt.datetime(2030, 1, 1, tzinfo=dt.UTC)


@dataclass(frozen=True)
class Kind:
    """A type of columns: the value of both rows, and the least and greatest by the statistics."""

    of: Any
    value: Any
    bounds: tuple[Any, Any]


KINDS: Final = {
    "boolean": Kind(BooleanType(), False, (True, True)),
    "int": Kind(IntegerType(), 5, (1, 99)),
    "long": Kind(LongType(), 5, (1, 99)),
    "float": Kind(FloatType(), 5.0, (1.0, 99.0)),
    "double": Kind(DoubleType(), 5.0, (1.0, 99.0)),
    "date": Kind(DateType(), dt.date(2020, 1, 1), (dt.date(1970, 1, 2), dt.date(2030, 1, 1))),
    "timestamp": Kind(
        TimestampType(),
        dt.datetime(2020, 1, 1),  # noqa: DTZ001
        (dt.datetime(1970, 1, 2), _LATE.replace(tzinfo=None)),  # noqa: DTZ001
    ),
    "timestamptz": Kind(
        TimestamptzType(), dt.datetime(2020, 1, 1, tzinfo=dt.UTC), (dt.datetime(1970, 1, 2, tzinfo=dt.UTC), _LATE)
    ),
    "decimal": Kind(DecimalType(9, 2), Decimal("5.00"), (Decimal("1.00"), Decimal("99.00"))),
    "string": Kind(StringType(), "m", ("a", "z")),
    "binary": Kind(BinaryType(), b"m", (b"a", b"z")),
    "fixed": Kind(FixedType(2), b"mm", (b"aa", b"zz")),
}
SCHEMA: Final = Schema(*(NestedField(at, f"{name}_", kind.of) for at, (name, kind) in enumerate(KINDS.items(), 1)))


def false_table(table: Table) -> None:
    """Append a file with false counts and bounds in its manifest entry to a table of `SCHEMA`."""
    folder = Path("/" + table.location().removeprefix("file:").lstrip("/")) / "data"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{uuid.uuid4()}.parquet"
    pq.write_table(_rows(), path)
    ids = range(1, len(KINDS) + 1)
    made = DataFile.from_args(
        file_path=f"file://{path}",
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=FALSE_ROWS,
        file_size_in_bytes=path.stat().st_size,
        value_counts=dict.fromkeys(ids, FALSE_ROWS),
        null_value_counts=dict.fromkeys(ids, 0),
        lower_bounds={at: to_bytes(kind.of, kind.bounds[0]) for at, kind in enumerate(KINDS.values(), 1)},
        upper_bounds={at: to_bytes(kind.of, kind.bounds[1]) for at, kind in enumerate(KINDS.values(), 1)},
    )
    made.spec_id = 0
    with table.transaction() as change, change.update_snapshot().fast_append() as adding:
        adding.append_data_file(made)


def false_file(path: Path, *, is_exact: bool) -> None:
    """Write a file with false counts of nulls and bounds in its footer, stated to be exact, or nothing stated."""
    written, bounds = io.BytesIO(), [_footer_with(kind) for kind in KINDS.values()]
    pq.write_table(_rows(), written, store_schema=False)
    body, metadata = _split(written.getvalue())
    for chunk, wrong in zip(metadata[ROW_GROUPS][1][1][0][COLUMNS][1][1], bounds, strict=True):
        statistics = {3: (I64, 1), 5: (BINARY, wrong[1]), 6: (BINARY, wrong[0])}
        flags = {7: (TRUE, True), 8: (TRUE, True)} if is_exact else {}
        chunk[METADATA][1][STATISTICS] = (thrift.STRUCT, statistics | flags)
    path.write_bytes(body + framed(thrift.write_struct(metadata)))


def is_false(name: str, answer: Any, side: int) -> bool:
    """Return whether the least (0) or greatest (1) value of a column comes from statistics."""
    kind = KINDS[name]
    given = bytes(answer) if isinstance(answer, bytearray) else answer
    if isinstance(kind.of, TimestamptzType):
        given = answer.replace(tzinfo=dt.UTC)  # Spark's are naive, DuckDB's of another library
    assert given in {kind.value, kind.bounds[side]}, f"{name}: {answer!r} is neither in rows nor in statistics"
    return bool(given == kind.bounds[side])


@cache
def documented() -> dict[str, tuple[str, str, set[str]]]:
    """Return the documented table: per engine how it answers COUNT(*), COUNT(c), and MIN and MAX."""
    lines = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", DOCUMENT.read_text(), re.MULTILINE)
    start = next(at for at, line in enumerate(lines) if line[1] == "`COUNT(*)`")
    return {each[0]: (each[1], each[2], KINDS.keys() & set(re.findall(r"\w+", each[3]))) for each in lines[start + 2 :]}


def _rows() -> pa.Table:
    schema = schema_to_pyarrow(SCHEMA)
    columns = zip(KINDS.values(), schema, strict=True)
    return pa.Table.from_arrays([pa.array([kind.value] * ROWS, field.type) for kind, field in columns], schema=schema)


def _footer_with(kind: Kind) -> tuple[bytes, bytes]:
    """Return bounds as a footer has them, taken from one of a file with these values."""
    written, field = io.BytesIO(), schema_to_pyarrow(Schema(NestedField(1, "c", kind.of))).field("c")
    pq.write_table(pa.table([pa.array(kind.bounds, field.type)], schema=pa.schema([field])), written)
    (chunk,) = _split(written.getvalue())[1][ROW_GROUPS][1][1][0][COLUMNS][1][1]
    found = chunk[METADATA][1][STATISTICS][1]
    return found[6][1], found[5][1]


def _split(file: bytes) -> tuple[bytes, Any]:
    length = int.from_bytes(file[-8:-4], "little")
    return file[: -8 - length], thrift.read_struct(file[-8 - length : -8])[0]
