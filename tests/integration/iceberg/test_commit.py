"""Commits of written groups on real tables, quiet ones: what the snapshot holds."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from pyiceberg.manifest import ManifestContent, ManifestEntryStatus, ManifestFile
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.table.update import SetSnapshotRefUpdate
from pyiceberg.transforms import BucketTransform, DayTransform, TruncateTransform
from pyiceberg.types import FloatType, IntegerType, LongType, NestedField, StringType, StructType

from engine.domain.errors import Fatal, LeaseLost
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.metadata.views import TableView
from tests.support.iceberg_tables import (
    BY_CITY,
    RUN_ID,
    SCHEMA,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    group_of,
    groups_by_partition,
    ids_of,
    live_paths,
    local_files,
    nothing,
    orders,
    request_of,
    write_group,
)

BY_ALL = PartitionSpec(
    PartitionField(3, 1000, DayTransform(), "at_day"),
    PartitionField(1, 1001, BucketTransform(2), "id_bucket"),
    PartitionField(2, 1002, TruncateTransform(3), "city_trunc"),
)


def all_optional(fields: StructType) -> StructType:
    return StructType(*(field.model_copy(update={"required": False}) for field in fields.fields))


def rewrite_all(opened: IcebergTable) -> int:
    """Rewrite every partition as one group and commit them together; returns the snapshot id."""
    written = [write_group(opened, group) for group in groups_by_partition(opened)]
    outcome = opened.commits.commit(request_of(opened, *written), before_try=nothing)
    assert outcome.snapshot_id is not None
    assert outcome.committed == tuple(range(len(written)))
    verification = opened.commits.prove(outcome.snapshot_id, written)
    assert verification.ok, [check for check in verification.checks if not check.holds]
    return outcome.snapshot_id


def test_a_field_that_was_removed_from_a_spec_of_version_1_is_null_also_of_a_required_column(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
):
    table = lake.create(spec=PartitionSpec(BY_ALL.fields[1]), properties={"format-version": "1"})
    assert table.schema().find_field("id").required
    with table.update_spec() as update:
        update.remove_field("id_bucket")
    with monkeypatch.context() as as_spark_writes:
        strict = PartitionSpec.partition_type
        as_spark_writes.setattr(PartitionSpec, "partition_type", lambda *given: all_optional(strict(*given)))
        append_files(lake.load(), 3)
    rewrite_all(lake.open())
    assert (ids_of(lake.load()), len(live_paths(lake.load()))) == (list(range(30)), 1)


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("spec", [PartitionSpec(), BY_CITY, BY_ALL], ids=["unpartitioned", "identity", "transforms"])
def test_every_row_survives_a_rewrite_of_all_partitions(lake: Lake, version: str, spec: PartitionSpec):
    table = lake.create(spec=spec, properties={"format-version": version})
    for number, city in enumerate(["Aachen", "Bonn", None] * 3):
        table.append(orders(range(number * 10, number * 10 + 10), city=city))
    before = lake.load().scan().to_arrow().sort_by("id")
    partitions = len(groups_by_partition(lake.open()))
    rewrite_all(lake.open())
    table = lake.load()
    assert table.scan().to_arrow().sort_by("id").equals(before)
    assert len(live_paths(table)) == partitions


def test_another_reader_counts_the_same_rows_in_the_live_files(lake: Lake):
    append_files(lake.create(), 4)
    rewrite_all(lake.open())
    paths = live_paths(lake.load())
    found = duckdb.execute("select count(*), sum(id), sum(price) from read_parquet(?)", [paths]).fetchone()
    assert found == (40, sum(range(40)), sum(range(40)) / 4)


def test_null_partitions_and_awkward_values_are_committed_where_they_belong(lake: Lake):
    """L23: outputs inherit the partition of their inputs."""
    table = lake.create(spec=BY_CITY)
    for number, city in enumerate([None, "a/b c=d%é#?", "null", ""] * 2):
        table.append(orders(range(number * 5, number * 5 + 5), city=city))
    rewrite_all(lake.open())
    table = lake.load()
    assert ids_of(table) == list(range(40))
    for city in ("a/b c=d%é#?", "null", ""):
        escaped = city.replace("'", "''")
        assert table.scan(row_filter=f"city = '{escaped}'").to_arrow().num_rows == 10


def test_outputs_keep_the_data_sequence_number_of_the_base(lake: Lake):
    append_files(lake.create(), 3)
    opened = lake.open()
    base = lake.load().current_snapshot()
    rewrite_all(opened)
    table = lake.load()
    (entry,) = [
        entry
        for manifest in table.current_snapshot().manifests(table.io)
        for entry in manifest.fetch_manifest_entry(table.io)
    ]
    assert entry.sequence_number == base.sequence_number
    assert entry.file_sequence_number == table.current_snapshot().sequence_number == base.sequence_number + 1


def test_outputs_of_older_files_keep_the_greatest_number_of_their_inputs(lake: Lake):
    append_files(lake.create(), 4)
    opened = lake.open()
    by_number = {row["sequence_number"]: row["path"] for row in opened.digest().to_pylist()}
    written = write_group(opened, group_of(opened, [by_number[1], by_number[2]]))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    after = {row["path"]: row for row in lake.open().digest().to_pylist()}
    (output,) = written.outputs
    times = {each.sequence_number: each.timestamp_ms for each in lake.load().snapshots()}
    assert after[output.path]["sequence_number"] == 2
    assert after[output.path]["data_at_ms"] == times[2] < after[output.path]["added_at_ms"]


def test_outputs_that_deletes_were_applied_to_leave_these_behind(lake: Lake):
    """The deletes have older numbers than the output, so that whoever cleans up sees that they hold nothing."""
    append_files(lake.create(), 3)
    opened = lake.open()
    first, second, _ = sorted(row["path"] for row in opened.digest().to_pylist())
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 0)]))
    lake.load().append(orders(range(5)))
    opened = lake.open()
    written = write_group(opened, group_of(opened, [first, second]))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    after = {row["path"]: row for row in lake.open().digest().to_pylist()}
    (output,) = written.outputs
    assert after[output.path]["sequence_number"] == lake.load().snapshot_by_id(opened.head_snapshot_id).sequence_number


def test_neighbours_in_a_rewritten_manifest_keep_their_history(lake: Lake):
    table = lake.create(properties={"commit.manifest-merge.enabled": "true", "commit.manifest.min-count-to-merge": "2"})
    append_files(table, 4)
    opened = lake.open()
    before = {row["path"]: row["sequence_number"] for row in opened.digest().to_pylist()}
    written = write_group(opened, group_of(opened, sorted(before)[:2]))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    after = {row["path"]: row["sequence_number"] for row in lake.open().digest().to_pylist()}
    kept = sorted(before)[2:]
    assert {path: after[path] for path in kept} == {path: before[path] for path in kept}


def test_manifests_without_inputs_are_reused_as_they_are(lake: Lake):
    append_files(lake.create(), 4)
    table = lake.load()
    before = {manifest.manifest_path for manifest in table.current_snapshot().manifests(table.io)}
    opened = lake.open()
    written = write_group(opened, group_of(opened, live_paths(table)[:2]))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    table = lake.load()
    after = {manifest.manifest_path for manifest in table.current_snapshot().manifests(table.io)}
    assert len(before & after) == 2


def test_manifests_of_deleted_files_only_do_not_pile_up(lake: Lake):
    append_files(lake.create(), 3)
    rewrite_all(lake.open())
    append_files(lake.load(), 2, first=100)
    rewrite_all(lake.open())
    table = lake.load()
    snapshot = table.current_snapshot()
    stale = [
        manifest
        for manifest in snapshot.manifests(table.io)
        if manifest.added_snapshot_id != snapshot.snapshot_id
        and not (manifest.has_added_files() or manifest.has_existing_files())
    ]
    assert stale == []
    assert ids_of(table) == [*range(30), *range(100, 120)]


def test_old_specs_keep_their_spec_and_partition(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 2)
    with table.update_spec() as update:
        update.remove_field("city")
        update.add_field("at", DayTransform(), "at_day")
    append_files(lake.load(), 2, first=20)
    rewrite_all(lake.open())
    rows = lake.open().digest().to_pylist()
    assert sorted((row["spec_id"], row["partition"]) for row in rows) == [
        (0, '{"city":"Aachen"}'),
        (1, '{"at_day":"2026-01-01"}'),
    ]
    assert ids_of(lake.load()) == list(range(40))


def test_old_specs_of_dropped_columns_are_still_committed(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 3)
    with table.update_spec() as update:
        update.remove_field("city")
    with lake.load().update_schema(allow_incompatible_changes=True) as update:
        update.delete_column("city")
    rewrite_all(lake.open())
    (row,) = lake.open().digest().to_pylist()
    assert (row["spec_id"], row["partition"]) == (0, '{"city":"Aachen"}')
    assert ids_of(lake.load()) == list(range(30))


def test_columns_renamed_dropped_added_and_promoted_read_as_before(lake: Lake):
    schema = SCHEMA.model_copy(
        update={"fields": (*SCHEMA.fields, NestedField(5, "n", IntegerType()), NestedField(6, "f", FloatType()))}
    )
    table = lake.create(schema=schema)
    rows = orders(range(10)).append_column("n", pa.array(range(10), pa.int32()))
    table.append(rows.append_column("f", pa.array([n / 8 for n in range(10)], pa.float32())))
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.rename_column("city", "town")
        update.delete_column("price")
        update.add_column("note", StringType())
        update.update_column("n", LongType())
    lake.load().append(
        lake.load().scan().to_arrow().set_column(0, pa.field("id", pa.int64(), nullable=False), pa.array(range(10, 20)))
    )
    before = lake.load().scan().to_arrow().sort_by("id").to_pylist()
    rewrite_all(lake.open())
    assert lake.load().scan().to_arrow().sort_by("id").to_pylist() == before


def test_position_deletes_are_applied_and_counted(lake: Lake):
    append_files(lake.create(), 3)
    first, second, _ = live_paths(lake.load())
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 0), (first, 3), (second, 9)]))
    before = ids_of(lake.load())
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    assert written.rows_deleted == 3
    rewrite_all(opened)
    assert ids_of(lake.load()) == before
    table = lake.load()
    assert table.current_snapshot().summary["total-records"] == "27"


def test_delete_manifests_are_not_touched_unless_that_is_asked_for(lake: Lake):
    append_files(lake.create(), 2)
    commit_deletes(lake.load(), delete_file(lake.load(), [(live_paths(lake.load())[0], 0)]))

    def deletes() -> list[str]:
        table = lake.load()
        manifests = table.current_snapshot().manifests(table.io)
        return [each.manifest_path for each in manifests if each.content == ManifestContent.DELETES]

    before = deletes()
    rewrite_all(lake.open())
    assert deletes() == before


def test_a_group_whose_rows_are_all_deleted_leaves_no_file(lake: Lake):
    append_files(lake.create(), 2, rows=2)
    first, second = live_paths(lake.load())
    pairs = [(first, 0), (first, 1), (second, 0), (second, 1)]
    commit_deletes(lake.load(), delete_file(lake.load(), pairs))
    opened = lake.open()
    group = group_of(opened)
    written = dataclasses.replace(write_group(opened, group), outputs=(), rows_deleted=4)
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert opened.commits.prove(outcome.snapshot_id or 0, [written]).ok
    assert live_paths(lake.load()) == []


def test_the_summary_says_whose_it_is_and_carries_the_totals_on(lake: Lake):
    append_files(lake.create(), 3)
    table = lake.load()
    bytes_before = int(table.current_snapshot().summary["total-files-size"])
    opened = lake.open()
    written = write_group(opened, group_of(opened, ordinal=7))
    opened.commits.commit(request_of(opened, written, attempt=4), before_try=nothing)
    summary = lake.load().current_snapshot().summary
    size = written.outputs[0].file_bytes
    assert summary.operation.value == "replace"
    assert dict(summary.additional_properties) == {
        "packhouse.run-id": RUN_ID,
        "packhouse.attempt": "4",
        "packhouse.groups": "7",
        "compaction-id": "1",
        "added-data-files": "1",
        "added-records": "30",
        "added-files-size": str(size),
        "deleted-data-files": "3",
        "deleted-records": "30",
        "removed-files-size": str(bytes_before),
        "total-data-files": "1",
        "total-records": "30",
        "total-files-size": str(size),
        "total-delete-files": "0",
        "total-position-deletes": "0",
        "total-equality-deletes": "0",
    }


def test_the_compaction_id_grows_with_each_commit(lake: Lake):
    """U10: the history of a table numbers the rewrites."""
    append_files(lake.create(), 2)
    for _ in range(2):
        rewrite_all(lake.open())
        append_files(lake.load(), 1, first=100)
    rewrite_all(lake.open())
    assert lake.load().current_snapshot().summary["compaction-id"] == "3"


def test_the_retention_of_the_branch_is_kept(lake: Lake):
    append_files(lake.create(), 2)
    table = lake.load()
    update = SetSnapshotRefUpdate(
        ref_name="main",
        type="branch",
        snapshot_id=table.current_snapshot().snapshot_id,
        max_ref_age_ms=None,
        max_snapshot_age_ms=86_400_000,
        min_snapshots_to_keep=5,
    )
    table.catalog.commit_table(table, (), (update,))
    rewrite_all(lake.open())
    ref = lake.load().metadata.refs["main"]
    assert (ref.max_snapshot_age_ms, ref.min_snapshots_to_keep) == (86_400_000, 5)


def test_inputs_are_entries_of_the_snapshot_as_deleted(lake: Lake):
    """L3: one snapshot adds the outputs and removes the inputs."""
    append_files(lake.create(), 2)
    paths = live_paths(lake.load())
    snapshot_id = rewrite_all(lake.open())
    table = lake.load()
    deleted = [
        entry
        for manifest in table.current_snapshot().manifests(table.io)
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=False)
        if entry.status == ManifestEntryStatus.DELETED
    ]
    assert sorted(entry.data_file.file_path for entry in deleted) == paths
    assert {entry.snapshot_id for entry in deleted} == {snapshot_id}


def test_a_lost_row_is_fatal_before_anything_is_written(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = dataclasses.replace(write_group(opened, group_of(opened)), rows_deleted=1)
    before = local_files(lake.folder / "warehouse")
    with pytest.raises(Fatal, match="20 rows in, 1 deleted, 20 out"):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert local_files(lake.folder / "warehouse") == before


def test_rows_deleted_without_a_delete_file_are_fatal(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    shorter = dataclasses.replace(written.outputs[0], record_count=19)
    lossy = dataclasses.replace(written, outputs=(shorter,), rows_deleted=1)
    with pytest.raises(Fatal, match="no delete file applies"):
        opened.commits.commit(request_of(opened, lossy), before_try=nothing)


def test_an_output_whose_footer_has_other_rows_is_fatal(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    foreign = write_group(opened, group_of(opened, live_paths(lake.load())[:1], ordinal=1))
    swapped = dataclasses.replace(written.outputs[0], footer=foreign.outputs[0].footer)
    before = local_files(lake.folder / "warehouse")
    with pytest.raises(Fatal, match="10 rows by its footer, 20 by its task"):
        opened.commits.commit(request_of(opened, dataclasses.replace(written, outputs=(swapped,))), before_try=nothing)
    assert local_files(lake.folder / "warehouse") == before


def test_a_group_over_two_partitions_is_fatal(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 1, city="Bonn")
    append_files(table, 1, first=10, city="Aachen")
    opened = lake.open()
    bonn, aachen = (write_group(opened, group) for group in groups_by_partition(opened))
    mixed = dataclasses.replace(bonn, inputs=(*bonn.inputs, *aachen.inputs), outputs=(*bonn.outputs, *aachen.outputs))
    with pytest.raises(Fatal, match="mixes partitions"):
        opened.commits.commit(request_of(opened, mixed), before_try=nothing)


def test_the_same_input_twice_is_fatal(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    again = dataclasses.replace(written, ordinal=1, outputs=())
    doubled = dataclasses.replace(again, inputs=(), outputs=written.outputs)
    with pytest.raises(Fatal):
        opened.commits.commit(request_of(opened, written, doubled), before_try=nothing)


def test_a_lost_lease_stops_a_commit_and_leaves_nothing_behind(lake: Lake):
    append_files(lake.create(), 2)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    before = local_files(lake.folder / "warehouse")

    def refuse() -> None:
        raise LeaseLost("another holder has the run")

    with pytest.raises(LeaseLost):
        opened.commits.commit(request_of(opened, written), before_try=refuse)
    assert local_files(lake.folder / "warehouse") == before
    assert ids_of(lake.load()) == list(range(20))


def test_l9_a_try_after_a_lost_one_reads_no_manifest_again_that_leaves_as_a_whole(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stream leaves a manifest for each commit: a try that read a thousand again would lose to the next commit."""
    append_files(lake.create(), 6)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    read: list[int] = []
    whole = TableView.full_entries

    def counted(view: TableView, manifests: Sequence[ManifestFile], *, discard_deleted: bool) -> Any:
        read.append(len(manifests))
        return whole(view, manifests, discard_deleted=discard_deleted)

    def race() -> None:
        if len(read) < 2:
            append_files(lake.load(), 1, first=100 * (len(read) + 1))

    monkeypatch.setattr(TableView, "full_entries", counted)
    outcome = opened.commits.commit(request_of(opened, written), before_try=race)
    assert outcome.tries > 1
    assert read[0] == 6
    assert set(read[1:]) == {0}
    assert outcome.snapshot_id is not None
    assert lake.open().commits.prove(outcome.snapshot_id, [written]).ok
    assert ids_of(lake.load())[:60] == list(range(60))
