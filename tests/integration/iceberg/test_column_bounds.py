"""Bounds of columns out of manifests: in the order of each type, by both readers, whatever wrote them."""

import io
import struct
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.schema import Schema
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IcebergType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
    TimeType,
)

from engine.domain.tables.orders import OrderField, RowOrdering
from engine.formats.iceberg.statistics import column_bounds
from engine.formats.iceberg.statistics.column_bounds import read_bounds
from engine.formats.intake.avro.blocks import readable
from engine.planning.measures.overlaps import UNKNOWN
from tests.support.iceberg_tables import Lake

ORDERED: list[tuple[IcebergType, Sequence[Any]]] = [
    (BooleanType(), [False, True]),
    (IntegerType(), [-(2**31), -1, 0, 1, 2**31 - 1]),
    (LongType(), [-(2**63), -256, -1, 0, 255, 2**40]),
    (FloatType(), [-1.5e30, -1.0, 0.25, 7.0]),
    (DoubleType(), [float("-inf"), -1.0, 0.25, 1e300]),
    (DecimalType(9, 2), [Decimal("-1234567.89"), Decimal("-1.28"), Decimal("-0.01"), Decimal("0.00"), Decimal("1.28")]),
    (DecimalType(38, 0), [Decimal(-(10**37)), Decimal(-1), Decimal(0), Decimal(255), Decimal(10**37)]),
    (DateType(), [date(1960, 1, 1), date(1970, 1, 1), date(2026, 11, 1)]),
    (TimeType(), [time(0), time(12, 0, 1), time(23, 59)]),
    (TimestampType(), [datetime(1950, 1, 1), datetime(1970, 1, 1), datetime(2026, 1, 1)]),  # noqa: DTZ001
    (TimestamptzType(), [datetime(1950, 1, 1, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)]),
    (StringType(), ["", "A", "a", "ab", "z", "ä", "\U0001f600"]),
    (BinaryType(), [b"", b"\x00", b"\x7f", b"\x80", b"\xff\xff"]),
]


def table_of(lake: Lake, of: IcebergType, values: Sequence[Any], *, required: bool = False) -> Schema:
    """Make a table with one file for each value, and one whose values are all null."""
    schema = Schema(NestedField(1, "c", of, required=required), NestedField(2, "other", LongType()))
    table = lake.create(schema=schema, properties={"write.metadata.metrics.default": "full"})
    arrow = schema_to_pyarrow(schema, include_field_ids=False)
    for value in [*values, None]:
        table.append(pa.table({"c": [value], "other": [7]}, schema=arrow))
    return schema


def ranges_of(lake: Lake, field_id: int = 1) -> tuple[list[int], list[int]]:
    """Return lower and upper ranks in the order in which the files came."""
    opened = lake.open()
    order = opened.digest()["sequence_number"].to_numpy().argsort()
    (found,) = opened.order_ranges(RowOrdering("sort", (OrderField("c", field_id),)))
    return found.lower[order].tolist(), found.upper[order].tolist()


@pytest.mark.parametrize(("of", "values"), ORDERED, ids=lambda each: str(each)[:20])
def test_ranks_go_as_the_column_is_ordered_and_what_has_no_bounds_is_unknown(
    lake: Lake, of: IcebergType, values: Sequence[Any]
) -> None:
    table_of(lake, of, values)
    lower, upper = ranges_of(lake)
    assert lower == upper
    assert lower[-1] == UNKNOWN
    assert all(before < after for before, after in pairwise(lower[:-1]))


def test_a_widened_column_compares_across_both_widths(lake: Lake) -> None:
    table_of(lake, IntegerType(), [-5, 300])
    with lake.load().update_schema() as change:
        change.update_column("c", LongType())
    arrow = schema_to_pyarrow(lake.load().schema(), include_field_ids=False)
    for value in (-(2**40), 0, 2**40):
        lake.load().append(pa.table({"c": [value], "other": [1]}, schema=arrow))
    lower, _ = ranges_of(lake)
    assert [lower.index(rank) for rank in sorted(lower) if rank != UNKNOWN] == [3, 0, 4, 1, 5]


def test_a_dropped_file_is_in_no_range_and_columns_are_told_apart(lake: Lake) -> None:
    table_of(lake, LongType(), [1, 2, 3])
    lake.load().delete("c = 2")
    lower, _ = ranges_of(lake)
    assert len(lower) == lake.open().digest().num_rows == 3
    assert len(set(ranges_of(lake, 2)[0])) == 1


@pytest.mark.parametrize("codec", ["gzip", "zstd"])
def test_both_readers_give_the_same(lake: Lake, codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table_of(lake, StringType(), ["b", "a"])
    with lake.load().transaction() as change:
        change.set_properties({"write.avro.compression-codec": codec})
    lake.load().append(
        pa.table(
            {"c": ["c", None], "other": [None, 3]},
            schema=pa.schema([pa.field("c", pa.large_string()), pa.field("other", pa.int64())]),
        )
    )
    snapshot = lake.load().current_snapshot()
    assert snapshot is not None
    paths = [each.manifest_path.removeprefix("file://") for each in snapshot.manifests(lake.load().io)]
    bodies = [readable(Path(path).read_bytes()) for path in paths]
    fast = [read_bounds(body, [1, 2, 99]) for body in bodies]

    def refuse(_source: io.BytesIO) -> None:
        raise pl.exceptions.ComputeError("not this one")

    monkeypatch.setattr(column_bounds.pl, "read_avro", refuse)
    assert [read_bounds(body, [1, 2, 99]).to_pylist() for body in bodies] == [table.to_pylist() for table in fast]


def test_a_missing_side_is_beyond_all_others_and_no_side_is_unknown() -> None:
    """Outputs have no lower bound where a float column begins with a zero: they still end somewhere."""

    def bounds(*values: float | None) -> pa.ChunkedArray:
        packed = [None if each is None else struct.pack("<d", each) for each in values]
        return pa.chunked_array([pa.array(packed, pa.large_binary())])

    lower, upper = column_bounds._ranks(bounds(None, 1.0, -3.0, None), bounds(2.0, None, 4.0, None), DoubleType())
    assert lower[0] < lower[2] < lower[1]
    assert upper[0] < upper[2] < upper[1]
    assert (lower[3], upper[3]) == (UNKNOWN, UNKNOWN)


def test_an_empty_table_has_no_ranges(lake: Lake) -> None:
    lake.create(schema=Schema(NestedField(1, "c", LongType())))
    assert ranges_of(lake) == ([], [])
