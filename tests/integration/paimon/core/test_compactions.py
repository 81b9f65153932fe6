"""Compactions of every kind of table: rows stay equal, and results describe the files that the core replaced."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import pytest

from engine.formats.paimon.task.contract import EXACT_FILES, ONE_BUCKET
from engine.rewriting.kernel.contract import GroupResult
from tests.support.paimon.compactions import Commits, compact, live_files, own_files, paths, tasks
from tests.support.paimon.lakes import PaimonLake

pytestmark = pytest.mark.usefixtures("core_child")

KEYED: Mapping[str, Sequence[str]] = {"primary_keys": ["id", "day"], "partition_keys": ["day"]}
DAYS = ["2026-11-01", "2026-11-02"]


def fill(lake: PaimonLake, commits: int = 4, **arguments: Any) -> PaimonLake:
    """Commit rows of two days, partly with the same ids."""
    for number in range(commits):
        rows = [[each + 7 * number, day, float(number)] for each in range(20) for day in DAYS]
        lake.write(rows, **arguments)
    return lake


def check_described(lake: PaimonLake, results: Sequence[GroupResult], before: set[str]) -> None:
    """Check that the results name the files that left and entered the table."""
    after = paths(lake)
    gone = {one.path for each in results for one in each.inputs or ()}
    new = {one.path for each in results for one in each.outputs}
    assert gone <= before
    assert new <= after
    assert after == (before - gone) | new
    recorded = dict(zip(live_files(lake).paths().to_pylist(), live_files(lake).files.to_pylist(), strict=True))
    for each in results:
        for one in each.outputs:
            assert (one.file_bytes, one.record_count, one.footer) == (
                recorded[one.path]["file_bytes"],
                recorded[one.path]["record_count"],
                "",
            )


@dataclass(frozen=True)
class Shape:
    """A kind of table, and of its tasks. `buckets`: of a dynamic table."""

    keys: Mapping[str, Any]
    options: Mapping[str, str]
    kind: str = ONE_BUCKET
    buckets: int = 0


SHAPES = {
    "key, fixed": Shape(KEYED, {"bucket": "2"}),
    "key, no partitions": Shape({"primary_keys": ["id"]}, {"bucket": "1"}),
    "key, dynamic": Shape(KEYED, {}, buckets=3),
    "key, lookup": Shape(KEYED, {"bucket": "1", "changelog_producer": "lookup"}),
    "key, changelog of full": Shape(KEYED, {"bucket": "1", "changelog_producer": "full-compaction"}),
    "append, fixed": Shape(
        {"partition_keys": ["day"]}, {"bucket": "2", "bucket_key": "id", "file__format": "orc"}, EXACT_FILES
    ),
    "append, unaware": Shape({"partition_keys": ["day"]}, {}, EXACT_FILES),
    "append, no partitions": Shape({}, {}, EXACT_FILES),
    "append, vectors": Shape({}, {"deletion_vectors__enabled": "true"}, EXACT_FILES),
}


MINOR: Final = ("key, fixed", "append, fixed", "append, unaware")
"""The kinds of which a minor compaction is made without a deep run, too."""


@pytest.mark.parametrize(
    ("shape", "full"),
    [
        pytest.param(shape, full, marks=() if full or name in MINOR else pytest.mark.deep, id=f"{name}-{full}")
        for name, shape in SHAPES.items()
        for full in (True, False)
    ],
)
def test_rows_stay_equal(lake: PaimonLake, shape: Shape, full: bool) -> None:
    lake.create(**shape.keys, **shape.options, write_only="true")
    fill(lake, **({"buckets": shape.buckets} if shape.buckets else {}))
    if "deletion_vectors__enabled" in shape.options:
        lake.call("delete", every=3)
    rows, before = lake.call("values"), paths(lake)
    triggers = {"num_sorted_run__compaction_trigger": "2", "compaction__min__file_num": "2"}
    results = [compact(each) for each in tasks(lake, kind=shape.kind, full=full, **triggers)]
    assert [each.outcome for each in results] == ["written"] * len(results), results
    assert (lake.call("values"), paths(lake)) == (rows, before)
    assert Commits(lake.folder).commit(*results).outcome == "committed"
    assert lake.call("values") == rows
    check_described(lake, results, before)
    assert all(each.rows_read - each.rows_written == each.rows_deleted for each in results)
    assert sum(each.rows_written for each in results) >= (len(rows) if full else 1)


def test_deletion_vectors_of_a_key_table_are_written(lake: PaimonLake) -> None:
    """Readers of such a table skip level 0: a compaction makes its rows visible."""
    lake.create(primary_keys=["id"], bucket="1", deletion_vectors__enabled="true", write_only="true")
    merged: dict[int, list[Any]] = {}
    steps: list[tuple[Sequence[int], bool]] = [
        ([], False),
        (range(3000), True),
        (range(5), False),
        (range(3, 9), False),
        ([], True),
    ]
    for number, (ids, full) in enumerate(steps):
        rows = [[each, "d", each / 7 + number] for each in ids]
        merged |= {row[0]: row for row in rows}
        if rows:
            lake.write(rows)
        before = paths(lake)
        results = [compact(each) for each in tasks(lake, full=full)]
        written = [each for each in results if each.outcome == "written"]
        assert Commits(lake.folder).commit(*written, identifier=number).outcome == (
            "committed" if written else "nothing"
        )
        assert lake.call("values") == sorted(merged.values(), key=str)
        check_described(lake, written, before)
        has_vectors = any(each["vector"] for each in lake.call("inspect")["files"])
        assert has_vectors is (number in (2, 3))


def test_all_own_files_have_the_prefix(lake: PaimonLake) -> None:
    fill(lake.create(**KEYED, bucket="1", changelog_producer="lookup", write_only="true"))
    before = set(lake.folder.rglob("*.parquet"))
    result = compact(tasks(lake)[0])
    new = set(lake.folder.rglob("*.parquet")) - before
    assert new == set(own_files(lake))
    assert {"changelog" in each.name for each in new} == {True, False}
    assert result.bytes_written == sum(each.stat().st_size for each in new)


def test_a_file_that_only_moves_to_another_level_costs_nothing(lake: PaimonLake) -> None:
    fill(lake.create(**KEYED, bucket="1", write_only="true"), commits=1)
    result = compact(tasks(lake)[0])
    assert result.inputs is not None
    assert [one.path for one in result.inputs] == [one.path for one in result.outputs]
    assert (result.bytes_read, result.bytes_written, result.rows_read, result.rows_deleted) == (0, 0, 0, 0)
    assert Commits(lake.folder).commit(result).outcome == "committed"
    assert {each["level"] for each in lake.call("inspect")["files"]} == {0, 5}


def test_a_bucket_without_work_is_refused(lake: PaimonLake) -> None:
    fill(lake.create(**KEYED, bucket="1", write_only="true"), commits=1)
    result = compact(tasks(lake, full=False)[0])
    assert (result.outcome, result.message) == ("refused", "")
    assert result.reason == "nothing_to_do: the core found no files to compact"


def test_a_single_file_without_buckets_is_refused(lake: PaimonLake) -> None:
    fill(lake.create(write_only="true"), commits=1)
    result = compact(tasks(lake, kind=EXACT_FILES)[0])
    assert (result.outcome, result.reason) == ("refused", "nothing_to_do: 1 files can't be merged")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"bucket": "1", "bucket_key": "id", "deletion_vectors__enabled": "true"}, "has deletion vectors in buckets"),
        ({"row_tracking__enabled": "true", "data_evolution__enabled": "true"}, "has data-evolution.enabled"),
    ],
    ids=["vectors of buckets", "data evolution"],
)
def test_files_that_are_not_whole_rows_of_a_partition_are_not_merged(
    lake: PaimonLake, options: dict[str, str], reason: str
) -> None:
    fill(lake.create(write_only="true", **options))
    result = compact(tasks(lake, kind=EXACT_FILES)[0])
    assert result.outcome == "refused"
    assert str(result.reason).startswith(f"unreadable_layout: {lake.folder} {reason}")
    assert own_files(lake) == []


def test_exactly_the_inputs_are_merged_without_buckets(lake: PaimonLake) -> None:
    fill(lake.create(write_only="true"))
    task = tasks(lake, kind=EXACT_FILES)[0]
    chosen = task.inputs[1:3]
    result = compact(replace(task, inputs=chosen))
    assert result.inputs == chosen


def test_files_at_external_paths_are_named(lake: PaimonLake, tmp_path: Path) -> None:
    places = [tmp_path / "first", tmp_path / "second"]
    options = {
        "data_file__external_paths": ",".join(each.as_uri() for each in places),
        "data_file__external_paths__strategy": "round-robin",
    }
    fill(lake.create(**KEYED, bucket="1", write_only="true", **options))
    rows, before = lake.call("values"), paths(lake)
    task = tasks(lake)[0]
    result = compact(task)
    assert Commits(lake.folder).commit(result).outcome == "committed"
    assert lake.call("values") == rows
    check_described(lake, [result], before)


def test_an_input_that_left_the_table_fails_the_group(lake: PaimonLake) -> None:
    fill(lake.create(write_only="true"))
    task = tasks(lake, kind=EXACT_FILES)[0]
    lake.call("truncate")
    result = compact(task)
    assert result.outcome == "failed"
    assert result.reason is not None
    assert result.reason.startswith(f"InputFault: {Path(task.inputs[0].path).name}: the newest snapshot")
    assert own_files(lake) == []


def test_a_damaged_input_fails_the_group_and_leaves_no_file(lake: PaimonLake) -> None:
    fill(lake.create(**KEYED, bucket="1", write_only="true"))
    task = tasks(lake)[0]
    Path(task.inputs[-1].path).write_bytes(b"damaged")
    result = compact(task)
    assert result.outcome == "failed"
    assert "data-" in str(result.reason)
    assert own_files(lake) == []
