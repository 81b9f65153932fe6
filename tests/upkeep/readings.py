"""Read a table and its files by every reader, before upkeep and after it, and compare."""

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from random import Random

import duckdb
from pyiceberg.manifest import ManifestEntryStatus
from pyiceberg.table import Table
from pyspark.sql import SparkSession

from engine.formats.iceberg.catalog.paths import normalised
from tests.differential.questions import Asked, Questions
from tests.differential.readers import Rows, file_by_duckdb, head_by_spark, history_by_spark, set_vectorised
from tests.support.duckdb_tables import rows_by_duckdb
from tests.support.expired_files import needed, stored

_ASKED = 20
"""Predicates at boundary values that each table is asked for."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A table and what was read of it before the upkeep that is compared."""

    table: Table
    points: list[str]
    head: Rows
    history: Counter[tuple[str, str]]
    pyiceberg: dict[int, Counter[str]]
    duckdb: dict[int, Counter[str]]
    files: dict[str, Rows]
    questions: Questions
    asked: list[Asked]
    stored: set[str]
    needed: set[str]
    removed: set[str]

    @staticmethod
    def of(spark: SparkSession, name: str, table: Table, random: Random) -> "Seen":
        """Read a table, by one of Spark's two readers, and by PyIceberg and DuckDB where they can read it."""
        set_vectorised(spark, random.random() < 0.5)
        points = [str(each.snapshot_id) for each in table.snapshots()]
        points += [each for each in table.refs() if each != "main"]
        history, (head, _) = history_by_spark(spark, name, points), head_by_spark(spark, name)
        questions = Questions.about(spark, name, table, random)
        every = needed(table)
        return Seen(
            table,
            points,
            head,
            history,
            {each.snapshot_id: rows for each in table.snapshots() if (rows := _by_pyiceberg(table, each.snapshot_id))},
            {each.snapshot_id: rows for each in table.snapshots() if (rows := _by_duckdb(table, each.snapshot_id))},
            _files_by_duckdb(every),
            questions,
            questions.sample(table, random, _ASKED),
            stored(table),
            every,
            _removed(table),
        )

    def compare(self, spark: SparkSession, name: str, table: Table, counts: Counter[str], *, asks: bool) -> None:
        """Compare the rows of the head, of every kept snapshot and reference; if it `asks`, answers to predicates."""
        assert set(self.table.refs()) == set(table.refs()), "references changed"
        missing = (needed(table) & self.stored) - stored(table)
        assert not missing, f"needed files are missing: {sorted(missing)[:5]}"
        self._compare_by_spark(spark, name, table, counts)
        for snapshot_id, rows in self.pyiceberg.items():
            if table.snapshot_by_id(snapshot_id) is not None:
                assert _by_pyiceberg(table, snapshot_id) == rows, f"snapshot {snapshot_id}"
                counts["snapshots read by pyiceberg"] += 1
        for snapshot_id, rows in self.duckdb.items():
            if table.snapshot_by_id(snapshot_id) is not None:
                assert _by_duckdb(table, snapshot_id) == rows, f"snapshot {snapshot_id} by DuckDB"
                counts["snapshots read by duckdb"] += 1
        head = self.table.current_snapshot()
        if head is not None and (before := self.pyiceberg.get(head.snapshot_id)) and _same_columns(self.table):
            assert _by_pyiceberg(table, table.metadata.current_snapshot_id) == before, "the head by PyIceberg"
            counts["heads read by pyiceberg"] += 1
        if head is not None and (read := self.duckdb.get(head.snapshot_id)) and _same_columns(self.table):
            assert _by_duckdb(table, table.metadata.current_snapshot_id) == read, "the head by DuckDB"
            counts["heads read by duckdb"] += 1
        live = needed(table)
        for path, found in self.files.items():
            if path in live:
                assert file_by_duckdb(path) == found, path
                counts["files read by duckdb"] += 1
        if asks:
            self.questions.check(name, self.asked)
            counts["predicates asked"] += len(self.asked)

    def _compare_by_spark(self, spark: SparkSession, name: str, table: Table, counts: Counter[str]) -> None:
        kept = {str(each) for each in ids(table)} | set(table.refs())
        points = [each for each in self.points if each in kept]
        expected = Counter({key: count for key, count in self.history.items() if key[0] in kept})
        found = history_by_spark(spark, name, points) if points else Counter()
        assert found == expected, f"{(expected - found).total()} rows gone, {(found - expected).total()} more"
        counts["points in time read by spark"] += len(points)
        head, _ = head_by_spark(spark, name)
        wrong = (self.head - head).total(), (head - self.head).total()
        assert head == self.head, f"at the head {wrong[0]} rows gone, {wrong[1]} more"


def ids(table: Table) -> set[int]:
    """Return the ids of a table's snapshots."""
    return {each.snapshot_id for each in table.snapshots()}


def _same_columns(table: Table) -> bool:
    """Return whether the head was written with the current schema, by which a later head is read."""
    head = table.current_snapshot()
    return head is not None and head.schema_id == table.metadata.current_schema_id


def _removed(table: Table) -> set[str]:
    """Return files that a manifest names as removed and no snapshot needs: they were live in a gap only."""
    manifests = {each.manifest_path: each for one in table.snapshots() for each in one.manifests(table.io)}
    entries = (each.fetch_manifest_entry(table.io, discard_deleted=False) for each in manifests.values())
    removed = {
        each.data_file.file_path for some in entries for each in some if each.status == ManifestEntryStatus.DELETED
    }
    return {normalised(each) for each in removed} - needed(table)


def _by_pyiceberg(table: Table, snapshot_id: int | None) -> Counter[str] | None:
    try:
        rows = table.scan(snapshot_id=snapshot_id).to_arrow()
    except Exception:  # noqa: BLE001 - PyIceberg can't read every table
        return None
    return Counter(map(repr, rows.to_pylist()))


def _by_duckdb(table: Table, snapshot_id: int | None) -> Counter[str] | None:
    try:
        return rows_by_duckdb(table, snapshot_id)
    except duckdb.Error:  # DuckDB can't read every table
        return None


def _files_by_duckdb(paths: set[str]) -> dict[str, Rows]:
    """Return the rows of the Parquet files that DuckDB can read."""
    found = {}
    for path in paths:
        if path.endswith(".parquet"):
            with suppress(Exception):
                found[path] = file_by_duckdb(path)
    return found
