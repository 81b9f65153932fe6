"""Rewrites of delete files beside Iceberg's `rewrite_position_delete_files`: the same rows, no more delete files."""

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import duckdb
from pyiceberg.manifest import DataFile, DataFileContent
from pyiceberg.table import Table
from pyspark.errors.exceptions.connect import SparkConnectException

from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from tests.differential.deletes import delete_positions
from tests.differential.readers import head_by_spark
from tests.support.iceberg_tables import commit_deletes, delete_file
from tests.upkeep.matches import Match
from tests.upkeep.readings import Seen

_REQUEST = RunRequest(Operation.REWRITE_DELETES)
_SPECS = "are expected to have same spec id"
"""The procedure's error for some tables with several partition specs."""


class DeleteMatch:
    """One rewrite of the delete files of a table by both."""

    def __init__(self, match: Match) -> None:
        self._match = match

    @staticmethod
    def maintenance() -> dict[str, Any]:
        """Return the settings of the operation."""
        return {"rewrite_deletes": {"interval": "1h", "at_least_files": 1}}

    async def play(self) -> None:
        """Delete more rows by position, let both rewrite the delete files, and compare."""
        match = self._match
        if match.table.metadata.format_version > 2:
            await self._play_vectors()
            return
        if match.table.metadata.format_version == 2:
            match.story.told += add_deletes(match.table, match.random)
        files = position_deletes(match.table)
        if not files:
            run = await match.run(_REQUEST)
            assert run.reason == "nothing_to_do", f"{run.reason}: {run.detail}"
            return
        seen = match.look()
        theirs = self._theirs(seen)
        positions = positions_of(files)
        run = await match.run(_REQUEST)
        match.compare(seen)
        self._check(run, files, theirs)
        after = positions_of(position_deletes(match.table))
        more = set(after) - set(positions)
        assert not more, f"positions that no delete file had: {sorted(more)[:5]}"
        match.counts["delete files read by duckdb"] += len(files)
        await self._check_again()

    async def _play_vectors(self) -> None:
        """Rewrite the deletes of a table of version 3, and compare the rows; no position-delete file is left."""
        match = self._match
        seen = match.look()
        run = await match.run(_REQUEST)
        match.compare(seen)
        if run.reason != "nothing_to_do":
            assert run.state is RunState.SUCCEEDED, run.detail
            assert all(each["ok"] for each in run.result.verifications)
            match.counts["files of vectors replaced"] += run.result.document["rewritten_delete_files"]
        assert not position_deletes(match.table)
        again = await match.run(_REQUEST)
        assert again.reason == "nothing_to_do", f"another rewrite: {again.detail}"

    async def _check_again(self) -> None:
        """Check that nothing is left to do; by data file, a merged file can be another one's equal first."""
        by_file = self._match.table.properties.get("write.delete.granularity") == "file"
        again = await self._match.run(_REQUEST)
        if by_file and again.reason != "nothing_to_do":
            again = await self._match.run(_REQUEST)
        assert again.reason == "nothing_to_do", f"another rewrite: {again.detail}"

    def _theirs(self, seen: Seen) -> int | None:
        """Let the procedure rewrite the delete files of a copy; return the number that is left, None if it failed."""
        match = self._match
        copy = match.copy_aside("deletes")
        table = match.register_copy(seen.table, "theirs_deletes")
        try:
            match.call("rewrite_position_delete_files", table, "options => map('rewrite-all', 'true')")
        except SparkConnectException as error:
            if _SPECS not in str(error) or len(table.specs()) == 1:
                raise
            match.counts["procedures that failed for tables with several specs"] += 1
            return None
        else:
            head, _ = head_by_spark(match.spark, f"lake.{'.'.join(table.name())}")
            match.counts["procedures that kept the rows"] += head == seen.head
            return len(position_deletes(table))
        finally:
            match.put_back(copy)

    def _check(self, run: Run, before: list[DataFile], theirs: int | None) -> None:
        match, result = self._match, run.result.document
        now = position_deletes(match.table)
        if "rewritten_delete_files" not in result:
            assert run.reason == "nothing_to_do", f"{run.reason}: {run.detail}"
            assert now == before
            match.counts["rewrites of deletes with nothing to do"] += 1
            return
        assert run.state is RunState.SUCCEEDED, run.detail
        assert all(each["ok"] for each in run.result.verifications)
        assert result["delete_files"] == {"before": len(before), "after": len(now)}
        assert len(now) < len(before) or result["rewritten_delete_files"] == result["added_delete_files"]
        match.counts["delete files replaced"] += result["rewritten_delete_files"]
        if theirs is not None:
            match.counts["rewrites of deletes with as few files as the procedure"] += len(now) <= theirs
            match.counts["rewrites of deletes with more files than the procedure"] += len(now) > theirs


def add_deletes(table: Table, random: Random) -> list[str]:
    """Commit up to five delete files, some of rows of files that do not exist; return the deletes in words."""
    told = []
    for _ in range(random.choice((0, 2, 3, 5))):
        step: Callable[[Table, Random], str] = _delete_of_nothing if random.random() < 0.15 else delete_positions
        try:
            told.append(step(table, random))
        except Exception as error:  # noqa: BLE001 - PyIceberg can't scan every table
            told.append(f"no deletes: {type(error).__name__} {str(error)[:200]}")
        table.refresh()
    return told


def _delete_of_nothing(table: Table, random: Random) -> str:
    """Commit a delete file that names a data file that the table does not have."""
    tasks = sorted(table.scan().plan_files(), key=lambda task: task.file.file_path)
    if not tasks:
        return "no file"
    like = random.choice(tasks).file
    pairs = [(f"{table.location()}/data/gone-{random.random()}.parquet", each) for each in range(3)]
    made = delete_file(table, pairs, spec_id=like.spec_id, partition=like.partition, aimed=random.random() < 0.5)
    commit_deletes(table, made)
    return "3 positions of a file that does not exist"


def position_deletes(table: Table) -> list[DataFile]:
    """Return the live position-delete files of the head, without deletion vectors."""
    head = table.current_snapshot()
    manifests = [] if head is None else head.manifests(table.io)
    files = [each.data_file for one in manifests for each in one.fetch_manifest_entry(table.io)]
    of_positions = [each for each in files if each.content == DataFileContent.POSITION_DELETES]
    return [each for each in of_positions if each.file_path.endswith(".parquet")]


def positions_of(files: list[DataFile]) -> Counter[tuple[str, int]]:
    """Return the rows of delete files, as DuckDB reads them."""
    found: Counter[tuple[str, int]] = Counter()
    with duckdb.connect() as connection:
        for each in files:
            rows = connection.read_parquet(each.file_path.replace("file://", "").replace("file:", ""))
            found.update(rows.select("file_path, pos").fetchall())
    return found
