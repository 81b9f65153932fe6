"""Orphans of Paimon tables: only files with names of Paimon that two looks found are deleted, and no needed ones."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pytest

from engine.domain.errors import NotEligible, StateConflict, TableReplaced, TableUnreadable
from engine.domain.runs.removals import InventoryPlace
from engine.formats.base import FileDeletion
from engine.formats.removal.file_lists import Origin
from engine.formats.removal.searches import CANDIDATES, Search
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.edits import delta_list, delta_manifest, edit_json, edit_manifest, newest
from tests.support.paimon.expiries import expired_with_files, expiry, files_of
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.paimon.orphans import (
    DOCUMENTS,
    IN_BUCKETS,
    IN_TABLE,
    OF_OTHERS,
    RULE,
    deleted,
    looked,
    place,
    removed,
)
from tests.upkeep.orphans import LONG_AGO, grow_old, pass_quarantine, set_age

KEYED: Any = {"primary_keys": ["id"], "bucket": "1", "write_only": "true"}


@pytest.fixture
def lake(paimon_core: PaimonCore, tmp_path: Path) -> PaimonLake:
    """A key table without partitions, of six snapshots, a tag and a branch."""

    def make(lake: PaimonLake) -> None:
        lake.create(**KEYED, changelog_producer="lookup")
        lake.write_and_compact()
        lake.call("create_tag", name="t", snapshot=2)
        lake.call("create_branch", name="b", tag="t")

    return made_once(paimon_core, tmp_path / "warehouse", "six snapshots, a tag and a branch", make)


def looked_twice(lake: PaimonLake) -> FileDeletion:
    """Return a deletion that has looked after the quarantine of what another one has found."""
    grow_old(lake.folder)
    looked(lake.open())
    pass_quarantine(lake.folder, RULE.quarantine)
    return looked(lake.open())


def history(lake: PaimonLake) -> Any:
    return lake.call("history")["rows"]


def test_orphans_of_every_kind_go_and_nothing_else(lake: PaimonLake) -> None:
    rows, before = history(lake), files_of(lake)
    for name in IN_BUCKETS:
        place(lake.folder, f"bucket-0/{name}")
    for name in (*IN_TABLE, "branch/branch-b/snapshot/.snapshot-2.{}.tmp", "bucket-postpone/data-{}-0.orc"):
        place(lake.folder, name)
    kept = {str(place(lake.folder, each).relative_to(lake.folder)) for each in (*OF_OTHERS, *DOCUMENTS)}
    figures = removed(lake)
    assert files_of(lake) == before | kept
    assert {kind: count.files for kind, count in figures.deleted.items()} == {
        "data": 9,
        "changelogs": 2,
        "indexes": 2,
        "statistics": 1,
        "metadata_files": 5,
        "manifests": 1,
        "manifest_lists": 1,
        "index_manifests": 1,
    }
    assert history(lake) == rows
    plan = looked(lake.open()).record()
    assert plan.details["look"]["unreferenced"]["files"] == 0
    assert plan.details["refused"]["counts"] == {"other_name": len(OF_OTHERS)}


def test_files_of_partitions_go_from_their_folders_only(paimon_core: PaimonCore, tmp_path: Path) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "other").create(
        partition_keys=["day"], bucket="-1", data_file__prefix="part.", data_file__path_directory="rows"
    )
    lake.write([[1, "a/b", 1.0], [2, "c", 2.0]])
    before = files_of(lake)
    for name in ("day=c/bucket-0/part.{}-0.parquet", "day=gone/bucket-0/part.{}-0.parquet"):
        place(lake.folder, f"rows/{name}")
    stays = ("bucket-0/part.{}-0.parquet", "day=c/bucket-0/partX{}-0.parquet", "a=1/day=c/bucket-0/part.{}-0.parquet")
    kept = {str(place(lake.folder, f"rows/{each}").relative_to(lake.folder)) for each in stays}
    kept.add(str(place(lake.folder, "day=c/bucket-0/part.{}-0.parquet").relative_to(lake.folder)))
    assert removed(lake).total.files == 2
    assert files_of(lake) == before | kept


def test_files_of_lost_writers_go_and_those_that_are_committed_late_stay(
    paimon_core: PaimonCore, tmp_path: Path
) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "other").create(bucket="-1")
    lake.write([[1, "b", 1.0]])
    before = files_of(lake)
    lake.write([[2, "b", 1.0]], is_lost=True)
    (lost,) = files_of(lake) - before
    lake.write([[3, "b", 1.0]], is_lost=True)
    (late,) = files_of(lake) - before - {lost}
    second = looked_twice(lake)
    assert second.record().total.files == 2
    lake.call("commit_lost")
    assert deleted(second).total.files == 1
    assert (late in files_of(lake), lost in files_of(lake)) == (True, False)
    assert lake.call("ids") == [1, 3]


def test_files_of_lost_writers_that_postpone_the_bucket_go(paimon_core: PaimonCore, tmp_path: Path) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "other").create(**{**KEYED, "bucket": "-2"}, data_file__prefix="part-")
    lake.write([[1, "b", 1.0]])
    before = files_of(lake)
    lake.write([[2, "b", 1.0]], is_lost=True)
    (lost,) = files_of(lake) - before
    assert lost.startswith("bucket-postpone/part--u-")
    assert removed(lake).total.files == 1
    assert files_of(lake) == before


def test_writers_and_expiries_between_the_looks_and_during_the_deletion_lose_nothing(lake: PaimonLake) -> None:
    place(lake.folder, "bucket-0/data-{}-0.parquet")
    grow_old(lake.folder)
    looked(lake.open())
    lake.write([[9, "b", 1.0]])
    lake.compact()
    pass_quarantine(lake.folder, RULE.quarantine)
    second = looked(lake.open())
    assert second.record().total.files == 1

    def working(_requests: int) -> None:
        lake.call("roll_back_to_tag", name="t")
        lake.write([[10, "b", 1.0]])
        lake.call("delete_tag", name="t")

    assert second.advance(working, 60.0) is False
    assert all(each.holds for each in second.prove())
    assert second.figures().total.files == 1
    assert len(lake.call("values")) == 6
    assert len(history(lake)["branch b"]) == 5


def test_files_that_a_rollback_left_go(lake: PaimonLake) -> None:
    lake.call("roll_back", snapshot=3)
    rows = history(lake)
    assert {"snapshot 3", "tag t", "branch b"} <= set(rows)
    assert removed(lake).deleted["data"].files == 3, "Paimon's rollback leaves the files of later snapshots"
    assert history(lake) == rows


def test_orphans_go_after_a_rollback_to_a_tag_whose_changelog_expired(paimon_core: PaimonCore, tmp_path: Path) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "other").create(**KEYED, changelog_producer="lookup")
    lake.write_and_compact(2)
    lake.call("create_tag", name="t", snapshot=2)
    expired_with_files(lake, expiry(1))
    lake.call("roll_back_to_tag", name="t")
    snapshot = json.loads((lake.folder / "snapshot/snapshot-2").read_text())
    assert not (lake.folder / "manifest" / snapshot["changelogManifestList"]).exists()
    place(lake.folder, "bucket-0/data-{}-0.parquet")
    values = lake.call("values")
    assert removed(lake).deleted["data"].files == 2, "the placed one, and that of the snapshot before the rollback"
    assert lake.call("values") == values


def test_expired_files_that_a_run_left_are_orphans(lake: PaimonLake) -> None:
    table, which = lake.open(), expiry(1)
    table.expiry.expire(tuple(table.expiry.plan(which).expired), which, before_try=lambda: None)
    rows = history(lake)
    assert removed(lake).total.files > 0
    assert history(lake) == rows
    expired_with_files(lake, which)


def test_files_of_open_runs_and_of_other_tables_stay(lake: PaimonLake) -> None:
    for name in ("run_1open-00001-1-17.parquet", "data-{}-0.parquet"):
        place(lake.folder, f"bucket-0/{name}")
    assert removed(lake, others=[f"{lake.folder}/bucket-0"]).total.files == 0
    assert removed(lake, open_runs=["run_1open"]).total.files == 1
    assert removed(lake, run_id="run_2").total.files == 1


def test_one_look_young_files_and_changed_ones_delete_nothing(lake: PaimonLake) -> None:
    path = place(lake.folder, "bucket-0/data-{}-0.parquet")
    young = place(lake.folder, "bucket-0/data-{}-0.parquet")
    grow_old(lake.folder)
    set_age(young, RULE.age / 2)
    assert looked(lake.open()).record().details["look"]["unreferenced"]["files"] == 1
    pass_quarantine(lake.folder, RULE.quarantine)
    path.write_bytes(b"larger than before")
    set_age(path, LONG_AGO)
    assert looked(lake.open()).record().total.files == 0, "its quarantine begins again"


def test_a_dry_run_writes_nothing(lake: PaimonLake) -> None:
    place(lake.folder, "bucket-0/data-{}-0.parquet")
    grow_old(lake.folder)
    before = sorted(lake.folder.rglob("*"))
    plan = lake.open().orphan_removal.preview(RULE, (), (), lambda _: None)
    assert plan.details["look"]["unreferenced"] == {"files": 1, "bytes": 6}
    assert sorted(lake.folder.rglob("*")) == before


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: _cut(delta_manifest(folder)),
        lambda folder: _cut(delta_list(folder)),
        lambda folder: delta_manifest(folder).unlink(),
        lambda folder: delta_list(folder).unlink(),
        lambda folder: edit_json(folder / "tag/tag-t", baseManifestList="../../../etc/passwd"),
        lambda folder: (folder / "tag/tag-t").write_text("{"),
        lambda folder: edit_json(folder / "branch/branch-b/snapshot/snapshot-2", deltaManifestList="manifest-list-x"),
        lambda folder: edit_json(newest(folder), indexManifest="index-manifest-gone"),
        lambda folder: edit_manifest(folder, lambda found: found[0]["_FILE"].update(_FILE_NAME="..")),
        lambda folder: edit_manifest(folder, lambda found: found[0].update(_KIND=2)),
        lambda folder: edit_manifest(folder, lambda found: found[0]["_FILE"].update(_EXTRA_FILES=["../x"])),
    ],
)
def test_damaged_metadata_deletes_nothing(lake: PaimonLake, damage: Callable[[Path], object]) -> None:
    place(lake.folder, "bucket-0/data-{}-0.parquet")
    second = looked_twice(lake)
    assert second.record().total.files == 1
    lake.write([[11, "b", 1.0]])
    damage(lake.folder)
    before = files_of(lake)
    with pytest.raises(TableUnreadable):
        second.advance(lambda _: None, 60.0)
    with pytest.raises(TableUnreadable):
        looked(lake.open())
    assert files_of(lake) == before


def test_links_are_not_followed(lake: PaimonLake) -> None:
    elsewhere = lake.root / "elsewhere"
    target = place(elsewhere, "data-{}-0.parquet")
    (lake.folder / "bucket-1").symlink_to(elsewhere)
    (lake.folder / f"bucket-0/{target.name}").symlink_to(target)
    (lake.folder / "index").mkdir(exist_ok=True)
    (lake.folder / "statistics").symlink_to("/etc")
    assert removed(lake).total.files == 0
    assert target.exists()


def test_stored_looks_are_not_trusted(lake: PaimonLake) -> None:
    """A look that names live files, and files elsewhere, as orphans for years deletes none of them."""
    grow_old(lake.folder)
    victim = lake.root / "victim"
    victim.write_text("of another program")
    paths = [str(each) for each in (*lake.folder.rglob("*"), victim) if each.is_file()]
    stats = [Path(each).stat() for each in paths]
    files = pa.table(
        [paths, [each.st_size for each in stats], [each.st_mtime_ns // 1000 for each in stats], [1] * len(paths)],
        schema=CANDIDATES,
    )
    look = Search(Origin(lake.open()._view.uuid, 7, 0), 2, 1, (), files)
    folder = lake.folder / "packhouse-deletions/orphans"
    folder.mkdir(parents=True)
    (folder / "look-1.parquet").write_bytes(look.body())
    before, rows = files_of(lake), history(lake)
    assert deleted(looked(lake.open())).total.files == 0
    assert (files_of(lake), history(lake), victim.exists()) == (before, rows, True)


def test_a_look_at_another_table_of_this_name_does_not_count(lake: PaimonLake) -> None:
    grow_old(lake.folder)
    looked(lake.open())
    schema = lake.folder / "schema/schema-0"
    edit_json(schema, timeMillis=json.loads(schema.read_text())["timeMillis"] + 1)
    with pytest.raises(TableReplaced):
        looked(lake.open())


def test_a_table_inside_that_is_not_registered_stops_the_search(lake: PaimonLake) -> None:
    inner = lake.folder / "bucket-0/inner"
    place(inner, "schema/schema-0")
    with pytest.raises(NotEligible, match="a Paimon table inside"):
        looked(lake.open())
    assert looked(lake.open(), others=[str(inner)]).record().total.files == 0


@pytest.mark.parametrize(
    "mark", ["_delta_log/0.json", "team/.hoodie/x", "bucket-0/_spark_metadata/0", "metadata/v1.metadata.json"]
)
def test_f43_a_location_with_another_formats_table_is_refused(lake: PaimonLake, mark: str) -> None:
    place(lake.folder, mark)
    with pytest.raises(NotEligible, match=r"inside|at the location"):
        looked(lake.open())


def test_metadata_of_iceberg_that_paimon_writes_is_the_tables_own(lake: PaimonLake) -> None:
    path = lake.folder / "schema/schema-0"
    options = json.loads(path.read_text())["options"]
    edit_json(path, options={**options, "metadata.iceberg.storage": "table-location"})
    place(lake.folder, "metadata/v1.metadata.json")
    place(lake.folder, "bucket-0/data-{}-0.parquet")
    assert removed(lake).total.files == 1


def test_f43_a_file_that_changed_after_the_second_look_stays(lake: PaimonLake) -> None:
    """Size and time are compared right before the deletion."""
    changed, goes = (place(lake.folder, "bucket-0/data-{}-0.parquet") for _ in range(2))
    second = looked_twice(lake)
    assert second.record().total.files == 2
    second.advance(lambda _: changed.write_bytes(b"by another"), 60.0)  # type: ignore[arg-type, return-value]
    figures = second.figures()
    assert (figures.total.files, figures.changed) == (1, 1)
    assert (changed.exists(), goes.exists()) == (True, False)


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ("data-file.external-paths", "another place"),
        ("global-index.external-path", "another place"),
        ("branch", "another place"),
        ("changelog.time-retained", "changelog"),
    ],
)
def test_tables_with_files_elsewhere_or_long_lived_changelogs_are_refused(
    lake: PaimonLake, option: str, told: str
) -> None:
    path = lake.folder / "schema/schema-0"
    edit_json(path, options={**json.loads(path.read_text())["options"], option: "1 d"})
    with pytest.raises(NotEligible, match=told):
        lake.open().orphan_removal.check()
    with pytest.raises(NotEligible, match=told):
        looked(lake.open())


def test_an_inventory_is_refused(lake: PaimonLake) -> None:
    with pytest.raises(NotEligible, match="inventory"):
        looked(lake.open(), rule=replace(RULE, inventory=InventoryPlace("/x.csv", ())))


def test_a_listing_that_lacks_a_live_file_deletes_nothing(lake: PaimonLake) -> None:
    place(lake.folder, "bucket-0/data-{}-0.parquet")
    grow_old(lake.folder)
    live = lake.open()._view.live.files["name"][0].as_py()
    (lake.folder / "bucket-0" / live).unlink()
    with pytest.raises(StateConflict, match="not complete"):
        looked(lake.open())


def test_references_that_vanish_without_an_expiry_stop_the_search(lake: PaimonLake) -> None:
    grow_old(lake.folder)
    looked(lake.open())
    (path,) = lake.folder.glob("packhouse-deletions/orphans/look-*.parquet")
    look = Search.read(path.read_bytes())
    path.write_bytes(replace(look, referenced=2 * look.referenced).body())
    with pytest.raises(StateConflict, match="no snapshot was removed"):
        looked(lake.open())
    lake.call("delete_tag", name="t")
    looked(lake.open())


def test_a_table_without_snapshots_keeps_what_is_young(paimon_core: PaimonCore, tmp_path: Path) -> None:
    lake = PaimonLake(paimon_core, tmp_path / "other").create(**KEYED)
    lake.write([[1, "a", 1.0]], is_lost=True)
    young = files_of(lake)
    assert looked(lake.open()).record().details["look"]["unreferenced"]["files"] == 0
    assert files_of(lake) == young
    assert removed(lake).total.files == 1
    assert files_of(lake) == {"schema/schema-0"}


def test_very_many_orphans_go(lake: PaimonLake) -> None:
    folder, before = lake.folder / "bucket-0", files_of(lake)
    at, mark = time.time() - LONG_AGO.total_seconds(), uuid4()
    count = 100_000 if "PACKHOUSE_DEEP" in os.environ else 5_000
    for number in range(count):
        name = f"{folder}/data-{mark}-{number}.parquet"
        os.close(os.open(name, os.O_CREAT))
        os.utime(name, (at, at))
    assert removed(lake).total.files == count
    assert files_of(lake) == before


def test_snapshots_that_expire_during_a_look_keep_no_orphan(lake: PaimonLake) -> None:
    place(lake.folder, "bucket-0/data-{}-0.parquet")
    grow_old(lake.folder)
    looked(lake.open())
    pass_quarantine(lake.folder, RULE.quarantine)
    second = lake.open().orphan_removal.deletion("run_2", RULE, (), ())

    def expire(_requests: int) -> None:
        lake.write([[12, "b", 1.0]])
        lake.call("expire", retained=1)

    assert second.look(expire, 60.0) is False
    rows = history(lake)
    assert second.record().total.files == 1
    assert deleted(second).total.files == 1
    assert history(lake) == rows
