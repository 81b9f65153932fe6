"""Questions that Spark answers from bounds and counts in manifests and footers: wrong statistics lose rows there."""

from dataclasses import dataclass
from random import Random
from typing import Any

from pyiceberg.table import Table
from pyiceberg.types import BinaryType, BooleanType, DoubleType, FloatType, NestedField
from pyspark.sql import SparkSession

from tests.differential.readers import set_vectorised
from tests.differential.schemas import ID, plain_fields


@dataclass(frozen=True, slots=True)
class Questions:
    """Statements with `{0}` for the table: filters on values that occur, and figures of whole columns."""

    filters: str
    figures: str

    @staticmethod
    def about(spark: SparkSession, name: str, table: Table, random: Random) -> "Questions":
        """Make questions from values that the table has."""
        fields = [each for each in plain_fields(table.schema()) if not isinstance(each.field_type, BinaryType)]
        chosen = random.sample(fields, min(len(fields), 3))
        key = f"`{table.schema().find_column_name(ID)}`"
        texts = ", ".join(f"CAST({_quoted(each)} AS STRING)" for each in chosen) or "1"
        samples = spark.sql(f"SELECT {texts} FROM {name} WHERE pmod({key}, 30) = 7 ORDER BY {key} LIMIT 3").collect()
        asked = [f"{key} BETWEEN {at} AND {at + 20}" for at in (0, 30, 90)]
        for at, each in enumerate(chosen):
            asked += _conditions(each, [row[at] for row in samples])
        extremes = [each for each in chosen if not isinstance(each.field_type, FloatType | DoubleType)]
        figures = ["count(*)", f"min({key})", f"max({key})"]
        figures += [f"{of}({_quoted(each)})" for each in extremes for of in ("min", "max", "count")]
        return Questions(
            " UNION ALL ".join(f"(SELECT {n} AS n, count(*) FROM {{0}} WHERE {each})" for n, each in enumerate(asked)),
            f"SELECT {', '.join(figures)} FROM {{0}}",
        )

    def ask(self, spark: SparkSession, name: str) -> list[Any]:
        """Return the answers about a table, in the order of the questions."""
        set_vectorised(spark, True)
        counts, figures = (spark.sql(each.replace("{0}", name)).collect() for each in (self.filters, self.figures))
        return [*sorted(map(tuple, counts)), *map(tuple, figures)]


def _conditions(field: NestedField, values: list[str | None]) -> list[str]:
    column, found = _quoted(field), [f"{_quoted(field)} IS NULL"]
    if isinstance(field.field_type, BooleanType):
        return found
    is_float = isinstance(field.field_type, FloatType | DoubleType)
    for value in values:
        if value is None or (is_float and float(value) == 0):  # Iceberg's bounds tell -0.0 from 0.0, Spark does not
            continue
        text = value.replace("\\", "\\\\").replace("'", "\\'")
        literal = f"CAST('{text}' AS {_spark_type(field)})"
        found.append(f"{column} = {literal}")
        if not is_float:  # Iceberg's bounds know no NaN, which is the greatest value for Spark
            found += [f"{column} <= {literal}", f"{column} > {literal}"]
    return found


def _spark_type(field: NestedField) -> str:
    names = {"long": "BIGINT", "timestamptz": "TIMESTAMP", "timestamp": "TIMESTAMP_NTZ"}
    return names.get(str(field.field_type), str(field.field_type))


def _quoted(field: NestedField) -> str:
    return f"`{field.name}`"
