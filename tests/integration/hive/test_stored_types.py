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

from engine.domain.access.callers import SYSTEM
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
BOTH_FORMS = "both forms of decimals"
DAYS: Mapping[str, str] = {name: f"d{number}" for number, name in enumerate((*WRITERS, BOTH_FORMS))}
"""The partition of each writer, and one of two writers."""

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


def insert(spark: HiveSpark, writer: Mapping[str, str], start: int, day: str) -> None:
    """Add a file for each core of Spark, with a row for each time and one of nulls."""
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
        spark.rows(f"INSERT INTO lake.events PARTITION (day = '{day}') VALUES {', '.join(rows)}")


def read(spark: HiveSpark, reader: str) -> dict[str, list[str]]:
    """Return the rows of each partition as texts: Python's times end where these do not."""
    shown = [
        f"hex(cast({name} AS string))" if kind == "binary" else f"cast({name} AS string)" for name, kind in COLUMNS
    ]
    days = [DAYS[writer] for writer in READABLE_BY_HIVE] if reader == "hive" else DAYS.values()
    where = " OR ".join(f"day = '{day}'" for day in days)
    with configured(spark, READERS[reader]):
        found = spark.rows(f"SELECT day, to_json(array({', '.join(shown)})) AS row FROM lake.events WHERE {where}")
    return {day: sorted(each["row"] for each in found if each["day"] == day) for day in days}


def selected(spark: HiveSpark, reader: str) -> dict[str, list[tuple[str, int]]]:
    """Return the partitions and ids that each of the predicates selects."""
    each = (f"SELECT {at} AS test, day, id FROM lake.events WHERE {where}" for at, where in enumerate(WHERE))
    with configured(spark, READERS[reader]):
        found = spark.rows(" UNION ALL ".join(each))
    return {
        where: sorted((row["day"], row["id"]) for row in found if row["test"] == at) for at, where in enumerate(WHERE)
    }


def files_of(table: HiveTable, day: str) -> list[str]:
    found = table.partition([day])
    assert found is not None
    folder = path_of(found.sd.location)
    return sorted(str(each) for each in folder.iterdir() if not each.name.startswith((".", "_")))


def duckdb_read(table: HiveTable) -> dict[str, list[Any]]:
    query = "SELECT COLUMNS(*)::VARCHAR FROM read_parquet($1, hive_partitioning = false) ORDER BY 1"
    days = [each.values[0] for each in table.partitions()]
    with duckdb.connect() as database:
        return {day: database.execute(query, [files_of(table, day)]).fetchall() for day in days}


def stored_types(table: HiveTable, day: str) -> set[tuple[Any, ...]]:
    """Return the top-level name and the types of each leaf in the first file."""
    schema = pq.read_metadata(files_of(table, day)[0]).schema
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


async def test_readers_find_the_same_values(world: World[WrittenTable], hive_spark: HiveSpark) -> None:
    """Each writer has a partition; the outputs are merged with files of later inserts. Hive reads merged decimals."""
    table = world.lake.table
    for writer, settings in WRITERS.items():
        insert(hive_spark, settings, 0, DAYS[writer])
    for start, writer in ((0, "spark"), (100, "spark, legacy format")):
        insert(hive_spark, WRITERS[writer], start, DAYS[BOTH_FORMS])
    assert all(len(files_of(table, day)) > 1 for day in DAYS.values())
    before = {reader: read(hive_spark, reader) for reader in READERS}
    chosen = {reader: selected(hive_spark, reader) for reader in ("spark", "spark, row by row")}
    for where, found in chosen["spark"].items():
        assert DAYS["spark"] in {day for day, _ in found}, where
    stored = {writer: stored_types(table, DAYS[writer]) for writer in WRITERS}
    by_duckdb = duckdb_read(table)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [len(files_of(table, day)) for day in DAYS.values()] == [1] * len(DAYS)
    assert {writer: stored_types(table, DAYS[writer]) for writer in WRITERS} == stored
    for reader, rows in before.items():
        assert read(hive_spark, reader) == rows, reader
    for reader, ids in chosen.items():
        assert selected(hive_spark, reader) == ids, reader
    assert duckdb_read(table) == by_duckdb

    sums = f"SELECT sum(price), sum(cost), sum(total) FROM lake.events WHERE day = '{DAYS[BOTH_FORMS]}'"
    with configured(hive_spark, HIVE):
        by_hive = hive_spark.rows(sums)
    assert by_hive == hive_spark.rows(sums)
    assert by_hive[0]["sum(price)"] == Decimal("10.50")

    for writer in ("hive", "spark", "spark, legacy calendar"):
        insert(hive_spark, WRITERS[writer], 200, DAYS[writer])
    before = {reader: read(hive_spark, reader) for reader in ("spark", "spark, converting zones")}
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [len(files_of(table, day)) for day in DAYS.values()] == [1] * len(DAYS)
    for reader, rows in before.items():
        assert read(hive_spark, reader) == rows, reader


async def test_files_that_readers_interpret_differently_stay(world: World[WrittenTable], hive_spark: HiveSpark) -> None:
    reasons = {
        ("spark", "hive"): "org.apache.spark.version",
        ("spark, legacy format", "spark, legacy calendar"): "org.apache.spark.legacy",
        ("spark", "spark, microseconds"): "stored as INT96",
    }
    for day, writers in zip("abc", reasons, strict=True):
        for start, writer in enumerate(writers):
            insert(hive_spark, WRITERS[writer], 100 * start, day)
    before = [files_of(world.lake.table, day) for day in "abc"]
    run = await world.rewrite()
    events = await world.container.runs.events(SYSTEM, run.id, limit=100)
    dropped = [text for each in events for text in each.details.get("reasons", {}).values()]
    assert [sum(reason in text for text in dropped) for reason in reasons.values()] == [1, 1, 1], dropped
    assert [files_of(world.lake.table, day) for day in "abc"] == before


@pytest.mark.parametrize("world", ["snappy"], indirect=True)
async def test_pages_are_copied_under_their_codec(world: World[WrittenTable], hive_spark: HiveSpark) -> None:
    """Plain pages of Spark: the column is required in the files, or optional; the output's is optional.

    Dictionaries of pyarrow, whose columns are all optional, become values. Each value occurs once; the texts exceed
    their dictionary, so that plain pages follow it.
    """
    table = world.lake.table
    times = {
        "required": "timestamp_millis(id * 1000000007)",
        "optional": "nullif(timestamp_millis(id), timestamp_millis(7))",
    }
    others = ", ".join("null" for _ in COLUMNS[2:])
    for day, at in times.items():
        for start in (0, 5000):
            with configured(hive_spark, WRITERS["spark, no dictionaries"]):
                hive_spark.rows(
                    f"INSERT INTO lake.events PARTITION (day = '{day}') "
                    f"SELECT /*+ COALESCE(1) */ id, {at}, {others} FROM range({start}, {start + 5000})"
                )
    folder = table.default_location(["arrow"])
    for start in (0, 5000):
        _write_dictionaries(folder, start)
    table.add_partition(["arrow"], folder)
    parts = {day: [_part_of_page(path) for path in files_of(table, day)] for day in times}
    parts["arrow"] = [part for path in files_of(table, "arrow") for part in _parts_of_dictionaries(path)]
    assert [len(part) for day in times for part in parts[day]] == [500] * 4
    readers = ("spark", "spark, row by row", "hive")
    before, by_duckdb = [_digests(hive_spark, reader) for reader in readers], duckdb_read(table)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert [_digests(hive_spark, reader) for reader in readers] == before
    assert duckdb_read(table) == by_duckdb
    for day, stored in parts.items():
        (output,) = files_of(table, day)
        data = Path(output).read_bytes()
        assert all(part in data for part in stored), day
    (output,) = files_of(table, "arrow")
    group = pq.read_metadata(output).row_group(0)
    assert [group.column(at).has_dictionary_page for at in (0, 1)] == [False, False]


def _write_dictionaries(folder: Path, start: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ids = range(start, start + 5000)
    words = [f"{each} é {hash((each, 1)):x} " * 12 for each in ids]
    columns = {"id": pa.array(ids, pa.int32()), "word": words}
    pq.write_table(pa.table(columns), folder / f"part-{start:05}.parquet", compression="snappy")


def _digests(spark: HiveSpark, reader: str) -> list[str]:
    """Return the columns that have values, as texts, of every row."""
    with configured(spark, READERS[reader]):
        found = spark.rows("SELECT concat_ws('|', day, id, cast(at AS string), word) AS row FROM lake.events")
    return sorted(each["row"] for each in found)


def _part_of_page(path: str) -> bytes:
    """Return stored bytes from the middle of the column `at`."""
    column = pq.read_metadata(path).row_group(0).column(1)
    start = column.data_page_offset + column.total_compressed_size // 2
    return Path(path).read_bytes()[start : start + 500]


def _parts_of_dictionaries(path: str) -> list[bytes]:
    """Return stored bytes from the middle of each column's dictionary."""
    group, data = pq.read_metadata(path).row_group(0), Path(path).read_bytes()
    columns = [group.column(at) for at in range(group.num_columns)]
    starts = [(each.dictionary_page_offset + each.data_page_offset) // 2 for each in columns]
    return [data[start : start + 500] for start in starts]
