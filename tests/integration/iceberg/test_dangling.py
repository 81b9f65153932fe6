"""Delete files that apply to nothing any more go with the commit that makes them so; all others stay as they are."""

import base64
import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest
from pyiceberg.manifest import ManifestContent, ManifestEntry, ManifestEntryStatus
from pyiceberg.table import Table
from pyiceberg.transforms import BucketTransform
from pyiceberg.typedef import Record

from engine.domain.runs.files import OutputFile
from engine.formats.base import CommitOutcome, Verification, WrittenGroup
from engine.formats.iceberg import IcebergTable
from engine.formats.iceberg.commits import commit, producer
from tests.support.iceberg_tables import (
    BY_CITY,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    group_of,
    groups_by_partition,
    ids_of,
    intercept_commits,
    live_paths,
    nothing,
    orders,
    request_of,
    write_group,
)

AACHEN, BONN = Record("Aachen"), Record("Bonn")


def entries_of(table: Table) -> dict[str, ManifestEntry]:
    """Return the live entries of delete files by path."""
    return {
        entry.data_file.file_path: entry
        for manifest in table.current_snapshot().manifests(table.io)
        if manifest.content == ManifestContent.DELETES
        for entry in manifest.fetch_manifest_entry(table.io)
    }


def numbers(entry: ManifestEntry) -> tuple[int | None, int | None, int | None]:
    """Return what an entry must keep when its manifest is written anew."""
    return entry.sequence_number, entry.file_sequence_number, entry.snapshot_id


def send(opened: IcebergTable, *written: WrittenGroup) -> CommitOutcome:
    asked = dataclasses.replace(request_of(opened, *written), removes_dangling_deletes=True)
    return opened.commits.commit(asked, before_try=nothing)


def proven(lake: Lake, outcome: CommitOutcome, *written: WrittenGroup) -> Verification:
    found = lake.open().commits.prove(
        outcome.snapshot_id or 0, [each for each in written if each.ordinal in outcome.committed]
    )
    assert found.ok, [check for check in found.checks if not check.holds]
    return found


def rewrite(lake: Lake, paths: Sequence[str] | None = None) -> Verification:
    """Rewrite files of one partition, or all of the table, and prove it."""
    opened = lake.open()
    groups = groups_by_partition(opened) if paths is None else [group_of(opened, paths)]
    attempt = lake.load().metadata.next_sequence_number()  # file names of their own for each rewrite
    written = [write_group(opened, group, attempt=attempt) for group in groups]
    return proven(lake, send(opened, *written), *written)


def two_cities(lake: Lake) -> tuple[list[str], list[str]]:
    """Return the files of two partitions of three files each."""
    table = lake.create(spec=BY_CITY)
    append_files(table, 3, city="Aachen")
    append_files(table, 3, first=100, city="Bonn")
    paths = live_paths(lake.load())
    return [path for path in paths if "Aachen" in path], [path for path in paths if "Bonn" in path]


def test_f19_deletes_of_a_partition_that_was_rewritten_go_with_the_commit(lake: Lake):
    """Also those of the very snapshot that was planned on, which Iceberg's procedure leaves to its next run."""
    aachen, _ = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 1) for path in aachen], partition=AACHEN))
    before, old = ids_of(lake.load()), lake.load().current_snapshot().snapshot_id
    found = rewrite(lake)
    table = lake.load()
    assert (ids_of(table), len(before)) == (before, 57)
    assert (found.removed_delete_files, entries_of(table)) == (1, {})
    summary = table.current_snapshot().summary
    assert (summary["removed-position-delete-files"], summary["removed-position-deletes"]) == ("1", "3")
    assert sorted(table.scan(snapshot_id=old).to_arrow()["id"].to_pylist()) == before, "older snapshots keep theirs"


def test_deletes_of_partitions_that_are_not_rewritten_stay(lake: Lake):
    aachen, bonn = two_cities(lake)
    gone = delete_file(lake.load(), [(bonn[0], 1)], partition=BONN)
    stays = delete_file(lake.load(), [(aachen[0], 1)], partition=AACHEN)
    commit_deletes(lake.load(), gone, stays)
    before, entry = ids_of(lake.load()), entries_of(lake.load())[stays.file_path]
    assert rewrite(lake, bonn).removed_delete_files == 1
    after = entries_of(lake.load())
    assert ids_of(lake.load()) == before
    assert after.keys() == {stays.file_path}
    assert numbers(after[stays.file_path]) == numbers(entry)
    assert after[stays.file_path].status == ManifestEntryStatus.EXISTING


def test_a_live_file_that_is_older_than_the_deletes_keeps_them(lake: Lake):
    aachen, _ = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 1) for path in aachen], partition=AACHEN))
    before = ids_of(lake.load())
    assert rewrite(lake, aachen[:2]).removed_delete_files == 0
    assert (len(entries_of(lake.load())), ids_of(lake.load())) == (1, before)
    assert rewrite(lake, aachen[2:]).removed_delete_files == 1
    assert (entries_of(lake.load()), ids_of(lake.load())) == ({}, before)


def test_a_delete_file_that_is_aimed_goes_with_its_file(lake: Lake):
    aachen, _ = two_cities(lake)
    aimed = [delete_file(lake.load(), [(path, 1)], partition=AACHEN, aimed=True) for path in aachen]
    commit_deletes(lake.load(), *aimed)
    before = ids_of(lake.load())
    assert rewrite(lake, aachen[:2]).removed_delete_files == 2
    assert (entries_of(lake.load()).keys(), ids_of(lake.load())) == ({aimed[2].file_path}, before)


def test_a_delete_file_that_is_aimed_across_partitions_stays_while_its_file_lives(lake: Lake):
    """No writer should do so, but readers find it by the path alone."""
    aachen, bonn = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(bonn[0], 1)], partition=AACHEN, aimed=True))
    assert rewrite(lake, aachen).removed_delete_files == 0


def test_a_target_that_is_spelled_otherwise_is_no_target_that_is_gone(lake: Lake):
    aachen, _ = two_cities(lake)
    spelled = aachen[2].replace("file:///", "file:/")
    assert spelled != aachen[2]
    commit_deletes(lake.load(), delete_file(lake.load(), [(spelled, 1)], partition=AACHEN, aimed=True))
    assert rewrite(lake, aachen[:2]).removed_delete_files == 0


def test_a_partition_that_is_split_over_batches_keeps_deletes_to_the_last_one(lake: Lake):
    """All batches were planned on one base: what the first drops must not make the others lose."""
    aachen, _ = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 1) for path in aachen], partition=AACHEN))
    before, opened = ids_of(lake.load()), lake.open()
    written = [write_group(opened, group_of(opened, [path], ordinal=at)) for at, path in enumerate(aachen)]
    removed = [proven(lake, send(opened, each), each).removed_delete_files for each in written]
    assert (removed, ids_of(lake.load())) == ([0, 0, 1], before)


def test_a_group_whose_deletes_had_no_effect_is_not_lost_with_them(lake: Lake):
    """A rewritten file keeps an old number, so that readers look for deletes which were there before it came."""
    aachen, _ = two_cities(lake)
    opened = lake.open()
    early = write_group(opened, group_of(opened, aachen[:1]))
    commit_deletes(lake.load(), delete_file(lake.load(), [(aachen[1], 1)], partition=AACHEN))
    assert opened.commits.commit(request_of(opened, early), before_try=nothing).dropped == {0: "new_deletes"}
    commit_deletes(
        lake.load(), delete_file(lake.load(), [(aachen[1], 2)], partition=AACHEN, aimed=True), sequence_number=1
    )
    opened = lake.open()
    first = write_group(opened, group_of(opened, [aachen[1]]))
    other = write_group(opened, group_of(opened, [aachen[0]], ordinal=1))
    assert (first.rows_deleted > 0, other.rows_deleted, len(other.inputs[0].deletes)) == (True, 0, 1)
    unaimed = [path for path, entry in entries_of(lake.load()).items() if not entry.data_file.lower_bounds]
    assert unaimed == [each.path for each in other.inputs[0].deletes]
    for each in (first, other):
        assert not send(opened, each).dropped


@pytest.mark.parametrize("when", ["before the commit", "between two tries"])
def test_files_that_come_meanwhile_are_newer_than_the_deletes(lake: Lake, when: str):
    aachen, _ = two_cities(lake)
    old = delete_file(lake.load(), [(path, 1) for path in aachen[:2]], partition=AACHEN)
    commit_deletes(lake.load(), old)
    opened = lake.open()
    written = write_group(opened, group_of(opened, aachen[:2]))
    aimed = delete_file(lake.load(), [(aachen[2], 5)], partition=AACHEN, aimed=True)

    def meanwhile() -> None:
        append_files(lake.load(), 2, first=500, city="Aachen")
        commit_deletes(lake.load(), aimed)

    calls: list[int] = []

    def late(real):
        calls.append(1)
        if when == "between two tries" and len(calls) == 1:
            meanwhile()
        return real()

    if when == "before the commit":
        meanwhile()
    intercept_commits(opened, late)
    outcome = send(opened, written)
    assert outcome.tries == (1 if when == "before the commit" else 2)
    expected = ids_of(lake.load())
    assert (len(expected), set(range(500, 520)) <= set(expected)) == (60 + 20 - 3, True)
    found = proven(lake, outcome, written)
    # the third file is older than the old deletes, so they stay for it; by nobody's knowledge do they name it
    assert (found.removed_delete_files, entries_of(lake.load()).keys()) == (0, {old.file_path, aimed.file_path})
    assert rewrite(lake).removed_delete_files == 2
    assert (entries_of(lake.load()), ids_of(lake.load())) == ({}, expected)


def test_a_writer_that_adds_deletes_meanwhile_keeps_all_of_the_partition(lake: Lake):
    aachen, bonn = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(aachen[0], 1)], partition=AACHEN))
    opened = lake.open()
    written = [write_group(opened, group) for group in groups_by_partition(opened)]
    commit_deletes(lake.load(), delete_file(lake.load(), [(aachen[0], 2)], partition=AACHEN))
    outcome = send(opened, *written)
    assert outcome.dropped == {0: "new_deletes"}
    assert (len(entries_of(lake.load())), len(ids_of(lake.load()))) == (2, 58)
    assert not set(bonn) & set(live_paths(lake.load()))


def test_deletes_that_upkeep_moved_count_by_their_data_sequence_number(lake: Lake):
    """Such a file came late and is about files that came before it, however late these came."""
    aachen, _ = two_cities(lake)
    moved = delete_file(lake.load(), [(aachen[2], 1)], partition=AACHEN)
    commit_deletes(lake.load(), moved, sequence_number=3)
    before = ids_of(lake.load())
    assert rewrite(lake, aachen[:2]).removed_delete_files == 0
    assert rewrite(lake, aachen[2:]).removed_delete_files == 1
    assert ids_of(lake.load()) == before


def test_a_file_that_somebody_put_back_needs_the_deletes_of_its_time(lake: Lake, monkeypatch: pytest.MonkeyPatch):
    """Taking a rewrite back puts files back under old numbers: their deleted rows must not come back later."""
    aachen, _ = two_cities(lake)
    first, *others = aachen
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 1)], partition=AACHEN))
    opened = lake.open()
    written = write_group(opened, group_of(opened, [first]), attempt=90)
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    opened = lake.open()
    group = group_of(opened, [written.outputs[0].path])
    body = Path(first.removeprefix("file://")).read_bytes()
    footer = body[-8 - int.from_bytes(body[-8:-4], "little") :]
    original = OutputFile(first, len(body), 10, base64.b64encode(footer).decode())
    monkeypatch.setattr(commit, "check_rows", lambda _: None)
    inputs = tuple(dataclasses.replace(each, deletes=()) for each in group.inputs)  # so that its old number is kept
    back = WrittenGroup(0, group.spec_id, group.partition, inputs, (original,), 0)
    opened.commits.commit(request_of(opened, back), before_try=nothing)
    before = ids_of(lake.load())
    assert (first in live_paths(lake.load()), len(before)) == (True, 59)
    assert rewrite(lake, others).removed_delete_files == 0
    assert ids_of(lake.load()) == before


def test_deletes_of_another_spec_are_those_of_another_partition(lake: Lake):
    """Two specs may write the same values; a delete file applies to files of its own spec only."""
    table = lake.create(spec=BY_CITY)
    append_files(table, 2, city="Aachen")
    with lake.load().update_spec() as update:
        update.add_field("id", BucketTransform(1), "bucket")
    with lake.load().update_spec() as update:
        update.remove_field("bucket")
    append_files(lake.load(), 2, first=100, city="Aachen")
    by_spec: dict[int, list[str]] = {}
    for row in lake.open().digest().to_pylist():
        by_spec.setdefault(row["spec_id"], []).append(row["path"])
    with lake.load().update_spec() as update:
        update.add_field("id", BucketTransform(4), "quarter")
    append_files(lake.load(), 1, first=200, city="Aachen")
    specs = {row["spec_id"]: row["path"] for row in lake.open().digest().to_pylist()}
    assert len(specs) >= 2
    deletes = {}
    for spec_id, path in specs.items():
        entry = next(task.file for task in lake.load().scan().plan_files() if task.file.file_path == path)
        deletes[spec_id] = delete_file(lake.load(), [(path, 1)], spec_id=spec_id, partition=entry.partition)
        commit_deletes(lake.load(), deletes[spec_id])
    before = ids_of(lake.load())
    first = min(specs)
    rows = lake.open().digest().to_pylist()
    assert rewrite(lake, [row["path"] for row in rows if row["spec_id"] == first]).removed_delete_files == 1
    left = {each.file_path for spec_id, each in deletes.items() if spec_id != first}
    assert (entries_of(lake.load()).keys(), ids_of(lake.load())) == (left, before)


def test_equality_deletes_beside_them_pass_through_as_they_are(lake: Lake):
    aachen, bonn = two_cities(lake)
    equality = delete_file(lake.load(), [("", 105)], equality_id=1, partition=BONN)
    commit_deletes(lake.load(), delete_file(lake.load(), [(aachen[0], 1)], partition=AACHEN), equality)
    before = entries_of(lake.load())[equality.file_path]
    assert rewrite(lake, aachen).removed_delete_files == 1
    (after,) = entries_of(lake.load()).values()
    assert (after.data_file, numbers(after)) == (before.data_file, numbers(before))
    assert after.data_file.equality_ids == [1]
    assert rewrite(lake, bonn[:1]).removed_delete_files == 0, "no equality deletes are dropped"


def test_manifests_of_deleted_entries_only_do_not_pile_up(lake: Lake):
    aachen, _ = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(aachen[0], 1)], partition=AACHEN))

    def listed() -> list[tuple[int | None, int | None]]:
        manifests = lake.load().current_snapshot().manifests(lake.load().io)
        found = [each for each in manifests if each.content == ManifestContent.DELETES]
        return [(each.existing_files_count, each.deleted_files_count) for each in found]

    rewrite(lake, aachen)
    assert listed() == [(0, 1)]
    append_files(lake.load(), 2, first=500, city="Aachen")
    rewrite(lake)
    assert listed() == []


def test_a_format_that_knows_no_deletes_is_rewritten_as_ever(lake: Lake):
    append_files(lake.create(properties={"format-version": "1"}), 3)
    assert rewrite(lake).removed_delete_files == 0
    assert ids_of(lake.load()) == list(range(30))


def test_a_partition_that_is_left_without_a_file_leaves_no_deletes(lake: Lake):
    aachen, _ = two_cities(lake)
    pairs = [(path, at) for path in aachen for at in range(10)]
    commit_deletes(lake.load(), delete_file(lake.load(), pairs, partition=AACHEN))
    opened = lake.open()
    written = dataclasses.replace(write_group(opened, group_of(opened, aachen)), outputs=(), rows_deleted=30)
    assert proven(lake, send(opened, written), written).removed_delete_files == 1
    assert ids_of(lake.load()) == list(range(100, 130))


def test_a_delete_file_that_went_although_a_row_needs_it_fails_the_proof(lake: Lake, monkeypatch: pytest.MonkeyPatch):
    """F5: were the rule wrong, deleted rows would be back. The proof goes by the other direction: file by file."""
    aachen, _ = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 1) for path in aachen], partition=AACHEN))
    real = producer.leaving_deletes

    def careless(view, places, *, going, **named):
        return real(view, places, going=[*going, aachen[2]], **named)

    monkeypatch.setattr(producer, "leaving_deletes", careless)
    opened = lake.open()
    written = write_group(opened, group_of(opened, aachen[:2]))
    found = lake.open().commits.prove(send(opened, written).snapshot_id or 0, [written])
    assert {check.name for check in found.checks if not check.holds} == {"deletes_conserved"}
    assert len(ids_of(lake.load())) == 60 - 2, "a row is back, which is what the proof is for"


def test_deletes_of_a_partition_that_was_not_asked_for_fail_the_proof(lake: Lake, monkeypatch: pytest.MonkeyPatch):
    aachen, bonn = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(f"{bonn[0]}-gone", 1)], partition=BONN, aimed=True))
    real = producer.leaving_deletes
    everywhere = {(0, '{"city":"Aachen"}'), (0, '{"city":"Bonn"}')}

    def careless(view, _, **named):
        return real(view, everywhere, **named)

    monkeypatch.setattr(producer, "leaving_deletes", careless)
    monkeypatch.setattr(producer.SnapshotProducer, "_delete_files", lambda *_: [])
    opened = lake.open()
    written = write_group(opened, group_of(opened, aachen))
    found = lake.open().commits.prove(send(opened, written).snapshot_id or 0, [written])
    assert {check.name for check in found.checks if not check.holds} == {"deletes_conserved"}


def test_lost_tries_leave_no_metadata_behind(lake: Lake):
    aachen, _ = two_cities(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(aachen[0], 1)], partition=AACHEN))
    opened = lake.open()
    written = write_group(opened, group_of(opened, aachen))
    calls: list[int] = []

    def late(real):
        calls.append(1)
        if len(calls) == 1:
            lake.load().append(orders(range(900, 905), city="Bonn"))
        return real()

    intercept_commits(opened, late)
    assert send(opened, written).tries == 2
    metadata = lake.folder / "warehouse"
    ours = {path.name for path in metadata.rglob("*-m*.avro") if path.name.startswith("run_")}
    listed = {
        each.manifest_path.rpartition("/")[2] for each in lake.load().current_snapshot().manifests(lake.load().io)
    }
    assert ours <= listed
