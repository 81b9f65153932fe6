"""Files that only expired snapshots needed: found, recorded, deleted and proven, whatever else the table has."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.expressions import EqualTo
from pyiceberg.table import Table
from pyiceberg.table.statistics import StatisticsFile
from pyiceberg.table.update import SetStatisticsUpdate

from engine.domain.errors import Fatal, NotEligible
from engine.formats.iceberg.removal.expired_files import preview
from engine.formats.intake.limits import Malformed
from engine.formats.removal.file_lists import FileKind
from engine.formats.removal.scopes import Scope
from tests.support.expired_files import Deletion, drop_snapshots, ids, needed, stored
from tests.support.iceberg_tables import (
    BY_CITY,
    Lake,
    PreparedLake,
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


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> PreparedLake:
    return PreparedLake.filled(tmp_path_factory.mktemp("history"), history)


@pytest.fixture
def past(prepared: PreparedLake) -> Iterator[Lake]:
    """A lake with the table of `history`."""
    with prepared.restored() as lake:
        yield lake


def rows_of_all(lake: Lake) -> dict[int, list[int]]:
    table = lake.load()
    found = {}
    for each in ids(table.metadata):
        column = table.scan(snapshot_id=each, selected_fields=("id",)).to_arrow()["id"].to_pylist()
        found[each] = sorted(column)
    return found


def test_everything_that_no_kept_snapshot_needs_is_deleted_and_nothing_else(past: Lake) -> None:
    every = ids(past.load().metadata)
    rows, before = rows_of_all(past), stored(past.load())
    recorded, tally, proof = Deletion(past).run(every[:-2])
    table = past.load()
    assert needed(table) <= stored(table)
    left = stored(table) - needed(table)
    assert left == set(), "nothing is left over: every file of the expired snapshots is gone"
    assert all(each.holds for each in proof)
    assert rows_of_all(past) == {each: rows[each] for each in every[-2:]}
    assert sum(each.files for each in tally.deleted.values()) == len(before - stored(table))
    assert set(tally.deleted) == {FileKind.DATA, FileKind.MANIFEST, FileKind.MANIFEST_LIST}
    assert (tally.failed, recorded.refused.counts, recorded.unread.counts) == ({}, {}, {})


def test_the_list_of_files_stays_and_what_is_needed_for_a_repetition_does_not(past: Lake) -> None:
    every = ids(past.load().metadata)
    recorded, tally, _ = Deletion(past).run(every[:-1])
    folder = local(recorded.path).parent
    assert [path.name for path in folder.iterdir()] == ["files-1.parquet"]
    assert recorded.files.counts() == tally.deleted
    assert not Deletion(past).begin().is_pending()
    assert Deletion(past).finish(Deletion(past).begin())[1].deleted == {}
    assert [path.name for path in folder.iterdir()] == ["files-1.parquet"]


def test_a_second_expiry_of_a_run_has_a_list_of_its_own(past: Lake) -> None:
    every = ids(past.load().metadata)
    first, _, _ = Deletion(past).run(every[:5])
    second, _, _ = Deletion(past).run(every[5:-1])
    assert (local(first.path).name, local(second.path).name) == ("files-1.parquet", "files-2.parquet")
    assert stored(past.load()) == needed(past.load())


@pytest.mark.parametrize("kept", ["tag", "branch"])
def test_a_snapshot_that_a_reference_keeps_loses_nothing(past: Lake, kept: str) -> None:
    table = past.load()
    every = ids(table.metadata)
    manage = table.manage_snapshots()
    (manage.create_tag(every[3], "old") if kept == "tag" else manage.create_branch(every[3], "old")).commit()
    rows = rows_of_all(past)
    Deletion(past).run([each for each in every[:-1] if each != every[3]])
    assert rows_of_all(past) == {each: rows[each] for each in (every[3], every[-1])}
    assert stored(past.load()) == needed(past.load())


def test_files_of_a_history_that_was_rolled_back_are_deleted(past: Lake) -> None:
    table = past.load()
    every = ids(table.metadata)
    table.manage_snapshots().set_current_snapshot(every[4]).commit()
    append_files(past.load(), 1, first=9000)
    rows = rows_of_all(past)
    head = ids(past.load().metadata)[-1]
    Deletion(past).run([each for each in ids(past.load().metadata) if each not in (every[4], head)])
    assert rows_of_all(past) == {each: rows[each] for each in (every[4], head)}
    assert stored(past.load()) == needed(past.load())


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


def test_statistics_go_unless_a_kept_snapshot_has_the_same_file(past: Lake) -> None:
    table = past.load()
    every = ids(table.metadata)
    paths = [f"{table.location()}/metadata/{name}.stats" for name in ("own", "shared")]
    for path in paths:
        local(path).write_bytes(b"statistics")
    for snapshot_id, path in ((every[0], paths[0]), (every[1], paths[1]), (every[-1], paths[1])):
        made = StatisticsFile(snapshot_id=snapshot_id, statistics_path=path, file_size_in_bytes=10,
                              file_footer_size_in_bytes=4, blob_metadata=[])  # fmt: skip
        past.catalog.commit_table(past.load(), (), (SetStatisticsUpdate(statistics=made),))
    _, tally, _ = Deletion(past).run(every[:-1])
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


def test_a_preview_names_what_an_expiry_deletes_and_writes_nothing(past: Lake) -> None:
    every = ids(past.load().metadata)
    before = {path for path in past.folder.rglob("*") if "catalog.db" not in path.name}
    deletion = Deletion(past)
    found = preview(deletion.view(), every[:-2], Scope.of(deletion.location))
    assert {path for path in past.folder.rglob("*") if "catalog.db" not in path.name} == before
    recorded, _, _ = deletion.run(every[:-2])
    assert found.files.samples(1000) == recorded.files.samples(1000)


def test_nothing_is_deleted_for_snapshots_that_are_still_there(past: Lake) -> None:
    every = ids(past.load().metadata)
    files, before = Deletion(past).begin(), stored(past.load())
    files.announce(Deletion(past).view(), every[:-1])
    assert Deletion(past).finish(files)[0].files.rows == 0
    assert stored(past.load()) == before


@pytest.mark.parametrize("which", ["manifest", "manifest list"])
def test_a_file_of_a_kept_snapshot_that_is_missing_ends_it_before_anything_is_deleted(past: Lake, which: str) -> None:
    table = past.load()
    every = ids(table.metadata)
    head = table.current_snapshot()
    assert head is not None
    manifests = head.manifests(table.io)
    path = manifests[0].manifest_path if which == "manifest" else head.manifest_list
    files = Deletion(past).expire(every[:-1])
    local(path).unlink()
    before = stored(past.load())
    with pytest.raises(Malformed, match=path[-40:]):
        files.find()
    assert stored(past.load()) == before


@pytest.mark.parametrize("damage", [lambda path: path.unlink(), lambda path: path.write_bytes(b"Obj\x01 no")])
@pytest.mark.parametrize("which", ["manifest", "manifest list"])
def test_a_file_of_an_expired_snapshot_that_is_missing_is_counted_and_the_others_are_deleted(
    past: Lake, which: str, damage: Callable[[Path], None]
) -> None:
    table = past.load()
    every = ids(table.metadata)
    snapshots = {each.snapshot_id: each for each in table.metadata.snapshots}
    kept = {each.manifest_path for each in snapshots[every[-1]].manifests(table.io)}
    first = snapshots[every[2]]
    own = [each.manifest_path for each in first.manifests(table.io) if each.manifest_path not in kept]
    damage(local(own[0] if which == "manifest" else first.manifest_list))
    recorded, tally, _ = Deletion(past).run(every[:-1])
    assert sum(recorded.unread.counts.values()) == 1
    assert tally.deleted[FileKind.DATA].files > 2
    assert needed(past.load()) <= stored(past.load())
    assert own[0] not in {row["path"] for row in recorded.files.samples(1000)} or which != "manifest"


def test_gc_enabled_false_forbids_it_at_any_step(past: Lake) -> None:
    every = ids(past.load().metadata)
    files = Deletion(past).expire(every[:-1])
    files.find()
    before = stored(past.load())
    with past.load().transaction() as change:
        change.set_properties({"gc.enabled": "false"})
    with pytest.raises(NotEligible, match=r"gc\.enabled"):
        files.delete(Deletion(past).removal())
    with pytest.raises(NotEligible, match=r"gc\.enabled"):
        Deletion(past).begin().find()
    assert before <= stored(past.load())


def test_a_pointer_that_went_back_in_time_ends_it(past: Lake) -> None:
    table = past.load()
    files = Deletion(past).expire(ids(table.metadata)[:-1])
    edit_metadata(past.load(), lambda body: body.update({"last-updated-ms": body["last-updated-ms"] - 60_000}))
    with pytest.raises(Fatal, match="back in time"):
        files.find()


def test_a_table_inside_the_location_of_another_keeps_its_files(past: Lake) -> None:
    table = past.load()
    inner = f"{table.location()}/data/city=Aachen"
    deletion = Deletion(past, others=[inner.replace("file://", "file:")])
    recorded, _, _ = deletion.run(ids(table.metadata)[:-1])
    assert recorded.refused.counts["of_another_table"] >= 6
    assert all(inner not in row["path"] for row in recorded.files.samples(1000))
    assert len(list(local(inner).iterdir())) >= 6


def test_snapshots_that_another_program_expired_are_left_alone(past: Lake) -> None:
    every = ids(past.load().metadata)
    drop_snapshots(past.load(), every[:3])
    Deletion(past).run(every[3:-1])
    assert needed(past.load()) <= stored(past.load())
