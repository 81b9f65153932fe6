"""The native path: `make demo-native`. Spark writes a table that the kernel must not touch, and Iceberg compacts it.

Bloom filters, which the kernel does not write, and deletion vectors. Explain says why the procedure is called, and what
it did is proven twice: by Packhouse from the table's metadata, and here by all rows as Spark reads them. The exit code
is 1 when a proof fails. The first start fetches the Iceberg runtime (48 MB).
"""

from typing import Final

from spark_lake import NAME, SparkLake, tell

COMMITS: Final = 8
ROWS: Final = 4000
_ALL_ROWS: Final = f"SELECT count(*), bit_xor(xxhash64(id, day, price)), bit_xor(xxhash64(id, _row_id)) FROM {NAME}"  # noqa: S608


def write(lake: SparkLake) -> None:
    """Chapter 1: a table that the kernel must not touch."""
    lake.screen.chapter("1. A table with bloom filters and deletion vectors, written by Spark")
    lake.session.sql(
        f"CREATE TABLE {NAME} (id BIGINT, day DATE, price DOUBLE) USING iceberg PARTITIONED BY (day) TBLPROPERTIES "
        "('format-version'='3', 'write.parquet.bloom-filter-enabled.column.id'='true', "
        "'write.delete.mode'='merge-on-read', 'write.distribution-mode'='none')"
    )
    for number in range(COMMITS):
        days = "DATE'2026-11-01' + CAST(id % 3 AS INT)"
        rows = f"range({number * ROWS}, {(number + 1) * ROWS}, 1, 1)"
        lake.session.sql(f"INSERT INTO {NAME} SELECT id, {days}, id / 7 FROM {rows}")  # noqa: S608
    lake.session.sql(f"DELETE FROM {NAME} WHERE id % 11 = 5")  # noqa: S608
    told = f"{COMMITS} commits, one delete of every eleventh row, {lake.files()} data files"
    lake.screen.say(f"[bold]{NAME}[/]: {told}")


def compact(lake: SparkLake) -> None:
    """Chapter 2: explain, run, and the proofs."""
    screen, session = lake.screen, lake.session
    screen.chapter("2. Why Iceberg's own procedure, and what it does")
    why = next((each["detail"] for each in lake.register()["conditions"] if each["name"] == "engine_native"), "")
    screen.prove("explain says that the procedure is called", "bloom-filter" in why, why or "it does not")
    before, files_before = session.sql(_ALL_ROWS).collect(), lake.files()
    result = lake.compact()["result"]
    after = session.sql(_ALL_ROWS).collect()
    screen.prove("fewer files", lake.files() < files_before, f"{files_before} → {lake.files()}")
    gone = result["deleted_rows"]
    screen.prove("deleted rows are gone from the files", gone > 0, f"{gone:,} rows of {result['rewritten_rows']:,}")
    screen.prove("Spark reads the same rows with the same row ids", before == after, f"{after[0][0]:,} rows")


if __name__ == "__main__":
    tell("demo-native", write, compact)
