"""Iceberg's Java library writes tables with types and defaults of format version 3, and reads them after a rewrite."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from engine.domain.runs.plans import FileGroup
from engine.formats.base import Engine, GroupSettings, WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.task import GroupRewrite
from tests.support.iceberg_java import JavaIceberg, java_iceberg
from tests.support.iceberg_tables import RUN_ID, Lake, groups_by_partition, nothing, request_of
from tests.support.kernel_tasks import received


def written(opened: IcebergTable, group: FileGroup) -> WrittenGroup:
    """Run a group's task."""
    kernel = opened.engines[Engine.ARROW]
    failed = [each for each in kernel.conditions() if not each.holds]
    assert not failed
    settings = GroupSettings(WriteSettings(target_file_bytes=2**27))
    task = kernel.task(group, run_id=RUN_ID, attempt=1, settings=settings)
    result = GroupRewrite(sent=received(task, kernel.task_storage())).run()
    assert result.outcome == "written", result.reason
    outputs: Any = result.outputs
    return WrittenGroup(group.ordinal, group.spec_id, group.partition, group.inputs, outputs, result.rows_deleted)


def rewrite(lake: Lake) -> list[pa.Table]:
    """Rewrite every partition; return the rows of the outputs."""
    opened = lake.open()
    groups = [written(opened, each) for each in groups_by_partition(opened)]
    outcome = opened.commits.commit(request_of(opened, *groups), before_try=nothing)
    assert outcome.snapshot_id is not None
    proof = lake.open().commits.prove(outcome.snapshot_id, groups)
    assert proof.ok, [each for each in proof.checks if not each.holds]
    paths = [each.path.removeprefix("file:") for group in groups for each in group.outputs]
    return [pq.read_table(Path(path)) for path in paths]


def filled(java: JavaIceberg) -> Any:
    """Create a table of three days; return it."""
    field, time = java.types.NestedField, java.gateway.jvm.java.time
    table = java.create(
        field.required(1, "id", java.types.IntegerType.get()),
        field.optional(2, "at", java.types.TimestampNanoType.withoutZone()),
        field.optional(3, "zoned", java.types.TimestampNanoType.withZone()),
        field.optional(4, "nothing", java.types.UnknownType.get()),
        by_day_of="at",
    )
    for number in range(6):
        day = f"19{69 + number % 3}-12-31"
        java.append(
            table,
            [
                {
                    "id": 10 * number + at,
                    "at": time.LocalDateTime.parse(f"{day}T23:59:59.99999999{at}"),
                    "zoned": None if at == 3 else time.OffsetDateTime.parse(f"{day}T03:04:05.12345678{at}+02:00"),
                }
                for at in range(6)
            ],
        )
    return table


def test_nanoseconds_unknown_columns_and_defaults_read_the_same_before_and_after(lake: Lake) -> None:
    with java_iceberg(lake) as java:
        table, literal = filled(java), java.iceberg.expressions.Literal
        added = table.updateSchema().addColumn("number", java.types.IntegerType.get(), literal.of(7))
        added.addColumn("text", java.types.StringType.get(), literal.of("as before")).commit()
        at = java.gateway.jvm.java.time.LocalDateTime.parse("1969-12-31T00:00:00.000000001")
        java.append(java.load(), [{"id": 100, "at": at, "number": 1}, {"id": 101, "at": at, "text": "new"}])
        before, expressions = java.rows(), java.iceberg.expressions.Expressions
        found = rewrite(lake)
        assert java.rows() == before
        assert len(found) == 3
        assert lake.open().digest().num_rows == 3
        for condition in (
            expressions.equal("number", 7),
            expressions.equal("text", "as before"),
            expressions.lessThan("at", "1970-01-01T00:00:00.000000000"),
            expressions.greaterThan("at", "1970-12-31T23:59:59.999999997"),
            expressions.greaterThan("zoned", "1970-12-31T01:04:05.123456783+00:00"),
        ):
            kept = java.rows(condition)
            assert 0 < len(kept) < len(before)
            assert set(kept) <= set(before)
    names = {name for rows in found for name in rows.column_names}
    assert {"number", "text", "_row_id"} <= names
    assert "nothing" not in names
    assert {rows.schema.field("at").type for rows in found} == {pa.timestamp("ns")}
    stored = [value for rows in found for value in rows["number"].to_pylist()]
    assert sorted(stored, key=str) == [1, *[7] * 36, None]
