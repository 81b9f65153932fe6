"""The same rows by different readers, made comparable: a multiset of canonical texts."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa
from pyiceberg.table import Table
from pyspark.sql import SparkSession

Rows = Counter[str]

_JSON = (
    "map('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS', "
    "'timestampNTZFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSS')"
)


def set_vectorised(spark: SparkSession, vectorised: bool) -> None:
    """Choose Spark's vectorised reader or its row reader for the queries that follow."""
    spark.conf.set("spark.sql.iceberg.vectorization.enabled", str(vectorised).lower())


def head_by_spark(spark: SparkSession, name: str) -> tuple[Rows, dict[str, Rows]]:
    """Return the rows at the head, and the same by the file that each lies in."""
    table = spark.sql(f"SELECT *, _file AS `the file` FROM {name}").toArrow()
    files = table["the file"].to_pylist()
    by_file: dict[str, Rows] = {}
    for text, file in zip(_texts(table.drop_columns(["the file"])), files, strict=True):
        by_file.setdefault(file.rpartition("/")[2], Counter())[text] += 1
    return sum(by_file.values(), Counter()), by_file


def history_by_spark(spark: SparkSession, name: str, points: Sequence[str]) -> Counter[tuple[str, str]]:
    """Return (point, row as JSON) of all points in time: snapshot ids, branches, tags."""
    one = "SELECT {0} AS p, to_json(struct(*), {1}) AS r FROM {2} VERSION AS OF {3}"
    parts = [one.format(f"'{each}'", _JSON, name, each if each.isdigit() else f"'{each}'") for each in points]
    table = spark.sql(" UNION ALL ".join(parts)).toArrow()
    return Counter(zip(table["p"].to_pylist(), table["r"].to_pylist(), strict=True))


def head_by_pyiceberg(table: Table) -> Rows | None:
    """Return the rows at the head, or None where PyIceberg says that it cannot read the table."""
    try:
        rows = table.scan().to_arrow()
    except Exception:  # noqa: BLE001 - whatever it dislikes: equality deletes, version 3, its own projection
        return None
    return Counter(_texts(rows))


def file_by_duckdb(path: str) -> Rows:
    """Return the rows of one Parquet file."""
    with duckdb.connect() as connection:
        return Counter(_texts(connection.read_parquet(path).to_arrow_table()))


def _texts(table: pa.Table) -> list[str]:
    columns = [column.to_pylist() for column in table.columns]
    return [repr(tuple(map(_canonical, row))) for row in zip(*columns, strict=True)]


def _canonical(value: Any) -> Any:
    match value:
        case dict():  # a struct: by position, since files have other names than tables
            return tuple(map(_canonical, value.values()))
        case list() if value and isinstance(value[0], tuple):  # a map
            return sorted((repr(_canonical(key)), repr(_canonical(of))) for key, of in value)
        case list():
            return [_canonical(each) for each in value]
        case dt.date():
            return (value.astimezone(dt.UTC) if getattr(value, "tzinfo", None) else value).isoformat()
    return bytes(value) if isinstance(value, bytearray) else value
