"""The live data files of a table, measured for planning."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import pyarrow as pa

from engine.domain.runs.files import InputFile
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RequestedOrder, RowOrdering
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.overlaps import ColumnRanges


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of eligibility: `holds` is False when it is not met; `detail` has the value found."""

    name: str
    holds: bool
    detail: str


class FileInventory(Protocol):
    """The data files of a table's head snapshot."""

    def digest(self) -> pa.Table:
        """Return the live data files of the head snapshot, in the shape of `planning.measures.digest.FILE_DIGEST`."""

    def figures(self) -> TableMeasures:
        """Return table-level measurements: snapshots, manifests, commit times, deletes by partition."""

    def key_condition(self, key: DeclaredKey) -> Condition | None:
        """Return the condition that the table has the columns of a declared key, with types that can be compared.

        None: rewrites of this format never merge rows by a declared key.
        """

    def resolve_order(self, requested: RequestedOrder) -> RowOrdering:
        """Resolve an order by column names on this table. Raises `NotEligible` where that is not possible."""

    def order_ranges(self, order: RowOrdering, paths: pa.ChunkedArray | None = None) -> Sequence[ColumnRanges]:
        """Return the ranges of an order's columns in files, by default all of `digest`; for a sort only its first.

        The first column decides pruning: the others only order rows within equal values of the first.
        """

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path, each with the position deletes that apply to it."""
