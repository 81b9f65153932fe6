"""Tables of every type, every way of writing them as inputs, and readers to compare what was made of them."""

import datetime as dt
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from engine.rewriting.kernel.contract import TaskInput
from tests.unit.kernel.building import field, write

FLAT = pa.schema(
    [
        field(1, "bool", pa.bool_()),
        field(2, "int", pa.int32()),
        field(3, "long", pa.int64(), required=True),
        field(4, "float", pa.float32()),
        field(5, "double", pa.float64()),
        field(6, "decimal_9", pa.decimal128(9, 2)),
        field(7, "decimal_18", pa.decimal128(18, 4)),
        field(8, "decimal_38", pa.decimal128(38, 10)),
        field(9, "date", pa.date32()),
        field(10, "time", pa.time64("us")),
        field(11, "timestamp", pa.timestamp("us")),
        field(12, "timestamptz", pa.timestamp("us", tz="UTC")),
        field(13, "string", pa.string()),
        field(14, "binary", pa.binary()),
        field(15, "fixed", pa.binary(5)),
        field(16, "words", pa.string()),
        field(17, "near_int", pa.int32()),
        field(18, "near_decimal", pa.decimal128(12, 2)),
        field(19, "near_date", pa.date32()),
    ]
)
LOOSE = pa.schema([one.with_nullable(True) for one in FLAT if one.name != "fixed"])
"""What every writer can write: one of them knows neither required columns nor bytes of a fixed length."""

OPTIONAL = pa.schema([one.with_nullable(True) for one in FLAT])
REQUIRED = pa.schema([one.with_nullable(False) for one in FLAT])

NESTED = pa.schema(
    [
        *FLAT,
        field(20, "point", pa.struct([field(21, "x", pa.float64()), field(22, "label", pa.string(), required=True)])),
        field(23, "list", pa.list_(field(24, "element", pa.int64()))),
        field(25, "map", pa.map_(field(26, "key", pa.string(), required=True), field(27, "value", pa.int32()))),
        field(
            28,
            "deep",
            pa.list_(field(29, "element", pa.struct([field(30, "a", pa.int32()), field(31, "b", pa.string())]))),
        ),
    ]
)

WRITERS: dict[str, dict[str, Any]] = {
    "plain": {"use_dictionary": False, "write_page_checksum": True},
    "plain, no checksums": {"use_dictionary": False},
    "plain, small pages": {"use_dictionary": False, "write_page_checksum": True, "data_page_size": 512},
    "plain, small row groups": {"use_dictionary": False, "write_page_checksum": True, "row_group_size": 97},
    "version 2 pages": {"use_dictionary": False, "write_page_checksum": True, "data_page_version": "2.0"},
    "version 2 pages, dictionaries": {"data_page_version": "2.0"},
    "dictionaries": {"write_page_checksum": True},
    "dictionaries given up half-way": {
        "dictionary_pagesize_limit": 1024,
        "data_page_size": 512,
        "write_batch_size": 64,
    },
    "dictionary for words": {"use_dictionary": ["words"], "write_page_checksum": True},
    "delta": {
        "use_dictionary": False,
        "column_encoding": {
            "int": "DELTA_BINARY_PACKED",
            "long": "DELTA_BINARY_PACKED",
            "string": "DELTA_LENGTH_BYTE_ARRAY",
            "words": "DELTA_BYTE_ARRAY",
            "double": "BYTE_STREAM_SPLIT",
        },
        "write_page_checksum": True,
    },
    "no statistics": {"use_dictionary": False, "write_statistics": False},
    "not compressed": {"use_dictionary": False, "compression": "none", "write_page_checksum": True},
    "another codec": {"use_dictionary": False, "compression": "snappy", "write_page_checksum": True},
    "decimals as bytes": {"use_dictionary": False, "store_decimal_as_integer": False, "write_page_checksum": True},
    "page index": {"use_dictionary": False, "write_page_index": True, "write_page_checksum": True},
}


def table(seed: int, count: int, schema: pa.Schema = NESTED) -> pa.Table:
    """Return rows of every type: a fifth null, extremes and signed zeros among the values."""
    random = np.random.default_rng(seed)
    makers: Mapping[str, Callable[[], list[Any]]] = {
        "bool": lambda: [bool(x) for x in random.integers(0, 2, count)],
        "int": lambda: random.integers(-(2**31), 2**31, count).tolist(),
        "long": lambda: random.integers(-(2**63), 2**63 - 1, count).tolist(),
        "float": lambda: [(-0.0, 0.0, 1.5, -2.25)[x] for x in random.integers(0, 4, count)],
        "double": lambda: [(x if abs(x) > 0.1 else -0.0) for x in random.normal(size=count).tolist()],
        "decimal_9": lambda: [Decimal(int(x)).scaleb(-2) for x in random.integers(-(10**9) + 1, 10**9, count)],
        "decimal_18": lambda: [Decimal(int(x)).scaleb(-4) for x in random.integers(-(10**17), 10**17, count)],
        "decimal_38": lambda: [Decimal(int(x) * 10**17).scaleb(-10) for x in random.integers(-(10**18), 10**18, count)],
        "date": lambda: random.integers(-100_000, 100_000, count).tolist(),
        "time": lambda: random.integers(0, 86_400_000_000, count).tolist(),
        "timestamp": lambda: random.integers(-(2**45), 2**50, count).tolist(),
        "timestamptz": lambda: random.integers(-(2**45), 2**50, count).tolist(),
        "string": lambda: [f"é{x}" * int(x % 3) for x in random.integers(0, 10**9, count)],
        "binary": lambda: [bytes(random.integers(0, 256, x, dtype=np.uint8)) for x in random.integers(0, 9, count)],
        "fixed": lambda: [bytes(random.integers(0, 256, 5, dtype=np.uint8)) for _ in range(count)],
        "words": lambda: [("ash", "oak", "elm", "")[x] for x in random.integers(0, 4, count)],
        "near_int": lambda: random.integers(-3, 4, count).tolist(),
        "near_decimal": lambda: [Decimal(int(x)).scaleb(-2) for x in random.integers(-500, 500, count)],
        "near_date": lambda: np.sort(random.integers(19_000, 19_100, count)).tolist(),
        "point": lambda: [{"x": float(x), "label": f"p{x:.3f}"} for x in random.normal(size=count)],
        "list": lambda: [[int(y) or None for y in random.integers(0, 5, x)] for x in random.integers(0, 4, count)],
        "map": lambda: [[(f"k{y}", int(y)) for y in range(x)] for x in random.integers(0, 4, count)],
        "deep": lambda: [
            [{"a": int(y), "b": None if y % 2 else f"b{y}"} for y in random.integers(0, 50, x)]
            for x in random.integers(0, 4, count)
        ],
    }
    columns = []
    for one in schema:
        values = makers[one.name]()
        if one.nullable:
            values = [None if hole else value for value, hole in zip(values, random.random(count) < 0.2, strict=True)]
        columns.append(pa.array(values, one.type))
    return pa.Table.from_arrays(columns, schema=schema)


def write_as(writer: str, path: Path, rows: pa.Table) -> TaskInput:
    """Write rows the way of one of `WRITERS`, or with `duckdb` (`LOOSE` columns)."""
    if writer != "duckdb":
        return write(path, rows, **{"store_decimal_as_integer": True, **WRITERS[writer]})
    ids = ", ".join(f'"{name}": {number}' for name, number in _ids(rows.schema))
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    connection.register("given", rows)
    connection.execute(f"COPY given TO '{path}' (FORMAT parquet, CODEC zstd, FIELD_IDS {{{ids}}})")
    return TaskInput(str(path), path.stat().st_size, rows.num_rows)


def _ids(schema: pa.Schema) -> list[tuple[str, str]]:
    return [(one.name, one.metadata[b"PARQUET:field_id"].decode()) for one in schema]


def differing_readers(expected: pa.Table, paths: list[str]) -> dict[str, str]:
    """Return what readers other than `pyarrow.parquet` say that is not `expected`; in order, row by row."""
    found: dict[str, str] = {}
    if not ds.dataset(paths, schema=expected.schema).to_table().equals(expected):
        found["arrow dataset"] = "other rows"
    connection = duckdb.connect()
    connection.register("expected", expected)
    columns = ", ".join(f'"{name}"' for name in expected.column_names)
    for less, more in (("read_parquet(?)", "expected"), ("expected", "read_parquet(?)")):
        query = f"SELECT count(*) FROM (SELECT {columns} FROM {less} EXCEPT ALL SELECT {columns} FROM {more})"
        if rows := connection.execute(query, [paths]).fetchone()[0]:  # type: ignore[index]
            found[f"duckdb, {less} less {more}"] = f"{rows} rows"
    if not pl.read_parquet(paths).equals(pl.DataFrame(expected)):
        found["polars"] = "other rows"
    return found


def bounds_hold(path: str, expected: pa.Table) -> bool:
    """Tell whether every row group's null counts and bounds of flat columns are those of its values."""
    file, start = pq.ParquetFile(path), 0
    for number in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(number)
        rows = expected.slice(start, group.num_rows)
        start += group.num_rows
        for position, one in enumerate(expected.schema):
            if pa.types.is_nested(one.type):
                break
            statistics, column = group.column(position).statistics, rows.column(position)
            if statistics is None or statistics.null_count != column.null_count:
                return False
            values = [value for value in column.to_pylist() if value is not None]
            if values and not _same_bounds(statistics, values):
                return False
    return True


def _same_bounds(statistics: Any, values: list[Any]) -> bool:
    if not statistics.has_min_max:
        return any(value != value for value in values)  # noqa: PLR0124 - NaN
    if isinstance(values[0], dt.datetime | dt.time):
        return True  # pyarrow gives them back in other units; bytes and numbers are compared by the other columns
    values = [value for value in values if value == value]  # noqa: PLR0124 - NaN
    least = min(v.encode() if isinstance(v, str) else v for v in values)
    most = max(v.encode() if isinstance(v, str) else v for v in values)
    raw = (statistics.min, statistics.max)
    low, high = (v.encode() if isinstance(v, str) else v for v in raw)
    return bool(low == least and high == most)
