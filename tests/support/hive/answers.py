"""The rows of a random table and its answers to predicates, as Spark and DuckDB find them.

Predicates compare columns and partition keys with their boundary values: least and greatest of each row group, their
neighbours, null, NaN, and each partition's own values.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.support.hive.lakes import NULL
from tests.support.hive.random_tables import RandomTable
from tests.support.hive.random_values import KEY_KINDS, Kind
from tests.support.hive.second_readers import HiveSpark

_COMPARISONS: Final = ("=", "!=", "<", "<=", ">", ">=")
_BY_SPARK: Final = 30
_NAMES: Final = {"string": "VARCHAR", "binary": "BLOB", "timestamp": "TIMESTAMPTZ"}


@dataclass(frozen=True)
class Predicate:
    """`column operator operand` with the operand of a type of Hive; `IS NULL` and `IS NOT NULL` have none."""

    column: str
    kind: str
    operator: str
    operand: Any = None

    @property
    def has_operand(self) -> bool:
        return self.operator in _COMPARISONS

    @property
    def is_floating(self) -> bool:
        """Whether readers may take NaN and zeros for what a file's bounds are; bounds leave NaN out."""
        return self.kind in {"float", "double"}

    def by_duckdb(self) -> tuple[str, list[Any]]:
        """Return it as SQL, and its parameters."""
        if not self.has_operand:
            return f"{_quoted(self.column)} {self.operator}", []
        kind = _NAMES.get(self.kind, self.kind)
        return f"{_quoted(self.column)} {self.operator} CAST(? AS {kind})", [self.operand]

    def by_spark(self, name: str) -> str:
        """Return it as SQL with a named parameter."""
        operand = f" CAST(:{name} AS {self.kind})" if self.has_operand else ""
        return f"`{self.column}` {self.operator}{operand}"


@dataclass(frozen=True)
class Answers:
    """The rows before a rewrite, in a table of DuckDB, and the predicates at boundary values of that time.

    `misread`: predicates by which DuckDB loses rows of the files before the rewrite; it does so with binary values that
    are one zero byte, in files that it wrote itself.
    """

    made: RandomTable
    spark: HiveSpark
    connection: duckdb.DuckDBPyConnection
    rows: Sequence[str]
    predicates: Sequence[Sequence[Predicate]]
    misread: frozenset[Predicate]

    @staticmethod
    def of(made: RandomTable, spark: HiveSpark, connection: duckdb.DuckDBPyConnection) -> "Answers":
        """Read a table; both readers must find the same rows."""
        connection.execute(f"CREATE OR REPLACE TABLE truth AS {union_of(made)}")
        rows = rows_of(connection.table("truth").to_arrow_table())
        assert spark_rows(made, spark) == rows
        connection.execute(f"CREATE OR REPLACE VIEW live AS {union_of(made)}")
        asked = dict.fromkeys([*_of_columns(made), *_of_keys(made)])
        misread = frozenset(
            each for each in asked if _count(connection, "live", [each]) != _count(connection, "truth", [each])
        )
        every = [each for each in asked if each not in misread]
        pairs = [(made.chance.choice(every), made.chance.choice(every)) for _ in range(len(every) // 4)]
        return Answers(made, spark, connection, rows, [*((each,) for each in every), *pairs], misread)

    def compare(self) -> None:
        """Assert that both readers find these rows, and the same number of them by each predicate."""
        self.connection.execute(f"CREATE OR REPLACE VIEW live AS {union_of(self.made)}")
        assert rows_of(self.connection.table("live").to_arrow_table()) == self.rows
        assert spark_rows(self.made, self.spark) == self.rows
        every = [*self.predicates, *((each,) for each in _of_columns(self.made) if each not in self.misread)]
        self.ask_duckdb(every)
        by_spark = [each for each in every if not any(map(self._is_misread_by_metastore, each))]
        self.ask_spark(self.made.chance.sample(by_spark, min(_BY_SPARK, len(by_spark))))

    def _is_misread_by_metastore(self, asked: Predicate) -> bool:
        """Return whether the Metastore gives Spark an error or too few partitions for a filter by this predicate.

        Its parser takes a backslash before the closing quote for an escape. Derby compares texts as if blanks followed,
        so that an empty one comes after a tab.
        """
        if asked.kind != "string" or asked.column not in self.made.keys or not asked.has_operand:
            return False
        at = list(self.made.keys).index(asked.column)
        texts = [values[at] for values in self.made.partition_files()]
        return "\\" in asked.operand or (
            asked.operator not in {"=", "!="} and any(min(each, default=" ") < " " for each in texts)
        )

    def ask_duckdb(self, asked: Sequence[Sequence[Predicate]]) -> None:
        """Assert that DuckDB finds the right number of rows by each of these predicates."""
        for each in asked:
            self._check("DuckDB", each, _count(self.connection, "live", each))

    def ask_spark(self, asked: Sequence[Sequence[Predicate]]) -> None:
        """Assert that Spark finds the right number of rows by each of these predicates."""
        for each, count in zip(asked, self._spark_counts(asked), strict=True):
            self._check("Spark", each, count)

    def _check(self, reader: str, conditions: Sequence[Predicate], found: int) -> None:
        """Assert that a number of rows is right; rows with NaN or a zero may be among them or not."""
        unsure = [
            f"isnan({_quoted(each.column)}) OR {_quoted(each.column)} = 0" for each in conditions if each.is_floating
        ]
        least = _count(self.connection, "truth", conditions, *(f"NOT ifnull({each}, false)" for each in unsure))
        most = least + _count(self.connection, "truth", [], " OR ".join(unsure)) if unsure else least
        assert least <= found <= most, f"{reader} finds {found} rows with {conditions}, {least} to {most} are right"

    def _spark_counts(self, asked: Sequence[Sequence[Predicate]]) -> list[int]:
        table, statements, operands = f"{self.made.table.database}.{self.made.table.name}", [], dict[str, Any]()
        for number, conditions in enumerate(asked):
            texts = []
            for at, each in enumerate(conditions):
                texts.append(each.by_spark(f"v{number}_{at}"))
                if each.has_operand:
                    operands[f"v{number}_{at}"] = each.operand
            statements.append(f"(SELECT {number} AS n, count(*) AS found FROM {table} WHERE {' AND '.join(texts)})")
        rows = self.spark.session.sql(" UNION ALL ".join(statements), args=operands).collect() if asked else []
        found = {row["n"]: int(row["found"]) for row in rows}
        return [found[number] for number in range(len(asked))]


def _count(connection: duckdb.DuckDBPyConnection, table: str, conditions: Sequence[Predicate], *texts: str) -> int:
    """Return the number of rows by all of these predicates and conditions in SQL."""
    parts = [each.by_duckdb() for each in conditions]
    parameters = [one for _, given in parts for one in given]
    where = " AND ".join(f"({each})" for each in [*(text for text, _ in parts), *texts])
    (found,) = connection.execute(f"SELECT count(*) FROM {table} WHERE {where}", parameters).fetchall()[0]
    return int(found)


def rows_of(table: pa.Table) -> list[str]:
    """Return rows as texts that differ for 0.0 and -0.0 and are equal for NaN and in any time zone, ordered."""
    fields = [
        each.with_type(pa.timestamp("us", "UTC")) if pa.types.is_timestamp(each.type) else each for each in table.schema
    ]
    return sorted(map(repr, table.cast(pa.schema(fields)).to_pylist()))


def spark_rows(made: RandomTable, spark: HiveSpark) -> list[str]:
    """Return the rows as Spark reads them."""
    return rows_of(spark.session.sql(f"SELECT * FROM {made.table.database}.{made.table.name}").toArrow())


def union_of(made: RandomTable, *, only_id: bool = False) -> str:
    """Return a query by which DuckDB reads the partitions where the Metastore locates them."""
    names = ["id"] if only_id else list(made.columns)
    types = {name: f"NULL::{kind.duckdb}" for name, kind in made.columns.items()}
    nothing = [f"{types[name]} AS {_quoted(name)}" for name in names]
    keys = [] if only_id else [f"NULL::{KEY_KINDS.get(kind, kind)} AS {name}" for name, kind in made.keys.items()]
    parts = [f"SELECT {', '.join([*nothing, *keys])} WHERE false"]
    for values, files in made.partition_files().items():
        if not files:
            continue
        stored = {name.lower() for each in files for name in pq.read_schema(each).names}
        shown = [f"{_quoted(name) if name in stored else types[name]} AS {_quoted(name)}" for name in names]
        if not only_id:
            for (key, kind), text in zip(made.keys.items(), values, strict=True):
                shown.append(f"{'NULL' if text == NULL else _literal(text)}::{KEY_KINDS.get(kind, kind)} AS {key}")
        listed = ", ".join(_literal(str(each)) for each in files)
        parts.append(
            f"SELECT {', '.join(shown)} FROM read_parquet([{listed}], union_by_name=true, hive_partitioning=false)"
        )
    return " UNION ALL ".join(parts)


def _of_columns(made: RandomTable) -> Iterator[Predicate]:
    files = [each for files in made.partition_files().values() for each in files]
    for name, kind in made.columns.items():
        yield Predicate(name, kind.hive, "IS NULL")
        yield Predicate(name, kind.hive, "IS NOT NULL")
        if kind.is_nested:
            continue
        bounds = {repr(each): each for path in files for each in _bounds(path, name)}
        near = {repr(each): each for bound in bounds.values() for each in _around(bound, kind)}
        for operand in (*near.values(), *((math.nan, 0.0, -0.0) if kind.is_floating else ())):
            yield from (Predicate(name, kind.hive, operator, operand) for operator in _COMPARISONS)


def _of_keys(made: RandomTable) -> Iterator[Predicate]:
    for at, (name, kind) in enumerate(made.keys.items()):
        yield Predicate(name, kind, "IS NULL")
        yield Predicate(name, kind, "IS NOT NULL")
        for text in {values[at] for values in made.partition_files()} - {NULL}:
            yield from (Predicate(name, kind, operator, text) for operator in _COMPARISONS)


def _bounds(path: Path, name: str) -> Iterator[Any]:
    metadata = pq.read_metadata(path)
    for group in range(metadata.num_row_groups):
        for at in range(metadata.num_columns):
            column = metadata.row_group(group).column(at)
            if column.path_in_schema.lower() == name and column.statistics and column.statistics.has_min_max:
                yield from (column.statistics.min, column.statistics.max)


def _around(bound: Any, kind: Kind) -> Iterator[Any]:
    """Yield a bound and its neighbours, as far as they are values of the type."""
    match bound:
        case bool():
            near = [bound, not bound]
        case int():
            near = [bound - 1, bound, bound + 1]
        case float():
            of = np.float32 if kind.arrow == pa.float32() else np.float64
            near = [bound, *(float(np.nextafter(of(bound), of(end))) for end in (math.inf, -math.inf))]
        case Decimal():
            step = Decimal(1).scaleb(-kind.arrow.scale)
            near = [bound - step, bound, bound + step]
        case str():
            near = [bound, bound[:-1], f"{bound}\0", f"{bound}a"]
        case bytes():
            near = [bound, bound[:-1], bound + b"\0"]
        case datetime():
            near = [bound + timedelta(microseconds=by) for by in (-1, 0, 1)]
        case _:
            near = [bound, *(bound + timedelta(days=days) for days in (-1, 1) if "1900" < str(bound) < "9999")]
    for each in near:
        try:
            pa.scalar(each, kind.arrow)
        except (pa.ArrowInvalid, OverflowError):
            continue
        yield each


def _quoted(name: str) -> str:
    return f'"{name}"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
