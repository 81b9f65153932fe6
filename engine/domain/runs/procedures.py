"""What is asked of a table format's own procedures, as values; `spark.sql` is the only place that makes SQL of it.

A table format says what to call, Spark calls it, and neither knows the other.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class SparkTable:
    """A table as Spark knows it: the name of the catalog there, the levels of the namespace, the table's name."""

    catalog: str
    namespace: tuple[str, ...]
    name: str


@dataclass(frozen=True, slots=True)
class PartitionTest:
    """One field of a partition: the source column (names from the outermost to the field itself) and its value.

    `transform` is None for the value itself, else a function of the Spark catalog's `system` namespace (`days`,
    `bucket`) with its `argument`, if it takes one. `value` is the text of the value in `type`, a type of Spark's SQL
    such as `date` or `decimal(9,2)`; None is null.
    """

    column: tuple[str, ...]
    type: str
    value: str | None
    transform: str | None = None
    argument: int | None = None


class Procedure(StrEnum):
    """The procedures that are called."""

    REWRITE_DATA_FILES = "rewrite_data_files"


OptionValue = bool | int | float


@dataclass(frozen=True, slots=True)
class ProcedureCall:
    """One call: files of one partition (all of `where` hold; empty: the whole table) under these options."""

    procedure: Procedure
    table: SparkTable
    where: tuple[PartitionTest, ...] = ()
    options: Mapping[str, OptionValue] = field(default_factory=dict)
