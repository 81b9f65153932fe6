"""One random table: upkeep by Packhouse and by Iceberg's procedures on copies with the same bytes, read by all readers.

The folder of the table is copied, Packhouse works in place, then the folder is put back for the procedures.
"""

import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.manifest import ManifestEntryStatus
from pyiceberg.table import Table
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.domain.tables.table import Table as Registered
from engine.formats.iceberg.catalog.paths import normalised
from tests.differential.questions import Asked, Questions
from tests.differential.readers import Rows, file_by_duckdb, head_by_spark, history_by_spark, set_vectorised
from tests.differential.stories import NAMESPACE, Story
from tests.differential.writers import Pens
from tests.support.expired_files import needed, stored
from tests.support.world import World
from tests.upkeep.histories import age, local

_REFUSED = ("not_eligible", "nothing_to_do")
_METADATA = ".metadata.json"
_ASKED = 20
"""Predicates at boundary values that each table is asked for."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A table and what was read of it before the upkeep that is compared."""

    table: Table
    points: list[str]
    history: Counter[tuple[str, str]]
    pyiceberg: dict[int, Counter[str]]
    files: dict[str, Rows]
    questions: Questions
    asked: list[Asked]
    stored: set[str]
    needed: set[str]
    removed: set[str]


@dataclass
class Arena:
    """Judges seeds on one lake; `counts` has the number of checks that took place, by name."""

    world: World
    spark: SparkSession
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def catalog(self) -> Catalog:
        """The lake's catalog, which Spark shares."""
        return self.world.lake.catalog

    async def judge(self, seed: int) -> None:
        """Make the table of a seed, work on it and compare. Raises AssertionError with the whole story in it."""
        random, name = Random(f"{seed}/upkeep"), f"u{seed}"
        pens = Pens(self.spark, f"lake.{NAMESPACE}.{name}")
        story = Story(seed, self.catalog, pens, Random(seed), name)
        try:
            await _Match(self, story, random).play()
        except Exception as error:
            error.add_note("\n".join([f"the story of seed {seed}:", *story.told]))
            raise
        self.counts["tables"] += 1

    def forget(self, seed: int) -> None:
        """Remove the table of a seed and its copies."""
        folder = local(f"{self.world.lake.properties['warehouse']}/{NAMESPACE}/u{seed}")
        for name in (f"u{seed}", f"u{seed}_theirs"):
            with suppress(NoSuchTableError):
                self.catalog.drop_table((NAMESPACE, name))
        for each in (folder, _aside(folder)):
            shutil.rmtree(each, ignore_errors=True)

    def check(self) -> None:
        """Fail when too little took part."""
        tables = self.counts["tables"]
        assert self.counts["expiries that deleted files"] > 0.4 * tables, str(self)
        assert self.counts["snapshots read by pyiceberg"] > tables, str(self)
        assert self.counts["files read by duckdb"] > tables, str(self)

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))


class _Match:
    """The upkeep of one table by both."""

    def __init__(self, arena: Arena, story: Story, random: Random) -> None:
        self._arena, self._story, self._random = arena, story, random
        self._name = story.pens.name
        self._spark, self._world, self._counts = arena.spark, arena.world, arena.counts
        self._keep_last = random.choice((1, 1, 2, 3))
        self._hours = random.choice((0.5, 1.5, 2.5, 4.5))
        self._registered: Registered
        self._runs: list[Run] = []

    async def play(self) -> None:
        """Make the table and its history, then let both work."""
        self._story.tell()
        self._registered = await self._world.register(self._story.name, policy=self._policy())
        operations = [Operation.EXPIRE_SNAPSHOTS]
        if self._random.random() < 0.5:
            rewritten = await self._run(RunRequest(force_full=True))
            if rewritten.state is RunState.SUCCEEDED and self._random.random() < 0.7:
                operations = [Operation.DELETE_OLD_COMPACTIONS, *(operations if self._random.random() < 0.3 else ())]
            self._drop_protection()
        if self._random.random() < 0.4:
            await self._run(RunRequest(Operation.REWRITE_MANIFESTS))
        self._story.told += age(self._table, self._random)
        seen = self._look()
        folder = local(seen.table.location())
        shutil.copytree(folder, _aside(folder))
        removed = [await self._ours(operation, seen) for operation in operations]
        kept, ours = _ids(self._table), seen.stored - stored(self._table)
        await self._manifests(seen)
        shutil.rmtree(folder)
        shutil.move(_aside(folder), folder)
        self._theirs(seen, operations, removed, kept, ours)

    @property
    def _table(self) -> Table:
        return self._story.table

    def _policy(self) -> dict[str, Any]:
        minutes = f"{int(self._hours * 60)}m"
        expiry = {"older_than": minutes, "keep_last": self._keep_last, "interval": "1h", "delete_files": True}
        copies = {"grace": "30m", "interval": "1h"}
        maintenance = {"expire_snapshots": expiry, "delete_old_compactions": copies}
        return {"rewrite": {"min_input_files": 2, "deletes": {"files": 1}}, "maintenance": maintenance}

    def _drop_protection(self) -> None:
        """Remove the tags by which a rewrite protects the snapshot that it replaced."""
        if self._random.random() < 0.7 and self._table.metadata.format_version < 3:
            for name in [each for each in self._table.refs() if each.startswith("packhouse")]:
                self._table.manage_snapshots().remove_tag(name).commit()

    async def _run(self, request: RunRequest) -> Run:
        run, _ = await self._world.container.runs.submit(SYSTEM, self._registered.id, request)
        run = await self._world.finish(run.id)
        self._story.told.append(f"{request.operation.value}: {run.state.value} {run.reason}, {run.detail}")
        self._counts[f"{request.operation.value} {run.state.value}"] += 1
        if request.operation is not Operation.REWRITE:
            is_known = run.state in (RunState.SUCCEEDED, RunState.SKIPPED) or run.reason in _REFUSED
            assert is_known, f"{run.state} {run.reason}: {run.detail}"
        return run

    def _look(self) -> Seen:
        set_vectorised(self._spark, self._random.random() < 0.5)
        table = self._table
        points = [str(each.snapshot_id) for each in table.snapshots()]
        points += [each for each in table.refs() if each != "main"]
        history = history_by_spark(self._spark, self._name, points)
        questions = Questions.about(self._spark, self._name, table, self._random)
        asked = questions.sample(table, self._random, _ASKED)
        every = needed(table)
        return Seen(
            table,
            points,
            history,
            {each.snapshot_id: rows for each in table.snapshots() if (rows := _by_pyiceberg(table, each.snapshot_id))},
            _by_duckdb(every),
            questions,
            asked,
            stored(table),
            every,
            _removed(table),
        )

    async def _ours(self, operation: Operation, seen: Seen) -> set[int]:
        """Run one expiry; return the snapshots that it removed."""
        before = _ids(self._table)
        run = await self._run(RunRequest(operation))
        table = self._table
        gone = before - _ids(table)
        assert run.result.expired_snapshots == len(gone), run.result
        self._counts["expiries that deleted files"] += bool(run.result.document.get("deleted_files"))
        self._counts["files deleted"] += run.result.document.get("deleted_files", 0)
        missing = (needed(table) & seen.stored) - stored(table)
        assert not missing, f"needed files are missing: {sorted(missing)[:5]}"
        deleted = seen.stored - stored(table)
        assert not deleted & needed(table)
        if gone:
            assert not any(each["counts"] for each in run.result.document["not_deleted"].values()), run.result
            left = {each for each in (stored(table) & seen.needed) - needed(table) if not each.endswith(_METADATA)}
            assert not left, f"files that only expired snapshots needed are left: {sorted(left)[:5]}"
        self._compare(seen, table)
        return gone

    def _compare(self, seen: Seen, table: Table) -> None:
        """Compare the rows of every kept snapshot and reference, and answers at boundary values."""
        kept = {str(each) for each in _ids(table)} | set(table.refs())
        points = [each for each in seen.points if each in kept]
        assert set(seen.table.refs()) == set(table.refs()), "references changed"
        expected = Counter({key: count for key, count in seen.history.items() if key[0] in kept})
        found = history_by_spark(self._spark, self._name, points) if points else Counter()
        assert found == expected, f"{(expected - found).total()} rows gone, {(found - expected).total()} more"
        self._counts["points in time read by spark"] += len(points)
        for snapshot_id, rows in seen.pyiceberg.items():
            if str(snapshot_id) in kept:
                assert _by_pyiceberg(table, snapshot_id) == rows, f"snapshot {snapshot_id}"
                self._counts["snapshots read by pyiceberg"] += 1
        live = needed(table)
        for path, rows in seen.files.items():
            if path in live:
                assert file_by_duckdb(path) == rows, path
                self._counts["files read by duckdb"] += 1
        seen.questions.check(self._name, seen.asked)
        self._counts["predicates asked"] += len(seen.asked)

    async def _manifests(self, seen: Seen) -> None:
        await self._run(RunRequest(Operation.REWRITE_MANIFESTS))
        missing = (needed(self._table) & seen.stored) - stored(self._table)
        assert not missing, f"needed files are missing after rewrite_manifests: {sorted(missing)[:5]}"
        self._compare(seen, self._table)

    def _theirs(
        self, seen: Seen, operations: list[Operation], removed: list[set[int]], kept: set[int], ours: set[str]
    ) -> None:
        """Let Iceberg's procedures do the same to the bytes that there were, and compare."""
        name = f"{self._story.name}_theirs"
        copy = self._arena.catalog.register_table((NAMESPACE, name), seen.table.metadata_location)
        for operation, gone in zip(operations, removed, strict=True):
            if operation is Operation.DELETE_OLD_COMPACTIONS:
                if not gone:
                    continue
                arguments = f"snapshot_ids => ARRAY({', '.join(map(str, sorted(gone)))})"
            else:
                before = datetime.now(UTC) - timedelta(hours=self._hours)
                arguments = f"older_than => TIMESTAMP '{before:%Y-%m-%d %H:%M:%S}', retain_last => {self._keep_last}"
            call = f"table => 'lake.{NAMESPACE}.{name}', {arguments}, clean_expired_metadata => false"
            self._spark.sql(f"CALL lake.system.expire_snapshots({call})").collect()
        table = self._arena.catalog.load_table(copy.name())
        theirs = seen.stored - stored(table)
        has_retention = any(
            each.max_snapshot_age_ms or each.min_snapshots_to_keep for each in seen.table.refs().values()
        )
        assert _ids(table) <= kept, "the procedure keeps more"
        assert has_retention or _ids(table) == kept, f"the procedure removes {len(kept - _ids(table))} more snapshots"
        more = {each for each in ours - theirs if not each.endswith(_METADATA)}
        self._counts["files of gaps that only Packhouse deletes"] += len(more & seen.removed)
        more -= seen.removed  # the procedure does not read entries of removed files: of a gap it leaves them behind
        assert not more, f"files that the procedure keeps: {sorted(more)[:5]}"
        fewer = {each for each in theirs - ours if not each.endswith((".crc", _METADATA))}
        self._counts["same files as the procedure"] += not fewer
        self._counts["fewer files than the procedure"] += bool(fewer)
        rewrite = f"table => 'lake.{NAMESPACE}.{name}', use_caching => false"
        self._spark.sql(f"CALL lake.system.rewrite_manifests({rewrite})").collect()
        head, _ = head_by_spark(self._spark, f"lake.{NAMESPACE}.{name}")
        self._counts["tables of both"] += head is not None


def _ids(table: Table) -> set[int]:
    return {each.snapshot_id for each in table.snapshots()}


def _removed(table: Table) -> set[str]:
    """Return files that a manifest names as removed and no snapshot needs: they were live in a gap only."""
    manifests = {each.manifest_path: each for one in table.snapshots() for each in one.manifests(table.io)}
    entries = (each.fetch_manifest_entry(table.io, discard_deleted=False) for each in manifests.values())
    removed = {
        each.data_file.file_path for some in entries for each in some if each.status == ManifestEntryStatus.DELETED
    }
    return {normalised(each) for each in removed} - needed(table)


def _by_pyiceberg(table: Table, snapshot_id: int) -> Counter[str] | None:
    try:
        rows = table.scan(snapshot_id=snapshot_id).to_arrow()
    except Exception:  # noqa: BLE001 - PyIceberg can't read every table
        return None
    return Counter(map(repr, rows.to_pylist()))


def _by_duckdb(paths: set[str]) -> dict[str, Rows]:
    """Return the rows of the Parquet files that DuckDB can read."""
    found = {}
    for path in paths:
        if path.endswith(".parquet"):
            with suppress(Exception):
                found[path] = file_by_duckdb(path)
    return found


def _aside(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}-copy")
