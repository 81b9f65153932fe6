"""B33: queries on a table as a stream left it and after each operation: time to plan, time to scan, files read.

The table has TPC-H's lineitem in small files, added by many commits. Each state is a copy of it on which Packhouse ran
one operation. "plan" lists the files of a scan by PyIceberg; "none" is a query whose filter no file's statistics match,
so that an engine only plans; "all" sums three columns of every row; "range" selects 1 % of the rows by one column;
"box" 5 % by each of two columns. Files are those whose statistics match, which both engines read. Seconds are medians;
the files are in the page cache, so that a store's latency, which each file costs again, is not part of them.

    python -m bench.queries [--commits 40] [--files 25] [--rows 3000] [--rounds 3] [--json queries.json]
"""

import argparse
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import duckdb
from pyiceberg.table import Table

from bench.facts import machine_facts, print_table, write_json
from bench.lake import Lake, spark_name
from bench.lineitem import append_files, lineitem_columns
from tests.support.duckdb_tables import connected

MB: Final = 1_000_000
CORES: Final = 2
RANGE: Final = "l_shipdate BETWEEN DATE '1995-03-01' AND DATE '1995-03-25'"
BOX: Final = "l_shipdate BETWEEN DATE '1995-03-01' AND DATE '1995-07-03' AND l_partkey BETWEEN 70000 AND 79999"
_MAINTENANCE: Final = {"rewrite_deletes": {"interval": "1d", "at_least_files": 1}}
_SUMS: Final = "SELECT sum(l_quantity), sum(l_extendedprice), sum(l_discount) FROM"
QUERIES: Final[Mapping[str, str]] = {
    "none": "l_orderkey < 0",
    "all": "l_orderkey >= 0",
    "range": RANGE,
    "box": BOX,
}
"""Filters, by the name of the query."""


@dataclass(frozen=True, slots=True)
class State:
    """A table after an operation. `of`: the table that is copied; `operation`: None for none; `rewrite`: its policy."""

    name: str
    of: str = "stream"
    operation: str | None = "rewrite"
    rewrite: Mapping[str, Any] | None = None


STATES: Final = (
    State("small files", operation=None),
    State("rewrite_manifests", operation="rewrite_manifests"),
    State("binpack"),
    State("sort", rewrite={"strategy": "sort", "columns": ["l_shipdate"]}),
    State("hilbert", rewrite={"strategy": "hilbert", "columns": ["l_shipdate", "l_partkey"]}),
    State("with deletes", of="deleted", operation=None),
    State("rewrite_deletes", of="deleted", operation="rewrite_deletes"),
    State("binpack of it", of="deleted"),
)


def main() -> None:
    """Write the tables, then change and query a copy for each state."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=40)
    parser.add_argument("--files", type=int, default=25, help="of each commit")
    parser.add_argument("--rows", type=int, default=3000, help="of each file")
    parser.add_argument("--deletes", type=int, default=10, help="commits that delete 1 %% of the rows each")
    parser.add_argument("--target-mb", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory(prefix="bench-queries-") as scratch, Lake(folder=Path(scratch), cores=CORES) as lake:
        _write(lake, given)
        rows = [_measured(lake, state, given) for state in STATES]
    print_table(rows)
    write_json(given.json, {"benchmark": "B33", "machine": machine_facts(), "rows": rows})


def _write(lake: Lake, given: argparse.Namespace) -> None:
    made = {"columns": lineitem_columns(), "files": given.files, "rows_per_file": given.rows}
    for at in range(given.commits):
        append_files(lake.spark, table=spark_name("stream"), first=at * given.files * given.rows, **made)
    lake.duplicate("stream", "deleted")
    deleted = spark_name("deleted")
    lake.spark.sql(f"ALTER TABLE {deleted} SET TBLPROPERTIES ('write.delete.mode' = 'merge-on-read')")
    for at in range(given.deletes):
        lake.spark.sql(f"DELETE FROM {deleted} WHERE l_partkey % 100 = {at}")


def _measured(lake: Lake, state: State, given: argparse.Namespace) -> dict[str, Any]:
    rewrite = {"target_file_bytes": given.target_mb * MB, **(state.rewrite or {})}
    policy = {"rewrite": rewrite, "limits": {"parallel_groups": CORES}, "maintenance": _MAINTENANCE}
    name = lake.copy(state.of, policy)
    began = time.perf_counter()
    if state.operation is not None:
        lake.service.rewrite(name, state.operation)
    took = time.perf_counter() - began
    table = lake.table(name)
    row: dict[str, Any] = {
        "state": state.name,
        "operation_s": took,
        "manifests": len(_snapshot_manifests(table)),
        "plan_ms": 1000 * _median(lambda: list(table.scan().plan_files()), given.rounds),
    }
    row |= {f"files: {query}": _files(table, query) for query in ("all", "range", "box")}
    lake.spark.sql(f"REFRESH TABLE {spark_name(name)}")
    with connected() as connection:
        for query, where in QUERIES.items():
            row[f"Spark: {query}"] = _median(_by_spark(lake, name, where), given.rounds)
            row[f"DuckDB: {query}"] = _median(_by_duckdb(connection, table, where), given.rounds)
    return row


def _snapshot_manifests(table: Table) -> list[Any]:
    snapshot = table.current_snapshot()
    return [] if snapshot is None else snapshot.manifests(table.io)


def _files(table: Table, query: str) -> int:
    """Return the number of data files, with their delete files, that a query reads."""
    where = QUERIES[query].replace("DATE ", "")
    tasks = list(table.scan(row_filter=where).plan_files())
    return len(tasks) + len({each.file_path for task in tasks for each in task.delete_files})


def _by_spark(lake: Lake, name: str, where: str) -> Callable[[], Any]:
    return lambda: lake.spark.sql(f"{_SUMS} {spark_name(name)} WHERE {where}").collect()


def _by_duckdb(connection: duckdb.DuckDBPyConnection, table: Table, where: str) -> Callable[[], Any]:
    return lambda: connection.execute(f"{_SUMS} iceberg_scan(?) WHERE {where}", [table.metadata_location]).fetchall()


def _median(call: Callable[[], Any], rounds: int) -> float:
    """Return the median seconds of a call, after one that is not counted."""
    call()
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
