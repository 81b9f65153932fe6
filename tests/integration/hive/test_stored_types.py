"""Values of every type as Spark and Hive store them: readers find the same ones after a rewrite, also by predicates.

Hive's own writer and reader are those of Hive 2.3, which Spark uses unless it converts tables of a Metastore.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.domain.runs.run import RunState
from tests.support.hive.lakes import HiveLake, HiveTable, path_of
from tests.support.hive.second_readers import HiveSpark
from tests.support.hive.worlds import WrittenTable, open_table
from tests.support.world import World

pytestmark = pytest.mark.usefixtures("redis")

COLUMNS = (
    ("id", "int"),
    ("at", "timestamp"),
    ("seen", "array<timestamp>"),
    ("span", "struct<since:timestamp,words:string>"),
    ("marks", "map<string,timestamp>"),
    ("born", "date"),
    ("price", "decimal(7,2)"),
    ("cost", "decimal(18,4)"),
    ("total", "decimal(38,10)"),
    ("tiny", "tinyint"),
    ("small", "smallint"),
    ("code", "char(4)"),
    ("label", "varchar(6)"),
    ("raw", "binary"),
    ("word", "string"),
)
TIMES = (
    "0001-01-01 00:00:00",
    "1000-02-28 11:59:59.999999",
    "1582-10-04 12:00:00",
    "1582-10-15 12:00:00",
    "1677-09-21 00:12:43.145224",
    "1900-01-01 00:00:00.000001",
    "1969-12-31 23:59:59.999999",
    "1970-01-01 00:00:00",
    "2026-11-01 01:30:00",
    "2262-04-11 23:47:16.854776",
    "9999-12-31 23:59:59.999999",
)
HIVE = {"spark.sql.hive.convertMetastoreParquet": "false"}
LEGACY_CALENDAR = {
    "spark.sql.parquet.datetimeRebaseModeInWrite": "LEGACY",
    "spark.sql.parquet.int96RebaseModeInWrite": "LEGACY",
    "spark.sql.session.timeZone": "America/Los_Angeles",
}
LEGACY_FORMAT = {"spark.sql.parquet.writeLegacyFormat": "true"}
MICROS = {"spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS"}
WRITERS: Mapping[str, Mapping[str, str]] = {
    "hive": HIVE,
    "spark": {},
    "spark, legacy format": LEGACY_FORMAT,
    "spark, legacy calendar": LEGACY_FORMAT | LEGACY_CALENDAR,
    "spark, microseconds": MICROS,
    "spark, microseconds, legacy calendar": MICROS | LEGACY_CALENDAR,
    "spark, no dictionaries": {"parquet.enable.dictionary": "false"},
}
READERS: Mapping[str, Mapping[str, str]] = {
    "spark": {},
    "spark, other zone": {"spark.sql.session.timeZone": "America/Los_Angeles"},
    "spark, row by row": {"spark.sql.parquet.enableVectorizedReader": "false"},
    "spark, converting zones": {
        "spark.sql.parquet.int96TimestampConversion": "true",
        "spark.sql.session.timeZone": "Asia/Kolkata",
    },
    "hive": HIVE,
}
READABLE_BY_HIVE = ("hive", "spark, legacy format", "spark, legacy calendar")
"""Hive 2.3 knows neither decimals in integers nor timestamps of microseconds."""

WHERE = (
    "at = timestamp'0001-01-01 00:00:00'",
    "at <= timestamp'1582-10-10 00:00:00'",
    "at >= timestamp'1969-12-31 23:59:59.999999' AND at < timestamp'1970-01-01 00:00:01'",
    "at = timestamp'9999-12-31 23:59:59.999999'",
    "at IS NULL",
    "span.since > timestamp'2200-01-01 00:00:00'",
    "born < date'1582-10-15'",
    "born = date'9999-12-31'",
    "price = -3.25",
    "cost < 0",
    "total > 7",
    "tiny = -5",
    "small >= 9",
    "label = 'l3'",
    "raw = X'00FF'",
)


@contextmanager
def configured(spark: HiveSpark, settings: Mapping[str, str]) -> Iterator[None]:
    """Set the configuration of a session for a block."""
    for name, value in {"spark.sql.session.timeZone": "UTC", **settings}.items():
        spark.rows(f"SET {name}={value}")
    try:
        yield
    finally:
        for name in ("spark.sql.session.timeZone", *settings):
            spark.rows(f"RESET {name}")


def insert(spark: HiveSpark, writer: Mapping[str, str], start: int) -> None:
    """Add a file, or several, with a row for each time and one of nulls."""
    rows = []
    for i, time in enumerate(TIMES):
        at, sign = f"timestamp'{time}'", -1 if i % 2 else 1
        values = (
            start + i,
            at,
            f"array({at}, null)",
            f"named_struct('since', {at}, 'words', 'w{i}')",
            f"map('k{i}', {at})",
            f"date'{time[:10]}'",
            f"{sign * i}.25",
            f"{sign * i}.5",
            f"{sign * i}.125",
            sign * i,
            sign * i,
            f"'c{i}'",
            f"'l{i}'",
            "X'00FF'",
            f"'é{i}'",
        )
        rows.append(f"({', '.join(map(str, values))})")
    rows.append(f"({', '.join([str(start + len(TIMES)), *['null'] * (len(COLUMNS) - 1)])})")
    with configured(spark, writer):
        spark.rows(f"INSERT INTO lake.events PARTITION (day = 'd') VALUES {', '.join(rows)}")


def read(spark: HiveSpark, reader: Mapping[str, str]) -> list[str]:
    """Return the rows as texts: Python's times end where these do not."""
    shown = [
        f"hex(cast({name} AS string))" if kind == "binary" else f"cast({name} AS string)" for name, kind in COLUMNS
    ]
    with configured(spark, reader):
        found = spark.rows(f"SELECT to_json(array({', '.join(shown)})) AS row FROM lake.events")
    return sorted(each["row"] for each in found)


def selected(spark: HiveSpark, reader: Mapping[str, str]) -> dict[str, list[int]]:
    """Return the ids that each of the predicates selects."""
    each = (f"SELECT {at} AS test, id FROM lake.events WHERE {where}" for at, where in enumerate(WHERE))
    with configured(spark, reader):
        found = spark.rows(" UNION ALL ".join(each))
    return {where: sorted(row["id"] for row in found if row["test"] == at) for at, where in enumerate(WHERE)}


def files_of(table: HiveTable) -> list[str]:
    (partition,) = table.partitions()
    folder = path_of(partition.sd.location)
    return sorted(str(each) for each in folder.iterdir() if not each.name.startswith((".", "_")))


def duckdb_read(table: HiveTable) -> list[Any]:
    with duckdb.connect() as database:
        query = "SELECT COLUMNS(*)::VARCHAR FROM read_parquet($1, hive_partitioning = false) ORDER BY 1"
        return database.execute(query, [files_of(table)]).fetchall()


def stored_types(table: HiveTable) -> set[tuple[Any, ...]]:
    """Return the top-level name and the types of each leaf in the first file."""
    schema = pq.read_metadata(files_of(table)[0]).schema
    leaves = [schema.column(at) for at in range(len(schema))]
    return {(each.path.split(".")[0], each.physical_type, str(each.logical_type)) for each in leaves}


@pytest.fixture
async def world(
    request: pytest.FixtureRequest, hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path
) -> AsyncIterator[World[WrittenTable]]:
    written = WrittenTable(hive_lake.create_table("events", COLUMNS, [("day", "string")]), hive_lake.metastore.uri)
    codec = getattr(request, "param", "zstd:3")
    async with open_table(written, tmp_path, database_url=sqlite_url, redis_url=redis_url, compression=codec) as opened:
        yield opened


@pytest.mark.parametrize("writer", WRITERS)
async def test_readers_find_the_same_values(world: World[WrittenTable], hive_spark: HiveSpark, writer: str) -> None:
    for start in (0, 100):
        insert(hive_spark, WRITERS[writer], start)
    table = world.lake.table
    readers = [name for name in READERS if name != "hive" or writer in READABLE_BY_HIVE]
    before = {name: read(hive_spark, READERS[name]) for name in readers}
    chosen = {name: selected(hive_spark, READERS[name]) for name in ("spark", "spark, row by row")}
    if writer == "spark":
        assert all(chosen["spark"].values())
    stored, by_duckdb = stored_types(table), duckdb_read(table)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(files_of(table)) == 1
    assert stored_types(table) == stored
    for name in readers:
        assert read(hive_spark, READERS[name]) == before[name], name
    for name, found in chosen.items():
        assert selected(hive_spark, READERS[name]) == found, name
    assert duckdb_read(table) == by_duckdb


@pytest.mark.parametrize(
    ("writers", "reason"),
    [
        (("spark", "hive"), "org.apache.spark.version"),
        (("spark, legacy format", "spark, legacy calendar"), "org.apache.spark.legacy"),
        (("spark", "spark, microseconds"), "stored as INT96"),
    ],
    ids=["hive and spark", "two calendars", "two types"],
)
async def test_files_that_readers_interpret_differently_stay(
    world: World[WrittenTable], hive_spark: HiveSpark, writers: tuple[str, str], reason: str
) -> None:
    for start, writer in enumerate(writers):
        insert(hive_spark, WRITERS[writer], 100 * start)
    before = files_of(world.lake.table)
    run = await world.rewrite()
    assert reason in str(run.detail)
    assert files_of(world.lake.table) == before


async def test_decimals_in_both_forms_become_those_that_hive_reads(
    world: World[WrittenTable], hive_spark: HiveSpark
) -> None:
    for start, writer in enumerate(("spark", "spark, legacy format")):
        insert(hive_spark, WRITERS[writer], 100 * start)
    before = read(hive_spark, {})
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    for reader in ("spark", "spark, row by row"):
        assert read(hive_spark, READERS[reader]) == before, reader
    sums = "SELECT sum(price) AS price, sum(cost) AS cost, sum(total) AS total FROM lake.events"
    with configured(hive_spark, HIVE):
        by_hive = hive_spark.rows(sums)
    assert by_hive == hive_spark.rows(sums)
    assert by_hive[0]["price"] == Decimal("10.50")


@pytest.mark.parametrize(
    "at", ["timestamp_millis(id * 1000000007)", "nullif(timestamp_millis(id), timestamp_millis(7))"]
)
@pytest.mark.parametrize("world", ["snappy"], indirect=True)
async def test_plain_pages_of_spark_are_copied_under_its_codec(
    world: World[WrittenTable], hive_spark: HiveSpark, at: str
) -> None:
    """The column is required in the files, or optional; the output's is optional."""
    others = ", ".join("null" for _ in COLUMNS[2:])
    table = world.lake.table
    for start in (0, 5000):
        with configured(hive_spark, WRITERS["spark, no dictionaries"]):
            hive_spark.rows(
                "INSERT INTO lake.events PARTITION (day = 'd') "
                f"SELECT /*+ COALESCE(1) */ id, {at}, {others} FROM range({start}, {start + 5000})"
            )
    parts = list(map(part_of_page, files_of(table)))
    assert list(map(len, parts)) == [500, 500]
    before = [read(hive_spark, READERS[name]) for name in ("spark", "spark, row by row", "hive")]
    by_duckdb = duckdb_read(table)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [read(hive_spark, READERS[name]) for name in ("spark", "spark, row by row", "hive")] == before
    assert duckdb_read(table) == by_duckdb
    (output,) = files_of(table)
    assert all(part in Path(output).read_bytes() for part in parts)


def part_of_page(path: str) -> bytes:
    """Return stored bytes from the middle of the column `at`."""
    column = pq.read_metadata(path).row_group(0).column(1)
    start = column.data_page_offset + column.total_compressed_size // 2
    return Path(path).read_bytes()[start : start + 500]


@pytest.mark.parametrize("world", ["snappy"], indirect=True)
async def test_dictionaries_of_pyarrow_are_copied_as_values(world: World[WrittenTable], hive_spark: HiveSpark) -> None:
    """Each value occurs once; the texts exceed their dictionary, so plain pages follow it. All columns are optional."""
    table = world.lake.table
    folder = table.default_location(["d"])
    folder.mkdir(parents=True)
    for start in (0, 5000):
        ids = range(start, start + 5000)
        words = [f"{each} é {hash((each, 1)):x} " * 12 for each in ids]
        columns = {"id": pa.array(ids, pa.int32()), "word": words}
        pq.write_table(pa.table(columns), folder / f"part-{start:05}.parquet", compression="snappy")
    table.add_partition(["d"], folder)
    parts = [part for path in files_of(table) for part in parts_of_dictionaries(path)]
    before = [read(hive_spark, READERS[name]) for name in ("spark", "spark, row by row", "hive")]
    by_duckdb = duckdb_read(table)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [read(hive_spark, READERS[name]) for name in ("spark", "spark, row by row", "hive")] == before
    assert duckdb_read(table) == by_duckdb
    (output,) = files_of(table)
    group, data = pq.read_metadata(output).row_group(0), Path(output).read_bytes()
    assert [group.column(at).has_dictionary_page for at in (0, 1)] == [False, False]
    assert all(part in data for part in parts)


def parts_of_dictionaries(path: str) -> list[bytes]:
    """Return stored bytes from the middle of each column's dictionary."""
    group, data = pq.read_metadata(path).row_group(0), Path(path).read_bytes()
    columns = [group.column(at) for at in range(group.num_columns)]
    starts = [(each.dictionary_page_offset + each.data_page_offset) // 2 for each in columns]
    return [data[start : start + 500] for start in starts]


@pytest.mark.parametrize("writer", ["hive", "spark", "spark, legacy calendar"])
async def test_outputs_are_merged_with_files_of_later_inserts(
    world: World[WrittenTable], hive_spark: HiveSpark, writer: str
) -> None:
    for start in (0, 100):
        insert(hive_spark, WRITERS[writer], start)
    assert (await world.rewrite()).state is RunState.SUCCEEDED
    insert(hive_spark, WRITERS[writer], 200)
    before = [read(hive_spark, READERS[name]) for name in ("spark", "spark, converting zones")]
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert len(files_of(world.lake.table)) == 1
    assert [read(hive_spark, READERS[name]) for name in ("spark", "spark, converting zones")] == before
