"""Files that only expired snapshots needed: found, recorded, deleted and proven, whatever else the table has."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.expressions import EqualTo
from pyiceberg.table import Table
from pyiceberg.table.statistics import StatisticsFile
from pyiceberg.table.update import SetStatisticsUpdate

from engine.domain.errors import Fatal, NotEligible
from engine.formats.deletion.file_lists import FileKind
from engine.formats.deletion.scopes import Scope
from engine.formats.iceberg.deletion.expired_files import preview
from engine.formats.intake.limits import Malformed
from tests.support.expired_files import Deletion, drop_snapshots, ids, needed, stored
from tests.support.iceberg_tables import (
    BY_CITY,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    edit_metadata,
    ids_of,
    live_paths,
    orders,
)


def local(path: str) -> Path:
    return Path("/" + path.removeprefix("file:").lstrip("/"))


def history(lake: Lake, *, files: int = 6) -> Table:
    """A table whose files were overwritten and deleted: most of its snapshots have files of their own."""
    table = lake.create(spec=BY_CITY)
    for number, city in enumerate(("Aachen", "Bonn")):
        append_files(table, files, first=1000 * number, city=city)
    table.overwrite(orders(range(5000, 5020), city="Aachen"), overwrite_filter=EqualTo("city", "Aachen"))
    append_files(table, 2, first=6000, city="Cologne")
    table.delete("city == 'Bonn' and id < 1015")
    table.delete("city == 'Cologne'")
    return lake.load()


def rows_of_all(lake: Lake) -> dict[int, list[int]]:
    table = lake.load()
    found = {}
    for each in ids(table.metadata):
        column = table.scan(snapshot_id=each, selected_fields=("id",)).to_arrow()["id"].to_pylist()
        found[each] = sorted(column)
    return found


def test_everything_that_no_kept_snapshot_needs_is_deleted_and_nothing_else(lake: Lake) -> None:
    every = ids(history(lake).metadata)
    rows, before = rows_of_all(lake), stored(lake.load())
    recorded, tally, proof = Deletion(lake).run(every[:-2])
    table = lake.load()
    assert needed(table) <= stored(table)
    left = stored(table) - needed(table)
    assert left == set(), "nothing is left over: every file of the expired snapshots is gone"
    assert all(each.holds for each in proof)
    assert rows_of_all(lake) == {each: rows[each] for each in every[-2:]}
    assert sum(each.files for each in tally.deleted.values()) == len(before - stored(table))
    assert set(tally.deleted) == {FileKind.DATA, FileKind.MANIFEST, FileKind.MANIFEST_LIST}
    assert (tally.failed, recorded.refused.counts, recorded.unread.counts) == ({}, {}, {})


def test_the_list_of_files_stays_and_what_is_needed_for_a_repetition_does_not(lake: Lake) -> None:
    every = ids(history(lake).metadata)
    recorded, tally, _ = Deletion(lake).run(every[:-1])
    folder = local(recorded.path).parent
    assert [path.name for path in folder.iterdir()] == ["files-1.parquet"]
    assert recorded.files.counts() == tally.deleted
    assert not Deletion(lake).begin().is_pending()
    assert Deletion(lake).finish(Deletion(lake).begin())[1].deleted == {}
    assert [path.name for path in folder.iterdir()] == ["files-1.parquet"]


def test_a_second_expiry_of_a_run_has_a_list_of_its_own(lake: Lake) -> None:
    every = ids(history(lake).metadata)
    first, _, _ = Deletion(lake).run(every[:5])
    second, _, _ = Deletion(lake).run(every[5:-1])
    assert (local(first.path).name, local(second.path).name) == ("files-1.parquet", "files-2.parquet")
    assert stored(lake.load()) == needed(lake.load())


@pytest.mark.parametrize("kept", ["tag", "branch"])
def test_a_snapshot_that_a_reference_keeps_loses_nothing(lake: Lake, kept: str) -> None:
    table = history(lake)
    every = ids(table.metadata)
    manage = table.manage_snapshots()
    (manage.create_tag(every[3], "old") if kept == "tag" else manage.create_branch(every[3], "old")).commit()
    rows = rows_of_all(lake)
    Deletion(lake).run([each for each in every[:-1] if each != every[3]])
    assert rows_of_all(lake) == {each: rows[each] for each in (every[3], every[-1])}
    assert stored(lake.load()) == needed(lake.load())


def test_files_of_a_history_that_was_rolled_back_are_deleted(lake: Lake) -> None:
    table = history(lake)
    every = ids(table.metadata)
    table.manage_snapshots().set_current_snapshot(every[4]).commit()
    append_files(lake.load(), 1, first=9000)
    rows = rows_of_all(lake)
    head = ids(lake.load().metadata)[-1]
    Deletion(lake).run([each for each in ids(lake.load().metadata) if each not in (every[4], head)])
    assert rows_of_all(lake) == {each: rows[each] for each in (every[4], head)}
    assert stored(lake.load()) == needed(lake.load())


def test_a_file_that_was_removed_and_added_again_is_kept(lake: Lake) -> None:
    table = lake.create()
    append_files(table, 2)
    path = live_paths(lake.load())[0]
    every = [each.data_file for each in _entries(lake.load())]
    table = lake.load()
    table.delete("id < 10")
    gone = next(each for each in every if each.file_path not in live_paths(lake.load()))
    with lake.load().transaction() as change, change.update_snapshot().fast_append() as append:
        append.append_data_file(gone)
    assert path in live_paths(lake.load())
    Deletion(lake).run(ids(lake.load().metadata)[:-1])
    assert stored(lake.load()) == needed(lake.load())
    assert ids_of(lake.load()) == list(range(20))


def _entries(table: Table) -> list[Any]:
    head = table.current_snapshot()
    assert head is not None
    return [e for m in head.manifests(table.io) for e in m.fetch_manifest_entry(table.io)]


def test_position_and_equality_deletes_go_with_their_snapshots(lake: Lake) -> None:
    table = lake.create()
    append_files(table, 3)
    table, paths = lake.load(), live_paths(lake.load())
    old = delete_file(lake.load(), [(paths[0], 1)])
    commit_deletes(lake.load(), old)
    equality = delete_file(lake.load(), [("", 12)], equality_id=1)
    commit_deletes(lake.load(), equality)
    lake.load().manage_snapshots().set_current_snapshot(ids(table.metadata)[-1]).commit()
    append_files(lake.load(), 1, first=100)
    _, tally, _ = Deletion(lake).run(ids(lake.load().metadata)[:-1])
    counts = {kind: count.files for kind, count in tally.deleted.items()}
    assert counts[FileKind.POSITION_DELETES] == counts[FileKind.EQUALITY_DELETES] == 1
    assert not local(old.file_path).exists()
    assert not local(equality.file_path).exists()
    assert needed(lake.load()) <= stored(lake.load())


@pytest.mark.parametrize("version", ["1", "2"])
def test_tables_of_both_older_versions(lake: Lake, version: str) -> None:
    table = lake.create(properties={"format-version": version})
    append_files(table, 4)
    lake.load().overwrite(orders(range(50)))
    Deletion(lake).run(ids(lake.load().metadata)[:-1])
    assert stored(lake.load()) == needed(lake.load())
    assert ids_of(lake.load()) == list(range(50))


def test_statistics_go_unless_a_kept_snapshot_has_the_same_file(lake: Lake) -> None:
    table = history(lake)
    every = ids(table.metadata)
    paths = [f"{table.location()}/metadata/{name}.stats" for name in ("own", "shared")]
    for path in paths:
        local(path).write_bytes(b"statistics")
    for snapshot_id, path in ((every[0], paths[0]), (every[1], paths[1]), (every[-1], paths[1])):
        made = StatisticsFile(snapshot_id=snapshot_id, statistics_path=path, file_size_in_bytes=10,
                              file_footer_size_in_bytes=4, blob_metadata=[])  # fmt: skip
        lake.catalog.commit_table(lake.load(), (), (SetStatisticsUpdate(statistics=made),))
    _, tally, _ = Deletion(lake).run(every[:-1])
    assert tally.deleted[FileKind.STATISTICS].files == 1
    assert [local(path).exists() for path in paths] == [False, True]


@pytest.mark.parametrize(("is_enabled", "left"), [("true", False), ("false", True)])
def test_old_metadata_files_go_only_where_the_table_deletes_them(lake: Lake, is_enabled: str, left: bool) -> None:
    limits = {"write.metadata.previous-versions-max": "3", "write.metadata.delete-after-commit.enabled": is_enabled}
    table = lake.create(properties=limits)
    append_files(table, 6)
    expected = [each.metadata_file for each in lake.load().metadata.metadata_log]
    Deletion(lake).run(ids(lake.load().metadata)[:-1])
    dropped = set(expected) - {each.metadata_file for each in lake.load().metadata.metadata_log}
    assert len(dropped) == 1
    assert [local(path).exists() for path in dropped] == [left]


def test_a_preview_names_what_an_expiry_deletes_and_writes_nothing(lake: Lake) -> None:
    every = ids(history(lake).metadata)
    before = {path for path in lake.folder.rglob("*") if "catalog.db" not in path.name}
    deletion = Deletion(lake)
    found = preview(deletion.view(), every[:-2], Scope.of(deletion.location))
    assert {path for path in lake.folder.rglob("*") if "catalog.db" not in path.name} == before
    recorded, _, _ = deletion.run(every[:-2])
    assert found.files.samples(1000) == recorded.files.samples(1000)


def test_nothing_is_deleted_for_snapshots_that_are_still_there(lake: Lake) -> None:
    every = ids(history(lake).metadata)
    files, before = Deletion(lake).begin(), stored(lake.load())
    files.announce(Deletion(lake).view(), every[:-1])
    assert Deletion(lake).finish(files)[0].files.rows == 0
    assert stored(lake.load()) == before


@pytest.mark.parametrize("which", ["manifest", "manifest list"])
def test_a_file_of_a_kept_snapshot_that_is_missing_ends_it_before_anything_is_deleted(lake: Lake, which: str) -> None:
    table = history(lake)
    every = ids(table.metadata)
    head = table.current_snapshot()
    assert head is not None
    manifests = head.manifests(table.io)
    path = manifests[0].manifest_path if which == "manifest" else head.manifest_list
    files = Deletion(lake).expire(every[:-1])
    local(path).unlink()
    before = stored(lake.load())
    with pytest.raises(Malformed, match=path[-40:]):
        files.find()
    assert stored(lake.load()) == before


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"Obj\x01 no")])
@pytest.mark.parametrize("which", ["manifest", "manifest list"])
def test_a_file_of_an_expired_snapshot_that_is_missing_is_counted_and_the_others_are_deleted(
    lake: Lake, which: str, damage: Callable[[Path], None]
) -> None:
    table = history(lake)
    every = ids(table.metadata)
    snapshots = {each.snapshot_id: each for each in table.metadata.snapshots}
    kept = {each.manifest_path for each in snapshots[every[-1]].manifests(table.io)}
    first = snapshots[every[2]]
    own = [each.manifest_path for each in first.manifests(table.io) if each.manifest_path not in kept]
    damage(local(own[0] if which == "manifest" else first.manifest_list))
    recorded, tally, _ = Deletion(lake).run(every[:-1])
    assert sum(recorded.unread.counts.values()) == 1
    assert tally.deleted[FileKind.DATA].files > 2
    assert needed(lake.load()) <= stored(lake.load())
    assert own[0] not in {row["path"] for row in recorded.files.samples(1000)} or which != "manifest"


def test_gc_enabled_false_forbids_it_at_any_step(lake: Lake) -> None:
    every = ids(history(lake).metadata)
    files = Deletion(lake).expire(every[:-1])
    files.find()
    before = stored(lake.load())
    with lake.load().transaction() as change:
        change.set_properties({"gc.enabled": "false"})
    with pytest.raises(NotEligible, match=r"gc\.enabled"):
        files.delete(Deletion(lake).removal())
    with pytest.raises(NotEligible, match=r"gc\.enabled"):
        Deletion(lake).begin().find()
    assert before <= stored(lake.load())


def test_a_pointer_that_went_back_in_time_ends_it(lake: Lake) -> None:
    table = history(lake)
    files = Deletion(lake).expire(ids(table.metadata)[:-1])
    edit_metadata(lake.load(), lambda body: body.update({"last-updated-ms": body["last-updated-ms"] - 60_000}))
    with pytest.raises(Fatal, match="back in time"):
        files.find()


def test_a_table_inside_the_location_of_another_keeps_its_files(lake: Lake) -> None:
    table = history(lake)
    inner = f"{table.location()}/data/city=Aachen"
    deletion = Deletion(lake, others=[inner.replace("file://", "file:")])
    recorded, _, _ = deletion.run(ids(table.metadata)[:-1])
    assert recorded.refused.counts["of_another_table"] >= 6
    assert all(inner not in row["path"] for row in recorded.files.samples(1000))
    assert len(list(local(inner).iterdir())) >= 6


def test_snapshots_that_another_program_expired_are_left_alone(lake: Lake) -> None:
    every = ids(history(lake).metadata)
    drop_snapshots(lake.load(), every[:3])
    Deletion(lake).run(every[3:-1])
    assert needed(lake.load()) <= stored(lake.load())
