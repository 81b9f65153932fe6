"""Proofs of snapshots: a good one holds every check, each kind of damage fails its own."""

import dataclasses

import pyarrow.compute as pc
import pyarrow.parquet as pq

from engine.formats.base import Verification, WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.commits.producer import SnapshotProducer
from tests.support.iceberg_tables import (
    RUN_ID,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    group_of,
    live_paths,
    nothing,
    request_of,
    write_group,
    write_parquet,
)


def committed(lake: Lake, files: int = 3) -> tuple[IcebergTable, int, WrittenGroup]:
    append_files(lake.create(), files)
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert outcome.snapshot_id is not None
    return opened, outcome.snapshot_id, written


def failed(verification: Verification) -> set[str]:
    assert verification.ok == all(check.holds for check in verification.checks)
    return {check.name for check in verification.checks if not check.holds}


def test_a_good_snapshot_holds_every_check_with_its_numbers(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    found = opened.commits.prove(snapshot_id, [written])
    assert failed(found) == set()
    assert (found.removed_files, found.added_files, found.removed_rows, found.added_rows) == (3, 1, 30, 30)
    assert found.added_bytes == written.outputs[0].file_bytes
    assert found.removed_bytes == sum(each.file_bytes for each in written.inputs)
    details = {check.name: check.detail for check in found.checks}
    assert details["rows_conserved"] == "30 removed, 0 deleted by delete files, 30 added"
    assert details["null_counts_conserved"] == "4 counts compared"


def test_applied_deletes_are_part_of_the_proof(lake: Lake):
    append_files(lake.create(), 2)
    path = live_paths(lake.load())[0]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 1), (path, 2)]))
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    found = opened.commits.prove(outcome.snapshot_id or 0, [written])
    assert failed(found) == set()
    assert (found.removed_rows, found.added_rows) == (20, 18)


def test_later_commits_do_not_disturb_the_proof(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    append_files(lake.load(), 2, first=100)
    assert opened.commits.prove(snapshot_id, [written]).ok


def test_a_snapshot_that_expired_before_its_proof_is_told_by_its_files(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    append_files(lake.load(), 1, first=100)
    lake.load().maintenance.expire_snapshots().by_id(snapshot_id).commit()
    found = opened.commits.prove(snapshot_id, [written])
    assert (failed(found), found.removed_rows, found.added_rows) == (set(), 30, 30)
    assert "expired" in {check.name: check.detail for check in found.checks}["snapshot_expired"]


def test_a_snapshot_that_expired_after_it_was_rolled_back_is_told_by_its_files(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    parent = lake.load().current_snapshot().parent_snapshot_id
    lake.load().manage_snapshots().rollback_to_snapshot(parent).commit()
    lake.load().maintenance.expire_snapshots().by_id(snapshot_id).commit()
    found = opened.commits.prove(snapshot_id, [written])
    assert (failed(found), found.was_taken_back) == ({"in_main_history"}, True)


def test_an_input_that_was_not_planned_fails(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    fewer = dataclasses.replace(written, inputs=written.inputs[1:])
    assert failed(opened.commits.prove(snapshot_id, [fewer])) == {"removed_files_as_planned"}


def test_an_output_that_nobody_wrote_fails(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    without = dataclasses.replace(written, outputs=())
    assert failed(opened.commits.prove(snapshot_id, [without])) == {"added_files_as_written"}


def test_rows_that_do_not_add_up_fail(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    fewer = dataclasses.replace(written, rows_deleted=1)
    assert failed(opened.commits.prove(snapshot_id, [fewer])) == {"rows_conserved"}


def test_bounds_that_do_not_enclose_the_rows_fail(lake: Lake):
    """A footer with greater values than the manifest entry's bounds stands for wrong bounds."""
    opened, snapshot_id, written = committed(lake)
    (output,) = written.outputs
    rows = pq.read_table(output.path.removeprefix("file://"))
    moved = rows.set_column(0, rows.schema.field(0), pc.add(rows["id"], 10**6))
    beyond = write_parquet(f"{output.path}.beyond", moved)
    wrong = dataclasses.replace(written, outputs=(dataclasses.replace(output, footer=beyond.footer),))
    found = opened.commits.prove(snapshot_id, [wrong])
    assert failed(found) == {"bounds_enclose_rows"}
    (detail,) = (check.detail for check in found.checks if check.name == "bounds_enclose_rows")
    assert "group 0, field 1: a footer has 1000029 above its upper bound 29" in detail


def test_another_partition_fails(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    moved = dataclasses.replace(written, partition='{"city":"Bonn"}')
    assert failed(opened.commits.prove(snapshot_id, [moved])) == {"specs_and_partitions_kept"}


def test_groups_that_the_snapshot_does_not_claim_fail(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    assert failed(opened.commits.prove(snapshot_id, [dataclasses.replace(written, ordinal=5)])) == {"groups_as_claimed"}


def test_somebody_elses_snapshot_fails(lake: Lake):
    opened, _, written = committed(lake)
    append_files(lake.load(), 1, first=100)
    found = failed(opened.commits.prove(lake.load().current_snapshot().snapshot_id, [written]))
    assert {"operation_is_replace", "groups_as_claimed", "removed_files_as_planned", "rows_conserved"} <= found


def test_a_snapshot_that_was_rolled_back_is_not_in_history(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    parent = lake.load().current_snapshot().parent_snapshot_id
    lake.load().manage_snapshots().rollback_to_snapshot(parent).commit()
    found = opened.commits.prove(snapshot_id, [written])
    assert (failed(found), found.was_taken_back) == ({"in_main_history"}, True)


def test_a_wrong_snapshot_that_was_rolled_back_stays_wrong(lake: Lake):
    """Whoever went back to before it may have done so because of what we broke."""
    opened, snapshot_id, written = committed(lake)
    parent = lake.load().current_snapshot().parent_snapshot_id
    lake.load().manage_snapshots().rollback_to_snapshot(parent).commit()
    found = opened.commits.prove(snapshot_id, [dataclasses.replace(written, rows_deleted=1)])
    assert (failed(found), found.was_taken_back) == ({"in_main_history", "rows_conserved"}, False)


def test_an_expired_parent_is_said_and_does_not_fail(lake: Lake):
    opened, snapshot_id, written = committed(lake)
    parent = lake.load().snapshot_by_id(snapshot_id).parent_snapshot_id
    lake.load().maintenance.expire_snapshots().by_id(parent).commit()
    found = opened.commits.prove(snapshot_id, [written])
    assert found.ok
    assert {check.name: check.detail for check in found.checks}["parent_present"].startswith("the parent has expired")


def test_a_live_file_that_vanished_on_the_way_fails(lake: Lake, monkeypatch):
    append_files(lake.create(), 3)
    opened = lake.open()
    written = write_group(opened, group_of(opened, live_paths(lake.load())[:2]))
    monkeypatch.setattr(SnapshotProducer, "_untouched", lambda *_: [])
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert failed(opened.commits.prove(outcome.snapshot_id or 0, [written])) == {"all_else_unchanged"}


def test_commits_of_a_run_are_found_oldest_first(lake: Lake):
    opened, first, _ = committed(lake)
    append_files(lake.load(), 2, first=100)
    again = lake.open()
    written = write_group(again, group_of(again, ordinal=1), attempt=2)
    second = again.commits.commit(request_of(again, written, attempt=2), before_try=nothing).snapshot_id
    found = opened.commits.find(RUN_ID)
    assert [(each.snapshot_id, each.groups, each.attempt) for each in found] == [(first, (0,), 1), (second, (1,), 2)]
    assert opened.commits.find("run_other") == []
