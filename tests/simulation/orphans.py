"""The search for orphans of a modelled table: files in its storage that no snapshot has.

A look is stored with the table: for each orphan the time of the first look that found it.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from engine.domain.runs.expiry import instant
from engine.domain.runs.removals import FileCount, OrphanRule, RemovalFigures, RemovalPlan
from engine.formats.base import Condition

if TYPE_CHECKING:
    from tests.simulation.lake import ModelTable


class ModelOrphanRemoval:
    """`OrphanRemoval` over a modelled table."""

    def __init__(self, table: "ModelTable") -> None:
        self._table = table

    def check(self) -> None:
        """Every table may be searched."""

    def preview(
        self, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str], before_page: Callable[[int], None]
    ) -> RemovalPlan:
        deletion = self.deletion("dry-run", rule, others, open_runs)
        found = deletion.find(before_page)
        return deletion.plan_of(found)

    def deletion(
        self, run_id: str, rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]
    ) -> "ModelOrphans":
        return ModelOrphans(self._table, rule, others, open_runs)


class ModelOrphans:
    """The deletion of a run's orphans, an `FileDeletion`."""

    def __init__(self, table: "ModelTable", rule: OrphanRule, others: Sequence[str], open_runs: Sequence[str]) -> None:
        self._table, self._rule, self._others, self._open_runs = table, rule, others, open_runs
        self._due: list[str] = []
        self._plan = RemovalPlan({})
        self._deleted = FileCount()

    def find(self, before_page: Callable[[int], None]) -> Mapping[str, int]:
        """Return the orphans, each with the time of the first look that found it."""
        table, now = self._table, self._table.lake.now_ms()
        before_page(1)
        table.lake.answer()
        return {
            path: table.looks.get(path, now)
            for path in table.storage.keys() - _needed(table)
            if table.written_ms[path] <= now - _ms(self._rule.age)
            and not any(path.startswith(f"{each}/") for each in self._others)
            and not any(each in path for each in self._open_runs)
        }

    def look(self, before_page: Callable[[int], None], seconds: float) -> bool:
        self._table.looks = dict(self.find(before_page))
        self._plan = self.plan_of(self._table.looks)
        self._due = self._past_quarantine(self._table.looks)
        return False

    def plan_of(self, found: Mapping[str, int]) -> RemovalPlan:
        """Return which of the orphans would be deleted now."""
        due, quarantine = self._past_quarantine(found), _ms(self._rule.quarantine)
        waiting = [since + quarantine for path, since in found.items() if path not in due]
        look: dict[str, Any] = {
            "listed_files": len(self._table.storage),
            "unreferenced": FileCount(len(found)).document(),
            "next_at": instant(min(waiting)).isoformat() if waiting else None,
        }
        return RemovalPlan({"data": FileCount(len(due))}, {"look": look})

    def is_pending(self) -> bool:
        return False

    def record(self) -> RemovalPlan:
        return self._plan

    def advance(self, before_batch: Callable[[int], None], seconds: float) -> bool:
        before_batch(1)
        self._table.lake.answer()
        for path in set(self._due) - _needed(self._table):
            if self._table.storage.pop(path, None) is not None:
                self._deleted += FileCount(1)
        self._due = []
        return False

    def figures(self) -> RemovalFigures:
        return RemovalFigures({"data": self._deleted}, requests=1)

    def prove(self) -> Sequence[Condition]:
        self._table.lake.answer()
        missing = _needed(self._table) - self._table.storage.keys()
        return (Condition("needed_files_exist", not missing, f"{len(missing)} are missing"),)

    def close(self) -> None:
        """Nothing is stored that only a repetition needs."""

    def _past_quarantine(self, found: Mapping[str, int]) -> list[str]:
        now = self._table.lake.now_ms()
        return [path for path, since in found.items() if since <= now - _ms(self._rule.quarantine) and since < now]


def _needed(table: "ModelTable") -> set[str]:
    return {path for each in table.retained() for path in each.files}


def _ms(duration: timedelta) -> int:
    return duration // timedelta(milliseconds=1)
