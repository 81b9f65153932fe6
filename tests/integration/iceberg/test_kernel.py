"""The rewrite kernel and the commit together, on types and shapes that are easy to get wrong."""

import datetime as dt
import json
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.transforms import BucketTransform, DayTransform, IdentityTransform
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
    ListType,
    LongType,
    MapType,
    NestedField,
    StringType,
    StructType,
    TimestampType,
    TimestamptzType,
    TimeType,
    UUIDType,
)

from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.rewrite.tasks import mapped_names
from engine.rewriting.kernel.reading.projection import without_ids
from tests.differential.writers import put_file
from tests.support.iceberg_tables import (
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    groups_by_partition,
    ids_of,
    live_paths,
    nothing,
    request_of,
)
from tests.support.kernel_groups import written_by_kernel

EVERYTHING = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "flag", BooleanType()),
    NestedField(3, "small", IntegerType()),
    NestedField(4, "ratio", FloatType()),
    NestedField(5, "price", DoubleType()),
    NestedField(6, "day", DateType()),
    NestedField(7, "clock", TimeType()),
    NestedField(8, "at", TimestampType()),
    NestedField(9, "seen at", TimestamptzType()),
    NestedField(10, "amount", DecimalType(9, 2)),
    NestedField(11, "huge", DecimalType(38, 3)),
    NestedField(12, "name", StringType()),
    NestedField(13, "key", UUIDType()),
    NestedField(14, "hash", FixedType(4)),
    NestedField(15, "blob", BinaryType()),
    NestedField(16, "tags", ListType(20, StringType(), element_required=False)),
    NestedField(17, "sizes", MapType(21, StringType(), 22, LongType(), value_required=False)),
    NestedField(18, "place", StructType(NestedField(23, "x", DoubleType()), NestedField(24, "y z", StringType()))),
)
SPEC = PartitionSpec(
    PartitionField(8, 1000, DayTransform(), "at_day"),
    PartitionField(12, 1001, IdentityTransform(), "name"),
    PartitionField(1, 1002, BucketTransform(2), "id_bucket"),
)


def row(number: int) -> dict[str, Any]:
    """Return a row with a null in another column each time."""
    moment = dt.datetime(2026, 1, 1 + number % 2, 12, tzinfo=dt.UTC) + dt.timedelta(seconds=number)
    values: dict[str, Any] = {
        "id": number,
        "flag": number % 2 == 0,
        "small": -number,
        "ratio": number / 8,
        "price": number / 3,
        "day": moment.date(),
        "clock": moment.time(),
        "at": moment.replace(tzinfo=None),
        "seen at": moment,
        "amount": Decimal(number) / 100 - 1,
        "huge": Decimal(number * 10**20) / 1000,
        "name": f"n{number % 2}",
        "key": uuid.UUID(int=number).bytes,
        "hash": number.to_bytes(4, "big"),
        "blob": b"\xff" * (number % 30),
        "tags": [None, "é" * number][: number % 3],
        "sizes": [("a", number), ("b", None)][: number % 3],
        "place": {"x": number / 2, "y z": None if number % 5 else "somewhere"},
    }
    missing = list(values)[1 + number % (len(values) - 1)]
    return {**values, missing: None}


def rewrite(opened: IcebergTable) -> int:
    """Rewrite each partition with the kernel, commit all and prove it; returns the rows that deletes took."""
    written = [written_by_kernel(opened, group) for group in groups_by_partition(opened)]
    outcome = opened.commits.commit(request_of(opened, *written), before_try=nothing)
    assert outcome.snapshot_id is not None
    found = opened.commits.prove(outcome.snapshot_id, written)
    assert found.ok, [check for check in found.checks if not check.holds]
    return sum(group.rows_deleted for group in written)


def everything(table: Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.scan().to_arrow().sort_by("id").to_pylist()
    return rows


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("spec", [PartitionSpec(), SPEC], ids=["unpartitioned", "partitioned"])
def test_every_type_survives_in_every_partition(lake: Lake, version: str, spec: PartitionSpec):
    table = lake.create(schema=EVERYTHING, spec=spec, properties={"format-version": version})
    for start in (0, 20, 40):
        table.append(pa.Table.from_pylist([row(n) for n in range(start, start + 20)], schema=table.schema().as_arrow()))
    before = everything(lake.load())
    rewrite(lake.open())
    assert everything(lake.load()) == before
    assert len(live_paths(lake.load())) == len(groups_by_partition(lake.open()))


def test_filters_find_the_same_rows_by_the_new_statistics(lake: Lake):
    table = lake.create(schema=EVERYTHING)
    for start in (0, 20):
        table.append(pa.Table.from_pylist([row(n) for n in range(start, start + 20)], schema=table.schema().as_arrow()))
    filters = [
        "amount < -0.90",
        "name = 'n1'",
        "day >= '2026-01-02'",
        "price is null",
        "ratio > 3",
        "id = 39",
        "id > 39",
    ]
    before = [sorted(ids(lake.load(), each)) for each in filters]
    rewrite(lake.open())
    assert [sorted(ids(lake.load(), each)) for each in filters] == before


def imported(table: Table, rows: pa.Table, partition: Record) -> None:
    """Append a file as it is, such as one of a Hive table: `rows` without columns that its writer did not store."""
    path = Path(table.location().removeprefix("file://")) / "data" / f"{uuid.uuid4()}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(rows, path)
    put_file(table, path, rows=rows.num_rows, partition=partition)


def test_files_without_ids_are_read_by_the_names_of_the_tables_mapping(lake: Lake):
    """As `add_files` and `migrate` make tables; the older of two names of a column, and fields inside of others."""
    table = lake.create(schema=EVERYTHING)
    with table.transaction() as change:
        change.set_properties({"schema.name-mapping.default": table.schema().name_mapping.model_dump_json()})
    for start in (0, 20):
        rows = pa.Table.from_pylist([row(n) for n in range(start, start + 20)], schema=table.schema().as_arrow())
        imported(lake.load(), rows.cast(pa.schema(without_ids(rows.schema))), Record())
    with lake.load().update_schema() as update:
        update.rename_column("small", "little")
        update.delete_column("price")
        update.rename_column(("place", "y z"), "name")
    lake.load().append(pa.Table.from_pylist([{"id": 99, "little": 1}], schema=lake.load().schema().as_arrow()))
    before = everything(lake.load())
    assert (before[2]["little"], before[-1]["little"]) == (-2, 1)
    rewrite(lake.open())
    assert everything(lake.load()) == before
    assert len(live_paths(lake.load())) == 1


@pytest.mark.timeout(20)
def test_a_mapping_whose_names_multiply_is_not_followed(lake: Lake):
    names, of, mapping = [f"n{n}" for n in range(100)], StringType(), None
    for number in range(6, 0, -1):
        of = StructType(NestedField(number, "n0", of))
        mapping = [{"field-id": number, "names": names} | ({"fields": mapping} if mapping else {})]
    table = lake.create(schema=Schema(*of.fields))
    with table.transaction() as change:
        change.set_properties({"schema.name-mapping.default": json.dumps(mapping)})
    assert mapped_names(table.metadata) is None


@pytest.mark.parametrize(
    ("column", "value"),
    [("name", "n1"), ("day", 20_000), ("huge", Decimal("1.500")), ("key", uuid.UUID(int=7)), ("hash", b"abcd")],
)
def test_files_without_a_column_of_their_partition_keep_its_value(lake: Lake, column: str, value: object):
    field = EVERYTHING.find_field(column)
    lake.create(schema=EVERYTHING, spec=PartitionSpec(PartitionField(field.field_id, 1000, IdentityTransform(), "of")))
    for start in (0, 20):
        table = lake.load()
        rows = pa.Table.from_pylist(
            [row(n) for n in range(start, start + 20)], schema=schema_to_pyarrow(table.schema(), include_field_ids=True)
        )
        imported(table, rows.drop_columns([column]), Record(value))
    before = everything(lake.load())
    assert {str(each[column]) for each in before} != {"None"}
    rewrite(lake.open())
    assert everything(lake.load()) == before


def ids(table: Table, row_filter: str) -> list[int]:
    found: list[int] = table.scan(row_filter=row_filter, selected_fields=("id",)).to_arrow()["id"].to_pylist()
    return found


def test_position_deletes_are_gone_for_good(lake: Lake):
    append_files(lake.create(), 4)
    first, second, *_ = live_paths(lake.load())
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 1), (first, 7)], aimed=True))
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 7), (second, 0)]))
    before = ids_of(lake.load())
    assert rewrite(lake.open()) == 3
    assert ids_of(lake.load()) == before
    (left,) = lake.open().digest().to_pylist()
    assert (left["delete_files"], left["deleted_rows"]) == (0, 0)


def test_evolved_schemas_and_specs_come_together(lake: Lake):
    table = lake.create()
    append_files(table, 2)
    with table.update_spec() as update:
        update.add_field("city", IdentityTransform(), "city")
    with lake.load().update_schema(allow_incompatible_changes=True) as update:
        update.rename_column("city", "town")
        update.delete_column("price")
        update.add_column("note", StringType())
        update.add_column("inner", StructType(NestedField(100, "deep", LongType())))
    for number in range(2):
        rows = [{"id": 100 + number, "town": "Bonn", "at": None, "note": "x", "inner": {"deep": number}}]
        lake.load().append(pa.Table.from_pylist(rows, schema=lake.load().schema().as_arrow()))
    before = everything(lake.load())
    rewrite(lake.open())
    assert everything(lake.load()) == before
    assert len(live_paths(lake.load())) == 2
