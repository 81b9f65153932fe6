"""Rows of older partition specs divided by the partitions of another, against PyIceberg's transforms."""

import json
from collections import defaultdict
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.transforms import (
    BucketTransform,
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    TruncateTransform,
    YearTransform,
)
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DecimalType,
    FixedType,
    IcebergType,
    IntegerType,
    LongType,
    StringType,
    TimestampNanoType,
    TimestampType,
    TimestamptzNanoType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from engine.rewriting.kernel.contract import PartitionField, RowOrder, SortColumn, WriteSettings
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.partitioning import partition_rows
from engine.rewriting.kernel.partitioning.bucket_hash import hash_bytes, hash_longs
from engine.rewriting.kernel.partitioning.transforms import transformed
from tests.unit.kernel.building import field, left_behind, make_task, outputs_of, rewrite, with_deletes, write
from tests.unit.kernel.building import write_deletes as deletes_file

_MOST_DAYS = 2_932_896  # 9999-12-31, the last day that Python's dates can express
_LEAST_DAYS = -719_162
_DAY = 86_400_000_000
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 - compared with naive times

MICROS = st.integers(_LEAST_DAYS * _DAY, _MOST_DAYS * _DAY) | st.integers(-3 * _DAY, 3 * _DAY)
NANOS = st.integers(-(2**63) + 1, 2**63 - 1) | st.integers(-3000, 3000)
TEXTS = st.text(max_size=20) | st.sampled_from(["", "a", "ä€\U0001f600x", "iceberg"])
COLUMNS: dict[str, tuple[pa.DataType, IcebergType, st.SearchStrategy[Any]]] = {
    "bool": (pa.bool_(), BooleanType(), st.booleans()),
    "int": (pa.int32(), IntegerType(), st.integers(-(2**31) + 100, 2**31 - 1)),
    "long": (pa.int64(), LongType(), st.integers(-(2**63) + 100, 2**63 - 1) | st.integers(-12, 12)),
    "date": (pa.date32(), DateType(), st.integers(_LEAST_DAYS, _MOST_DAYS)),
    "time": (pa.time64("us"), TimeType(), st.integers(0, _DAY - 1)),
    "timestamp": (pa.timestamp("us"), TimestampType(), MICROS),
    "timestamptz": (pa.timestamp("us", tz="UTC"), TimestamptzType(), MICROS),
    "nanos": (pa.timestamp("ns"), TimestampNanoType(), NANOS),
    "nanos in UTC": (pa.timestamp("ns", tz="UTC"), TimestamptzNanoType(), NANOS),
    "string": (pa.large_string(), StringType(), TEXTS),
    "binary": (pa.large_binary(), BinaryType(), st.binary(max_size=20)),
    "fixed": (pa.binary(5), FixedType(5), st.binary(min_size=5, max_size=5)),
    "uuid": (pa.uuid(), UUIDType(), st.uuids()),
    "decimal": (pa.decimal128(9, 2), DecimalType(9, 2), st.decimals(-9_999_999, 9_999_999, places=2)),
    "wide": (pa.decimal128(38, 3), DecimalType(38, 3), st.decimals(-(10**30), 10**30, places=3)),
}
_BUCKETED = [name for name in COLUMNS if name != "bool"]
TIMES = ("timestamp", "timestamptz", "nanos", "nanos in UTC")
_TRUNCATED = ["int", "long", "string", "binary", "decimal", "wide"]
CASES: list[tuple[str, str, int, Transform[Any, Any]]] = [
    *((name, "identity", 0, IdentityTransform()) for name in COLUMNS),
    *((name, "bucket", 7, BucketTransform(7)) for name in _BUCKETED),
    *((name, "bucket", 2**20, BucketTransform(2**20)) for name in ("long", "string")),
    *((name, "truncate", 3, TruncateTransform(3)) for name in _TRUNCATED),
    *((name, "year", 0, YearTransform()) for name in ("date", *TIMES)),
    *((name, "month", 0, MonthTransform()) for name in ("date", *TIMES)),
    *((name, "day", 0, DayTransform()) for name in ("date", *TIMES)),
    *((name, "hour", 0, HourTransform()) for name in TIMES),
]


def by_pyiceberg(transform: Transform[Any, Any], of: IcebergType, value: Any) -> Any:
    """Return the partition value of one value as PyIceberg computes it."""
    if value is None:
        return None
    is_identity_of_uuid = isinstance(of, UUIDType) and isinstance(transform, IdentityTransform)
    return value.bytes if is_identity_of_uuid else transform.transform(of)(value)


def by_kernel(of: pa.DataType, values: list[Any], field: PartitionField) -> list[Any]:
    """Return the partition values of a column as the kernel computes them, in the form of `PartitionValues`."""
    stored = [value.bytes if value is not None and of == pa.uuid() else value for value in values]
    if isinstance(of, pa.UuidType):
        column: pa.Array = pa.ExtensionArray.from_storage(of, pa.array(stored, pa.binary(16)))
    else:
        column = pa.array(stored, of)
    return partition_rows.raw_values(transformed(column, field))


@pytest.mark.parametrize(
    ("name", "transform", "parameter", "known"), CASES, ids=[f"{case[1]}-{case[2]}-{case[0]}" for case in CASES]
)
@given(data=st.data())
def test_partition_values_are_those_of_pyiceberg(
    name: str, transform: str, parameter: int, known: Transform[Any, Any], data: st.DataObject
) -> None:
    of, iceberg, values = COLUMNS[name]
    given = data.draw(st.lists(st.none() | values, max_size=12))
    found = by_kernel(of, given, PartitionField(1, transform, parameter))
    wanted = [by_pyiceberg(known, iceberg, value) for value in given]
    assert found == partition_rows.raw_values(_column_of(wanted, of, transform))


def _column_of(values: list[Any], of: pa.DataType, transform: str) -> pa.Array:
    if transform not in ("identity", "truncate"):
        return pa.array(values, pa.int64())
    return pa.array(values, pa.binary(16) if isinstance(of, pa.UuidType) else of)


def test_hashes_are_those_of_the_specification() -> None:
    """Values of appendix B of Iceberg's specification."""
    assert hash_longs(np.array([34, 81_068_000_000, 1_510_871_468_000_000], np.int64)).view(np.int32).tolist() == [
        2_017_239_379,
        -662_762_989,
        -2_047_944_441,
    ]
    data = b"iceberg" + bytes([0, 1, 2, 3])
    hashes = hash_bytes(np.frombuffer(data, np.uint8), np.array([0, 7, 11, 11], np.int64)).view(np.int32)
    assert hashes.tolist()[:2] == [1_210_000_089, -188_683_207]
    assert hashes.tolist()[2] == 0


@pytest.mark.parametrize(
    ("of", "transform"),
    [
        (pa.float64(), "identity"),
        (pa.float32(), "bucket"),
        (pa.bool_(), "bucket"),
        (pa.date32(), "hour"),
        (pa.time64("us"), "day"),
        (pa.int64(), "year"),
        (pa.uuid(), "truncate"),
        (pa.int64(), "zorder"),
    ],
)
def test_other_transforms_are_refused(of: pa.DataType, transform: str) -> None:
    with pytest.raises(Refused, match="unsupported_partition"):
        by_kernel(of, [None], PartitionField(1, transform, 4))


SCHEMA = pa.schema(
    [
        field(1, "id", pa.int64()),
        field(2, "city", pa.large_string()),
        field(3, "at", pa.timestamp("us", tz="UTC")),
        field(4, "place", pa.struct([field(5, "country", pa.large_string())])),
    ]
)
_CITIES = ["Oslo", "Bergen", None, "Århus"]


def rows_of(count: int, *, start: int = 0) -> pa.Table:
    numbers = range(start, start + count)
    return pa.table(
        [
            pa.array(numbers, pa.int64()),
            pa.array([_CITIES[number % 4] for number in numbers], pa.large_string()),
            pa.array([number * _DAY // 3 for number in numbers], pa.timestamp("us", tz="UTC")),
            pa.array([None if n % 7 == 0 else {"country": f"c{n % 3}"} for n in numbers], SCHEMA.field(3).type),
        ],
        schema=SCHEMA,
    )


def expected(table: pa.Table, key: Callable[[dict[str, Any]], tuple[Any, ...]]) -> dict[tuple[Any, ...], list[int]]:
    found = defaultdict(list)
    for row in table.to_pylist():
        found[key(row)].append(row["id"])
    return dict(found)


def found_in(result: Any) -> dict[tuple[Any, ...], list[int]]:
    """Return the ids of rows by the partition of their file, in the order of files and rows."""
    found = defaultdict(list)
    for output in result.outputs:
        found[output.partition].extend(pq.read_table(output.path)["id"].to_pylist())
    return dict(found)


@pytest.mark.parametrize("memory", [2**28, 2_000, 1])
def test_each_output_has_the_rows_of_one_partition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    monkeypatch.setattr(
        "engine.rewriting.kernel.task.PartitionDivider", partial(partition_rows.PartitionDivider, memory_bytes=memory)
    )
    tables = [rows_of(50, start=50 * at) for at in range(5)]
    inputs = [write(tmp_path / f"in/{at}.parquet", table, row_group_size=20) for at, table in enumerate(tables)]
    by = (PartitionField(2, "identity"), PartitionField(3, "day"))
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, partition_by=by, checks_rows=True))
    assert result.outcome == "written"
    assert found_in(result) == expected(
        pa.concat_tables(tables), lambda row: (row["city"], (row["at"].replace(tzinfo=None) - _EPOCH).days)
    )
    assert result.rows_written == 250
    assert len(left_behind(tmp_path)) == len(result.outputs)


def test_a_nested_column_and_a_field_that_was_dropped(tmp_path: Path) -> None:
    whole = rows_of(40)
    by = (PartitionField(5, "truncate", 1), PartitionField(1, "void"))
    result = rewrite(make_task(tmp_path, [write(tmp_path / "in/a.parquet", whole)], SCHEMA, partition_by=by))
    assert found_in(result) == expected(
        whole, lambda row: ("c" if row["place"] and row["place"]["country"] else None, None)
    )


@pytest.mark.parametrize("strategy", ["sort", "zorder"])
def test_rows_are_in_order_within_each_partition(tmp_path: Path, strategy: str) -> None:
    table = rows_of(60).take(pa.array(np.random.default_rng(1).permutation(60)))
    order = RowOrder(strategy, (SortColumn(1, descending=strategy == "sort"),))
    by = (PartitionField(2, "identity"),)
    task = make_task(tmp_path, [write(tmp_path / "in/a.parquet", table)], SCHEMA, partition_by=by, order=order)
    result = rewrite(task)
    for ids in found_in(result).values():
        assert ids == sorted(ids, reverse=strategy == "sort")
    assert len(found_in(result)) == 4


def test_deleted_rows_are_in_no_partition(tmp_path: Path) -> None:
    one = write(tmp_path / "in/a.parquet", rows_of(20))
    deletes = deletes_file(tmp_path / "in/d.parquet", [(one.path, at) for at in range(0, 20, 2)])
    result = rewrite(
        make_task(tmp_path, [with_deletes(one, deletes)], SCHEMA, partition_by=(PartitionField(2, "identity"),))
    )
    assert (result.rows_deleted, result.rows_written) == (10, 10)
    assert {key[0] for key in found_in(result)} == {"Bergen", "Århus"}


def test_a_large_partition_is_several_files_of_the_target_size(tmp_path: Path) -> None:
    noise = np.random.default_rng(2).integers(0, 2**62, 400_000)
    schema = pa.schema([field(1, "id", pa.int64()), field(2, "n", pa.int64())])
    table = pa.table([pa.array(noise), pa.array(np.arange(len(noise)) % 4 // 3)], schema=schema)
    inputs = [write(tmp_path / "in/a.parquet", table, use_dictionary=False)]
    task = make_task(
        tmp_path,
        inputs,
        schema,
        partition_by=(PartitionField(2, "identity"),),
        settings=WriteSettings(target_file_bytes=2**20, row_group_bytes=2**20),
    )
    result = rewrite(task)
    files = defaultdict(list)
    for output in result.outputs:
        files[output.partition].append(output.file_bytes)
    assert [len(sizes) for sizes in files.values()] == [2, 1]
    assert outputs_of(result).num_rows == len(noise)


def test_an_unpartitioned_spec_keeps_rows_together(tmp_path: Path) -> None:
    inputs = [write(tmp_path / f"in/{at}.parquet", rows_of(10, start=10 * at)) for at in range(2)]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, partition_by=()))
    assert found_in(result) == {(): list(range(20))}


def test_too_many_partitions_are_refused_and_leave_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_rows, "MOST_PARTITIONS", 30)
    inputs = [write(tmp_path / f"in/{at}.parquet", rows_of(20, start=20 * at)) for at in range(2)]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, partition_by=(PartitionField(1, "identity"),)))
    assert result.outcome == "refused"
    assert result.reason == "too_many_partitions: its rows are in more than 30 partitions"
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("transform", ["identity", "day"])
@pytest.mark.parametrize("day", [-719_163, 2_932_897, None])
def test_days_that_readers_cannot_express_are_refused(tmp_path: Path, transform: str, day: int | None) -> None:
    days = [-719_162, 2_932_896, day]
    schema = pa.schema([field(1, "id", pa.int64()), field(2, "at", pa.timestamp("us")), field(3, "on", pa.date32())])
    moments = [None if each is None else each * _DAY for each in days]
    columns = [pa.array([1, 2, 3]), pa.array(moments, pa.timestamp("us")), pa.array(days, pa.date32())]
    inputs = [write(tmp_path / "in/a.parquet", pa.table(columns, schema=schema))]
    for column in (2, 3):
        by = (PartitionField(column, transform),)
        result = rewrite(make_task(tmp_path / str(column), inputs, schema, partition_by=by))
        assert result.outcome == ("written" if day is None else "refused"), result.reason
        assert ("outside of the years 1 to 9999" in str(result.reason)) is (day is not None)


def test_an_unknown_column_is_refused(tmp_path: Path) -> None:
    inputs = [write(tmp_path / "in/a.parquet", rows_of(3))]
    result = rewrite(make_task(tmp_path, inputs, SCHEMA, partition_by=(PartitionField(99, "identity"),)))
    assert (result.outcome, json.loads(result.to_json())["outputs"]) == ("refused", [])
    assert "field id 99" in str(result.reason)
