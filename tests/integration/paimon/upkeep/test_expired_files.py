"""Files of expired snapshots of Paimon tables: killed at every step, racing writers, hostile metadata."""

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.domain.errors import TableReplaced, TableUnreadable, Transient
from engine.formats.paimon.removal.records import records_of
from engine.formats.removal.file_lists import FileKind, ListWriter, Origin, listed
from engine.formats.removal.scopes import RECORDS
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import edit_json, edit_manifest
from tests.support.paimon.expiries import (
    RUN,
    expired_with_files,
    expiry,
    files_deleted,
    files_of,
    snapshots_expired,
    stopped_after,
)
from tests.support.paimon.lakes import PaimonLake, made_once

KEYED: Any = {"primary_keys": ["id", "day"], "partition_keys": ["day"], "bucket": "1"}


def compacted(lake: PaimonLake, commits: int = 3, **options: str) -> PaimonLake:
    """A key table with a snapshot for each write, each followed by one of a full compaction."""

    def make(made: PaimonLake) -> None:
        made.create(**KEYED, write_only="true", **options)
        made.write_and_compact(commits)

    return made_once(lake.core, lake.root, f"{commits} commits and compactions {options}", make)


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """A table of three commits and compactions."""
    return compacted(PaimonLake(paimon_core, tmp_path / "warehouse"))


def data_files(lake: PaimonLake) -> set[str]:
    return {each for each in files_of(lake) if "bucket-" in each}


def test_files_of_all_kinds_go_with_the_snapshots_that_needed_them(lake: PaimonLake, tmp_path: Path) -> None:
    lake = compacted(
        replace(lake, root=tmp_path / "other"), deletion_vectors__enabled="true", changelog_producer="lookup"
    )
    rows = lake.call("values")
    plan = expired_with_files(lake, expiry(1))
    assert {"data", "changelogs", "manifests", "manifest_lists"} <= set(plan.files)
    assert lake.call("values") == rows
    assert len([each for each in files_of(lake) if each.startswith("snapshot/")]) == 1
    assert (lake.folder / "snapshot/EARLIEST").read_text() == "6"


def test_deletion_vectors_of_an_append_table_go(lake: PaimonLake, tmp_path: Path) -> None:
    lake = replace(lake, root=tmp_path / "other").create(bucket="-1", deletion_vectors__enabled="true")
    for number in range(3):
        lake.write([[each, "a", float(number)] for each in range(9)])
        lake.call("delete", every=number + 2)
    rows = lake.call("values")
    plan = expired_with_files(lake, expiry(1))
    assert {plan.files["indexes"].files, plan.files["index_manifests"].files} == {2}
    assert "data" not in plan.files
    assert lake.call("values") == rows


def test_a_run_that_deletes_no_files_leaves_them(lake: PaimonLake) -> None:
    before = files_of(lake)
    table, which = lake.open(), expiry(1)
    table.expiry.expire(tuple(table.expiry.plan(which).expired), which, before_try=lambda: None)
    gone = before - files_of(lake)
    assert {each.partition("/")[0] for each in gone} == {"snapshot"}
    assert not (lake.folder / RECORDS).exists()
    assert not lake.open().expired_removal.deletion(RUN, ()).is_pending()


@pytest.mark.parametrize("count", range(6))
def test_an_expiry_that_is_stopped_goes_on(lake: PaimonLake, count: int) -> None:
    which = expiry(1)
    table = lake.open()
    ids = tuple(table.expiry.plan(which).expired)
    assert len(ids) == 5
    expire = table.expiry.expire
    if count < len(ids):
        with pytest.raises(KeyboardInterrupt):
            expire(ids, which, before_try=stopped_after(count), deletes_for=RUN)
        assert sorted(table.expiry.retained(ids)) == list(ids[count:])
        assert len(lake.call("history")["rows"]) == 2 * (6 - count) - 1
    deleted = files_of(lake)
    if count:
        files_deleted(lake.open())
        assert len(lake.call("history")["rows"]) == 2 * (6 - count) - 1 if count < len(ids) else True
    snapshots_expired(lake, which)
    files_deleted(lake.open())
    assert len(data_files(lake)) == 1
    assert files_of(lake) < deleted
    assert lake.call("history")["earliest"] == 6


def test_a_deletion_that_is_stopped_goes_on_with_its_list(lake: PaimonLake) -> None:
    snapshots_expired(lake, expiry(1))
    deletion = lake.open().expired_removal.deletion(RUN, ())
    plan = deletion.record()
    calls: list[int] = []

    def before_batch(requests: int) -> None:
        calls.append(requests)
        if len(calls) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        deletion.advance(before_batch, 60.0)
    assert 0 < deletion.figures().total.files < plan.total.files
    assert lake.open().expired_removal.deletion(RUN, ()).is_pending()
    assert files_deleted(lake.open()).files == plan.files
    assert sum(batch.num_rows for batch in lake.open().expired_removal.deleted_files(RUN)) == plan.total.files
    assert not lake.open().expired_removal.deletion(RUN, ()).is_pending()
    assert len(data_files(lake)) == 1


def test_a_tag_of_an_expiring_snapshot_keeps_its_files(lake: PaimonLake) -> None:
    lake.call("create_tag", name="before", snapshot=1)
    which = expiry(1)
    table = lake.open()
    ids = tuple(table.expiry.plan(which).expired)

    def tagging() -> None:
        if not (lake.folder / "tag/tag-late").exists():
            lake.call("create_tag", name="late", snapshot=4)
            lake.call("create_branch", name="b", tag="late")

    table.expiry.expire(ids, which, before_try=tagging, deletes_for=RUN)
    deletion = lake.open().expired_removal.deletion(RUN, ())
    deletion.record()
    while deletion.advance(lambda _requests: None, 60.0):
        pass
    assert all(each.holds for each in deletion.prove())
    rows = lake.call("history")["rows"]
    assert set(rows) == {"snapshot 6", "tag before", "tag late", "branch b"}
    assert (len(rows["tag before"]), len(rows["branch b"])) == (5, 5)


def test_writers_commit_and_compact_during_a_deletion(lake: PaimonLake) -> None:
    which = expiry(1)
    table = lake.open()

    def writing() -> None:
        lake.write([[1, "b", 2.0]])

    table.expiry.expire(tuple(table.expiry.plan(which).expired), which, before_try=writing, deletes_for=RUN)
    deletion = lake.open().expired_removal.deletion(RUN, ())
    deletion.record()
    lake.compact()
    lake.call("expire", retained=1)
    while deletion.advance(lambda _requests: lake.write([[2, "b", 3.0]]), 60.0):
        pass
    assert all(each.holds for each in deletion.prove())
    assert [row[0] for row in lake.call("values") if row[1] == "b"] == [1, 2]


def test_a_rollback_stops_an_expiry(lake: PaimonLake) -> None:
    which = expiry(1)
    table = lake.open()
    ids = tuple(table.expiry.plan(which).expired)
    steps = iter([False, False, True])

    def rolling_back() -> None:
        if next(steps):
            lake.call("roll_back", snapshot=4)

    with pytest.raises(Transient, match="rolled back"):
        table.expiry.expire(ids, which, before_try=rolling_back, deletes_for=RUN)
    assert lake.open().head_snapshot_id == 4
    files_deleted(lake.open())
    assert {"snapshot 3", "snapshot 4"} <= set(lake.call("history")["rows"])


def test_a_rollback_to_a_tag_keeps_its_files(lake: PaimonLake) -> None:
    lake.call("create_tag", name="t", snapshot=2)
    rows = lake.call("history")["rows"]["tag t"]
    snapshots_expired(lake, expiry(1))
    lake.call("roll_back_to_tag", name="t")
    files_deleted(lake.open())
    assert lake.open().head_snapshot_id == 2
    assert lake.call("values") == rows


def test_a_branch_of_a_snapshot_whose_changelog_expired_stops_no_deletion(lake: PaimonLake, tmp_path: Path) -> None:
    lake = compacted(replace(lake, root=tmp_path / "other"), changelog_producer="lookup")
    lake.call("create_tag", name="t", snapshot=2)
    lake.call("create_branch", name="b", tag="t")
    rows = lake.call("history")["rows"]["branch b"]
    lake.call("expire", retained=2)
    snapshot = json.loads((lake.folder / "branch/branch-b/snapshot/snapshot-2").read_text())
    assert not (lake.folder / "manifest" / snapshot["changelogManifestList"]).exists()
    plan = expired_with_files(lake, expiry(1))
    assert plan.files["data"].files == 2
    assert lake.call("history")["rows"]["branch b"] == rows


def test_another_table_of_this_name_loses_nothing(lake: PaimonLake) -> None:
    snapshots_expired(lake, expiry(1))
    schema = lake.folder / "schema/schema-0"
    edit_json(schema, timeMillis=json.loads(schema.read_text())["timeMillis"] + 1)
    before = files_of(lake)
    with pytest.raises(TableReplaced):
        lake.open().expired_removal.deletion(RUN, ()).record()
    assert files_of(lake) == before


def renamed(lake: PaimonLake) -> None:
    """Give the table's name to another table, as a job does that replaces a table by a new version."""
    lake.folder.rename(lake.folder.with_name("old"))
    (lake.folder.with_name("new")).rename(lake.folder)


def test_a_table_that_takes_the_name_before_the_expiry_loses_nothing(lake: PaimonLake) -> None:
    which = expiry(1)
    lake.call("create_tag", name="t", snapshot=2, seconds=1.0)
    shutil.copytree(lake.folder, lake.folder.with_name("new"))
    schema = lake.folder.with_name("new") / "schema/schema-0"
    edit_json(schema, timeMillis=json.loads(schema.read_text())["timeMillis"] + 1)
    table = lake.open()
    plan = table.expiry.plan(which)
    assert (len(plan.expired), list(plan.tags)) == (5, ["t"])
    renamed(lake)
    before = files_of(lake)
    for remove in (
        lambda: table.expiry.expire(tuple(plan.expired), which, before_try=lambda: None, deletes_for=RUN),
        lambda: table.expiry.expire_tags(("t",), which, before_try=lambda: None, deletes_for=RUN),
        lambda: table.expiry.retained(tuple(plan.expired)),
        lambda: table.expiry.retained_tags(("t",)),
    ):
        with pytest.raises(TableReplaced):
            remove()
    assert files_of(lake) == before


def test_a_file_below_another_table_stays(lake: PaimonLake) -> None:
    snapshots_expired(lake, expiry(1))
    plan = files_deleted(lake.open(), others=[f"{lake.folder}/day=a"])
    assert "data" not in plan.files
    assert plan.details["refused"]["counts"] == {"of_another_table": 4}


def test_f30_a_folder_that_is_a_link_deletes_no_file_of_others(lake: PaimonLake) -> None:
    """The owner of a table replaces the folder of a partition by a link to files with the names of expired ones."""
    snapshots_expired(lake, expiry(1))
    own, theirs = lake.folder / "day=a", lake.root / "theirs"
    own.rename(theirs)
    own.symlink_to(theirs)
    before = sorted(theirs.rglob("*"))
    plan = files_deleted(lake.open())
    assert "data" not in plan.files
    assert plan.details["refused"]["counts"] == {"behind_a_link": 4}
    assert sorted(theirs.rglob("*")) == before


@pytest.mark.parametrize("path", ["{root}/victim", "{root}/lake.db/events/day=a/../../../victim"])
def test_external_paths_lead_nowhere(lake: PaimonLake, path: str) -> None:
    victim = lake.root / "victim"
    victim.write_text("of another program")
    edit_files(lake, _EXTERNAL_PATH=path.format(root=lake.root))
    lake.write([[9, "c", 1.0]])
    snapshots_expired(lake, expiry(1))
    plan = files_deleted(lake.open())
    assert plan.details["refused"]["counts"] == {"outside": 1}
    assert plan.total.files > 0
    assert victim.exists()


def edit_files(lake: PaimonLake, **changes: Any) -> None:
    """Change fields of every data file in a manifest of the newest snapshot."""

    def change(entries: list[Any]) -> None:
        for each in entries:
            each["_FILE"].update(changes)

    edit_manifest(lake.folder, change)


def add_an_entry_of_no_kind(lake: PaimonLake) -> None:
    def add(entries: list[Any]) -> None:
        entries.append({**next(each for each in entries if each["_KIND"] == 0), "_KIND": 2})

    edit_manifest(lake.folder, add)


def damage_a_tag(lake: PaimonLake) -> None:
    lake.call("create_tag", name="t", snapshot=2)
    edit_json(lake.folder / "tag/tag-t", baseManifestList="../../../../etc/passwd")


def a_changelog(lake: PaimonLake, **changes: Any) -> None:
    """Write a long-lived changelog by hand: a copy of the second snapshot, changed."""
    folder = lake.folder / "changelog"
    folder.mkdir()
    (folder / "changelog-2").write_bytes((lake.folder / "snapshot/snapshot-2").read_bytes())
    edit_json(folder / "changelog-2", **changes)


HOSTILE: Mapping[str, tuple[Callable[[PaimonLake], None], str]] = {
    "extra file with folders": (lambda lake: edit_files(lake, _EXTRA_FILES=["../../../../victim"]), "file name"),
    "name with folders": (lambda lake: edit_files(lake, _FILE_NAME="../../../../victim"), "file name"),
    "entry that neither adds nor deletes": (add_an_entry_of_no_kind, "neither add nor delete"),
    "damaged tag": (damage_a_tag, "tag-t"),
    "damaged changelog": (lambda lake: a_changelog(lake, changelogManifestList="../../../../victim"), "changelog-2"),
}


@pytest.mark.parametrize("label", HOSTILE)
def test_hostile_metadata_stops_the_expiry_before_anything_is_removed(lake: PaimonLake, label: str) -> None:
    edit, text = HOSTILE[label]
    victim = lake.root / "victim"
    victim.write_text("of another program")
    assert (lake.folder / "day=a/bucket-0/../../../../victim").samefile(victim)
    edit(lake)
    if "folders" in label:
        lake.write([[9, "c", 1.0]])
    before, table, which = files_of(lake), lake.open(), expiry(1)
    with pytest.raises(TableUnreadable, match=text):
        table.expiry.expire(tuple(table.expiry.plan(which).expired), which, before_try=lambda: None, deletes_for=RUN)
    assert files_of(lake) == before
    assert victim.exists()


@pytest.mark.parametrize("field", ["baseManifestList", "indexManifest", "statistics"])
def test_f30_a_tag_that_is_changed_in_place_before_the_deletion_keeps_what_it_names_now(
    lake: PaimonLake, field: str
) -> None:
    """Its owner changes one name in the tag's file, which has the time and the changes of before."""
    lake.call("create_tag", name="t", snapshot=5)
    expired = json.loads((lake.folder / "snapshot/snapshot-3").read_text())["baseManifestList"]
    snapshots_expired(lake, expiry(1))
    deletion = lake.open().expired_removal.deletion(RUN, ())
    assert deletion.record().files["manifest_lists"].files > 1
    edit_json(lake.folder / "tag/tag-t", **{field: expired})
    with suppress(TableUnreadable):  # a manifest list is no index manifest
        while deletion.advance(lambda _requests: None, 60.0):
            pass
    assert (lake.folder / "manifest" / expired).exists()


def a_linked_branch(lake: PaimonLake) -> None:
    lake.call("create_tag", name="t", snapshot=2)
    lake.call("create_branch", name="b", tag="t")
    (lake.folder / "tag/tag-t").unlink()
    branch = lake.folder / "branch/branch-b"
    branch.symlink_to(branch.rename(lake.root / "elsewhere"))


def a_tag_of_no_snapshot(lake: PaimonLake) -> None:
    lake.call("create_tag", name="t", snapshot=2)
    edit_json(lake.folder / "tag/tag-t", id=77)


CRAFTED: Mapping[str, tuple[Callable[[PaimonLake], None], str]] = {
    "a gap in the snapshots": (lambda lake: (lake.folder / "snapshot/snapshot-3").unlink(), "snapshot 6"),
    "a branch that is a link": (a_linked_branch, "branch b"),
    "a tag of a snapshot that there is not": (a_tag_of_no_snapshot, "tag t"),
}


@pytest.mark.parametrize("label", CRAFTED)
def test_f30_a_crafted_history_loses_no_rows_of_what_stays(lake: PaimonLake, label: str) -> None:
    craft, kept = CRAFTED[label]
    rows = lake.call("values")
    craft(lake)
    snapshots_expired(lake, expiry(1))
    assert files_deleted(lake.open()).total.files > 0
    left = lake.call("history")["rows"]
    assert (left.keys(), left["snapshot 6"]) == ({"snapshot 6", kept}, rows)
    assert len(left[kept]) == 5


def test_f30_a_changelog_that_its_owner_writes_keeps_what_it_names(lake: PaimonLake) -> None:
    """Its id is none of a snapshot, and its list of changes that of another one."""
    first, second = (json.loads((lake.folder / f"snapshot/snapshot-{each}").read_text()) for each in (1, 2))
    a_changelog(lake, id=99, **{name: first[name] for name in ("deltaManifestList", "deltaManifestListSize")})
    snapshots_expired(lake, expiry(1))
    files_deleted(lake.open())
    kept = {second["baseManifestList"], first["deltaManifestList"]}
    assert kept <= {each.name for each in (lake.folder / "manifest").iterdir()}
    assert second["deltaManifestList"] not in {each.name for each in (lake.folder / "manifest").iterdir()}


def test_lists_in_the_store_are_not_trusted(lake: PaimonLake) -> None:
    """A stored list that names live files, and files elsewhere, deletes none of them."""
    view = lake.open()._view
    live = [str(each) for each in lake.folder.rglob("*") if each.is_file()]
    victim = lake.root / "victim"
    victim.write_text("of another program")
    named = [*live, str(victim), f"{lake.folder}/../../victim", f"{lake.folder}/snapshot/../../../victim"]
    writer = ListWriter(Origin(view.uuid, 7, 0))
    for kind in (FileKind.DATA, FileKind.MANIFEST, FileKind.STATISTICS):
        writer.add(listed(named, kind))
    records_of(view.files, RUN).write_roots(writer.finish())
    rows, before = lake.call("history")["rows"], files_of(lake)
    files_deleted(lake.open())
    assert victim.exists()
    assert lake.call("history")["rows"] == rows
    assert files_of(lake) == before


def test_missing_files_of_expiring_snapshots_are_counted(lake: PaimonLake) -> None:
    snapshot = json.loads((lake.folder / "snapshot/snapshot-4").read_text())
    (lake.folder / "manifest" / snapshot["deltaManifestList"]).unlink()
    table, which = lake.open(), expiry(1)
    table.expiry.expire(tuple(table.expiry.plan(which).expired), which, before_try=lambda: None, deletes_for=RUN)
    plan = files_deleted(table)
    assert plan.details["unread"]["counts"] == {"missing": 1}
    assert len(data_files(lake)) == 2, "one that only the fourth snapshot removed is unknown"


def test_a_partition_that_cannot_be_read_in_an_expiring_snapshot_is_counted(lake: PaimonLake) -> None:

    def lengthen(entries: list[Any]) -> None:
        for each in entries:
            if each["_KIND"] == 1:
                each["_PARTITION"] = each["_PARTITION"][:-1] + b"\xff"

    edit_manifest(lake.folder, lengthen)
    lake.write([[9, "c", 1.0]])
    table, which, before = lake.open(), expiry(1), data_files(lake)
    table.expiry.expire(tuple(table.expiry.plan(which).expired), which, before_try=lambda: None, deletes_for=RUN)
    plan = files_deleted(table)
    assert plan.details["unread"]["counts"] == {"damaged": 1}
    assert plan.details["left_out"]["errors"] == 1
    assert plan.details["left_out"]["items"][0]["detail"]
    assert plan.files["data"].files == len(before - data_files(lake)) == 2, "those that the fourth snapshot removed"


def test_absurd_counts_are_unreadable(lake: PaimonLake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.formats.paimon.metadata.documents.MOST_DOCUMENTS", 5)
    with pytest.raises(TableUnreadable, match="more than 5"):
        lake.open().expired_removal.preview([1], ())


def test_documents_that_are_too_large_together_are_unreadable(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.call("create_tag", name="t", snapshot=1)
    tag, snapshots = lake.folder / "tag/tag-t", list((lake.folder / "snapshot").glob("snapshot-*"))
    limit = sum(each.stat().st_size for each in (tag, *snapshots))
    monkeypatch.setattr("engine.formats.paimon.metadata.documents.MOST_BYTES", limit)
    lake.open().expired_removal.preview([1], ())
    edit_json(tag, properties={"x": "y" * limit})
    with pytest.raises(TableUnreadable, match="MiB"):
        lake.open().expired_removal.preview([1], ())
    with pytest.raises(TableUnreadable, match="MiB"):
        lake.open().expiry.plan(expiry(1))
