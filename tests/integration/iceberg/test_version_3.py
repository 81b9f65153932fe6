"""Commits to tables of format version 3 in a SQL catalog: row ids, the metadata document, and what is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestFile,
    write_manifest_list,
)
from pyiceberg.typedef import Record

from engine.domain.errors import NotEligible, OutcomeUnknown, TableUnreadable
from engine.domain.runs.drops import Loss
from engine.domain.runs.expiry import Expiry, ExpiryRule
from engine.formats.base import CommitOutcome, RollBack
from engine.formats.iceberg import IcebergFormat, IcebergTable
from engine.formats.iceberg.commits.snapshot_files import SnapshotFiles
from engine.formats.iceberg.features.rows import Activity
from engine.formats.iceberg.manifests import version_3
from engine.formats.iceberg.manifests.lineage import RowIdRanges, with_first_row_id
from engine.formats.intake.limits import Malformed
from tests.support.iceberg_tables import (
    BY_CITY,
    RUN_ID,
    Lake,
    append_files,
    edit_metadata,
    ids_of,
    intercept_commits,
    nothing,
    orders,
    request_of,
)
from tests.support.version_3 import (
    FOREIGN,
    document_of,
    entries_of,
    listed_ids,
    row_ids,
    touch,
    upgrade,
    written_group,
)

MOST = 2**63 - 1


@pytest.fixture
def upgraded(lake: Lake) -> Lake:
    """A lake with a table of four files of ten rows, upgraded and not committed to since."""
    append_files(lake.create(), 4)
    upgrade(lake)
    return lake


def paths(opened: IcebergTable) -> list[str]:
    return [each["path"] for each in opened.digest().sort_by("sequence_number").to_pylist()]


def rewrite(opened: IcebergTable, chosen: list[str], *, ordinal: int = 0) -> CommitOutcome:
    """Rewrite files as one group, and prove the snapshot."""
    written = written_group(opened, chosen, ordinal=ordinal)
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    if outcome.snapshot_id is not None:
        assert opened.commits.prove(outcome.snapshot_id, [written]).ok
    return outcome


def stored_ids(opened: IcebergTable) -> dict[int, list[int | None]]:
    """Return the first row ids in the entries of the head's own manifests, by status."""
    view, found = opened._view, dict[int, list[int | None]]()
    assert view.head is not None
    for manifest in view.manifests(view.head):
        if manifest.added_snapshot_id != view.head.snapshot_id:
            continue
        with Path(manifest.manifest_path.removeprefix("file://")).open("rb") as stream:
            reader = fastavro.reader(stream)
            assert (reader.metadata["format-version"], reader.metadata["content"]) == ("3", "data")
            for entry in reader:
                found.setdefault(entry["status"], []).append(entry["data_file"]["first_row_id"])
    return found


def test_the_first_commit_after_an_upgrade_gives_every_file_ids(upgraded: Lake):
    opened = upgraded.open()
    chosen = paths(opened)
    assert set(row_ids(opened).values()) == {None}
    rewrite(opened, chosen[:2])
    opened = upgraded.open()
    assert sorted(row_ids(opened).values()) == [0, 20, 30]
    head, document = opened._view.head, document_of(upgraded)
    assert head is not None
    assert (head.first_row_id, head.added_rows, document["next-row-id"]) == (0, 40, 40)
    assert ids_of(upgraded.load()) == list(range(40))


def test_rows_are_counted_by_entries_and_not_by_the_manifest_list(lake: Lake):
    """A list that states fewer rows would give the ids of the rest to the next manifest as well."""
    table = lake.create()
    append_files(table, 4)
    view = lake.open()._view
    assert view.head is not None
    every = view.manifests(view.head)
    for each in every:
        each[10] = each[11] = 0  # added and existing rows
    local = Path(view.head.manifest_list.removeprefix("file://"))
    given = (view.head.snapshot_id, view.head.parent_snapshot_id, view.head.sequence_number, "deflate")
    with write_manifest_list(2, PyArrowFileIO().new_output(str(local)), *given) as writer:
        writer.add_manifests(every)
    upgrade(lake)
    touch(lake.open())
    assert (sorted(row_ids(lake.open()).values(), key=str), document_of(lake)["next-row-id"]) == ([0, 10, 20, 30], 40)


def test_ids_of_files_that_stay_or_go_are_explicit_and_new_files_have_none(lake: Lake):
    """Trap 7: entries move to other manifests, whose order gives other ids."""
    table = lake.create(spec=BY_CITY)
    for number in range(2):
        cities = [orders(range(number * 20 + at * 10, number * 20 + at * 10 + 10), city=c) for at, c in enumerate("AB")]
        table.append(pa.concat_tables(cities))
    upgrade(lake)
    touch(lake.open())
    opened = lake.open()
    before = row_ids(opened)
    rows = [each for each in opened.digest().to_pylist() if "A" in each["partition"]]
    gone = {each["path"] for each in rows}
    rewrite(opened, sorted(gone))
    opened = lake.open()
    stored = {status: sorted(found, key=str) for status, found in stored_ids(opened).items()}
    kept = {path: first for path, first in before.items() if path not in gone}
    assert stored == {0: sorted(kept.values()), 1: [None], 2: sorted(before[path] for path in gone)}
    assert kept.items() <= row_ids(opened).items()
    assert document_of(lake)["next-row-id"] == 40 + 20


def test_a_proof_finds_files_that_got_other_row_ids(lake: Lake, monkeypatch: pytest.MonkeyPatch):
    table = lake.create(spec=BY_CITY)
    table.append(pa.concat_tables([orders(range(at * 10, at * 10 + 10), city=city) for at, city in enumerate("AB")]))
    upgrade(lake)
    touch(lake.open())
    opened = lake.open()
    real = version_3.with_fields
    monkeypatch.setattr(version_3, "with_fields", lambda file, **_: real(file, keeps_row_ids=False))
    written = written_group(opened, paths(opened)[:1])
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    checks = opened.commits.prove(outcome.snapshot_id or 0, [written]).checks
    (failed,) = (each for each in checks if not each.holds)
    assert (failed.name, "1 of these with other row ids" in failed.detail) == ("all_else_unchanged", True)


def test_fields_that_no_library_knows_stay_in_the_metadata(upgraded: Lake):
    properties = {"type": "sql", **upgraded.catalog.properties, "meaningless-parameters": "a-field*"}
    upgraded.connection.close()
    upgraded.connection = IcebergFormat().connect("lake", properties)
    edit_metadata(upgraded.load(), lambda body: body.update(FOREIGN))
    before = document_of(upgraded)
    location = upgraded.load().metadata_location
    opened = upgraded.open()
    rewrite(opened, paths(opened)[:2])
    after = document_of(upgraded)
    assert {name: after[name] for name in FOREIGN} == FOREIGN
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == {
        *("current-snapshot-id", "last-sequence-number", "last-updated-ms", "metadata-log", "next-row-id"),
        *("refs", "snapshot-log", "snapshots"),
    }
    assert before.keys() <= after.keys()
    assert after["snapshots"][:-1] == before["snapshots"]
    assert after["metadata-log"][-1] == {"metadata-file": location, "timestamp-ms": before["last-updated-ms"]}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"next-row-id": None}, "has no next-row-id"),
        ({"next-row-id": -1}, "next-row-id is -1"),
        ({"next-row-id": MOST + 1}, f"next-row-id is {MOST + 1}"),
        ({"next-row-id": 39}, "next-row-id is 39, but snapshot"),
    ],
    ids=["missing", "negative", "huge", "stale"],
)
def test_metadata_whose_next_row_id_can_not_be_used_is_refused_by_name(
    upgraded: Lake, fields: dict[str, Any], said: str
):
    touch(upgraded.open())
    edit_metadata(upgraded.load(), lambda body: body.update(fields))
    opened, before = upgraded.open(), upgraded.load().metadata_location
    assert any(said in each for each in opened._view.feature_problems(Activity.UPKEEP))
    with pytest.raises(NotEligible, match=said):
        touch(opened)
    assert upgraded.load().metadata_location == before


def test_ids_that_the_table_has_not_assigned_are_refused(upgraded: Lake):
    """The metadata of another program: its snapshots do not state what they took."""

    def forget(body: dict[str, Any]) -> None:
        body["next-row-id"] = 15
        for each in body["snapshots"]:
            each.pop("added-rows", None)

    touch(upgraded.open())
    edit_metadata(upgraded.load(), forget)
    opened = upgraded.open()
    with pytest.raises(TableUnreadable, match="row ids"):
        rewrite(opened, paths(opened)[:2])


def test_a_table_without_enough_ids_left_is_refused(upgraded: Lake):
    edit_metadata(upgraded.load(), lambda body: body.update({"next-row-id": MOST - 39}))
    with pytest.raises(NotEligible, match="no row ids left"):
        touch(upgraded.open())
    edit_metadata(upgraded.load(), lambda body: body.update({"next-row-id": MOST - 40}))
    touch(upgraded.open())
    assert document_of(upgraded)["next-row-id"] == MOST


def _entry(path: str, first: int | None, rows: int) -> ManifestEntry:
    file = DataFile.from_args(
        _table_format_version=3,
        content=DataFileContent.DATA,
        file_path=path,
        file_format=FileFormat.PARQUET,
        partition=Record(),
        record_count=rows,
        file_size_in_bytes=1,
        first_row_id=first,
    )
    return ManifestEntry.from_args(status=ManifestEntryStatus.EXISTING, data_file=file)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([(0, 10), (10, 10), (None, 10), (15, 0)], None),
        ([(0, 10), (9, 1)], "share row ids from 9"),
        ([(10, 10), (0, 21)], "share row ids"),
        ([(10, 10), (30, 11)], "row ids from 30 for 11 rows"),
    ],
)
def test_files_that_share_row_ids_are_refused_by_name(
    upgraded: Lake, files: list[tuple[int | None, int]], said: str | None
):
    view, ranges = upgraded.open()._view, RowIdRanges()
    for manifest, (number, (first, rows)) in zip(view.manifests(view.head), enumerate(files), strict=False):
        ranges.add(manifest, [_entry(f"{number}.parquet", first, rows)])
    if said is None:
        ranges.check(below=40)
        return
    with pytest.raises(Malformed, match=said):
        ranges.check(below=40)


@pytest.mark.parametrize("gets_ids", [True, False])
def test_a_table_that_is_upgraded_while_a_run_works_on_it(lake: Lake, gets_ids: bool):
    """Trap 5: outputs without ids may be committed only as long as the inputs have none."""
    append_files(lake.create(), 4)
    opened = lake.open()
    written = written_group(opened, paths(opened)[:2])
    request = request_of(opened, written)
    upgrade(lake)
    if gets_ids:
        touch(lake.open())
    outcome = lake.open().commits.commit(request, before_try=nothing)
    assert outcome.dropped == ({0: Loss.LINEAGE_CHANGED} if gets_ids else {})
    assert (outcome.snapshot_id is None) == gets_ids
    assert ids_of(lake.load()) == list(range(40))


def _once(before: Callable[[], None], after: Callable[[], None]) -> Callable[[Callable[[], Any]], Any]:
    calls: list[int] = []

    def answer(send: Callable[[], Any]) -> Any:
        calls.append(1)
        if len(calls) > 1:
            return send()
        before()
        answered = send()
        after()
        return answered

    return answer


def test_row_ids_that_another_branch_took_are_a_lost_race(upgraded: Lake):
    """The head of main is unchanged: only the ids tell that the snapshot is stale."""
    opened = upgraded.open()
    take: Callable[[dict[str, Any]], Any] = lambda body: body.update({"next-row-id": 5})  # noqa: E731
    intercept_commits(opened, _once(lambda: edit_metadata(upgraded.load(), take), lambda: None))
    written = written_group(opened, paths(opened)[:2])
    outcome = opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert outcome.tries == 2
    opened = upgraded.open()
    assert opened._view.head is not None
    assert (opened._view.head.first_row_id, document_of(upgraded)["next-row-id"]) == (5, 45)
    assert len(document_of(upgraded)["snapshots"]) == 5
    assert None not in listed_ids(opened)


def test_a_commit_without_an_answer_is_found_in_the_table(upgraded: Lake):
    opened = upgraded.open()

    def lose() -> None:
        raise ConnectionError("lost")

    intercept_commits(opened, _once(lambda: None, lose))
    written = written_group(opened, paths(opened)[:2])
    with pytest.raises(OutcomeUnknown):
        opened.commits.commit(request_of(opened, written), before_try=nothing)
    (found,) = upgraded.open().commits.find(RUN_ID)
    assert upgraded.open().commits.prove(found.snapshot_id, [written]).ok


def test_live_entries_without_an_id_in_a_manifest_with_one_take_the_next(upgraded: Lake):
    touch(upgraded.open())
    entries = entries_of(upgraded.open())
    assert sorted(each.data_file[16] for each in entries) == [0, 10, 20, 30]


def test_the_parent_of_a_snapshot_is_tagged_gone_back_to_and_released(upgraded: Lake):
    opened = upgraded.open()
    parent = opened.head_snapshot_id
    written = written_group(opened, paths(opened)[:2])
    request = replace(request_of(opened, written), protects_parent=True)
    outcome = opened.commits.commit(request, before_try=nothing)
    assert outcome.snapshot_id is not None
    (name,) = document_of(upgraded)["refs"].keys() - {"main"}
    tag = document_of(upgraded)["refs"][name]
    assert (tag["snapshot-id"], tag["type"], tag["max-ref-age-ms"] > 0) == (parent, "tag", True)
    assert upgraded.open().commits.protect_parent("run_0", outcome.snapshot_id) == parent
    assert upgraded.open().commits.undo(outcome.snapshot_id) is RollBack.DONE
    document = document_of(upgraded)
    assert (document["current-snapshot-id"], document["refs"]["main"]["snapshot-id"]) == (parent, parent)
    assert document["snapshot-log"][-1]["snapshot-id"] == parent
    assert document["next-row-id"] == 40  # ids of the snapshot that is gone back from are not given again
    assert upgraded.open().commits.release() == ()
    touch(upgraded.open())
    assert (ids_of(upgraded.load()), document_of(upgraded)["next-row-id"]) == (list(range(40)), 80)


def test_expired_snapshots_leave_the_document_with_their_statistics_and_log(upgraded: Lake):
    first, second, *_ = (each["snapshot-id"] for each in document_of(upgraded)["snapshots"])
    touch(upgraded.open())

    def with_statistics(body: dict[str, Any]) -> None:
        file = {"statistics-path": "s.puffin", "file-size-in-bytes": 1}
        whole = {**file, "file-footer-size-in-bytes": 1, "blob-metadata": []}
        body["statistics"] = [{"snapshot-id": each["snapshot-id"], **whole} for each in body["snapshots"]]
        body["partition-statistics"] = [{"snapshot-id": second, **file}]

    edit_metadata(upgraded.load(), with_statistics)
    before, opened = document_of(upgraded), upgraded.open()
    rule = Expiry(ExpiryRule(timedelta(0), 3), datetime.now(UTC) + timedelta(hours=1))
    conditions = opened.expiry.expire([first, second], rule, before_try=nothing)
    assert all(each.holds for each in conditions)
    after = document_of(upgraded)
    for name in ("snapshots", "statistics", "snapshot-log"):
        kept = [each for each in before[name] if each["snapshot-id"] not in {first, second}]
        assert (len(kept), after[name]) == (3, kept)
    assert after["partition-statistics"] == []
    assert (after["next-row-id"], after["refs"]) == (before["next-row-id"], before["refs"])
    assert ids_of(upgraded.load()) == list(range(40))


def test_types_that_no_library_here_knows_stay_in_the_metadata_and_in_manifests(upgraded: Lake):
    """PyIceberg reads a copy with stand-ins, which must not be written."""
    column = {"id": 9, "name": "shape", "required": False, "type": "variant"}
    edit_metadata(upgraded.load(), lambda body: body["schemas"][0]["fields"].append(column))
    location = upgraded.open().pointer
    touch(upgraded.open())
    opened = upgraded.open()
    assert opened.pointer != location
    document = json.loads(Path(opened.pointer.removeprefix("file://")).read_text())
    assert document["schemas"][0]["fields"][-1] == column
    assert (document["next-row-id"], set(row_ids(opened).values())) == (40, {0, 10, 20, 30})


def merge_manifests(opened: IcebergTable) -> None:
    """Rewrite the manifests, and prove the snapshot."""
    done = opened.manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)
    assert done.snapshot_id is not None
    proof = opened.manifest_rewrite.prove(done.snapshot_id)
    assert all(each.holds for each in proof.checks), proof.checks


@pytest.mark.parametrize("is_written_by_us", [False, True], ids=["added field", "field of the writer"])
def test_merged_manifests_store_the_ids_that_their_entries_had(upgraded: Lake, is_written_by_us: bool):
    """Trap 7: entries of version 2 have no such field, and it is null in those of new files in version 3."""
    touch(upgraded.open())
    for ordinal, path in enumerate(paths(upgraded.open()) if is_written_by_us else []):
        rewrite(upgraded.open(), [path], ordinal=ordinal)
    opened = upgraded.open()
    before, following = row_ids(opened), document_of(upgraded)["next-row-id"]
    merge_manifests(opened)
    opened = upgraded.open()
    assert (row_ids(opened), len(listed_ids(opened))) == (before, 1)
    assert sorted(stored_ids(opened)[0], key=str) == sorted(before.values(), key=str)
    head = opened._view.head
    assert head is not None
    assert (head.added_rows, document_of(upgraded)["next-row-id"]) == (0, following)
    assert ids_of(upgraded.load()) == list(range(40))
    touch(opened)
    assert row_ids(upgraded.open()) == before


def test_a_merge_that_was_made_before_ids_were_assigned_is_not_used_after(upgraded: Lake):
    """The manifests of the new head are the same files, but their list gives them ids now."""
    opened = upgraded.open()

    def touch_again() -> None:
        touch(upgraded.open())

    intercept_commits(opened, _once(touch_again, lambda: None))
    merge_manifests(opened)
    assert sorted(row_ids(upgraded.open()).values(), key=str) == [0, 10, 20, 30]
    assert document_of(upgraded)["next-row-id"] == 40


@pytest.mark.parametrize(
    ("firsts", "said"), [([0, 10, 19, 30], "share row ids from 19"), ([0, 10, 20, 35], "has row ids from 35")]
)
def test_manifests_with_wrong_ids_are_not_merged(upgraded: Lake, firsts: list[int], said: str):
    touch(upgraded.open())
    touch(upgraded.open(), lambda _, every: [with_first_row_id(e, at) for e, at in zip(every, firsts, strict=True)])
    with pytest.raises(TableUnreadable, match=said):
        upgraded.open().manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)


def test_data_files_with_fields_of_delete_files_are_refused_by_name(upgraded: Lake):
    """The row id is stored by its place from the end of an entry, where such a file has something else."""
    rewrite(upgraded.open(), paths(upgraded.open())[:2])

    def with_odd(files: SnapshotFiles, every: list[ManifestFile]) -> list[ManifestFile]:
        (manifest, entries), *_ = files.view.full_entries(every, discard_deleted=True)
        entries[0].data_file[16], entries[0].data_file[17] = None, "x" + chr(0) * 5
        with files.manifest_writer(0) as writer:
            writer.existing(entries[0])
        return [writer.to_manifest_file(), *(each for each in every if each != manifest)]

    touch(upgraded.open(), with_odd)
    with pytest.raises(TableUnreadable, match="damaged entries"):
        upgraded.open().manifest_rewrite.commit(RUN_ID, 1, before_try=nothing)
