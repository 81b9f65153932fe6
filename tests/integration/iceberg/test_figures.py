"""When files came, and what is measured of a table as a whole, on real manifests."""

from datetime import UTC, datetime

from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import (
    DayTransform,
    HourTransform,
    IdentityTransform,
    MonthTransform,
    Transform,
    YearTransform,
)
from pyiceberg.typedef import Record
from pyiceberg.types import DateType, NestedField, TimestamptzType

from engine.domain.values.partitions import TimeUnit
from engine.planning.measures.digest import PartitionTime, TableMeasures
from tests.support.iceberg_tables import BY_CITY, Lake, append_files, commit_deletes, delete_file, live_paths

AT = NestedField(3, "at", TimestamptzType())


def by(transform: Transform, source: int = 3) -> PartitionSpec:
    return PartitionSpec(PartitionField(source, 1000, transform, "part"))


def test_a_file_was_added_when_its_snapshot_was_committed(lake: Lake):
    append_files(lake.create(), 3)
    rows = lake.open().digest().sort_by("sequence_number").to_pylist()
    assert [row["added_at_ms"] for row in rows] == [each.timestamp_ms for each in lake.load().snapshots()]


def test_a_file_keeps_its_time_when_other_files_of_its_manifest_go(lake: Lake):
    append_files(lake.create(), 2)
    lake.load().delete("id < 10")
    (row,) = lake.open().digest().to_pylist()
    assert row["added_at_ms"] == lake.load().snapshots()[1].timestamp_ms


def test_the_time_of_a_file_is_unknown_once_its_snapshot_is_expired(lake: Lake):
    append_files(lake.create(), 3)
    oldest = lake.load().snapshots()[0]
    lake.load().maintenance.expire_snapshots().by_id(oldest.snapshot_id).commit()
    opened = lake.open()
    times = opened.digest().sort_by("sequence_number")["added_at_ms"].to_pylist()
    assert times[0] is None
    assert opened.figures().known_since_ms == times[1]


def test_what_came_before_a_gap_in_the_history_is_bounded_by_the_commit_after_the_gap(lake: Lake):
    append_files(lake.create(), 4)
    snapshots = lake.load().snapshots()
    lake.load().maintenance.expire_snapshots().by_id(snapshots[1].snapshot_id).commit()
    assert lake.open().figures().known_since_ms == snapshots[2].timestamp_ms


def test_a_table_without_snapshots_has_empty_figures(lake: Lake):
    lake.create()
    found = lake.open().figures()
    assert found == TableMeasures(metadata_bytes=found.metadata_bytes, current_spec_id=0)
    assert found.metadata_bytes > 0
    assert lake.open().figures().known_since_ms is None


def test_figures_count_snapshots_and_the_manifests_of_the_head(lake: Lake):
    append_files(lake.create(), 3)
    table = lake.load()
    head = table.current_snapshot()
    assert head is not None
    sizes = [each.manifest_length for each in head.manifests(table.io)]
    figures = lake.open().figures()
    assert (figures.snapshot_count, figures.manifest_count, figures.manifest_bytes) == (3, 3, sum(sizes))
    assert figures.average_manifest_bytes == sum(sizes) // 3


def test_delete_files_are_counted_by_the_partition_they_were_written_for(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 2)
    append_files(table, 1, first=20, city="Bonn")
    aachen = [path for path in live_paths(lake.load()) if "Aachen" in path]
    for path in aachen:
        commit_deletes(lake.load(), delete_file(lake.load(), [(path, 0)], partition=Record("Aachen")))
    assert lake.open().figures().delete_files == {(0, '{"city":"Aachen"}'): 2}


def test_the_time_field_of_each_spec_is_found(lake: Lake):
    schema = Schema(NestedField(1, "id", DateType()), AT)
    found = {}
    for at, transform in enumerate((HourTransform(), DayTransform(), MonthTransform(), YearTransform())):
        lake.create(f"t{at}", schema=schema, spec=by(transform))
        found[at] = lake.open(f"t{at}").figures().times[0].unit
    assert list(found.values()) == [TimeUnit.HOUR, TimeUnit.DAY, TimeUnit.MONTH, TimeUnit.YEAR]


def test_a_date_column_kept_as_it_is_counts_as_days_and_other_columns_do_not(lake: Lake):
    schema = Schema(NestedField(1, "day", DateType()), NestedField(2, "city", DateType()), AT)
    lake.create("days", schema=schema, spec=by(IdentityTransform(), source=1))
    lake.create("instants", schema=schema, spec=by(IdentityTransform(), source=3))
    assert lake.open("days").figures().times == {0: PartitionTime("part", TimeUnit.DAY)}
    assert lake.open("instants").figures().times == {}


def test_the_finest_of_several_time_fields_is_taken(lake: Lake):
    schema = Schema(NestedField(1, "id", DateType()), AT)
    spec = PartitionSpec(
        PartitionField(3, 1000, DayTransform(), "day"), PartitionField(3, 1001, HourTransform(), "hour")
    )
    lake.create(schema=schema, spec=spec)
    assert lake.open().figures().times == {0: PartitionTime("hour", TimeUnit.HOUR)}


def test_commit_times_are_instants_of_this_century(lake: Lake):
    append_files(lake.create(), 1)
    (at_ms,) = lake.open().figures().committed_at_ms.values()
    assert abs(datetime.now(UTC).timestamp() - at_ms / 1000) < 60
