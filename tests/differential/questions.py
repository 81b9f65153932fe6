"""Predicates that Spark answers from bounds and counts in manifests and footers: wrong statistics lose rows there.

What is right is counted without a filter, so that nothing is skipped by statistics, on the table as it was before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from pyiceberg.manifest import DataFile
from pyiceberg.table import Table
from pyiceberg.transforms import TruncateTransform
from pyiceberg.types import (
    BinaryType,
    BooleanType,
    DateType,
    DoubleType,
    FloatType,
    IcebergType,
    NestedField,
    StringType,
    TimestampType,
    TimestamptzType,
)
from pyspark.sql import SparkSession

from tests.differential.readers import set_vectorised
from tests.differential.schemas import ID, plain_fields
from tests.support.predicates import Condition, bounds_in, conditions, is_zero, values_of

SAMPLED = 40
"""Conditions asked of a table: each takes Spark a job."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A condition as Spark takes it: how it is filtered by, and the rows that it must and may find."""

    condition: Condition
    filter: str
    least: str
    most: str


@dataclass(frozen=True, slots=True)
class Questions:
    """Predicates on the columns of a table at its values and bounds, and figures of whole columns."""

    spark: SparkSession
    name: str
    fields: Sequence[NestedField]
    values: Mapping[str, Sequence[Any]]
    figures: str

    @staticmethod
    def about(spark: SparkSession, name: str, table: Table, random: Random) -> "Questions":
        """Make questions from values that the table has."""
        fields = plain_fields(table.schema())
        names = ", ".join(_quoted(each) for each in fields) or "1"
        rows = spark.sql(f"SELECT {names} FROM {name} LIMIT 200").toArrow()
        files = _files(table)
        values = {}
        for at, each in enumerate(fields):
            found = list({repr(one): one for one in values_of(rows.column(at), each.field_type)}.values())
            values[each.name] = [*random.sample(found, min(len(found), 6)), *bounds_in(files, each)]
        key = f"`{table.schema().find_column_name(ID)}`"
        extremes = [each for each in fields if not isinstance(each.field_type, FloatType | DoubleType | BinaryType)]
        figures = ["count(*)", f"min({key})", f"max({key})"]
        figures += [f"{of}({_quoted(each)})" for each in extremes for of in ("min", "max", "count")]
        return Questions(spark, name, fields, values, f"SELECT {', '.join(figures)} FROM {{0}}")

    def ask(self, name: str) -> list[Any]:
        """Return the figures of a table."""
        set_vectorised(self.spark, True)
        return [tuple(row) for row in self.spark.sql(self.figures.format(name)).collect()]

    def sample(self, table: Table, random: Random, count: int = SAMPLED) -> list[Asked]:
        """Return conditions at and around the values and bounds that the table had and that this copy of it has."""
        files = _files(table)
        every = [
            condition
            for each in self.fields
            for condition in conditions(each, [*self.values[each.name], *bounds_in(files, each)])
            if not _overflows(condition, table)
        ]
        return [_asked(each) for each in random.sample(every, min(len(every), count))]

    def check(self, copy: str, asked: Sequence[Asked]) -> None:
        """Compare what a copy of the table answers with what is right. Raises AssertionError."""
        set_vectorised(self.spark, True)
        for start in range(0, len(asked), 20):
            some = asked[start : start + 20]
            statement = " UNION ALL ".join(
                f"(SELECT {at} AS n, count(*) AS found FROM {copy} WHERE {each.filter})" for at, each in enumerate(some)
            )
            found = {row["n"]: row["found"] for row in self.spark.sql(statement).collect()}
            for at, (each, (least, most)) in enumerate(zip(some, self.right(some), strict=True)):
                if not least <= found[at] <= most:
                    self._check_alone(copy, each)

    def _check_alone(self, copy: str, asked: Asked) -> None:
        """Compare what a copy answers to one question with what is right.

        With forty counts in one SELECT Spark was seen to take -0.0 for unequal to 0.0 in one of them: then the answer
        of the copy was right, and what it was compared with was not.
        """
        (found,) = self.spark.sql(f"SELECT count(*) FROM {copy} WHERE {asked.filter}").collect()[0]
        ((least, most),) = self.right([asked])
        assert least <= found <= most, f"{found} rows with {asked.condition}, {least} to {most} are right"

    def nulls_in_partitions_of(self, asked: Asked, table: Table) -> int:
        """Return how many rows too many Iceberg may delete by a condition: the nulls of a column it partitions by.

        Where it can delete whole files, it takes a null partition for smaller than any value
        (`test_iceberg_takes_a_null_partition_for_smaller_than_any_value`).
        """
        field = asked.condition.field
        sources = {each.source_id for spec in table.specs().values() for each in spec.fields}
        if field.field_id not in sources or asked.condition.operator not in {"<", "<="}:
            return 0
        nulls = f"SELECT count(*) FROM {self.name} WHERE {_quoted(field)} IS NULL"
        return int(self.spark.sql(nulls).collect()[0][0])

    def right(self, asked: Sequence[Asked]) -> list[tuple[int, int]]:
        """Return how many rows each condition must find and may find."""
        if not asked:
            return []
        counts = ", ".join(f"count_if({each.least}), count_if({each.most})" for each in asked)
        row = tuple(self.spark.sql(f"SELECT {counts} FROM {self.name}").collect()[0])
        return list(zip(row[::2], row[1::2], strict=True))


def _overflows(condition: Condition, table: Table) -> bool:
    """Return whether Iceberg's `truncate` of an operand overflows: it then compares the greatest integers."""
    least = {"int": -(2**31), "long": -(2**63)}.get(str(condition.field.field_type))
    widths = [
        each.transform.width
        for spec in table.specs().values()
        for each in spec.fields
        if each.source_id == condition.field.field_id and isinstance(each.transform, TruncateTransform)
    ]
    return least is not None and bool(widths) and any(each < least + max(widths) for each in condition.operands)


def _files(table: Table) -> list[DataFile]:
    snapshot = table.current_snapshot()
    manifests = [] if snapshot is None else snapshot.manifests(table.io)
    return [entry.data_file for each in manifests for entry in each.fetch_manifest_entry(table.io)]


def _asked(condition: Condition) -> Asked:
    """Return a condition for Spark, whose NaN is the greatest value; Iceberg's bounds know no NaN.

    Iceberg tells the two zeros apart, in the dictionaries of files too, where SQL does not: rows with the zero of the
    other sign may be found or not. `> -0.0` finds the partition of `0.0`, whose rows Spark does not filter again.
    """
    field, operator = condition.field, condition.operator
    column = _quoted(field)
    literals = [_literal(field.field_type, each) for each in condition.operands]
    match operator:
        case "IS NULL" | "IS NOT NULL":
            text = f"{column} {operator}"
        case "IS NAN":
            text = f"isnan({column})"
        case "IS NOT NAN":
            text = f"NOT isnan({column})"
        case "LIKE":
            text = f"startswith({column}, {literals[0]})"
        case "IN":
            text = f"{column} IN ({', '.join(literals)})"
        case _:
            text = f"{column} {operator} {literals[0]}"
    if isinstance(field.field_type, FloatType | DoubleType) and operator in {">", ">="}:
        text = f"({text} AND NOT isnan({column}))"
    least = most = text
    if any(is_zero(each) for each in condition.operands):
        same = ", ".join(repr(str(each)) for each in condition.operands if is_zero(each))
        other = f"({column} = 0 AND CAST({column} AS STRING) NOT IN ({same}))"
        if operator in {"=", "<=", ">=", "IN"}:
            least = f"({text} AND NOT {other})"
        elif operator in {"<", ">", "!="}:
            most = f"({text} OR {other})"
    return Asked(condition, text, least, most)


def _literal(of: IcebergType, value: Any) -> str:  # noqa: PLR0911 - one a type
    match of:
        case BooleanType():
            return str(value).lower()
        case StringType():
            return "'" + "".join(_escaped(each) for each in value) + "'"
        case BinaryType():
            return f"X'{value.hex()}'"
        case DateType():
            return f"DATE_FROM_UNIX_DATE({value})"
        case TimestamptzType():
            return f"TIMESTAMP_MICROS({value})"
        case TimestampType():
            return f"CAST(TIMESTAMP_MICROS({value}) AS TIMESTAMP_NTZ)"
    named = {"long": "BIGINT"}
    return f"CAST('{value}' AS {named.get(str(of), str(of))})"


def _escaped(character: str) -> str:
    return character if character.isascii() and character.isalnum() else f"\\U{ord(character):08x}"


def _quoted(field: NestedField) -> str:
    return f"`{field.name}`"
