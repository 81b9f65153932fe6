"""Calls of a table format's own procedures, as values; only `spark.sql` turns them into SQL.

The table format chooses the call and Spark executes it; neither depends on the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class SparkTable:
    """A table as Spark addresses it: name of the Spark catalog, levels of the namespace, name of the table."""

    catalog: str
    namespace: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class PartitionTest:
    """One field of a partition: the source column (names from the outermost to the field itself) and its value.

    `transform` is None for the value itself, otherwise a function of the Spark catalog's `system` namespace (`days`,
    `bucket`) with its `argument`, if it takes one. `value` is the text of the value in `type`, a Spark SQL type such
    as `date` or `decimal(9,2)`; None is null.
    """

    column: tuple[str, ...]
    type: str
    value: str | None
    transform: str | None = None
    argument: int | None = None


OptionValue = bool | int | float


@dataclass(frozen=True, slots=True)
class ProcedureCall:
    """One call with its options, for files of one partition (all of `where` hold; empty: the whole table)."""

    procedure: str
    table: SparkTable
    where: tuple[PartitionTest, ...] = ()
    options: Mapping[str, OptionValue] = field(default_factory=dict)
