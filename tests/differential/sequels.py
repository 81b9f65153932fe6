"""Operations after the first rewrite of a table of version 3, in random order, with changes by Spark between them.

Rows, `_row_id` and `_last_updated_sequence_number` stay the same at the head and at each kept snapshot, by scans and by
predicates on columns, ids and sequence numbers.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, TypeAlias

from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Run, RunState
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
_CONDITIONS = 12
"""Predicates on columns that are asked after each operation; those on the lineage come on top."""

Rows: TypeAlias = Counter[tuple[Any, ...]]


@dataclass
class Sequel:
    """One table that was rewritten; `history` has the rows of each point in time, as JSON with their lineage."""

    match: Match
    questions: Questions
    history: dict[str, Counter[str]] = field(default_factory=dict)

    async def play(self, table_id: TableId, rewrite: dict[str, Any]) -> None:
        """Run each kind of operation once, and let Spark change rows in between. Raises AssertionError.

        Args:
            table_id: the table in the installation.
            rewrite: settings of the second rewrite, in place of those of the first.
        """
        maintenance = HistoryMatch.maintenance(1, 1.5) | DeleteMatch.maintenance() | OrphanMatch.maintenance(1)
        await self.match.take(table_id, {"rewrite": rewrite, "maintenance": maintenance})
        random, story = self.match.random, self.match.story
        steps: list[Operation | Callable[[], str]] = [
            *(Operation.REWRITE, Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS, Operation.REMOVE_ORPHANS),
            random.choice(_EXPIRIES),
            *(story.change_rows for _ in range(random.randint(2, 4))),
            story.write_rows,
        ]
        random.shuffle(steps)
        self.history = self._points()
        for step in steps:
            await (self._run(step) if isinstance(step, Operation) else self._change(step))
        self.match.counts["sequels"] += 1

    async def _run(self, operation: Operation) -> None:
        """Run an operation, and compare the table with itself before."""
        if operation in _EXPIRIES:
            self.match.story.told += age(self.match.table, self.match.random)
        asked = self._conditions()
        answers, head = self._answers(asked), self.history["main"]
        before = {str(each.snapshot_id) for each in self.match.table.snapshots()}
        if operation is Operation.REMOVE_ORPHANS:
            await self._remove_orphans()
        else:
            self._check(await self.match.run(RunRequest(operation, force_full=operation is Operation.REWRITE)))
        after = self._points()
        for point, rows in after.items():
            expected = self.history.get(point, head)  # of a new snapshot: the rows that the head had
            assert rows == expected, f"{operation} at {point}: {difference(expected, rows)}"
        found = self._answers(asked)
        wrong = [each for each in range(len(asked)) if found[each] != answers[each]]
        assert not wrong, f"{operation}: {[(asked[at], difference(answers[at], found[at])) for at in wrong]}"
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
        assert not existing(planted.goes), "orphans are left"
        check_left_alone(planted)

    async def _change(self, change: Callable[[], str]) -> None:
        """Let Spark change the table: rows that stay keep their ids, and no id is given twice."""
        before = dict(self._lineage())
        self.match.story.told.append(self.match.story.tried(change))
        lineage = self._lineage()
        after, ids = dict(lineage), [row_id for _, (row_id, _) in lineage]
        assert None not in ids, "rows without ids after a commit"
        assert len(set(ids)) == len(ids), "rows share ids"
        moved = {key for key in before.keys() & after.keys() if before[key][0] != after[key][0]}
        assert not moved, f"rows got other ids: {sorted(moved)[:5]}"
        points = self._points()
        for point in self.history.keys() & points.keys() - set(self.match.table.refs()):
            assert points[point] == self.history[point], f"the snapshot {point} changed"
        self.history = points
        self.match.counts["changes by spark after operations"] += 1

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

    def _answers(self, asked: Sequence[str]) -> list[Rows]:
        """Return the key and the lineage of the rows that meet each predicate."""
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
