"""Comparison of rows where the core leaves large files of the output level alone, `MergeTreeCompactTask.upgrade`."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from engine.formats.paimon.task.contract import CoreTask
from engine.rewriting.kernel.contract import GroupResult
from tests.integration.paimon.core.test_row_checks import checked_tasks, column_set, create, tamper
from tests.support.paimon.compactions import Commits, compact, live_files, paths
from tests.support.paimon.lakes import PaimonLake, made_once

pytestmark = pytest.mark.usefixtures("core_child")

SMALL: Final = {"target-file-size": "1 kb"}
"""Below the bytes of any Parquet file: every file is large."""


def rows_of(ids: range, word: str) -> list[list[Any]]:
    return [[each, 1, 2, word, float(each)] for each in ids]


def two_large_files(lake: PaimonLake, options: Mapping[str, str] = {}) -> set[str]:
    """Create a table with the ids 1 to 100 and 101 to 200 in two files of the last level, and return their paths."""

    def make(made: PaimonLake) -> None:
        create(made, {**SMALL, **options})
        for ids in (range(1, 101), range(101, 201)):
            made.write(rows_of(ids, "old"))
            made.compact()

    made_once(lake.core, lake.root, f"two large files {options}", make)
    assert live_files(lake).files["level"].to_pylist() == [5, 5]
    return paths(lake)


def the_task(lake: PaimonLake, *, full: bool = True, trigger: int = 2) -> CoreTask:
    (task,) = checked_tasks(lake, full=full, trigger=trigger)
    return replace(task, options={**task.options, **SMALL})


def committed(lake: PaimonLake, result: GroupResult) -> list[list[Any]]:
    assert (result.outcome, result.reason) == ("written", None)
    Commits(lake.folder).commit(result)
    return sorted(lake.call("values"))


def merged_of(result: GroupResult) -> set[str]:
    return {each.path.removeprefix("file:") for each in result.inputs or ()}


def test_a_deletion_is_dropped_beside_a_large_file_of_the_last_level(lake: PaimonLake) -> None:
    large = two_large_files(lake)
    lake.write(rows_of(range(50, 51), "gone"), kinds="D")
    expected = sorted(lake.call("values"))
    result = compact(the_task(lake))
    assert len(large - merged_of(result)) == 1
    assert committed(lake, result) == expected
    assert len(expected) == 199
    assert (result.row_digest.split("-")[0], result.check_limit) == ("99", "")


def test_nothing_is_written_beside_large_files_of_the_last_level(lake: PaimonLake) -> None:
    """A full compaction merges new rows and their deletion, and writes no file."""
    large = two_large_files(lake)
    for kinds in ("I", "D"):
        lake.write(rows_of(range(500, 501), "new"), kinds=kinds)
    result = compact(the_task(lake))
    assert (result.outputs, result.check_limit) == ((), "")
    assert result.row_digest.startswith("0-")
    assert len(committed(lake, result)) == 200
    assert paths(lake) == large


def test_the_level_of_a_minor_compaction_without_outputs_is_reported_as_unknown(lake: PaimonLake) -> None:
    """Level 0 has more bytes than twice the last level, so that the core merges all sorted runs."""
    large = two_large_files(lake)
    for kinds in "IIIIDDDDDDDD":
        lake.write(rows_of(range(500, 501), "new"), kinds=kinds)
    result = compact(the_task(lake, full=False))
    assert (result.outputs, merged_of(result) & large) == ((), set())
    assert result.check_limit == ("deletions are not compared: nothing was written, and files of higher levels remain")
    assert len(committed(lake, result)) == 200


def lacking(table: pa.Table) -> pa.Table:
    return table.slice(1)


FALSE: Final = {
    "no first row": ({"merge-engine": "first-row"}, lacking, "1 keys are missing"),
    "a row that is newer, by lookup": (
        {"changelog-producer": "lookup"},
        column_set("_SEQUENCE_NUMBER", lambda each: pc.max(each).as_py() + 100),
        "1 rows are not those that the merge engine keeps",
    ),
    "a number that is newer, by lookup": (
        {"merge-engine": "aggregation", "changelog-producer": "lookup"},
        column_set("_SEQUENCE_NUMBER", lambda each: pc.max(each).as_py() + 100),
        "1 rows have a sequence number beyond those of their key",
    ),
    "no row": ({}, lacking, "1 keys are missing"),
}


@pytest.mark.parametrize("name", FALSE)
def test_wrong_outputs_beside_large_files_are_found(
    lake: PaimonLake, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    options, change, text = FALSE[name]
    large = two_large_files(lake, options)
    lake.write(rows_of(range(150, 160), "new"))
    assert len(large - merged_of(compact(the_task(lake)))) == 1
    tamper(monkeypatch, change)
    result = compact(the_task(lake))
    assert result.outcome == "failed"
    assert text in str(result.reason)


def test_a_deletion_that_a_higher_level_needs_is_not_dropped(lake: PaimonLake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A minor compaction of level 0 to a level below the last one: the deletion has to stay."""
    two_large_files(lake)
    for _ in range(2):
        lake.write(rows_of(range(50, 51), "gone"), kinds="D")
    expected = sorted(lake.call("values"))
    task = the_task(lake, full=False, trigger=3)
    task = replace(task, options={**task.options, "compaction.max-size-amplification-percent": "100000"})
    result = compact(task)
    assert [each.record_count for each in result.outputs] == [1]
    tamper(monkeypatch, lacking)
    assert "1 keys are missing" in str(compact(task).reason)
    assert committed(lake, result) == expected
    assert sorted(live_files(lake).files["level"].to_pylist()) == [4, 5, 5]
