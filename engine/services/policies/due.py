"""Determine which tables a policy change would make due, from their last measurements; no table is read.

A measurement has the counts and sizes of the partitions that would gain most from a rewrite, and no times. Rules on
other metrics can't be evaluated with it (such as those on the order of rows), nor small or large files by other bounds
than they were counted with: such tables are counted as unknown (`untold`). The guards of planning (seals, unchanged
input, too little to merge) are not applied.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from engine.domain.ids import TableId
from engine.domain.policies import EffectivePolicy, Metric, TriggerCondition, TriggerRule
from engine.domain.tables.orders import ORDERED_STRATEGIES

MOST_SHOWN: Final = 100
MOST_JUDGED: Final = 10_000
"""Most tables whose measurement is read; the rest is counted as unknown."""
_SIZES: Final = frozenset({"rewrite.small_file_bytes", "rewrite.large_file_bytes", "rewrite.small_row_group_bytes"})
DECISIVE: Final = frozenset({"enabled", "triggers"}) | _SIZES
"""Settings that can make a table due that was not due before."""
_OF_ORDER: Final = frozenset({"rewrite.strategy", "rewrite.columns"})
"""Settings that can do so if a rule depends on the order of rows."""


@dataclass(frozen=True, slots=True)
class TableAddress:
    """Id and address of a table in answers."""

    id: TableId
    address: str


@dataclass(frozen=True, slots=True)
class DueTable:
    """A table that would become due, the rule, and a partition for which it holds."""

    table: TableAddress
    rule: str
    partition: str


@dataclass(frozen=True, slots=True)
class DueTables:
    """Tables that would become due. Lists have at most `MOST_SHOWN` entries, counts are of all.

    `unmeasured`: never measured; `untold_count`: the measurement is not sufficient.
    """

    count: int = 0
    tables: tuple[DueTable, ...] = ()
    unmeasured_count: int = 0
    unmeasured: tuple[TableAddress, ...] = ()
    untold_count: int = 0


@dataclass(frozen=True, slots=True)
class DueRules:
    """The settings of an effective policy that decide whether a table is due."""

    enabled: bool
    rules: tuple[TriggerRule, ...]
    small_bytes: int | None
    large_bytes: int | None
    small_row_group_bytes: int | None
    orders_rows: bool = False

    @classmethod
    def of(cls, policy: EffectivePolicy) -> "DueRules":
        """Return the rules of an effective policy."""
        triggers = policy.document().triggers or ()
        bounds = (policy.small_bytes, policy.large_bytes, policy.small_row_group_bytes)
        return cls(policy.enabled, tuple(triggers), *bounds, policy.strategy in ORDERED_STRATEGIES)

    @property
    def depends_on_order(self) -> bool:
        """Whether rows have an order and a rule is on the share of files that are not in it."""
        leaves = (leaf for rule in self.rules for leaf in rule.leaves())
        return self.enabled and self.orders_rows and any(leaf.metric is Metric.UNORDERED_SHARE for leaf in leaves)

    def holding(self, health: Mapping[str, Any]) -> tuple[tuple[str, str] | None, bool]:
        """Return a rule and a partition that are due by measured health, and whether any could not be evaluated."""
        untold = self.depends_on_order
        for rule in self.rules if self.enabled else ():
            for partition in health.get("worst_partitions", ()):
                values = self._metrics(partition, health)
                holds = rule.truth(partial(_holds, values))
                if holds and not rule.input_changed:
                    return (rule.name, str(partition["partition"])), False
                untold |= holds is not False
        return None, untold

    def _metrics(self, partition: Mapping[str, Any], health: Mapping[str, Any]) -> dict[str, float]:
        files = partition["file_count"]
        values = {
            "file_count": files,
            "total_bytes": partition["total_bytes"],
            "average_file_bytes": partition["average_file_bytes"],
        }
        levels = {name: partition.get(name) for name in ("sorted_run_count", "level0_file_count")}
        values |= {name: value for name, value in levels.items() if value is not None}
        if not self.orders_rows:
            values["unordered_share"] = 0.0
        if health.get("small_file_bytes") == self.small_bytes:
            values["small_file_count"] = partition["small_file_count"]
            values["small_file_share"] = partition["small_file_count"] / max(1, files)
            values["avoidable_file_count"] = health["avoidable_file_count"]
            values["avoidable_file_share"] = health["avoidable_file_count"] / max(1, health["file_count"])
            if (largest := partition.get("largest_small_file_share")) is not None:  # absent in older measurements
                values["largest_small_file_share"] = largest
        if health.get("large_file_bytes") == self.large_bytes:
            values["large_file_count"] = partition["large_file_count"]
        chopped = partition.get("small_row_group_file_count")  # earlier versions did not measure it
        if chopped is not None and health.get("small_row_group_bytes") == self.small_row_group_bytes:
            values["small_row_group_file_count"] = chopped
        return values


def _holds(values: Mapping[str, float], condition: TriggerCondition) -> bool | None:
    measured = values.get(condition.metric.value)
    return None if measured is None else condition.holds(measured)


RuledTable = tuple[TableAddress, DueRules, DueRules]
"""A table with its rules before and after a change."""


class DueTally:
    """Collects the tables that a change would make due."""

    def __init__(self) -> None:
        self._due: list[DueTable] = []
        self._unmeasured: list[TableAddress] = []
        self._counts = {"due": 0, "unmeasured": 0, "untold": 0}
        self._left = MOST_JUDGED

    def admit(self, tables: Sequence[RuledTable]) -> Sequence[RuledTable]:
        """Return the tables that may still be judged; those beyond `MOST_JUDGED` are counted as unknown."""
        admitted = tables[: self._left]
        self._left -= len(admitted)
        self._counts["untold"] += len(tables) - len(admitted)
        return admitted

    def add(self, judged: Iterable[RuledTable], measured: Mapping[TableId, Mapping[str, Any]]) -> None:
        """Judge tables by their measured health; `measured` is by table id."""
        for table, before, after in judged:
            health = measured.get(table.id)
            if health is None:
                self._count("unmeasured", self._unmeasured, table)
                continue
            found, untold = after.holding(health)
            if found is not None and before.holding(health)[0] is None:
                self._count("due", self._due, DueTable(table, *found))
            elif found is None and untold:
                self._counts["untold"] += 1

    def _count(self, name: str, shown: list[Any], item: Any) -> None:
        self._counts[name] += 1
        if len(shown) < MOST_SHOWN:
            shown.append(item)

    def due(self) -> DueTables:
        """Return the sums."""
        return DueTables(
            count=self._counts["due"],
            tables=tuple(self._due),
            unmeasured_count=self._counts["unmeasured"],
            unmeasured=tuple(self._unmeasured),
            untold_count=self._counts["untold"],
        )


def decisive(settings: Sequence[str], after: DueRules) -> bool:
    """Return whether a change of these settings can make a table due; `after`: the rules after the change."""
    return not DECISIVE.isdisjoint(settings) or (after.depends_on_order and not _OF_ORDER.isdisjoint(settings))
