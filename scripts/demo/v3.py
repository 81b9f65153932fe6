"""Format version 3: `make demo-v3`. Packhouse's kernel rewrites a table with deletion vectors and updated rows.

Each row of such a table has an id, and the number of the commit that changed it last; a rewrite must change neither.
All rows are compared with both, by Spark's two readers, and by DuckDB in the files themselves. The exit code is 1 when
a proof fails. The first start fetches the Iceberg runtime (48 MB).
"""

from typing import Any, Final

import duckdb
from spark_lake import NAME, SparkLake, tell

COMMITS: Final = 12
ROWS: Final = 4000
_COLUMNS: Final = "id, day, price, _row_id, _last_updated_sequence_number"
_ROWS: Final = f"SELECT {_COLUMNS} FROM {NAME} ORDER BY id, _row_id"  # noqa: S608


def write(lake: SparkLake) -> None:
    """Chapter 1: a stream of small commits, deletes and an update, merge-on-read."""
    lake.screen.chapter("1. A table of format version 3, written by Spark")
    modes = ", ".join(f"'write.{kind}.mode'='merge-on-read'" for kind in ("delete", "update", "merge"))
    lake.session.sql(
        f"CREATE TABLE {NAME} (id BIGINT, day DATE, price DOUBLE) USING iceberg PARTITIONED BY (day) TBLPROPERTIES "
        f"('format-version'='3', {modes}, 'write.distribution-mode'='none')"
    )
    for number in range(COMMITS):
        days = "DATE'2026-11-01' + CAST(id % 3 AS INT)"
        rows = f"range({number * ROWS}, {(number + 1) * ROWS}, 1, 1)"
        lake.session.sql(f"INSERT INTO {NAME} SELECT id, {days}, id / 7 FROM {rows}")  # noqa: S608
    lake.session.sql(f"DELETE FROM {NAME} WHERE id % 11 = 5")  # noqa: S608
    lake.session.sql(f"UPDATE {NAME} SET price = -price WHERE id % 13 = 3")  # noqa: S608
    told = (
        f"{COMMITS} commits, a delete of every eleventh row, an update of every thirteenth: {lake.files()} data files"
    )
    lake.screen.say(f"[bold]{NAME}[/]: {told}, {lake.files('delete_files')} deletion vectors")


def compact(lake: SparkLake) -> None:
    """Chapter 2: the rewrite, and the proofs."""
    screen = lake.screen
    screen.chapter("2. What a rewrite keeps")
    lake.register()
    before, files_before, vectors = _rows(lake), lake.files(), lake.files("delete_files")
    result = lake.compact()["result"]
    screen.prove("fewer files", lake.files() < files_before, f"{files_before} → {lake.files()}")
    screen.prove("no deletion vector is left", not lake.files("delete_files"), f"{vectors} before")
    screen.prove("deleted rows are gone from the files", result["deleted_rows"] > 0, f"{result['deleted_rows']:,} rows")
    after = _rows(lake)
    told = f"{len(after[0]):,} rows, ids up to {max(row[3] for row in after[0]):,}"
    screen.prove("Spark's two readers find the same rows, ids and sequence numbers", before == after, told)
    found = _by_duckdb(lake)
    screen.prove("DuckDB finds them in the files", found == after[0], f"{len(found):,} rows")
    lake.session.sql(f"INSERT INTO {NAME} SELECT 1000000 + id, DATE'2026-11-01', 0 FROM range(500)")  # noqa: S608
    ids = [row[3] for row in _rows(lake)[0]]
    screen.prove(
        "rows that Spark appends get ids of their own", len(set(ids)) == len(ids), f"{len(ids):,} distinct ids"
    )


def _rows(lake: SparkLake) -> list[list[tuple[Any, ...]]]:
    """Return all rows with their lineage as Spark's vectorised reader and its row reader find them."""
    lake.session.sql(f"REFRESH TABLE {NAME}")
    found = []
    for vectorised in ("true", "false"):
        lake.session.conf.set("spark.sql.iceberg.vectorization.enabled", vectorised)
        found.append([tuple(row) for row in lake.session.sql(_ROWS).collect()])
    return found


def _by_duckdb(lake: SparkLake) -> list[tuple[Any, ...]]:
    listed = lake.session.sql(f"SELECT file_path FROM {NAME}.data_files").collect()  # noqa: S608
    paths = [row[0].removeprefix("file:") for row in listed]
    with duckdb.connect() as connection:
        files = connection.read_parquet(paths)
        return files.project(_COLUMNS).order("id, _row_id").fetchall()


if __name__ == "__main__":
    tell("demo-v3", write, compact)
