"""Orphans of real tables: only files that two looks found are deleted, and never one that may be needed."""

import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.transforms import IdentityTransform

from engine.domain.errors import Fatal, NotEligible, StateConflict, TableReplaced
from engine.domain.runs.removals import OrphanRule
from engine.formats.removal.listings import files_below
from engine.formats.removal.orphan_files import OrphanFiles
from engine.formats.removal.scopes import Scope
from tests.support.expired_files import Deletion, drop_snapshots, ids, needed, stored
from tests.support.iceberg_tables import RUN_ID, Lake, append_files, edit_metadata
from tests.support.orphans import (
    LONG_AGO,
    RULE,
    UUID,
    deleted,
    grow_old,
    named,
    orphan,
    pass_time,
    remove,
    root,
    search,
    stored_looks,
    table,
)

BONN = "data/city=Bonn"


def test_u12_l11_two_looks_delete_exactly_the_files_that_nothing_refers_to(lake: Lake) -> None:
    table(lake)
    live = stored(lake.load())
    assert live == needed(lake.load())
    made = [orphan(lake, name) for name in (named("data/city=Aachen"), named(), f"metadata/{UUID}-m0.avro")]
    tally = remove(lake)
    assert stored(lake.load()) == live
    assert (deleted(tally), tally.failed) == (len(made), {})
    assert {kind: count.bytes for kind, count in tally.deleted.items()} == {"data": 12, "metadata_files": 6}
    record = list(root(lake).glob(f"metadata/packhouse-deletions/{RUN_ID}/orphans-*.parquet"))
    assert len(record) == 1, "what was deleted is recorded"


def test_f16_one_look_and_a_quarantine_that_is_not_over_delete_nothing(lake: Lake) -> None:
    table(lake)
    path = orphan(lake, named())
    assert search(lake).look(RULE).due.rows == 0
    pass_time(lake, timedelta(days=6))
    assert search(lake).look(RULE).due.rows == 0
    pass_time(lake, timedelta(days=2))
    assert search(lake).look(RULE).due.rows == 1
    assert path.exists()


def test_f35_young_files_are_no_orphans_and_age_is_at_least_twice_the_longest_run(lake: Lake) -> None:
    table(lake)
    path = orphan(lake, named())
    at = path.stat().st_ctime - 47 * 3600
    os.utime(path, (at, at))
    young = OrphanRule(timedelta(0), timedelta(0), longest_run=timedelta(days=1))
    assert search(lake).look(young).search.files.num_rows == 0
    assert search(lake).look(replace(young, longest_run=timedelta(hours=1))).search.files.num_rows == 1
    at = path.stat().st_ctime - 23 * 3600
    os.utime(path, (at, at))
    assert search(lake).look(OrphanRule(timedelta(0), timedelta(0))).search.files.num_rows == 0


def test_a_file_that_changed_between_the_looks_begins_its_quarantine_again(lake: Lake) -> None:
    table(lake)
    sized, timed = orphan(lake, named()), orphan(lake, named(number=1))
    search(lake).look(RULE)
    pass_time(lake)
    sized.write_bytes(b"larger than before")
    os.utime(sized, (LONG_AGO, LONG_AGO))
    os.utime(timed, (LONG_AGO + 1, LONG_AGO + 1))
    found = search(lake).look(RULE)
    assert (found.due.rows, found.search.files.num_rows) == (0, 2)


@pytest.mark.parametrize("moment", ["between the looks", "before the deletion"])
def test_f35_a_file_that_is_committed_late_stays(lake: Lake, moment: str) -> None:
    table(lake)
    live = next(root(lake).rglob("*.parquet"))
    late = orphan(lake, named(BONN))
    late.write_bytes(live.read_bytes())
    os.utime(late, (LONG_AGO, LONG_AGO))
    search(lake).look(RULE)
    pass_time(lake)

    def commit() -> None:
        unpartitioned = lake.load()
        with unpartitioned.transaction() as change:
            change.add_files([f"{lake.load().location()}/{named(BONN)}"])

    if moment == "between the looks":
        commit()
    files = search(lake)
    looked = files.look(RULE)
    assert looked.due.rows == (0 if moment == "between the looks" else 1)
    if moment == "before the deletion":
        commit()
    assert deleted(files.delete(Deletion(lake).removal())) == 0
    assert late.exists()


@pytest.mark.parametrize("lacks", ["a needed file", "the probe", "everything"])
def test_f16_an_incomplete_listing_deletes_nothing(lake: Lake, lacks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table(lake)
    path = orphan(lake, named())
    search(lake).look(RULE)
    pass_time(lake)
    live = next(root(lake).rglob("*m0.avro"))
    ends = {"a needed file": (live.name,), "the probe": ("/probe",), "everything": ("avro", "parquet", "json")}[lacks]

    def cut(*given: Any) -> Iterator[pa.Table]:
        for batch in files_below(*given):
            yield batch.filter(pa.array([not each.endswith(ends) for each in batch["path"].to_pylist()], pa.bool_()))

    for name in ("removal.searches", "removal.listings"):
        monkeypatch.setattr(f"engine.formats.{name}.files_below", cut)
    with pytest.raises(StateConflict, match="listing"):
        search(lake).look(RULE)
    assert path.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gc.enabled", "false"),
        ("write.data.path", "file:///elsewhere"),
        ("write.object-storage.path", "file:///elsewhere"),
        ("write.metadata.path", ""),
    ],
)
def test_f16_a_table_that_forbids_it_or_writes_to_another_place_loses_nothing(
    lake: Lake, name: str, value: str, tmp_path: Path
) -> None:
    table(lake)
    value = value or f"file:{tmp_path}/moved"
    with lake.load().transaction() as change:
        change.set_properties({name: value})
    with pytest.raises(NotEligible):
        search(lake).look(RULE)


def test_f16_metadata_that_is_later_than_the_catalogs_stops_the_search(lake: Lake) -> None:
    """A catalog that was restored from a backup does not know the last commits, and their files are no orphans."""
    table(lake)
    lost = orphan(lake, "metadata/00042-0b9c1c4e-1111-4222-8333-444455556666.metadata.json")
    with pytest.raises(StateConflict, match="restored from a backup"):
        search(lake).look(RULE)
    os.utime(lost)  # a commit that is in flight
    search(lake).look(RULE)


def test_f16_a_table_inside_that_is_not_registered_stops_the_search(lake: Lake) -> None:
    table(lake)
    orphan(lake, "inner/metadata/00001-x.metadata.json")
    with pytest.raises(NotEligible, match="another table"):
        search(lake).look(RULE)
    inner = Scope.of(lake.load().location(), [f"{lake.load().location()}/inner"])
    search(lake, scope=inner).look(RULE)


def test_f30_a_folder_that_is_a_link_shows_no_orphans(lake: Lake) -> None:
    """The files that it leads to are those of another program."""
    table(lake)
    theirs = lake.folder / "theirs"
    theirs.mkdir()
    (theirs / Path(named()).name).write_bytes(b"orphan")
    os.utime(theirs / Path(named()).name, (LONG_AGO, LONG_AGO))
    (root(lake) / "data" / "inner").symlink_to(theirs)
    grow_old(lake)
    search(lake).look(RULE)
    pass_time(lake)
    remove(lake)
    assert len(list(theirs.iterdir())) == 1


def test_a_dry_run_writes_nothing_and_a_listing_can_be_stopped(lake: Lake) -> None:
    table(lake)
    orphan(lake, named())
    was = sorted(root(lake).rglob("*"))
    plan = OrphanFiles(lake.open().orphan_removal.source((), ()), "dry", RULE)
    for _ in plan.looking(lambda _: None, is_stored=False):
        pass
    assert plan.result.plan().document()["look"]["unreferenced"] == {"files": 1, "bytes": 6}
    assert sorted(root(lake).rglob("*")) == was

    def stop(_: int) -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        list(search(lake).looking(stop))
    assert stored_looks(lake).latest() is None


def test_f16_references_that_vanish_without_an_expiry_stop_the_search(lake: Lake) -> None:
    table(lake)
    search(lake).look(RULE)
    looks = stored_looks(lake)
    look = looks.latest()
    assert look is not None
    looks.write(replace(look, referenced=2 * look.referenced))
    with pytest.raises(StateConflict, match="no snapshot was removed"):
        search(lake).look(RULE)
    drop_snapshots(lake.load(), ids(lake.load().metadata)[:1])
    search(lake).look(RULE)


def test_f16_an_answer_without_snapshots_after_a_look_stops_the_search(lake: Lake) -> None:
    """It is newer than the look, and names the files of no snapshot: all of them would be orphans."""
    table(lake)
    search(lake).look(RULE)

    def empty(document: dict[str, Any]) -> None:
        document |= {"snapshots": [], "refs": {}, "current-snapshot-id": -1, "snapshot-log": []}
        document["last-updated-ms"] += 1000

    edit_metadata(lake.load(), empty)
    with pytest.raises(StateConflict, match="no expiry removes all"):
        search(lake).look(RULE)


def test_f16_a_replaced_table_or_an_older_pointer_stops_the_search(lake: Lake) -> None:
    table(lake)
    search(lake).look(RULE)
    looks = stored_looks(lake)
    look = looks.latest()
    assert look is not None
    for origin, error in (
        (replace(look.origin, uuid="another"), TableReplaced),
        (replace(look.origin, next_sequence_number=99), Fatal),
    ):
        looks.write(replace(look, origin=origin))
        with pytest.raises(error):
            search(lake).look(RULE)


def test_files_of_open_runs_of_other_tables_and_of_catalogs_stay(lake: Lake) -> None:
    table(lake)
    commit = "0b9c1c4e-1111-4222-8333-444455556666"
    stay = [
        orphan(lake, name)
        for name in (
            "data/run_abc-00001-1-0.parquet",
            f"metadata/run_abc-1-{commit}-m0.avro",
            f"metadata/snap-1-1-{commit}.avro",
            "inner/data/x.parquet",
            "metadata/00001-x.metadata.json",
            "metadata/version-hint.text",
            "metadata/packhouse-deletions/run_old/files-1.parquet",
        )
    ]
    gone = orphan(lake, "data/run_xyz-00001-1-0.parquet")
    scope = Scope.of(lake.load().location(), [f"{lake.load().location()}/inner"])
    tally = remove(lake, scope=scope, open_runs=["run_abc"])
    assert (deleted(tally), gone.exists(), [path.exists() for path in stay]) == (1, False, [True] * len(stay))


@pytest.mark.parametrize("name", ["a b", "a%20b", "a%2Fb", "\u202eabc", "ü"])
def test_an_orphan_in_a_folder_of_an_unusual_name_is_deleted_and_only_it(lake: Lake, name: str) -> None:
    table(lake)
    live = stored(lake.load())
    path = orphan(lake, named(f"data/city={name}"))
    assert (deleted(remove(lake)), path.exists()) == (1, False)
    assert stored(lake.load()) == live


def test_names_that_readers_resolve_differently_stay(lake: Lake) -> None:
    table(lake)
    live = next((root(lake) / "data").rglob("*.parquet"))
    names = (f"{live.name}?x", f"{live.name}#x", "a\nb.parquet", "a%2F..%2Fb.parquet", os.fsdecode(b"\xff.parquet"))
    made = [orphan(lake, f"{live.parent.relative_to(root(lake))}/{name}") for name in names]
    assert (deleted(remove(lake)), [path.exists() for path in made]) == (0, [True] * len(made))


def test_hidden_files_of_other_programs_stay(lake: Lake) -> None:
    """Checksums of Hadoop belong to live files."""
    table(lake)
    stay = [
        orphan(lake, name)
        for name in (
            "_other/00000000000000000000.json",
            named("data/_temporary/0/task"),
            "data/.a.parquet.crc",
            "data/_a=b.parquet",
            named("data/_p=1"),
        )
    ]
    gone = orphan(lake, named("data/p=1"))
    assert deleted(remove(lake)) == 1
    assert ([path.exists() for path in stay], gone.exists()) == ([True] * len(stay), False)


@pytest.mark.parametrize("name", ["_p", ".p", "_p q+(", "_ü"])
def test_folders_of_partition_fields_are_not_hidden_and_those_of_other_names_are(lake: Lake, name: str) -> None:
    created = lake.create(spec=PartitionSpec(PartitionField(2, 1000, IdentityTransform(), name)))
    append_files(created, 2, city="Aachen")
    grow_old(lake)
    live = stored(lake.load())
    gone = orphan(lake, named(f"data/{name}=1"))
    inside = (named(f"data/{name}=1/_temporary"), f"data/{name}=1/.b.crc", named("data/_other=1"))
    stay = [orphan(lake, each) for each in (*inside, named(f"data/_x{name}=1"), f"data/{name}=1.parquet")]
    assert deleted(remove(lake)) == 1
    assert ([path.exists() for path in stay], gone.exists()) == ([True] * len(stay), False)
    assert live <= stored(lake.load())


def test_links_are_not_followed(lake: Lake, tmp_path: Path) -> None:
    table(lake)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.parquet").write_bytes(b"x")
    os.utime(outside / "x.parquet", (LONG_AGO, LONG_AGO))
    (root(lake) / "data" / "link").symlink_to(outside)
    assert deleted(remove(lake)) == 0
    assert (outside / "x.parquet").exists()


def test_a_killed_deletion_is_finished_by_another_process(lake: Lake) -> None:
    table(lake)
    live = stored(lake.load())
    for number in range(1100):
        orphan(lake, named(number=number))
    calls: list[int] = []

    def die(requests: int) -> None:
        calls.append(requests)
        if len(calls) == 2:
            raise KeyboardInterrupt

    killed = Deletion(lake, before_batch=die)
    with pytest.raises(KeyboardInterrupt):
        remove(lake, removal=killed.removal())
    left = len(stored(lake.load()) - live)
    assert 0 < left < 1100
    files = search(lake)
    files.look(RULE)
    assert deleted(files.delete(Deletion(lake).removal())) == left
    assert stored(lake.load()) == live


def test_a_damaged_look_begins_the_quarantine_again(lake: Lake) -> None:
    table(lake)
    orphan(lake, named())
    search(lake).look(RULE)
    pass_time(lake)
    (path,) = root(lake).glob("metadata/packhouse-deletions/orphans/look-*.parquet")
    path.write_bytes(path.read_bytes()[:-7])
    assert search(lake).look(RULE).due.rows == 0


def test_a_store_whose_clock_went_back_begins_the_quarantine_again(lake: Lake) -> None:
    table(lake)
    orphan(lake, named())
    search(lake).look(RULE)
    pass_time(lake, -timedelta(days=30))
    assert search(lake).look(RULE).due.rows == 0


def test_more_orphans_than_one_look_stores_are_deleted_by_later_ones(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A look that is too large to be read again would begin the quarantine of all files again, each time."""
    table(lake)
    live = stored(lake.load())
    first = [orphan(lake, named("data/day=2", number)) for number in range(5)]
    search(lake).look(RULE)
    late = [orphan(lake, named(f"data/day={day}", number)) for day in (1, 3) for number in range(5)]
    monkeypatch.setattr("engine.formats.removal.listings._BATCH_ROWS", 1)
    monkeypatch.setattr("engine.formats.removal.orphan_files.SEARCH_BYTES", 1)
    pass_time(lake)
    files = search(lake)
    looked = files.look(RULE)
    assert (looked.due.rows, looked.search.files.num_rows, looked.more) == (5, 5, 10)
    assert looked.plan().document()["look"]["left_for_later"] == 10
    assert deleted(files.delete(Deletion(lake).removal())) == 5
    assert ([path.exists() for path in first], [path.exists() for path in late]) == ([False] * 5, [True] * 10)
    search(lake).look(RULE)
    monkeypatch.setattr("engine.formats.removal.orphan_files.SEARCH_BYTES", 2**20)
    assert deleted(remove(lake)) == 10
    assert stored(lake.load()) == live
