"""Rows like TPC-H's lineitem (and a table 100 columns wide) as Spark SQL over `range`: the data of B1 to B3.

Not TPC-H's generator: same columns, types and value counts, values from hashes of the row number, so that any range of
rows is the same at every run. Spark writes it, one task a file.
"""

from typing import Any

_WORDS = tuple(
    word + ending
    for word in ("furious", "careful", "quick", "express", "regular", "special", "pending", "final", "bold", "silent")
    for ending in ("ly", " packages", " deposits", " requests", " accounts", " theodolites")
)

_PROPERTIES = (
    "TBLPROPERTIES ('write.distribution-mode' = 'none', 'write.parquet.compression-codec' = 'zstd', "
    "'write.parquet.compression-level' = '3')"
)


def lineitem_columns() -> str:
    """Return the select list over `id`."""
    return f"""
        id div 4 AS l_orderkey,
        {_hashed(1, 200_000)} + 1 AS l_partkey,
        {_hashed(2, 10_000)} + 1 AS l_suppkey,
        CAST(id % 4 + 1 AS int) AS l_linenumber,
        CAST({_hashed(3, 50)} + 1 AS decimal(15,2)) AS l_quantity,
        CAST(({_hashed(4, 10_000_000)} + 90000) / 100 AS decimal(15,2)) AS l_extendedprice,
        CAST({_hashed(5, 11)} / 100 AS decimal(15,2)) AS l_discount,
        CAST({_hashed(6, 9)} / 100 AS decimal(15,2)) AS l_tax,
        {_one_of(7, ("A", "N", "R"))} AS l_returnflag,
        {_one_of(8, ("F", "O"))} AS l_linestatus,
        date_add(DATE '1992-01-02', CAST({_hashed(9, 2500)} AS int)) AS l_shipdate,
        date_add(DATE '1992-01-31', CAST({_hashed(10, 2500)} AS int)) AS l_commitdate,
        date_add(DATE '1992-01-03', CAST({_hashed(11, 2530)} AS int)) AS l_receiptdate,
        {_one_of(12, ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN"))} AS l_shipinstruct,
        {_one_of(13, ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB"))} AS l_shipmode,
        concat_ws(' ', {", ".join(_one_of(20 + at, _WORDS) for at in range(4))}) AS l_comment
    """


def wide_columns() -> str:
    """Return a select list of a hundred columns: a key, and kinds of columns in turn (longs, doubles, words, dates)."""
    kinds = (
        lambda at: f"{_hashed(at, 10**9)}",
        lambda at: f"{_hashed(at, 10**6)} / 1000.0D",
        lambda at: _one_of(at, _WORDS),
        lambda at: f"date_add(DATE '2020-01-01', CAST({_hashed(at, 2000)} AS int))",
        lambda at: f"CAST({_hashed(at, 100)} AS int)",
    )
    columns = ["id AS key", *(f"{kinds[at % len(kinds)](at)} AS c{at:03d}" for at in range(1, 100))]
    return ", ".join(columns)


def write_files(spark: Any, *, table: str, columns: str, files: int, file_bytes: int) -> None:
    """Create an unpartitioned table of `files` files of about `file_bytes` each, zstd level 3.

    A first, small table tells how many bytes a row takes.
    """
    rows = max(1000, file_bytes // 40)
    for _ in range(2):
        _write(spark, table=f"{table}_probe", columns=columns, files=1, rows_per_file=rows)
        stored = spark.sql(f"SELECT sum(file_size_in_bytes) FROM {table}_probe.files").collect()[0][0]
        rows = max(1, rows * file_bytes // stored)
        spark.sql(f"DROP TABLE {table}_probe PURGE")
    _write(spark, table=table, columns=columns, files=files, rows_per_file=rows)


def _write(spark: Any, *, table: str, columns: str, files: int, rows_per_file: int) -> None:
    source = f"SELECT {columns} FROM range(0, {files * rows_per_file}, 1, {files})"
    spark.sql(f"CREATE TABLE {table} USING iceberg {_PROPERTIES} AS {source}")


def append_files(
    spark: Any,
    *,
    table: str,
    columns: str,
    files: int,
    rows_per_file: int,
    partitions: int | None = None,
    first: int = 0,
) -> None:
    """Append files of about `rows_per_file` rows each to a table, which is created if it does not exist.

    `first`: the number of the first row; the same numbers are the same rows. With `partitions` the table has a column
    `part` of that many values, which it is partitioned by, and every file is written once for each.
    """
    split = "" if partitions is None else "PARTITIONED BY (part)"
    columns = columns if partitions is None else f"{columns}, id % {partitions} AS part"
    spark.sql(
        f"CREATE TABLE IF NOT EXISTS {table} USING iceberg {split} {_PROPERTIES} AS SELECT {columns} FROM range(0)"
    )
    rows = f"SELECT {columns} FROM range({first}, {first + files * rows_per_file}, 1, {files})"
    spark.sql(f"INSERT INTO {table} {rows}{'' if partitions is None else ' SORT BY part'}")


def _hashed(salt: int, values: int) -> str:
    return f"pmod(xxhash64(id, {salt}), {values})"


def _one_of(salt: int, words: tuple[str, ...]) -> str:
    listed = ", ".join(f"'{word}'" for word in words)
    return f"element_at(array({listed}), CAST({_hashed(salt, len(words))} AS int) + 1)"
