"""The same rows by different readers, made comparable: a multiset of canonical texts."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
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


LINEAGE = ("_row_id", "_last_updated_sequence_number")
"""Columns of tables of version 3 that tell rows apart, in the order in which files store them."""


def head_by_spark(spark: SparkSession, name: str, *, lineage: bool = False) -> tuple[Rows, dict[str, Rows]]:
    """Return the rows at the head, with their lineage if asked for, and the same by the file that each lies in."""
    columns = ["*", *(LINEAGE if lineage else ()), "_file AS `the file`"]
    table = spark.sql(f"SELECT {', '.join(columns)} FROM {name}").toArrow()
    files = table["the file"].to_pylist()
    by_file: dict[str, Rows] = {}
    for text, file in zip(_texts(table.drop_columns(["the file"])), files, strict=True):
        by_file.setdefault(file.rpartition("/")[2], Counter())[text] += 1
    return sum(by_file.values(), Counter()), by_file


def lacks_ids(spark: SparkSession, name: str) -> bool:
    """Return whether rows at the head of a table of version 3 have no ids."""
    found: int = spark.sql(f"SELECT _row_id FROM {name}").toArrow()["_row_id"].null_count  # Iceberg can't count it
    return found > 0


def history_by_spark(
    spark: SparkSession, name: str, points: Sequence[str], *, lineage: bool = False
) -> Counter[tuple[str, str]]:
    """Return (point, row as JSON) of all points in time: snapshot ids, branches, tags."""
    columns = ", ".join(("*", *(LINEAGE if lineage else ())))
    one = "SELECT {0} AS p, to_json(struct({1}), {2}) AS r FROM {3} VERSION AS OF {4}"
    parts = [one.format(f"'{each}'", columns, _JSON, name, each if each.isdigit() else f"'{each}'") for each in points]
    table = spark.sql(" UNION ALL ".join(parts)).toArrow()
    return Counter(zip(table["p"].to_pylist(), table["r"].to_pylist(), strict=True))


def head_by_pyiceberg(table: Table) -> Rows | None:
    """Return the rows at the head, or None where PyIceberg says that it cannot read the table."""
    try:
        rows = table.scan().to_arrow()
    except Exception:  # noqa: BLE001 - whatever it dislikes: equality deletes, version 3, its own projection
        return None
    return Counter(_texts(rows))


def file_by_duckdb(path: str, *, lineage: bool = False) -> Rows:
    """Return the rows of one Parquet file; with columns for their lineage, of nulls if it stores none."""
    with duckdb.connect() as connection:
        found = connection.read_parquet(path).to_arrow_table()
    for name in LINEAGE if lineage else ():
        found = found if name in found.column_names else found.append_column(name, pa.nulls(len(found)))
    return Counter(_texts(found))


def names_an_unreadable_file(detail: str) -> bool:
    """Return whether Arrow refuses the file that a group failed for: it does not read everything that DuckDB packs."""
    path = re.search(r"file:(\S+\.parquet)", detail)
    assert path is not None, detail
    try:
        pq.read_table("/" + path[1].lstrip("/"), partitioning=None)
    except (OSError, pa.ArrowInvalid):
        return True
    return False


def difference(before: Counter[Any], after: Counter[Any]) -> str:
    """Return how two multisets differ, with some of their members."""
    gone, come = list((before - after).items())[:5], list((after - before).items())[:5]
    return f"{before.total()} rows before, {after.total()} after; gone: {gone}; come: {come}"


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
