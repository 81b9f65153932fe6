"""Rewrites of deletes in tables of version 3: old delete files become vectors, and Puffin files hold live vectors."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from pyiceberg.manifest import DataFile, ManifestContent
from pyiceberg.table.puffin import PuffinFile
from pyiceberg.typedef import Record

from engine.domain.errors import NotEligible
from engine.formats.base import RewrittenSnapshot, SnapshotProof
from engine.formats.iceberg.upkeep.deletes import vector_files, vector_plans
from engine.formats.iceberg.upkeep.deletes.puffin_files import encoded
from tests.integration.iceberg.test_deletion_vectors import rewrite, vectors
from tests.support.iceberg_tables import (
    BY_CITY,
    RUN_ID,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    ids_of,
    local_files,
    nothing,
)
from tests.support.version_3 import commit_vectors, entries_of, touch, upgrade


def files_of(lake: Lake) -> list[str]:
    """Return the data files in the order of their rows."""
    return [row["path"] for row in lake.open().digest().sort_by("sequence_number").to_pylist()]


def made(lake: Lake, deletes: Sequence[Sequence[tuple[int, int]]] = (), *, files: int = 3, **kinds: bool) -> list[str]:
    """Return the data files of an upgraded table; `deletes`: rows of delete files, with numbers of their data files."""
    append_files(lake.create(), files)
    paths = files_of(lake)
    for rows in deletes:
        commit_deletes(lake.load(), delete_file(lake.load(), [(paths[at], row) for at, row in rows], **kinds))
    upgrade(lake)
    touch(lake.open())
    return paths


def rewritten(lake: Lake) -> RewrittenSnapshot:
    attempt = lake.load().metadata.next_sequence_number()  # names of files of their own
    return lake.open().delete_rewrite.commit(RUN_ID, attempt, before_try=nothing)


def proof(lake: Lake, done: RewrittenSnapshot) -> SnapshotProof:
    assert done.snapshot_id is not None
    return lake.open().delete_rewrite.prove(done.snapshot_id)


def proven(lake: Lake) -> SnapshotProof:
    """Rewrite the deletes, prove it, and check that a second rewrite has nothing to do."""
    before, numbers = ids_of(lake.load()), sequence_numbers(lake)
    found = proof(lake, rewritten(lake))
    assert all(each.holds for each in found.checks), found.checks
    assert ids_of(lake.load()) == before
    for target, number in sequence_numbers(lake).items():
        assert number == numbers.get(target, number)
    assert lake.open().delete_rewrite.plan().rewritten == 0
    assert rewritten(lake).snapshot_id is None
    check_footers(lake)
    return found


def live(lake: Lake) -> list[dict]:
    return lake.open()._view.live_files().deletes.to_pylist()


def sequence_numbers(lake: Lake) -> dict[str, int]:
    return {each["target"]: each["sequence_number"] for each in live(lake) if each["content_offset"] is not None}


def check_footers(lake: Lake) -> None:
    """Check each Puffin file with the reader of PyIceberg: its footer has what the manifests state."""
    for each in live(lake):
        if each["content_offset"] is not None:
            footer = PuffinFile(Path(each["path"].removeprefix("file://")).read_bytes()).footer
            (blob,) = [one for one in footer.blobs if one.offset == each["content_offset"]]
            expected = {"referenced-data-file": each["target"], "cardinality": str(each["record_count"])}
            assert (blob.type, blob.length, blob.properties) == ("deletion-vector-v1", each["content_bytes"], expected)


def puffins(lake: Lake) -> Counter[str]:
    return Counter(each["path"] for each in live(lake) if each["content_offset"] is not None)


def test_position_delete_files_become_vectors_with_their_sequence_numbers(lake: Lake):
    paths = made(lake, [[(0, 1), (1, 5)], [(0, 3), (0, 1), (0, 99)]])
    numbers = sorted(each["sequence_number"] for each in live(lake))
    plan = lake.open().delete_rewrite.plan()
    assert (plan.files, plan.rewritten, plan.added) == (2, 2, 1)
    found = proven(lake)
    assert vectors(lake) == {paths[0]: 2, paths[1]: 1}
    assert sequence_numbers(lake) == {paths[0]: numbers[1], paths[1]: numbers[0]}
    assert len(puffins(lake)) == 1
    figures = found.figures
    assert figures is not None
    assert (figures.rewritten, figures.added, figures.files_before, figures.files_after) == (2, 1, 2, 1)
    assert (figures.rows, figures.positions) == (5, 3)
    summary = lake.load().current_snapshot().summary
    words = ("removed-position-delete-files", "added-dvs", "added-position-deletes", "added-position-delete-files")
    assert [summary[word] for word in words] == ["2", "2", "3", None]
    assert [entry.data_file[16] for entry in entries_of(lake.open(), content=ManifestContent.DELETES)].count(None) == 4


def test_a_data_file_with_a_vector_keeps_it_and_its_old_delete_files_go(lake: Lake):
    paths = made(lake, [[(0, 1), (1, 5)]])
    commit_vectors(lake.open(), {paths[0]: [1, 2]})
    before = [each for each in live(lake) if each["target"] == paths[0]]
    proven(lake)
    assert vectors(lake) == {paths[0]: 2, paths[1]: 1}
    assert [each for each in live(lake) if each["target"] == paths[0]] == before


def test_delete_files_of_a_partition_and_of_a_data_file_are_converted_together(lake: Lake):
    append_files(lake.create(), 2)
    first, second = files_of(lake)
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 1), (second, 1)]))
    commit_deletes(lake.load(), delete_file(lake.load(), [(first, 2)], aimed=True))
    upgrade(lake)
    touch(lake.open())
    proven(lake)
    assert vectors(lake) == {first: 2, second: 1}


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_a_delete_file_that_can_not_be_read_keeps_those_of_its_data_files(lake: Lake, damage: str):
    """A vector from the others alone would hide it: its rows would be back."""
    paths = made(lake, [[(0, 1)], [(0, 2)], [(1, 3)]], aimed=True)
    lost = next(each["path"] for each in live(lake) if each["target"] == paths[0])
    body = Path(lost.removeprefix("file://")).read_bytes()
    Path(lost.removeprefix("file://")).unlink()
    if damage == "damaged":
        Path(lost.removeprefix("file://")).write_bytes(body[:-9] + b"\0" * 9)
    done = rewritten(lake)
    reason = "missing" if damage == "missing" else "unreadable"
    assert done.left_out.reasons == {reason: 1, "shares_data_files": 1}
    assert (vectors(lake), done.left_out.errors) == ({paths[1]: 1}, 1)
    Path(lost.removeprefix("file://")).write_bytes(body)
    assert all(each.holds for each in proof(lake, done).checks)
    proven(lake)
    assert vectors(lake) == {paths[0]: 2, paths[1]: 1}


def test_a_delete_file_of_another_partition_that_is_aimed_at_a_data_file_keeps_the_others(lake: Lake):
    """No writer should do so, but readers find it by the path alone."""
    append_files(lake.create(spec=BY_CITY), 1)
    (path,) = files_of(lake)
    for row, city in enumerate(("Aachen", "Bonn")):
        file = delete_file(lake.load(), [(path, row)], partition=Record(city), aimed=True)
        commit_deletes(lake.load(), file)
    upgrade(lake)
    touch(lake.open())
    before = ids_of(lake.load())
    done = rewritten(lake)
    assert (done.snapshot_id, ids_of(lake.load())) == (None, before)
    assert done.left_out.reasons == {"names_others": 1, "shares_data_files": 1}


def test_files_that_are_left_by_metadata_keep_their_neighbours_out_of_the_plan(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
):
    made(lake, [[(0, 1)], [(1, at) for at in range(9)]])
    monkeypatch.setattr("engine.formats.iceberg.upkeep.deletes.plans.MOST_ROWS", 5)
    plan = lake.open().delete_rewrite.plan()
    assert (plan.rewritten, dict(plan.left)) == (0, {"too_large": 1, "shares_data_files": 1})


def test_live_vectors_are_copied_byte_for_byte_out_of_mostly_dead_files(lake: Lake):
    paths = made(lake, files=5)
    commit_vectors(lake.open(), {path: [at, 9] for at, path in enumerate(paths)})
    assert lake.open().delete_rewrite.plan().rewritten == 0
    rewrite(lake, paths[:4])
    blobs = bodies(lake)
    assert proven(lake).figures is not None
    assert bodies(lake) == blobs
    assert puffins(lake).keys().isdisjoint({each["path"] for each in snapshot_before(lake)})


@pytest.mark.parametrize("writes", [[1, 9], [1, 8]], ids=["the same", "others"])
@pytest.mark.parametrize("knows_digests", [True, False])
def test_f6_copies_are_compared_with_the_vectors_that_were_read(lake: Lake, writes: list[int], knows_digests: bool):
    """By the table that made them without a look at the old ones, and by any other with one."""
    paths = made(lake, files=5)
    commit_vectors(lake.open(), {path: [at, 9] for at, path in enumerate(paths[::-1])})
    rewrite(lake, [*paths[:3], paths[4]])
    opened = lake.open()
    done = opened.delete_rewrite.commit(RUN_ID, 99, before_try=nothing)
    (copy,) = live(lake)
    path = Path(copy["path"].removeprefix("file://"))
    path.write_bytes(path.read_bytes().replace(bodies(lake)[paths[3]], encoded(np.array(writes))))
    if knows_digests and writes == [1, 9]:
        for each in snapshot_before(lake):
            Path(each["path"].removeprefix("file://")).unlink()
    found = opened.delete_rewrite.prove(done.snapshot_id or 0) if knows_digests else proof(lake, done)
    failed = [each.name for each in found.checks if not each.holds]
    assert failed == ([] if writes == [1, 9] else ["same_deleted_positions"])
    assert found.figures is not None
    assert (found.figures.rewritten, found.figures.positions) == (1, 2)


def bodies(lake: Lake) -> dict[str, bytes]:
    found = {}
    for each in live(lake):
        body = Path(each["path"].removeprefix("file://")).read_bytes()
        found[each["target"]] = body[each["content_offset"] :][: each["content_bytes"]]
    return found


def snapshot_before(lake: Lake) -> list[dict]:
    view = lake.open()._view
    parent = view.metadata.snapshot_by_id(view.head.parent_snapshot_id)
    return view.reader.live(
        each for each in view.manifests(parent) if each.content == ManifestContent.DELETES
    ).to_pylist()


def test_many_small_files_of_a_partition_are_joined(lake: Lake, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(vector_plans, "MOST_FILES", 3)
    paths = made(lake, files=5)
    for path in paths[:3]:
        commit_vectors(lake.open(), {path: [1]})
    assert lake.open().delete_rewrite.plan().rewritten == 0
    commit_vectors(lake.open(), {paths[3]: [1, 2]})
    plan = lake.open().delete_rewrite.plan()
    assert (plan.files, plan.rewritten, plan.added) == (4, 4, 1)
    proven(lake)
    assert (vectors(lake), len(puffins(lake))) == ({**dict.fromkeys(paths[:3], 1), paths[3]: 2}, 1)


def test_vectors_of_data_files_that_are_gone_are_dropped(lake: Lake):
    paths = made(lake)
    gone = "gone.parquet"
    commit_vectors(lake.open(), {path: [1] for path in paths[:2]}, change=lambda file: aim(file, paths[0], gone))
    assert vectors(lake) == {gone: 1, paths[1]: 1}
    proven(lake)
    assert vectors(lake) == {paths[1]: 1}


def aim(file: DataFile, old: str, new: str) -> None:
    if file[17] == old:
        file[17] = new


def test_a_file_that_is_a_bare_vector_becomes_a_puffin_file(lake: Lake):
    """DuckDB before 1.5.4 wrote such ones; later versions and PyIceberg do not read them."""
    paths = made(lake)
    commit_vectors(lake.open(), {paths[0]: [1, 2]}, change=bare)
    assert lake.open().delete_rewrite.plan().rewritten == 1
    found = proof(lake, rewritten(lake))
    assert all(each.holds for each in found.checks), found.checks
    check_footers(lake)
    assert (vectors(lake), len(ids_of(lake.load()))) == ({paths[0]: 2}, 28)
    assert lake.open().delete_rewrite.plan().rewritten == 0


def bare(file: DataFile) -> None:
    path = Path(file.file_path.removeprefix("file://"))
    body = path.read_bytes()[file[18] :][: file[19]]
    path.write_bytes(body)
    file[5], file[18] = len(body), 0


def test_a_vector_that_is_damaged_is_left_out_by_name(lake: Lake):
    paths = made(lake)
    commit_vectors(lake.open(), {paths[0]: [1, 2]}, change=bare)
    (path,) = puffins(lake)
    local = Path(path.removeprefix("file://"))
    body = bytearray(local.read_bytes())
    body[20] ^= 1
    local.write_bytes(body)
    done = rewritten(lake)
    assert (done.snapshot_id, done.left_out.reasons, done.left_out.errors) == (None, {"unreadable": 1}, 1)
    assert "CRC-32" in done.left_out.items[0].detail


def test_a_second_vector_of_a_data_file_refuses_the_rewrite(lake: Lake):
    paths = made(lake)
    for _ in range(2):
        commit_vectors(lake.open(), {paths[0]: [1]})
    with pytest.raises(NotEligible, match="2 are not the only one of their data file"):
        lake.open().delete_rewrite.plan()


def test_a_vector_that_arrives_between_is_kept(lake: Lake):
    paths = made(lake, [[(0, 1)], [(1, 2)]], aimed=True)
    acts = [lambda: commit_vectors(lake.open(), {paths[0]: [1, 5]})]
    done = lake.open().delete_rewrite.commit(RUN_ID, 1, before_try=lambda: acts.pop()() if acts else None)
    assert all(each.holds for each in proof(lake, done).checks)
    assert vectors(lake) == {paths[0]: 2, paths[1]: 1}
    names = {path.rpartition("/")[2] for path in puffins(lake)}
    assert {name for name in local_files(lake.folder) if name.endswith(".puffin") and RUN_ID in name} <= names


def test_puffin_files_that_a_killed_attempt_left_are_removed(lake: Lake):
    made(lake, [[(0, 1)]])
    proven(lake)
    folder = Path(next(iter(puffins(lake))).removeprefix("file://")).parent
    left = folder / f"{RUN_ID}-00000-1-deletes-0.puffin"
    left.write_bytes(b"PFA1")
    assert lake.open().delete_rewrite.remove(RUN_ID, up_to_attempt=9) > 0
    assert not left.exists()
    assert len(vectors(lake)) == 1
    assert all(Path(path.removeprefix("file://")).exists() for path in puffins(lake))


@pytest.mark.parametrize("change", [[1, 3, 4], [1]], ids=["more", "fewer"])
def test_f6_a_lost_or_added_position_fails_the_proof(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, change: list[int]
) -> None:
    made(lake, [[(0, 1), (0, 3)]])
    blob = encoded(np.array(change))
    monkeypatch.setattr(vector_files, "encoded", lambda _: blob)
    real = vector_files.VectorBlob
    monkeypatch.setattr(vector_files, "VectorBlob", lambda body, target, _: real(body, target, len(change)))
    found = proof(lake, rewritten(lake))
    assert [each.name for each in found.checks if not each.holds] == ["same_deleted_positions"]


def test_a_delete_that_is_dropped_although_it_applies_fails_the_proof(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(lake, [[(0, 1), (0, 3)]])
    monkeypatch.setattr(vector_files, "_vectors", lambda *_: [])
    found = proof(lake, rewritten(lake))
    assert [each.name for each in found.checks if not each.holds] == ["same_deleted_positions"]
