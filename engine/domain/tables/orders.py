"""In which order rows are written: what a policy asks for, and what that means on one table."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

ORDERED_STRATEGIES: Final = frozenset({"sort", "zorder", "hilbert"})
"""Values of `rewrite.strategy` that order rows."""


@dataclass(frozen=True, slots=True)
class WantedColumn:
    """A column as a policy names it; None is the default: ascending, nulls first ascending and last descending."""

    name: str
    direction: str | None = None
    nulls: str | None = None

    @property
    def descending(self) -> bool:
        """Whether large values come first."""
        return self.direction == "desc"

    @property
    def nulls_first(self) -> bool:
        """Whether nulls come before all values."""
        return not self.descending if self.nulls is None else self.nulls == "first"


@dataclass(frozen=True, slots=True)
class OrderWish:
    """An order by names; a `sort` without columns asks for the table's own sort order."""

    strategy: str
    columns: tuple[WantedColumn, ...]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self | None:
        """Return what effective policy values (by dotted name) ask for; None for strategies that order nothing."""
        strategy = str(values["rewrite.strategy"])
        if strategy not in ORDERED_STRATEGIES:
            return None
        return cls(strategy, tuple(WantedColumn(**column) for column in values["rewrite.columns"]))


@dataclass(frozen=True, slots=True)
class OrderField:
    """A column of a table to order by."""

    name: str
    field_id: int
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class RowOrdering:
    """An order of the rows of one table; columns are told by field id, so that a new name changes nothing."""

    strategy: str
    fields: tuple[OrderField, ...]

    @property
    def mark(self) -> str:
        """What the names of files carry that are in this order: equal marks, equal orders."""
        order = [[field.field_id, field.descending, field.nulls_first] for field in self.fields]
        return self.strategy + hashlib.sha256(json.dumps(order).encode()).hexdigest()[:8]

    def document(self) -> dict[str, Any]:
        """Return it as JSON-ready values."""
        columns: Sequence[Mapping[str, Any]] = [asdict(field) for field in self.fields]
        return {"strategy": self.strategy, "columns": columns}
