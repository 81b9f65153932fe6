"""Deletion vectors of tables of version 3: many share a Puffin file, and each goes with its data file and no sooner."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from pyiceberg.manifest import DataFile, ManifestContent, ManifestEntryStatus
from pyiceberg.table.snapshots import Operation, Summary
from pyiceberg.typedef import Record

from engine.domain.errors import TableUnreadable
from engine.domain.runs.drops import Loss
from engine.formats.base import CommitOutcome, Engine, Verification, WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.commits import producer
from engine.formats.iceberg.commits.producer import SnapshotProducer
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles, StagedSnapshot
from engine.formats.iceberg.commits.tries import Proposal
from engine.formats.iceberg.manifests.decoding import identities
from engine.formats.iceberg.manifests.delete_manifests import without
from engine.formats.iceberg.metadata.dangling import leaving_deletes
from engine.formats.iceberg.metadata.views import TableView
from tests.support.iceberg_tables import (
    BY_CITY,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    edit_metadata,
    group_of,
    ids_of,
    nothing,
    request_of,
    task_of,
)
from tests.support.kernel_groups import written_by_kernel
from tests.support.version_3 import STRANGER, commit_vectors, entries_of, touch, upgrade

VALID = "deletion_vectors_valid"


@pytest.fixture
def paths(lake: Lake) -> list[str]:
    """The data files of a table of version 3, of ten rows each, in the order of their rows."""
    append_files(lake.create(), 4)
    return _upgraded(lake)


def _upgraded(lake: Lake) -> list[str]:
    upgrade(lake)
    touch(lake.open())
    return [row["path"] for row in lake.open().digest().sort_by("sequence_number").to_pylist()]


def vectors(lake: Lake) -> dict[str, int]:
    """Return the number of rows of each live deletion vector, by its data file."""
    live = lake.open()._view.live_files().deletes.to_pylist()
    return {each["target"]: each["record_count"] for each in live if each["file_format"] == "puffin"}


def rewrite(lake: Lake, chosen: list[str], *, dangling: bool = False) -> tuple[CommitOutcome, WrittenGroup]:
    opened = lake.open()
    attempt = lake.load().metadata.next_sequence_number()  # file names of their own for each rewrite
    written = written_by_kernel(opened, group_of(opened, chosen), attempt=attempt)
    asked = dataclasses.replace(request_of(opened, written), removes_dangling_deletes=dangling)
    return opened.commits.commit(asked, before_try=nothing), written


def proof(lake: Lake, outcome: CommitOutcome, *written: WrittenGroup) -> Verification:
    return lake.open().commits.prove(outcome.snapshot_id or 0, written)


def problems(verification: Verification) -> dict[str, str]:
    return {each.name: each.detail for each in verification.checks if not each.holds}


def test_plans_name_the_range_of_each_vector(lake: Lake, paths: list[str]):
    commit_vectors(lake.open(), {paths[0]: [1, 2], paths[1]: [3]})
    inputs = lake.open().group_inputs(paths)
    (first,), (second,) = inputs[paths[0]].deletes, inputs[paths[1]].deletes
    assert (first.offset, first.rows, second.rows) == (4, 2, 1)
    assert (first.path, second.offset) == (second.path, 4 + (first.length or 0))
    task = task_of(lake.open(), group_of(lake.open(), paths)).task.read.files
    assert [each.vector.rows if each.vector else None for each in task] == [2, 1, None, None]
    assert not any(each.delete_paths for each in task)


def test_the_digest_has_one_delete_file_and_the_exact_rows_for_each_vector(lake: Lake, paths: list[str]):
    commit_vectors(lake.open(), {paths[0]: [1, 2], paths[1]: [3]})
    rows = {row["path"]: row for row in lake.open().digest().to_pylist()}
    counted = [(rows[path]["delete_files"], rows[path]["deleted_rows"]) for path in paths]
    assert counted == [(1, 2), (1, 1), (0, 0), (0, 0)]


def test_position_delete_files_of_a_data_file_with_a_vector_do_not_apply(lake: Lake):
    """Trap 14: the vector has the rows of the older delete files, which still apply to other data files."""
    append_files(lake.create(), 2)
    first, second = sorted(lake.open().digest()["path"].to_pylist())
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 0), (second, 5)]))
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 7)], aimed=True))
    _upgraded(lake)
    commit_vectors(lake.open(), {first: [0, 1, 7]})
    before = ids_of(lake.load())
    opened = lake.open()
    inputs = opened.group_inputs([first, second])
    assert [each.offset for each in inputs[first].deletes] == [4]
    assert [each.offset for each in inputs[second].deletes] == [None]
    rows = {row["path"]: row for row in opened.digest().to_pylist()}
    assert [(rows[path]["delete_files"], rows[path]["deleted_rows"]) for path in (first, second)] == [(1, 3), (1, 2)]
    outcome, written = rewrite(lake, [first, second])
    assert (written.rows_deleted, problems(proof(lake, outcome, written))) == (4, {})
    assert ids_of(lake.load()) == before


@pytest.mark.parametrize("dangling", [False, True])
def test_a_vector_goes_with_its_data_file_and_its_neighbours_in_the_puffin_file_stay(
    lake: Lake, paths: list[str], dangling: bool
):
    """Traps 1 and 2: also if dangling deletes are not asked for, and though the files share a partition."""
    commit_vectors(lake.open(), {path: [at, 9] for at, path in enumerate(paths)})
    before, numbers = ids_of(lake.load()), {each.data_file[17]: each.sequence_number for each in deleted(lake)}
    outcome, written = rewrite(lake, paths[:2], dangling=dangling)
    found = proof(lake, outcome, written)
    assert problems(found) == {}
    assert (found.removed_delete_files, vectors(lake), ids_of(lake.load())) == (2, dict.fromkeys(paths[2:], 2), before)
    entries = deleted(lake)
    assert {each.status for each in entries if each.data_file[17] in paths[:2]} == {ManifestEntryStatus.DELETED}
    assert {each.data_file[17]: each.sequence_number for each in entries} == numbers
    summary = lake.load().current_snapshot().summary
    words = ("dvs", "position-deletes", "delete-files", "position-delete-files")
    assert [summary[f"removed-{word}"] for word in words] == ["2", "4", "2", None]
    later, again = rewrite(lake, paths[2:], dangling=dangling)
    assert (problems(proof(lake, later, again)), vectors(lake), ids_of(lake.load())) == ({}, {}, before)


def deleted(lake: Lake) -> list[Any]:
    return entries_of(lake.open(), content=ManifestContent.DELETES)


def test_vectors_of_data_files_that_are_gone_are_dropped_on_request(lake: Lake, paths: list[str]):
    commit_vectors(lake.open(), {paths[0]: [1], paths[1]: [1]}, change=lambda file: aim(file, paths[0], "gone.parquet"))
    rewrite(lake, paths[2:])
    assert len(vectors(lake)) == 2
    outcome, written = rewrite(lake, [paths[1]], dangling=True)
    assert problems(proof(lake, outcome, written)) == {}
    assert vectors(lake) == {}


def aim(file: DataFile, old: str, new: str) -> None:
    if file[17] == old:
        file[17] = new


def test_a_vector_that_arrives_after_the_plan_drops_its_group_only(lake: Lake, paths: list[str]):
    commit_vectors(lake.open(), {paths[0]: [1]})
    opened = lake.open()
    written = [written_by_kernel(opened, group_of(opened, [path], ordinal=at)) for at, path in enumerate(paths)]
    commit_vectors(lake.open(), {paths[1]: [1]})
    outcome = opened.commits.commit(request_of(opened, *written), before_try=nothing)
    assert (outcome.committed, outcome.dropped) == ((0, 2, 3), {1: Loss.NEW_DELETES})


def test_a_vector_of_the_plan_that_is_no_longer_live_drops_its_group_only(lake: Lake, paths: list[str]):
    """Another vector of the same Puffin file is not the one that was applied."""
    commit_vectors(lake.open(), {path: [1] for path in paths[:2]})
    opened = lake.open()
    written = [written_by_kernel(opened, group_of(opened, [path], ordinal=at)) for at, path in enumerate(paths[:2])]
    drop_vector(lake, paths[0])
    outcome = opened.commits.commit(request_of(opened, *written), before_try=nothing)
    assert (outcome.committed, outcome.dropped) == ((1,), {0: Loss.DELETES_GONE})


def drop_vector(lake: Lake, path: str) -> None:
    """Remove a vector alone, so that its rows reappear: no writer may do so but by a rollback."""

    def stage(view: TableView) -> StagedSnapshot:
        files = SnapshotFiles(view, STRANGER, 2)
        leaving = leaving_deletes(view, frozenset(), run_id="", going=[path], drops_dangling=False)
        ((manifest, entries),) = leaving.items()
        (body,) = view.reader.bodies([manifest])
        made = without(body, set(identities(entries)), manifest=manifest, snapshot_id=files.snapshot_id, codec="null")
        new = made.listed(manifest, path=files.write_manifest(made.body), snapshot_id=files.snapshot_id)
        others = [each for each in view.manifests(view.head) if each != manifest]
        return files.write_list([new, *others], Summary(Operation.OVERWRITE))

    lake.open()._tries().commit(lambda view: Proposal(None, lambda: stage(view)), before_try=nothing)


def test_a_proof_finds_a_vector_that_was_left_after_its_data_file(
    lake: Lake, paths: list[str], monkeypatch: pytest.MonkeyPatch
):
    commit_vectors(lake.open(), {paths[0]: [1], paths[1]: [1]})
    monkeypatch.setattr(SnapshotProducer, "_leaving_deletes", lambda _: {})
    outcome, written = rewrite(lake, paths[:1])
    assert problems(proof(lake, outcome, written)) == {VALID: "2 deletion vectors, 1 of removed files"}


def test_a_proof_finds_a_vector_that_went_without_its_data_file(
    lake: Lake, paths: list[str], monkeypatch: pytest.MonkeyPatch
):
    commit_vectors(lake.open(), {path: [1] for path in paths[:2]})
    real = producer.leaving_deletes
    monkeypatch.setattr(
        producer, "leaving_deletes", lambda *given, **named: real(*given, **{**named, "going": paths[:2]})
    )
    outcome, written = rewrite(lake, paths[:1])
    assert "1 data files still need one of those" in problems(proof(lake, outcome, written))["deletes_conserved"]


WRONG: dict[str, tuple[Callable[[DataFile], None], str]] = {
    "no target": (lambda file: file.__setitem__(17, None), "1 reference no data file"),
    "no offset": (lambda file: file.__setitem__(18, None), "1 have no place within their Puffin file"),
    "past the end": (lambda file: file.__setitem__(19, 10**6), "1 have no place within their Puffin file"),
    "more rows": (lambda file: file.__setitem__(4, 11), "1 delete more rows than their data file has"),
    "partition": (
        lambda file: file.__setitem__(3, Record("Bonn")),
        "1 have another spec or partition than their data file",
    ),
}


@pytest.mark.parametrize(("change", "text"), WRONG.values(), ids=WRONG)
def test_a_wrong_vector_refuses_the_table_by_name(lake: Lake, change: Callable[[DataFile], None], text: str):
    append_files(lake.create(spec=BY_CITY), 2)
    commit_vectors(lake.open(), {_upgraded(lake)[0]: [1]}, change=change)
    assert text in conditions(lake.open())[VALID]


def conditions(opened: IcebergTable) -> dict[str, str]:
    return {each.name: each.detail for each in opened.engines[Engine.ARROW].conditions() if not each.holds}


def test_a_second_vector_refuses_the_table_by_name_and_gives_no_plan(lake: Lake, paths: list[str]):
    for _ in range(2):
        commit_vectors(lake.open(), {paths[0]: [1]})
    opened = lake.open()
    assert "2 are not the only one of their data file" in conditions(opened)[VALID]
    assert paths[0] not in opened.group_inputs([paths[1]])
    with pytest.raises(TableUnreadable, match="2 deletion vectors"):
        opened.group_inputs([paths[0]])


def test_a_vector_older_than_its_data_file_refuses_the_table_by_name(lake: Lake, paths: list[str]):
    commit_vectors(lake.open(), {paths[3]: [1]}, sequence_number=1)
    assert "1 have a lower sequence number than their data file" in conditions(lake.open())[VALID]


def test_puffin_files_are_delete_files_of_version_3_only(lake: Lake, paths: list[str]):
    commit_vectors(lake.open(), {paths[0]: [1]})
    assert "parquet_only" not in conditions(lake.open())
    edit_metadata(lake.load(), lambda body: body.update({"format-version": 2}))
    assert "delete files: puffin" in conditions(lake.open())["parquet_only"]
