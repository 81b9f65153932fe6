"""The order of rows in outputs: as a policy requests it, and resolved to the columns of one table."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

ORDERED_STRATEGIES: Final = frozenset({"sort", "zorder", "hilbert"})
"""Values of `rewrite.strategy` that order rows."""


@dataclass(frozen=True, slots=True)
class WantedColumn:
    """A column in a policy; None is the default: ascending, with nulls first if ascending and last if descending."""

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
class RequestedOrder:
    """A requested order by column names; a `sort` without columns requests the table's own sort order."""

    strategy: str
    columns: tuple[WantedColumn, ...]

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self | None:
        """Return the order that effective policy values (by dotted name) request; None for unordered strategies."""
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
    """An order of the rows of one table; columns are identified by field id, so that renaming has no effect."""

    strategy: str
    fields: tuple[OrderField, ...]

    @property
    def mark(self) -> str:
        """The mark in the names of files that are in this order; equal orders have equal marks."""
        order = [[field.field_id, field.descending, field.nulls_first] for field in self.fields]
        return self.strategy + hashlib.sha256(json.dumps(order).encode()).hexdigest()[:8]

    @property
    def words(self) -> str:
        """The order for messages, such as `sort by city, at desc`."""
        columns = (f"{field.name} desc" if field.descending else field.name for field in self.fields)
        return f"{self.strategy} by {', '.join(columns)}"

    def document(self) -> dict[str, Any]:
        """Return the order as JSON-ready values."""
        columns: Sequence[Mapping[str, Any]] = [asdict(field) for field in self.fields]
        return {"strategy": self.strategy, "columns": columns}
