"""Rewrites of position-delete files: merged per partition, dangling ones dropped, the same rows, hostile files left."""

import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyiceberg.expressions import EqualTo
from pyiceberg.manifest import DataFile, DataFileContent, ManifestEntry
from pyiceberg.table import Table

from engine.domain.errors import CommitConflict
from engine.formats.base import SnapshotProof
from engine.formats.iceberg.catalog.file_access import GuardedFileIO
from engine.formats.iceberg.intake.storage import HeldFiles
from engine.formats.iceberg.upkeep.deletes import commits as delete_commits
from engine.formats.iceberg.upkeep.deletes import plans as delete_plans
from engine.formats.iceberg.upkeep.deletes import positions as delete_positions
from engine.formats.iceberg.upkeep.deletes.positions import LeftAlone, Positions, distinct, read_positions, together
from tests.support.iceberg_tables import (
    BY_CITY,
    PATH_ID,
    POS_ID,
    RUN_ID,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    ids_of,
    live_paths,
    local_files,
    nothing,
)


def name_of(table: Table) -> str:
    return table.name()[-1]


def deletes_of(table: Table) -> list[ManifestEntry]:
    """Return the live delete entries of the head."""
    head = table.refresh().current_snapshot()
    assert head is not None
    return [
        entry
        for manifest in head.manifests(table.io)
        for entry in manifest.fetch_manifest_entry(table.io, discard_deleted=True)
        if entry.data_file.content != DataFileContent.DATA
    ]


def pairs_of(table: Table) -> list[tuple[str, int]]:
    """Return the rows of the head's position-delete files, in the order of the files."""
    found: list[tuple[str, int]] = []
    for each in deletes_of(table):
        rows = pq.read_table(each.data_file.file_path.removeprefix("file://"))
        found += zip(rows["file_path"].to_pylist(), rows["pos"].to_pylist(), strict=True)
    return found


def deleted(lake: Lake, name: str, *, files: int = 3, rows: int = 10) -> tuple[Table, list[str]]:
    """Return an unpartitioned table, with two delete files for each of its data files, and the paths of those."""
    table = lake.create(name)
    append_files(table, files=files, rows=rows)
    paths = sorted(live_paths(table))
    for path in paths:
        commit_deletes(table, delete_file(table, [(path, 1)]))
        commit_deletes(table.refresh(), delete_file(table, [(path, 3), (path, 2)]))
        table.refresh()
    return table, paths


def rewritten(lake: Lake, table: Table, attempt: int = 1) -> int | None:
    return lake.open(name_of(table)).delete_rewrite.commit(RUN_ID, attempt, before_try=nothing).snapshot_id


def proven(lake: Lake, table: Table, snapshot_id: int | None) -> SnapshotProof:
    assert snapshot_id is not None
    proof = lake.open(name_of(table)).delete_rewrite.prove(snapshot_id)
    assert all(each.holds for each in proof.checks), proof.checks
    return proof


def test_u17_delete_files_become_one_per_partition_and_rows_stay(lake: Lake) -> None:
    table, paths = deleted(lake, "merged")
    before, number = ids_of(table), max(each.sequence_number or 0 for each in deletes_of(table))
    plan = lake.open(name_of(table)).delete_rewrite.plan()
    assert (plan.files, plan.rewritten, plan.added) == (6, 6, 1)
    proof = proven(lake, table, rewritten(lake, table))
    assert proof.figures is not None
    assert (proof.figures.rewritten, proof.figures.added, proof.figures.positions) == (6, 1, 9)
    assert ids_of(table.refresh()) == before
    (entry,) = deletes_of(table)
    assert entry.sequence_number == number
    assert pairs_of(table) == [(path, at) for path in paths for at in (1, 2, 3)]
    file = entry.data_file
    assert (file.lower_bounds[PATH_ID], file.upper_bounds[PATH_ID]) == (paths[0].encode(), paths[-1].encode())
    assert struct.unpack("<q", file.upper_bounds[POS_ID]) == (3,)
    head = table.current_snapshot()
    assert head is not None
    assert head.summary is not None
    assert head.summary["removed-position-delete-files"] == "6"
    assert head.summary["total-data-files"] == "3"
    assert lake.open(name_of(table)).delete_rewrite.plan().rewritten == 0
    assert rewritten(lake, table) is None


def test_u17_deletes_of_one_data_file_keep_equal_bounds(lake: Lake) -> None:
    table, (path,) = deleted(lake, "aimed", files=1)
    proven(lake, table, rewritten(lake, table))
    (entry,) = deletes_of(table)
    assert entry.data_file.lower_bounds[PATH_ID] == entry.data_file.upper_bounds[PATH_ID] == path.encode()


def test_u17_granularity_file_merges_per_data_file(lake: Lake) -> None:
    table = lake.create("by_file", properties={"write.delete.granularity": "file"})
    append_files(table, files=2, rows=10)
    for path in sorted(live_paths(table)):
        for at in (1, 2):
            commit_deletes(table.refresh(), delete_file(table, [(path, at)], aimed=True))
    before = ids_of(table.refresh())
    proven(lake, table, rewritten(lake, table))
    assert ids_of(table.refresh()) == before
    assert len(deletes_of(table)) == 2
    assert lake.open(name_of(table)).delete_rewrite.plan().rewritten == 0


def test_f19_dangling_deletes_are_dropped_where_nothing_was_rewritten(lake: Lake) -> None:
    table = lake.create("dangling")
    append_files(table, files=2, rows=10)
    gone = f"{table.location()}/data/of-another-time.parquet"
    commit_deletes(table, delete_file(table, [(gone, 1)], aimed=True))
    plan = lake.open(name_of(table)).delete_rewrite.plan()
    assert (plan.rewritten, plan.added) == (1, 0)
    proof = proven(lake, table, rewritten(lake, table))
    assert proof.figures is not None
    assert (proof.figures.rewritten, proof.figures.added) == (1, 0)
    assert deletes_of(table) == []


def test_f20_rows_of_dead_files_and_repeated_rows_are_dropped(lake: Lake) -> None:
    table = lake.create("partly")
    append_files(table, files=2, rows=10)
    path, gone = min(live_paths(table)), f"{table.location()}/data/of-another-time.parquet"
    commit_deletes(table, delete_file(table, [(path, 5), (gone, 1), (path, 5), (path, 2)]))
    commit_deletes(table.refresh(), delete_file(table, [(path, 5), (path, 10**15)]))
    before = ids_of(table.refresh())
    proven(lake, table, rewritten(lake, table))
    assert pairs_of(table) == [(path, 2), (path, 5), (path, 10**15)]
    assert ids_of(table.refresh()) == before
    head = table.current_snapshot()
    assert head is not None
    assert head.summary is not None
    assert head.summary["added-position-deletes"] == "3"


def test_partitions_are_merged_apart(lake: Lake) -> None:
    table = lake.create("cities", spec=BY_CITY)
    for _ in range(2):
        append_files(table.refresh(), files=2, rows=9)
    tasks = list(table.refresh().scan().plan_files())
    for at in (0, 1):
        for task in tasks:
            file = delete_file(table, [(task.file.file_path, at)], partition=task.file.partition)
            commit_deletes(table.refresh(), file)
    before = ids_of(table.refresh())
    proven(lake, table, rewritten(lake, table))
    assert ids_of(table.refresh()) == before
    assert len(deletes_of(table)) == len({str(task.file.partition) for task in tasks})


def test_equality_deletes_are_reported_and_stay(lake: Lake) -> None:
    table, _ = deleted(lake, "equality", files=1)
    commit_deletes(table.refresh(), delete_file(table, [("", 3)], equality_id=1))
    plan = lake.open(name_of(table)).delete_rewrite.plan()
    assert (plan.equality_files, plan.files) == (1, 2)
    assert plan.equality_bytes > 0
    proven(lake, table, rewritten(lake, table))
    contents = sorted(each.data_file.content for each in deletes_of(table))
    assert contents == [DataFileContent.POSITION_DELETES, DataFileContent.EQUALITY_DELETES]


def rewrite_file(file: DataFile, change: Callable[[pa.Table], pa.Table]) -> DataFile:
    local = file.file_path.removeprefix("file://")
    pq.write_table(change(pq.read_table(local)), local)
    file._data[5] = Path(local).stat().st_size
    return file


def of_row(rows: pa.Table) -> pa.Table:
    return rows.append_column("row", pa.array([{"id": 1}] * rows.num_rows))


def without_ids(rows: pa.Table) -> pa.Table:
    return rows.replace_schema_metadata(None).cast(pa.schema([("file_path", pa.string()), ("pos", pa.int64())]))


def longer(rows: pa.Table) -> pa.Table:
    return pa.concat_tables([rows, rows])


def negative(rows: pa.Table) -> pa.Table:
    return rows.set_column(1, rows.schema.field("pos"), pa.array([-1] * rows.num_rows, pa.int64()))


@pytest.mark.parametrize(
    ("change", "reason"),
    [(of_row, "has_rows"), (without_ids, "wrong_schema"), (longer, "wrong_count"), (negative, "negative_position")],
)
def test_hostile_delete_files_are_left_alone(lake: Lake, change: Callable[[pa.Table], pa.Table], reason: str) -> None:
    table, (path,) = deleted(lake, "hostile", files=1)
    hostile = rewrite_file(delete_file(table, [(path, 7)]), change)
    file = delete_plans.DeleteFile(hostile.file_path, None, 0, "{}", 1, 1, hostile.file_size_in_bytes)
    with pytest.raises(LeftAlone, match=reason):
        read_positions(table.io, file)
    commit_deletes(table.refresh(), hostile)
    proven(lake, table, rewritten(lake, table))
    assert hostile.file_path in {each.data_file.file_path for each in deletes_of(table)}
    assert len(deletes_of(table)) == 2


@pytest.mark.parametrize("content", [b"", b"PAR1 nothing PAR1", None])
def test_f51_missing_and_damaged_delete_files_are_left_out_by_name(lake: Lake, content: bytes | None) -> None:
    table, (path,) = deleted(lake, "damaged", files=1)
    damaged = delete_file(table, [(path, 7)])
    commit_deletes(table.refresh(), damaged)
    local = Path(damaged.file_path.removeprefix("file://"))
    local.unlink() if content is None else local.write_bytes(content)
    done = lake.open(name_of(table)).delete_rewrite.commit(RUN_ID, 1, before_try=nothing)
    proven(lake, table, done.snapshot_id)
    (item,) = done.left_out.items
    assert (item.name, item.reason) == (damaged.file_path, "missing" if content is None else "unreadable")
    assert item.detail
    assert (done.left_out.count, done.left_out.errors) == (1, 1)
    assert damaged.file_path in {each.data_file.file_path for each in deletes_of(table)}
    assert len(deletes_of(table)) == 2


def test_f47_a_delete_file_that_the_store_refuses_is_left_out_by_name(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F47: with valid credentials a store can forbid single files; the whole run failed."""
    table, (path,) = deleted(lake, "refused", files=1)
    refused = delete_file(table, [(path, 7)])
    commit_deletes(table.refresh(), refused)
    opened = GuardedFileIO.new_input

    def forbidding(io: GuardedFileIO, location: str) -> Any:
        if location == refused.file_path:
            raise PermissionError(13, "AccessDenied", location)
        return opened(io, location)

    monkeypatch.setattr(GuardedFileIO, "new_input", forbidding)
    done = lake.open(name_of(table)).delete_rewrite.commit(RUN_ID, 1, before_try=nothing)
    (item,) = done.left_out.items
    assert (item.name, item.reason, done.left_out.errors) == (refused.file_path, "refused", 1)
    assert done.snapshot_id is not None


def test_f51_damaged_bytes_of_a_delete_file_are_no_outage_of_the_store(lake: Lake) -> None:
    """Arrow raises OSError for both: the run would wait for the store for ever."""
    table, (path,) = deleted(lake, "flipped", files=1)
    sound = delete_file(table, [(path, at) for at in range(50)])
    body = Path(sound.file_path.removeprefix("file://")).read_bytes()
    file = delete_plans.DeleteFile(sound.file_path, None, 0, "{}", 1, 50, sound.file_size_in_bytes)
    assert len(read_positions(HeldFiles(body), file).codes) == 50
    reasons = Counter[str]()
    for at in range(len(body)):
        damaged = body[:at] + bytes([body[at] ^ 0x55]) + body[at + 1 :]
        try:
            read_positions(HeldFiles(damaged), file)
        except LeftAlone as error:
            reasons[error.reason] += 1
    assert reasons["unreadable"] > 50, reasons
    with pytest.raises(LeftAlone, match="too_large"):
        read_positions(HeldFiles(bytes(delete_positions.MOST_BYTES + 1)), file)


def test_f51_a_fault_of_ours_is_no_damage_of_a_file(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream without a method that Arrow calls made every file of an object store "unreadable"."""
    table, _ = deleted(lake, "ours")
    monkeypatch.setattr(delete_positions.pq, "ParquetFile", lambda *_, **__: object().closed)  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="closed"):
        rewritten(lake, table)
    assert stray(table) == set()


def test_deletes_that_name_live_files_to_which_they_do_not_apply_are_left_alone(lake: Lake) -> None:
    """F6: in a merged file with a greater sequence number they might apply."""
    table, (path,) = deleted(lake, "others", files=1)
    other_spelling = delete_file(table, [(path.replace("file://", "file:"), 7)])
    old = delete_file(table, [(path, 8)])
    commit_deletes(table.refresh(), other_spelling)
    commit_deletes(table.refresh(), old, sequence_number=0)
    proven(lake, table, rewritten(lake, table))
    left = {each.data_file.file_path for each in deletes_of(table)}
    assert {other_spelling.file_path, old.file_path} <= left


def test_a_delete_file_outside_of_the_table_is_not_opened(lake: Lake) -> None:
    table, (path,) = deleted(lake, "outside", files=1)
    file = delete_file(table, [(path, 7)])
    file._data[1] = "file:///etc/hostname"
    commit_deletes(table.refresh(), file)
    assert lake.open(name_of(table)).delete_rewrite.plan().left == {"outside": 1}
    proven(lake, table, rewritten(lake, table))


def test_files_above_the_limits_are_left_alone(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    table, (path,) = deleted(lake, "large", files=1)
    commit_deletes(table.refresh(), delete_file(table, [(path, at) for at in range(5)]))
    monkeypatch.setattr(delete_plans, "MOST_ROWS", 4)
    plan = lake.open(name_of(table)).delete_rewrite.plan()
    assert (dict(plan.left), plan.rewritten) == ({"too_large": 1}, 2)


def race(lake: Lake, table: Table, act: Callable[[], Any]) -> int | None:
    """Rewrite while another writer commits between plan and request, once."""
    left = [act]

    def before() -> None:
        if left:
            left.pop()()

    return lake.open(name_of(table)).delete_rewrite.commit(RUN_ID, 1, before_try=before).snapshot_id


def test_f7_deletes_that_arrive_between_are_kept(lake: Lake) -> None:
    table, paths = deleted(lake, "late_deletes")
    late = delete_file(table, [(paths[0], 9)])
    snapshot_id = race(lake, table, lambda: commit_deletes(table.refresh(), late))
    proven(lake, table, snapshot_id)
    assert (paths[0], 9) in pairs_of(table)
    assert len(deletes_of(table)) == 1
    assert stray(table) == set()


def test_f7_an_overwrite_between_removes_its_rows_only(lake: Lake) -> None:
    table, _ = deleted(lake, "late_overwrite")
    gone = ids_of(table)[0]
    snapshot_id = race(lake, table, lambda: table.refresh().delete(EqualTo("id", gone)))
    wanted = ids_of(table.refresh())
    proven(lake, table, snapshot_id)
    assert gone not in wanted
    assert stray(table) == set()


def test_appends_between_are_kept(lake: Lake) -> None:
    table, _ = deleted(lake, "late_append")
    snapshot_id = race(lake, table, lambda: append_files(table.refresh(), files=1, rows=4))
    proven(lake, table, snapshot_id)
    assert len(live_paths(table.refresh())) == 4
    assert stray(table) == set()


def stray(table: Table) -> set[str]:
    """Return the stored files of the run that the head does not list."""
    table = table.refresh()
    listed = {each.data_file.file_path.rpartition("/")[2] for each in deletes_of(table)}
    names = local_files(Path(table.location().removeprefix("file://")))
    return {name for name in names if name.startswith(RUN_ID) and name.endswith(".parquet")} - listed


def test_a_stop_before_the_request_leaves_no_file(lake: Lake) -> None:
    table, _ = deleted(lake, "busy")
    before = table.refresh().metadata_location

    def stop() -> None:
        raise CommitConflict("stopped")

    with pytest.raises(CommitConflict):
        lake.open(name_of(table)).delete_rewrite.commit(RUN_ID, 1, before_try=stop)
    assert table.refresh().metadata_location == before
    assert stray(table) == set()


def changed_proofs() -> Sequence[Callable[[list[tuple[str, int]]], list[tuple[str, int]]]]:
    return [lambda pairs: pairs[:-1], lambda pairs: [*pairs, (pairs[0][0], 9)]]


@pytest.mark.parametrize("change", changed_proofs())
def test_f6_a_lost_or_added_position_fails_the_proof(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, change: Callable[[list[tuple[str, int]]], list[tuple[str, int]]]
) -> None:
    merged = delete_commits.merged_rows

    def wrong(*given: Any) -> Any:
        found = merged(*given)
        rows = found.rows
        assert rows is not None
        pairs = change(
            [(rows.paths[int(code)].as_py(), int(at)) for code, at in zip(rows.codes, rows.positions, strict=True)]
        )
        coded = pa.array([path for path, _ in pairs]).dictionary_encode()
        codes, positions = coded.indices.to_numpy().astype("int64"), pa.array([at for _, at in pairs]).to_numpy()
        made = Positions(coded.dictionary, codes, positions)
        return replace(found, rows=distinct(together([made])))

    monkeypatch.setattr(delete_commits, "merged_rows", wrong)
    table, _ = deleted(lake, "wrong")
    opened = lake.open(name_of(table))
    snapshot_id = opened.delete_rewrite.commit(RUN_ID, 1, before_try=nothing).snapshot_id
    assert snapshot_id is not None
    for each in (opened, lake.open(name_of(table))):  # it read the replaced files before, and another process did not
        proof = each.delete_rewrite.prove(snapshot_id)
        assert [each.name for each in proof.checks if not each.holds] == ["same_deleted_positions"]


@pytest.mark.parametrize("limit", [2**20, 0])
def test_a_proof_reads_the_replaced_files_again_only_if_their_rows_were_not_kept(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(delete_positions, "_MOST_KEPT", limit)
    table, _ = deleted(lake, "kept")
    old = {each.data_file.file_path for each in deletes_of(table)}
    opened = lake.open(name_of(table))
    snapshot_id = opened.delete_rewrite.commit(RUN_ID, 1, before_try=nothing).snapshot_id or 0
    (new,) = {each.data_file.file_path for each in deletes_of(table)}
    read, fetched = list[str](), delete_positions._fetched

    def counted(io: Any, file: Any) -> Any:
        read.append(file.path)
        return fetched(io, file)

    monkeypatch.setattr(delete_positions, "_fetched", counted)
    proof = opened.delete_rewrite.prove(snapshot_id)
    assert all(each.holds for each in proof.checks), proof.checks
    assert sorted(read) == sorted([new] if limit else [*old, new])
