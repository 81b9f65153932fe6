"""One table judged: a copy rewritten by us, a copy rewritten by Iceberg's own procedure, and rows compared everywhere.

A copy is another name for the same metadata and files, so that both start from the very same bytes and the table of
the story stays as it was. What a reader got right before a rewrite it has to get right after it.
"""

import shutil
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from uuid import uuid4

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.manifest import ManifestContent
from pyiceberg.table import Table
from pyspark.errors.exceptions.connect import SparkConnectException
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.drops import UNREADABLE
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Run, RunState
from engine.formats.iceberg.capabilities import CAPABILITIES
from engine.rewriting.kernel.errors import UNREADABLE_LAYOUT
from tests.differential.questions import Asked, Questions
from tests.differential.readers import (
    Rows,
    difference,
    file_by_duckdb,
    head_by_pyiceberg,
    head_by_spark,
    history_by_spark,
    lacks_ids,
    names_an_unreadable_file,
    set_vectorised,
)
from tests.differential.schemas import plain_fields
from tests.differential.sequels import Sequel
from tests.differential.stories import NAMESPACE, Story
from tests.differential.writers import Pens
from tests.support.mirrored_world import MirroredWorld, kind_of
from tests.support.plan_and_run import check_kept, promise_of
from tests.upkeep.arena import Arena as Upkeep
from tests.upkeep.histories import local
from tests.upkeep.matches import Match

_STRATEGIES = [each for each in ("binpack", "sort", "zorder", "hilbert", "tiered", "window")
               if each not in CAPABILITIES.settings.get("rewrite.strategy", {})]  # fmt: skip
_NO_DELETES = ("!=", "IS NOT NULL", "IS NOT NAN", "LIKE")
"""Operators whose deletes would leave few rows, or mean other rows to PyIceberg (`!=` finds nulls there)."""

_REFUSALS = (NotImplementedError, TypeError, ValueError, pa.ArrowException, UserWarning)
"""What PyIceberg raises for deletes that it does not support on a table; a warning names a property that it ignores."""

_OF_FILES = (UNREADABLE, UNREADABLE_LAYOUT)
"""Refusals of groups that no plan knows: Arrow can't read a file, which `names_an_unreadable_file` proves."""

_UPKEEP = (
    "rewrite_manifests(table => '{0}')",
    "rewrite_position_delete_files(table => '{0}', options => map('rewrite-all', 'true'))",
    "rewrite_data_files(table => '{0}', options => map('rewrite-all', 'true'))",
    "remove_orphan_files(table => '{0}', dry_run => true)",
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A table, and what was read of it before anything was rewritten."""

    table: Table
    head: Rows
    pyiceberg: Rows | None
    has_lineage: bool
    points: list[str]
    history: Counter[tuple[str, str]]
    questions: Questions
    answers: list[Any]


@dataclass
class Tally:
    """What a sitting came to: a check that never took place must not look like one that held."""

    counts: Counter[str] = field(default_factory=Counter)

    def check(self) -> None:
        """Fail when too little took part: tables that are all refused, or readers that all give up, prove nothing."""
        counts, tables = self.counts, self.counts["tables"]
        assert counts["ours succeeded"] > 0.5 * tables, str(self)
        assert counts["rewritten by the procedure"] > 0.8 * tables, str(self)
        assert counts["heads read by pyiceberg"] > 0.25 * tables, str(self)
        assert counts["files read by duckdb"] >= counts["ours succeeded"], str(self)
        assert counts["points in time read"] > 3 * tables, str(self)
        refused, done = counts["deletes refused by pyiceberg"], counts["deletes by pyiceberg"]
        assert refused < 0.25 * (refused + done), str(self)
        assert counts["deletes of null partitions by spark"] < 0.1 * counts["deletes by spark"], str(self)
        assert counts["deletes that pyiceberg does wrong without a rewrite too"] < 0.1 * (refused + done), str(self)

    def __str__(self) -> str:
        return ", ".join(f"{count} {name}" for name, count in sorted(self.counts.items()))


@dataclass
class Arena:
    """Judges seeds on one lake."""

    world: MirroredWorld
    spark: SparkSession
    tally: Tally
    is_of_version_three: bool = False
    """Whether all tables are of format version 3 in the end; otherwise their seeds decide."""

    @property
    def catalog(self) -> Catalog:
        """The lake's catalog, which Spark shares."""
        return self.world.lake.catalog

    async def judge(self, seed: int) -> None:
        """Play the story of a seed and compare. Raises AssertionError with the whole story in it."""
        random, name, self.world.kind = Random(f"{seed}/rewrite"), f"t{seed}", kind_of(seed)
        pens = Pens(self.spark, f"lake.{NAMESPACE}.{name}")
        story = Story(seed, self.catalog, pens, Random(seed), name, is_of_version_three=self.is_of_version_three)
        try:
            table = story.tell()
            self.tally.counts["steps refused by their library"] += story.refused
            self.tally.counts["features of other programs"] += story.features
            seen = self._look(table, pens.name, random)
            table = story.hide(is_read_by_server=self.world.kind == "rest")
            ours = self._copy(table, f"{name}_ours")
            if self._may_begin_with_any(story, seen):
                await self._play_sequel(story, seen)
            else:
                await self._rewrite(story, seen, ours, random)
        except Exception as error:
            error.add_note("\n".join([f"the story of seed {seed}, in {self.world.kind}:", *story.told]))
            raise
        self.tally.counts["tables"] += 1
        self.tally.counts[f"tables in {self.world.kind}"] += 1

    def __str__(self) -> str:
        return str(self.tally)

    def forget(self, seed: int) -> None:
        """Remove the table of a seed and its copies, which lie in one folder."""
        for name in (f"t{seed}", f"t{seed}_ours", f"t{seed}_theirs"):
            with suppress(NoSuchTableError):  # its story, or its copying, failed, or it was dropped for the sequel
                self.catalog.drop_table((NAMESPACE, name))
        shutil.rmtree(local(f"{self.world.lake.properties['warehouse']}/{NAMESPACE}/t{seed}"))

    def _look(self, table: Table, name: str, random: Random) -> Seen:
        set_vectorised(self.spark, True)
        # rows of an upgraded table get ids with its first commit, which may be our rewrite
        has_lineage = table.metadata.format_version > 2 and not lacks_ids(self.spark, name)
        head, _ = head_by_spark(self.spark, name, lineage=has_lineage)
        points = [str(each.snapshot_id) for each in table.snapshots()]
        points += [each for each in table.refs() if each != "main"]
        set_vectorised(self.spark, False)
        again, _ = head_by_spark(self.spark, name, lineage=has_lineage)
        assert again == head, "Spark's two readers disagree about the story's own table"
        history = history_by_spark(self.spark, name, points, lineage=has_lineage)
        questions = Questions.about(self.spark, name, table, random)
        answers = questions.ask(name)
        return Seen(table, head, head_by_pyiceberg(table), has_lineage, points, history, questions, answers)

    def _copy(self, table: Table, name: str) -> Table:
        return self.catalog.register_table((NAMESPACE, name), table.metadata_location)

    async def _rewrite_ours(
        self, story: Story, seen: Seen, copy: Table, settings: dict[str, Any], random: Random
    ) -> Run:
        run = await self._run(copy, settings, random)
        self.tally.counts[f"ours {run.state.value}"] += 1
        name, table = f"lake.{copy.name()[0]}.{copy.name()[1]}", self.catalog.load_table(copy.name())
        if run.reason == "not_eligible":
            self.tally.counts[f"not eligible: {_conditions(run)}"] += 1
            known = story.has_equality_deletes
            assert known or (story.unknown is not None and story.unknown.refusal in str(run.detail)), run.detail
            self.tally.counts["refused for an unknown feature"] += story.unknown is not None
            assert table.metadata_location == copy.metadata_location
            return run
        assert story.unknown is None, f"rewritten in spite of {story.unknown}"
        if run.reason == "groups_failed" or "left_out" in run.result.document:
            self.tally.counts["with a file that arrow can't read"] += 1
            assert names_an_unreadable_file(run.detail or ""), run.detail
        else:
            assert run.state in (RunState.SUCCEEDED, RunState.SKIPPED), f"{run.state} {run.reason}: {run.detail}"
        story.told.append(f"ours: {run.state}, {run.detail}")
        self._compare_head(seen, table, name, run)
        for vectorised in (True, False):
            self._compare_history(seen, name, vectorised=vectorised)
        answers = seen.questions.ask(name)
        assert answers == seen.answers, f"{seen.answers} before, {answers} after, of {seen.questions.figures}"
        if run.state is RunState.SUCCEEDED:
            self._compare_by_predicates(seen, table, name, random)
            self._upkeep(seen, name, random)
        return run

    def _may_begin_with_any(self, story: Story, seen: Seen) -> bool:
        """Return whether any operation is the first, which then has the story's own delete files."""
        is_chosen = Random(f"{story.seed}/first").random() < 0.4
        return self.is_of_version_three and is_chosen and seen.has_lineage and story.unknown is None

    async def _rewrite(self, story: Story, seen: Seen, ours: Table, random: Random) -> None:
        """Let both rewrite their copies; the other operations follow on ours."""
        settings, theirs = _rewrite_settings(ours, random), self._copy(story.table, f"{story.name}_theirs")
        run = await self._rewrite_ours(story, seen, ours, settings, random)
        if story.unknown is None or not story.unknown.is_of_writing:  # otherwise Spark can't read the table
            self._rewrite_theirs(seen, theirs, random)
        if self.is_of_version_three and run.state is RunState.SUCCEEDED:
            await self._play_sequel(story, seen, run, settings["strategy"])

    async def _play_sequel(self, story: Story, seen: Seen, run: Run | None = None, first: str = "") -> None:
        """Run other operations on our copy, alone in its folder: they delete files that it does not need.

        Args:
            story: of the table.
            seen: the table as it was.
            run: the rewrite before; None if there was none.
            first: its strategy, which the next rewrite does not have.
        """
        copy, random = f"{story.name}_ours", Random(f"{story.seed}/sequel")
        for name in (story.name, f"{story.name}_theirs"):
            with suppress(NoSuchTableError):
                self.catalog.drop_table((NAMESPACE, name))
        _remove_metadata_of_others(self.catalog.load_table((NAMESPACE, copy)))
        story = replace(story, name=copy, pens=Pens(self.spark, f"lake.{NAMESPACE}.{copy}"), random=random)
        match = Match(Upkeep(self.world, self.spark, self.tally.counts), story, random)
        while (settings := _rewrite_settings(story.table, random))["strategy"] == first:
            pass
        await Sequel(match, seen.questions).play(settings, None if run is None else run.table_id)

    async def _run(self, copy: Table, settings: dict[str, Any], random: Random) -> Run:
        policy = {"rewrite": settings}
        request = RunRequest(force_full=random.random() < 0.5)
        table = await self.world.register(copy.name()[1], policy=policy)
        promise = await promise_of(self.world, table.id, request)
        run, _ = await self.world.container.runs.submit(SYSTEM, table.id, request)
        run = await self.world.finish(run.id)
        await check_kept(self.world, promise, run, passing=_OF_FILES)
        return run

    def _compare_head(self, seen: Seen, table: Table, name: str, run: Run) -> None:
        for vectorised in (True, False):
            set_vectorised(self.spark, vectorised)
            head, by_file = head_by_spark(self.spark, name, lineage=seen.has_lineage)
            assert head == seen.head, difference(seen.head, head)
        self._compare_pyiceberg(seen, table)
        for task in _data_files(table):
            file = task.rpartition("/")[2]
            if not file.startswith(run.id):
                continue
            self.tally.counts["files read by duckdb"] += 1
            found = file_by_duckdb("/" + task.removeprefix("file:").lstrip("/"), lineage=seen.has_lineage)
            assert found == by_file[file], difference(by_file[file], found)

    def _compare_pyiceberg(self, seen: Seen, table: Table) -> None:
        if seen.pyiceberg != seen.head:
            return  # it could not read the table before
        self.tally.counts["heads read by pyiceberg"] += 1
        found = head_by_pyiceberg(table)
        assert found == seen.head, difference(seen.head, found or Counter())

    def _compare_by_predicates(self, seen: Seen, table: Table, name: str, random: Random) -> None:
        """Ask Spark for rows by predicates at boundary values, and have it and PyIceberg delete by some, on copies."""
        asked = seen.questions.sample(table, random)
        seen.questions.check(name, asked)
        self.tally.counts["predicates asked"] += len(asked)
        deleting = [each for each in asked if each.condition.operator not in _NO_DELETES][:3]
        total = seen.head.total()
        for each, (least, most) in zip(deleting, seen.questions.right(deleting), strict=True):
            left = self._left_by_spark(table, each)
            self.tally.counts["deletes by spark"] += 1
            if not total - most <= left <= total - least:
                nulls = seen.questions.nulls_in_partitions_of(each, table)
                right = f"{total - most} to {total - least} are right, its partitions have {nulls} nulls"
                detail = f"{left} of {total} left without {each.condition}, by spark; {right}"
                assert total - most - nulls <= left <= total - least, detail
                self.tally.counts["deletes of null partitions by spark"] += 1
            if seen.pyiceberg != seen.head or not each.condition.is_for_pyiceberg:
                continue
            left_by_pyiceberg = self._left_by_pyiceberg(table, each)
            if left_by_pyiceberg is None:
                self.tally.counts["deletes refused by pyiceberg"] += 1
                continue
            if not total - most <= left_by_pyiceberg <= total - least:
                # with NaN it was seen to delete a row too many, from the table before the rewrite as well
                before = self._left_by_pyiceberg(
                    self.catalog.load_table(tuple(seen.questions.name.split(".")[1:])), each
                )
                detail = f"{left_by_pyiceberg} of {total} left without {each.condition}, by pyiceberg; {before} before"
                assert left_by_pyiceberg == before, detail
                self.tally.counts["deletes that pyiceberg does wrong without a rewrite too"] += 1
                continue
            self.tally.counts["deletes by pyiceberg"] += 1

    def _left_by_spark(self, table: Table, asked: Asked) -> int:
        """Return the number of rows that Spark leaves when it deletes by a condition, on a copy."""
        copy, name = self._copy_to_change(table)
        try:
            self.spark.sql(f"DELETE FROM {name} WHERE {asked.filter}").collect()
            return self.spark.sql(f"SELECT * FROM {name}").count()
        finally:
            self.catalog.drop_table(copy.name())

    def _left_by_pyiceberg(self, table: Table, asked: Asked) -> int | None:
        """Return the number of rows that PyIceberg leaves when it deletes by a condition; None where it refuses."""
        copy, name = self._copy_to_change(table)
        try:
            copy.delete(asked.condition.expression())
            return self.spark.sql(f"SELECT * FROM {name}").count()
        except _REFUSALS:
            return None
        finally:
            self.catalog.drop_table(copy.name())

    def _copy_to_change(self, table: Table) -> tuple[Table, str]:
        """Return a copy under a new name, since Spark may keep what it read of a name, and its name in Spark."""
        copy = self._copy(table, f"{table.name()[1]}_{uuid4().hex[:8]}")
        return copy, f"lake.{NAMESPACE}.{copy.name()[1]}"

    def _compare_history(self, seen: Seen, name: str, *, vectorised: bool) -> None:
        set_vectorised(self.spark, vectorised)
        found = history_by_spark(self.spark, name, seen.points, lineage=seen.has_lineage)
        assert found == seen.history, difference(seen.history, found)
        self.tally.counts["points in time read"] += len(seen.points)

    def _upkeep(self, seen: Seen, name: str, random: Random) -> None:
        """Let Iceberg's own maintenance work on what we left."""
        call = random.choice(_UPKEEP).format(name)
        self.spark.sql(f"CALL lake.system.{call}").collect()
        head, _ = head_by_spark(self.spark, name, lineage=seen.has_lineage)
        assert head == seen.head, f"after {call}: {difference(seen.head, head)}"
        self.tally.counts[f"then {call.partition('(')[0]}"] += 1

    def _rewrite_theirs(self, seen: Seen, copy: Table, random: Random) -> None:
        name = f"lake.{copy.name()[0]}.{copy.name()[1]}"
        options = random.choice(("'rewrite-all', 'true'", "'min-input-files', '2', 'delete-file-threshold', '1'"))
        call = f"CALL lake.system.rewrite_data_files(table => '{name}', options => map({options}))"
        try:
            self.spark.sql(call).collect()
        except SparkConnectException:
            self.tally.counts["where the procedure failed"] += 1  # its own affair, unless it is the rule
            return
        head, _ = head_by_spark(self.spark, name, lineage=seen.has_lineage)
        assert head == seen.head, f"the procedure: {difference(seen.head, head)}"
        self.tally.counts["rewritten by the procedure"] += 1


def _rewrite_settings(table: Table, random: Random) -> dict[str, Any]:
    strategy = random.choice(_STRATEGIES)
    settings: dict[str, Any] = {
        "strategy": strategy,
        "min_input_files": 2,
        "deletes": {"files": 1},
        "compression": random.choice(("zstd:3", "snappy", "gzip", "uncompressed")),
    }
    if strategy in ("sort", "zorder", "hilbert"):
        names = [each.name for each in plain_fields(table.schema())] or [table.schema().fields[0].name]
        settings["columns"] = random.sample(names, min(len(names), random.choice((1, 2))))
    return settings


def _conditions(run: Run) -> str:
    return str(run.detail).partition(": ")[2].partition(" (")[0]


def _remove_metadata_of_others(table: Table) -> None:
    """Delete the metadata files of other tables in the folder: later ones look as if the catalog was restored."""
    log = {local(each.metadata_file) for each in table.metadata.metadata_log}
    for path in (local(table.location()) / "metadata").glob("*.metadata.json"):
        if path not in {local(table.metadata_location), *log}:
            path.unlink()


def _data_files(table: Table) -> list[str]:
    """Return the paths of live data files; PyIceberg's own list fails where there is no manifest of any."""
    snapshot = table.current_snapshot()
    manifests = [] if snapshot is None else snapshot.manifests(table.io)
    if not any(each.content == ManifestContent.DATA for each in manifests):
        return []
    paths: list[str] = table.inspect.data_files()["file_path"].to_pylist()
    return paths
