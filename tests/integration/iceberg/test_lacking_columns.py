"""Columns that data files lack: the value of the partition, the column's default, null; outputs store it."""

from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, IdentityTransform
from pyiceberg.types import LongType, NestedField, StringType

from engine.formats.base import Engine, GroupSettings
from engine.formats.iceberg.metadata.column_values import constants_of
from engine.formats.iceberg.metadata.partitions import PartitionCodec
from engine.rewriting.kernel.contract import GroupResult, WriteSettings
from engine.rewriting.kernel.reading.projection import read_constants
from engine.rewriting.kernel.task import GroupRewrite
from tests.support.iceberg_tables import RUN_ID, Lake, append_files, edit_metadata, group_of
from tests.support.kernel_tasks import received

DEFAULTS: dict[str, tuple[Any, Any]] = {
    "boolean": (True, True),
    "int": (-7, -7),
    "long": (2**40, 2**40),
    "float": (1.5, 1.5),
    "double": (-0.25, -0.25),
    "decimal(9, 2)": ("14.20", Decimal("14.20")),
    "date": ("2026-01-02", date(2026, 1, 2)),
    "time": ("22:31:08.123456", time(22, 31, 8, 123456)),
    "timestamp": ("2026-01-02T03:04:05.123456", datetime(2026, 1, 2, 3, 4, 5, 123456)),  # noqa: DTZ001
    "timestamptz": ("2026-01-02T03:04:05+00:00", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
    "string": ("text", "text"),
    "uuid": ("f79c3e09-677c-4bbd-a479-3f349cb785e7", UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")),
    "fixed[2]": ("00ff", b"\x00\xff"),
    "binary": ("0001ff", b"\x00\x01\xff"),
}


def with_columns(lake: Lake, *columns: dict[str, Any]) -> None:
    """Append files, then add columns and append one more file that has none of them either."""
    append_files(lake.create(), 2)

    def extended(body: dict[str, Any]) -> None:
        body |= {"format-version": 3, "next-row-id": 0}
        body["schemas"][0]["fields"] += columns
        body["last-column-id"] = 100

    edit_metadata(lake.load(), extended)


def rewritten(lake: Lake) -> GroupResult:
    kernel = lake.open().engines[Engine.ARROW]
    settings = GroupSettings(WriteSettings(target_file_bytes=2**27))
    task = kernel.task(group_of(lake.open()), run_id=RUN_ID, attempt=1, settings=settings)
    return GroupRewrite(sent=received(task, kernel.task_storage())).run()


def rows(result: GroupResult) -> pa.Table:
    assert result.outcome == "written", result.reason
    assert result.row_digest
    (output,) = result.outputs
    return pq.read_table(output.path.removeprefix("file://"))


def test_defaults_of_every_type_are_stored(lake: Lake) -> None:
    columns = [
        {"id": 10 + at, "name": f"c{at}", "type": of, "required": at % 2 == 0, "initial-default": stated}
        for at, (of, (stated, _)) in enumerate(DEFAULTS.items())
    ]
    with_columns(lake, *columns, {"id": 50, "name": "u", "type": "unknown", "required": False})
    found = rows(rewritten(lake))
    assert found.num_rows == 20
    assert "u" not in found.column_names
    for at, (of, (_, value)) in enumerate(DEFAULTS.items()):
        assert set(found[f"c{at}"].to_pylist()) == {value}, of


def test_a_default_of_a_nested_field_that_files_lack_is_refused(lake: Lake) -> None:
    inner = {"id": 11, "name": "x", "type": "int", "required": False, "initial-default": 3}
    nested = {"type": "struct", "fields": [inner, {"id": 12, "name": "y", "type": "int", "required": False}]}
    with_columns(lake, {"id": 10, "name": "s", "type": nested, "required": False})
    result = rewritten(lake)
    assert result.outcome == "refused"
    assert "the field with id 11, which has a value by the metadata, is not in the file" in (result.reason or "")


SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "city", StringType(), initial_default="Oslo"),
    NestedField(3, "part", LongType(), initial_default=5),
)


@pytest.mark.parametrize(
    ("spec", "partition", "expected"),
    [
        (PartitionSpec(), "{}", {2: "Oslo", 3: 5}),
        (PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "city")), '{"city":"Bergen"}', {2: "Bergen", 3: 5}),
        (PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "city")), '{"city":null}', {3: 5}),
        (PartitionSpec(PartitionField(3, 1000, BucketTransform(4), "b")), '{"b":2}', {2: "Oslo", 3: 5}),
        (PartitionSpec(PartitionField(9, 1000, IdentityTransform(), "gone")), '{"gone":1}', {2: "Oslo", 3: 5}),
    ],
)  # fmt: skip
def test_the_partition_precedes_the_default(spec: PartitionSpec, partition: str, expected: dict[int, Any]) -> None:
    older = Schema(*SCHEMA.fields, NestedField(9, "gone", LongType()))
    codec = PartitionCodec(spec=spec, schema=older if spec.fields and spec.fields[0].source_id == 9 else SCHEMA)
    found = read_constants(constants_of(codec, partition, SCHEMA))
    assert {number: value.as_py() for number, value in found.items()} == expected
