"""What a procedure did is found in the table's history; a good change holds every check, each damage fails its own.

The snapshots are the kernel's, with their signature taken away: to the table they are another engine's replacement.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from pyiceberg.manifest import ManifestContent, write_manifest_list

from engine.domain.errors import CommitConflict
from engine.domain.runs.hot_partitions import Place
from engine.formats.base import NativeChange, RowCounts, Verification
from engine.formats.iceberg import IcebergTable
from engine.services.operations.rewrite.native_path import procedure_of
from tests.support.iceberg_tables import (
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    edit_metadata,
    group_of,
    live_paths,
    nothing,
    request_of,
    write_group,
)

HERE: Sequence[Place] = [(0, "{}")]


def edit_head(lake: Lake, change: Callable[[dict[str, Any]], None]) -> None:
    """Change the newest snapshot in the table's metadata file."""
    edit_metadata(lake.load(), lambda metadata: change(metadata["snapshots"][-1]))


def unsigned(snapshot: dict[str, Any]) -> None:
    summary = snapshot["summary"]
    for name in [each for each in summary if each.startswith("packhouse.")]:
        del summary[name]
    summary["app-id"] = "local-1"


def changed(lake: Lake, paths: Sequence[str] | None = None) -> tuple[IcebergTable, NativeChange]:
    """Let "another engine" rewrite files of a table that is there; return what is found."""
    opened = lake.open()
    base = opened.head_snapshot_id or 0
    written = write_group(opened, group_of(opened, paths))
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert outcome.snapshot_id
    edit_head(lake, unsigned)
    opened = lake.open()
    (change,) = procedure_of(opened).changes(base, HERE)
    return opened, change


def failed(found: Verification) -> set[str]:
    assert found.ok == all(check.holds for check in found.checks)
    return {check.name for check in found.checks if not check.holds}


def test_a_change_is_found_with_its_files_and_holds_every_check(lake: Lake):
    append_files(lake.create(), 3)
    opened, change = changed(lake)
    assert (len(change.inputs), len(change.outputs), change.rows_deleted, change.rows_known) == (3, 1, 0, 0)
    assert (change.application, change.place) == ("local-1", HERE[0])
    found = procedure_of(opened).prove(change, None)
    assert failed(found) == set()
    assert (found.removed_files, found.added_files, found.removed_rows, found.added_rows) == (3, 1, 30, 30)


def test_our_own_commits_other_partitions_and_older_snapshots_are_no_changes(lake: Lake):
    append_files(lake.create(), 3)
    opened = lake.open()
    base = opened.head_snapshot_id or 0
    opened.commits.commit(request_of(opened, write_group(opened, group_of(opened))), before_try=nothing)
    assert procedure_of(lake.open()).changes(base, HERE) == []  # signed by us
    edit_head(lake, unsigned)
    assert procedure_of(lake.open()).changes(base, [(0, '{"city":"Aachen"}')]) == []
    assert procedure_of(lake.open()).changes(lake.open().head_snapshot_id or 0, HERE) == []
    assert len(procedure_of(lake.open()).changes(base, HERE)) == 1
    with pytest.raises(CommitConflict, match="no longer in the history of the main branch"):
        procedure_of(lake.open()).changes(1, HERE)


def test_rows_that_deletes_deleted_are_counted_where_metadata_has_only_a_bound(lake: Lake):
    append_files(lake.create(), 2)
    path = live_paths(lake.load())[0]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 1), (path, 2)]))
    opened, change = changed(lake)
    assert (change.rows_known, change.rows_deleted) == (None, 2)
    assert failed(procedure_of(opened).prove(change, None)) == {"rows_conserved"}
    assert failed(procedure_of(opened).prove(change, RowCounts(18, 17))) == {"rows_conserved"}
    assert failed(procedure_of(opened).prove(change, RowCounts(18, 18))) == set()


def test_f4_f5_each_damage_fails_its_own_check(lake: Lake):
    append_files(lake.create(), 3)
    opened, good = changed(lake)
    elsewhere = replace(good.outputs[0], path="file:///elsewhere/a.parquet")
    lost = replace(good.outputs[0], record_count=29)
    for damaged, check in (
        (replace(good, snapshot_id=1), "snapshot_present"),
        (replace(good, place=(0, '{"city":"Bonn"}')), "planned_partition_only"),
        (replace(good, outputs=(lost,)), "rows_conserved"),
        (replace(good, outputs=(elsewhere,)), "added_files_in_place"),
        (replace(good, inputs=good.inputs[1:]), "all_else_unchanged"),
    ):
        assert check in failed(procedure_of(opened).prove(damaged, None))


def test_f6_outputs_as_new_as_their_snapshot_fail_the_proof(lake: Lake):
    """An equality delete that came while the files were written would not apply to them any more."""
    append_files(lake.create(), 3)
    _, change = changed(lake)
    edit_head(lake, lambda snapshot: snapshot.update({"sequence-number": 3}))
    assert failed(procedure_of(lake.open()).prove(change, None)) == {"sequence_numbers_kept"}


@pytest.mark.parametrize("is_needed", [True, False])
def test_f6_a_delete_file_that_went_must_not_be_needed(lake: Lake, is_needed: bool):
    """Also one that is just not in the manifest list any more, without an entry that says so."""
    append_files(lake.create(), 3)
    stays, *rest = live_paths(lake.load())
    commit_deletes(lake.load(), delete_file(lake.load(), [(stays if is_needed else "gone.parquet", 1)], aimed=True))
    _, change = changed(lake, rest)
    table = lake.load()
    head = table.current_snapshot()
    assert head is not None
    path = f"{table.location()}/metadata/snap-{uuid.uuid4()}.avro"
    kept = [each for each in head.manifests(table.io) if each.content == ManifestContent.DATA]
    output, number = table.io.new_output(path), head.sequence_number or 0
    with write_manifest_list(2, output, head.snapshot_id, head.parent_snapshot_id, number, "deflate") as listing:
        listing.add_manifests(kept)
    edit_head(lake, lambda snapshot: snapshot.update({"manifest-list": path}))
    assert failed(procedure_of(lake.open()).prove(change, None)) == ({"deletes_conserved"} if is_needed else set())


def test_a_delete_file_that_came_with_the_change_fails_the_proof(lake: Lake):
    append_files(lake.create(), 3)
    _, change = changed(lake)
    later = commit_deletes(lake.load(), delete_file(lake.load(), [(change.outputs[0].path, 1)]))
    damaged = replace(change, snapshot_id=later)
    assert "deletes_conserved" in failed(procedure_of(lake.open()).prove(damaged, None))
