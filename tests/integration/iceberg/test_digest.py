"""The digest of live files and the deletes that apply to them, on real manifests."""

import pyarrow as pa
import pytest
from pyiceberg.transforms import DayTransform
from pyiceberg.typedef import Record

from engine.domain.errors import CommitConflict
from engine.formats.iceberg import IcebergTable, ManifestCache
from engine.formats.iceberg.manifests.decoding import ENTRIES
from engine.planning.measures.digest import FILE_DIGEST
from tests.support.iceberg_tables import (
    BY_CITY,
    Lake,
    append_files,
    commit_deletes,
    delete_file,
    group_of,
    ids_of,
    live_paths,
    nothing,
    request_of,
    write_group,
)


def rows_by_path(opened: IcebergTable) -> dict[str, dict[str, object]]:
    return {row["path"]: row for row in opened.digest().to_pylist()}


def test_a_table_without_snapshots_has_an_empty_digest(lake: Lake):
    lake.create()
    opened = lake.open()
    assert opened.digest().equals(FILE_DIGEST.empty_table())
    assert opened.head_snapshot_id is None


@pytest.mark.parametrize("version", ["1", "2"])
def test_the_digest_says_what_the_manifests_say(lake: Lake, version: str):
    append_files(lake.create(properties={"format-version": version}), 3)
    digest = lake.open().digest()
    table = lake.load()
    assert digest.schema.equals(FILE_DIGEST)
    expected = {task.file.file_path: task.file.file_size_in_bytes for task in table.scan().plan_files()}
    assert dict(zip(digest["path"].to_pylist(), digest["file_bytes"].to_pylist(), strict=True)) == expected
    assert digest["record_count"].to_pylist() == [10, 10, 10]
    assert sorted(digest["sequence_number"].to_pylist()) == ([0, 0, 0] if version == "1" else [1, 2, 3])
    assert set(digest["partition"].to_pylist()) == {"{}"}
    assert set(digest["file_format"].to_pylist()) == {"parquet"}
    assert not any(digest["is_encrypted"].to_pylist())
    assert digest["bucket"].null_count == digest["level"].null_count == 3


@pytest.mark.parametrize("codec", ["gzip", "zstd", "bzip2", "uncompressed-nonsense"])
def test_manifests_are_read_and_rewritten_whatever_compresses_them(lake: Lake, codec: str):
    known = {"write.avro.compression-codec": codec} if "nonsense" not in codec else {}
    append_files(lake.create(properties=known), 2)
    if not known:
        with lake.load().transaction() as transaction:
            transaction.set_properties({"write.avro.compression-codec": codec})
    opened = lake.open()
    written = write_group(opened, group_of(opened))
    opened.commits.commit(request_of(opened, written), before_try=nothing)
    assert lake.open().digest()["path"].to_pylist() == [written.outputs[0].path]
    assert ids_of(lake.load()) == list(range(20))


def test_files_removed_by_other_writers_are_not_in_it(lake: Lake):
    append_files(lake.create(), 3)
    lake.load().delete("id < 10")
    assert sorted(rows_by_path(lake.open())) == live_paths(lake.load())


def test_partitions_of_several_specs_share_one_dictionary(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 1, city="Aachen")
    append_files(table, 1, first=10, city=None)
    with table.update_spec() as update:
        update.add_field("at", DayTransform(), "at_day")
    append_files(lake.load(), 1, first=20, city="Aachen")
    rows = rows_by_path(lake.open()).values()
    assert sorted((row["spec_id"], row["partition"]) for row in rows) == [
        (0, '{"city":"Aachen"}'),
        (0, '{"city":null}'),
        (1, '{"city":"Aachen","at_day":"2026-01-01"}'),
    ]


def test_a_partition_wide_position_delete_counts_for_older_files_of_its_partition(lake: Lake):
    table = lake.create(spec=BY_CITY)
    append_files(table, 2, rows=5, city="Aachen")
    append_files(table, 1, first=100, city="Bonn")
    old = [path for path in live_paths(lake.load()) if "Aachen" in path]
    deletes = delete_file(lake.load(), [(old[0], n) for n in range(3)], partition=Record("Aachen"))
    commit_deletes(lake.load(), deletes)
    append_files(lake.load(), 1, first=200, city="Aachen")
    rows = rows_by_path(lake.open())
    assert {path for path, row in rows.items() if row["delete_files"] == 1} == set(old)
    assert {row["deleted_rows"] for path, row in rows.items() if path in old} == {3}


def test_a_position_delete_with_equal_path_bounds_counts_for_one_file(lake: Lake):
    append_files(lake.create(), 3)
    path = live_paths(lake.load())[1]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 0), (path, 1)], aimed=True))
    rows = rows_by_path(lake.open())
    assert {each: (row["delete_files"], row["deleted_rows"]) for each, row in rows.items() if row["delete_files"]} == {
        path: (1, 2)
    }


def test_deleted_rows_never_pass_the_rows_of_the_file(lake: Lake):
    append_files(lake.create(), 2, rows=4)
    first, second = live_paths(lake.load())
    pairs = [(path, n) for path in (first, second) for n in range(4)]
    commit_deletes(lake.load(), delete_file(lake.load(), pairs))
    assert {row["deleted_rows"] for row in rows_by_path(lake.open()).values()} == {4}


def test_a_position_delete_older_than_a_file_does_not_apply_to_it(lake: Lake):
    append_files(lake.create(), 3)
    path = live_paths(lake.load())[0]
    commit_deletes(lake.load(), delete_file(lake.load(), [(path, 0)]), sequence_number=2)
    rows = lake.open().digest().to_pylist()
    assert {row["sequence_number"]: row["delete_files"] for row in rows} == {1: 1, 2: 1, 3: 0}


def test_an_equality_delete_counts_for_strictly_older_files_everywhere(lake: Lake):
    append_files(lake.create(), 2)
    commit_deletes(lake.load(), delete_file(lake.load(), [("", 3)], equality_id=1))
    append_files(lake.load(), 1, first=100)
    rows = lake.open().digest().to_pylist()
    assert {row["sequence_number"]: row["equality_deletes"] for row in rows} == {1: 1, 2: 1, 4: 0}
    assert {row["delete_files"] for row in rows} == {0}


def test_an_equality_delete_of_the_same_commit_does_not_apply(lake: Lake):
    append_files(lake.create(), 2)
    commit_deletes(lake.load(), delete_file(lake.load(), [("", 3)], equality_id=1), sequence_number=2)
    rows = lake.open().digest().to_pylist()
    assert {row["sequence_number"]: row["equality_deletes"] for row in rows} == {1: 1, 2: 0}


def test_group_inputs_carry_exactly_the_deletes_that_apply(lake: Lake):
    append_files(lake.create(), 2)
    first, second = live_paths(lake.load())
    aimed = delete_file(lake.load(), [(first, 0)], aimed=True)
    commit_deletes(lake.load(), aimed)
    wide = delete_file(lake.load(), [(second, 1)])
    commit_deletes(lake.load(), wide)
    inputs = lake.open().group_inputs([first, second])
    assert [ref.path for ref in inputs[first].deletes] == sorted([aimed.file_path, wide.file_path])
    assert [(ref.path, ref.file_bytes) for ref in inputs[second].deletes] == [(wide.file_path, wide.file_size_in_bytes)]


def test_inputs_that_are_not_live_are_a_conflict(lake: Lake):
    append_files(lake.create(), 2)
    with pytest.raises(CommitConflict, match="1 of 2 files are not live"):
        lake.open().group_inputs([live_paths(lake.load())[0], "file:///nowhere.parquet"])


def test_a_second_view_reads_only_new_manifests(lake: Lake):
    append_files(lake.create(), 3)
    lake.open().digest()
    cache = lake.open()._cache.whole
    before = set(cache._held)
    append_files(lake.load(), 1, first=100)
    assert lake.open().digest().num_rows == 4
    assert len([key for key in set(cache._held) - before if "/snap-" not in key[0]]) == 1


def test_the_live_files_of_a_snapshot_are_put_together_once(lake: Lake):
    append_files(lake.create(), 3)
    assert lake.open()._live_files().data is lake.open()._live_files().data
    append_files(lake.load(), 1, first=100)
    assert lake.open().digest().num_rows == 4


def test_commit_times_are_those_of_the_present_metadata_also_where_files_were_read_before(lake: Lake):
    append_files(lake.create(), 2)
    assert lake.open().digest()["added_at_ms"].null_count == 0
    oldest = lake.load().snapshots()[0]
    lake.load().maintenance.expire_snapshots().by_id(oldest.snapshot_id).commit()
    assert lake.open().digest()["added_at_ms"].null_count == 1


def test_what_is_larger_than_half_of_the_cache_is_not_held():
    cache = ManifestCache(max_bytes=1500)
    for size in (1000, 100):
        cache.get((str(size), 1), lambda size=size: pa.table({"path": ["x" * size]}))
    assert list(cache._held) == [("100", 1)]


def test_the_cache_lets_go_of_what_was_not_used_for_longest():
    table = ENTRIES.empty_table()
    one = pa.concat_tables([table]).append_column("pad", pa.array([], pa.string()))
    row = pa.table({"path": ["x" * 1000]})
    cache = ManifestCache(max_bytes=2500)
    for name in ("a", "b", "a", "c"):
        cache.get((name, 1), lambda: row)
    reread = []
    for name in ("a", "c", "b"):
        cache.get((name, 1), lambda name=name: reread.append(name) or one)
    assert reread == ["b"]
