"""Operations on a table of version 3, in random order, with changes by Spark between them.

Rows, `_row_id` and `_last_updated_sequence_number` stay the same at the head and at each kept snapshot, by scans and by
predicates on columns, ids and sequence numbers.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeAlias
from unittest.mock import patch

from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
from engine.formats.iceberg.upkeep.deletes import vector_plans
from tests.differential.questions import Questions
from tests.differential.readers import LINEAGE, difference, history_by_spark, names_an_unreadable_file, set_vectorised
from tests.differential.schemas import ID
from tests.support.expired_files import needed, stored
from tests.support.predicates import is_zero
from tests.upkeep.checks import check_left_alone, existing
from tests.upkeep.delete_matches import DeleteMatch
from tests.upkeep.histories import age
from tests.upkeep.history_matches import HistoryMatch
from tests.upkeep.matches import Match
from tests.upkeep.orphan_matches import QUARANTINE, OrphanMatch
from tests.upkeep.orphans import grow_old, pass_quarantine, plant

_EXPIRIES = (Operation.EXPIRE_SNAPSHOTS, Operation.RECLAIM, Operation.DELETE_OLD_COMPACTIONS)
_MOST_PUFFIN_FILES = (1, 2, vector_plans.MOST_FILES)
"""Puffin files of a partition above which `rewrite_deletes` joins them: a story has few."""
_CONDITIONS = 8
"""Predicates on columns that are asked after each operation; those on the lineage come on top."""

Rows: TypeAlias = Counter[tuple[Any, ...]]


@dataclass
class Sequel:
    """One table; `history` has the rows of each point in time, as JSON with their lineage."""

    match: Match
    questions: Questions
    history: dict[str, Counter[str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    """Predicates that are asked after each operation, until Spark changes rows."""
    answers: list[Rows] = field(default_factory=list)

    async def play(self, rewrite: dict[str, Any], table_id: TableId | None = None) -> None:
        """Run each kind of operation once, and let Spark change rows in between. Raises AssertionError.

        Args:
            rewrite: settings of the rewrite among the operations.
            table_id: the table in the installation; None if it is not registered yet.
        """
        maintenance = HistoryMatch.maintenance(1, 1.5) | DeleteMatch.maintenance() | OrphanMatch.maintenance(1)
        policy = {"rewrite": rewrite, "maintenance": maintenance}
        await (self.match.register(policy) if table_id is None else self.match.take(table_id, policy))
        random, story = self.match.random, self.match.story
        steps: list[Operation | Callable[[], str]] = [
            *(Operation.REWRITE, Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS, Operation.REMOVE_ORPHANS),
            *(random.choice(_EXPIRIES), story.change_rows, story.write_rows),
        ]
        random.shuffle(steps)
        self._look()
        for step in steps:
            if step is Operation.REWRITE_DELETES:
                await self._change(story.write_rows, *[self._delete_few] * 4)
            await (self._run(step) if isinstance(step, Operation) else self._change(step))
        self.match.counts["sequels"] += 1

    async def _run(self, operation: Operation) -> None:
        """Run an operation, and compare the table with itself before."""
        if operation in _EXPIRIES:
            self.match.story.told += age(self.match.table, self.match.random)
        head = self.history["main"]
        before = {str(each.snapshot_id) for each in self.match.table.snapshots()}
        if operation is Operation.REMOVE_ORPHANS:
            await self._remove_orphans()
        else:
            is_forced = operation is Operation.REWRITE and self.match.random.random() < 0.5
            with patch.object(vector_plans, "MOST_FILES", self.match.random.choice(_MOST_PUFFIN_FILES)):
                self._check(await self.match.run(RunRequest(operation, force_full=is_forced)))
        after = self._points()
        for point, rows in after.items():
            expected = self.history.get(point, head)  # of a new snapshot: the rows that the head had
            assert rows == expected, f"{operation} at {point}: {difference(expected, rows)}"
        for each, expected, found in zip(self.asked, self.answers, self._answers(), strict=True):
            assert found == expected, f"{operation}: {each}: {difference(expected, found)}"
        table = self.match.table
        missing = {each for each in needed(table) - stored(table) if not each.endswith(".metadata.json")}
        assert not missing, f"{operation}: needed files are missing: {sorted(missing)[:5]}"
        self.match.counts["points in time read after an operation"] += len(after)
        self.match.counts["snapshots expired"] += len(before - after.keys())
        self.history = after

    def _check(self, run: Run) -> None:
        if run.operation is Operation.REWRITE and (run.reason == "groups_failed" or "left_out" in run.result.document):
            assert names_an_unreadable_file(run.detail or ""), run.detail
            return
        assert run.state in (RunState.SUCCEEDED, RunState.SKIPPED), f"{run.state} {run.reason}: {run.detail}"
        assert all(each["ok"] for each in run.result.verifications), run.result.verifications

    async def _remove_orphans(self) -> None:
        """Search twice, a quarantine apart, among files of every kind and age."""
        match, folder = self.match, self.match.folder
        grow_old(folder)
        planted = plant(folder, timedelta(days=1), match.random)
        first = await match.run(RunRequest(Operation.REMOVE_ORPHANS))
        assert first.reason == "nothing_to_do", first.detail
        pass_quarantine(folder, QUARANTINE)
        run = await match.run(RunRequest(Operation.REMOVE_ORPHANS))
        assert run.state is RunState.SUCCEEDED, run.detail
        assert not (left := existing(planted.goes)), f"orphans are left: {sorted(left)}"
        check_left_alone(planted)

    async def _change(self, *changes: Callable[[], str]) -> None:
        """Let Spark change the table: rows that stay keep their ids, and no id is given twice."""
        before = dict(self._lineage())
        for change in changes:
            self.match.story.told.append(self.match.story.tried(change))
        lineage = self._lineage()
        after, ids = dict(lineage), [row_id for _, (row_id, _) in lineage]
        assert None not in ids, "rows without ids after a commit"
        assert len(set(ids)) == len(ids), "rows share ids"
        moved = {key for key in before.keys() & after.keys() if before[key][0] != after[key][0]}
        assert not moved, f"rows got other ids: {sorted(moved)[:5]}"
        history = self.history
        self._look()
        for point in history.keys() & self.history.keys() - set(self.match.table.refs()):
            assert self.history[point] == history[point], f"the snapshot {point} changed"
        self.match.counts["changes by spark after operations"] += 1

    def _delete_few(self) -> str:
        """Delete up to three rows by deletion vectors: those of earlier Puffin files stay live, or are replaced."""
        self.match.spark.sql(
            f"ALTER TABLE {self.match.name} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')"
        ).collect()
        keys = [key for key, _ in self._lineage()]
        chosen = self.match.random.sample(keys, min(len(keys), self.match.random.randint(1, 3)))
        if not chosen:
            return "no row to delete"
        where = f"{self._key} IN ({', '.join(map(str, chosen))})"
        self.match.spark.sql(f"DELETE FROM {self.match.name} WHERE {where}").collect()
        return f"delete by spark where {where}"

    def _look(self) -> None:
        """Read each point in time, and ask for rows by other predicates."""
        self.history = self._points()
        self.asked = self._conditions()
        self.answers = self._answers()

    def _points(self) -> dict[str, Counter[str]]:
        """Read each point in time by one of Spark's two readers."""
        set_vectorised(self.match.spark, self.match.random.random() < 0.5)
        table = self.match.table
        names = [*(str(each.snapshot_id) for each in table.snapshots()), *table.refs()]
        found = {each: Counter[str]() for each in names}
        history = history_by_spark(self.match.spark, self.match.name, names, lineage=True)
        for (point, row), count in history.items():
            found[point][row] = count
        return found

    def _lineage(self) -> list[tuple[Any, tuple[Any, Any]]]:
        """Return the key, id and sequence number of each row at the head."""
        columns = ", ".join((self._key, *LINEAGE))
        rows = self.match.spark.sql(f"SELECT {columns} FROM {self.match.name}").toArrow()
        return [
            (key, (row_id, number)) for key, row_id, number in zip(*(each.to_pylist() for each in rows), strict=True)
        ]

    def _conditions(self) -> list[str]:
        """Return predicates in SQL; none at a zero, which rows of the other sign may meet or not."""
        random, lineage = self.match.random, self._lineage()
        asked = self.questions.sample(self.match.table, random, _CONDITIONS)
        found = [each.filter for each in asked if not any(is_zero(value) for value in each.condition.operands)]
        if not lineage:
            return found
        _, (row_id, number) = random.choice(lineage)
        return [
            *found,
            *(f"_row_id {operator} {row_id}" for operator in ("=", "<", ">=")),
            *(f"_last_updated_sequence_number {operator} {number}" for operator in ("=", ">")),
        ]

    def _answers(self) -> list[Rows]:
        """Return the key and the lineage of the rows that meet each predicate."""
        asked = self.asked
        columns = ", ".join((self._key, *LINEAGE))
        one = "SELECT {0} AS n, {1} FROM {2} WHERE {3}"
        parts = [one.format(at, columns, self.match.name, each) for at, each in enumerate(asked)]
        found = [Rows() for _ in asked]
        for at, *row in self.match.spark.sql(" UNION ALL ".join(parts)).collect() if parts else ():
            found[at][tuple(row)] += 1
        self.match.counts["predicates asked after an operation"] += len(asked)
        return found

    @property
    def _key(self) -> str:
        return f"`{self.match.table.schema().find_column_name(ID)}`"
