"""What readers of a table know beyond its files: defaults, buckets, other formats, parameters. Merged files keep it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from hive_metastore.ttypes import Partition, SkewedInfo, Table

from engine.domain.errors import TableUnreadable
from engine.domain.runs.run import RunState
from engine.domain.tables.table import TableRef
from engine.formats.base import Condition, Engine
from engine.formats.hive import HiveFormat, HiveTable
from engine.formats.intake.parameters import MEANINGLESS
from tests.support.hive.lakes import HiveLake, path_of
from tests.support.hive.lakes import HiveTable as Stored
from tests.support.hive.second_readers import HiveSpark
from tests.support.hive.worlds import WrittenTable, open_table
from tests.support.world import World

DAY, NEXT = "2026-11-01", "2026-11-02"
Opened = Callable[[], AbstractAsyncContextManager[World[WrittenTable]]]


@pytest.fixture
def opened(hive_lake: HiveLake, sqlite_url: str, redis_url: str, tmp_path: Path) -> Opened:
    """Start a container with the table `events`, which the test has made in Spark."""

    def of() -> AbstractAsyncContextManager[World[WrittenTable]]:
        written = WrittenTable(hive_lake.table("events"), hive_lake.metastore.uri)
        return open_table(written, tmp_path, database_url=sqlite_url, redis_url=redis_url)

    return of


@pytest.mark.usefixtures("redis")
async def test_f36_files_without_a_column_that_has_a_default_in_spark_are_not_merged_with_others(
    opened: Opened, hive_lake: HiveLake, hive_spark: HiveSpark
) -> None:
    """F36: the merged file would hold null where Spark reads the default. Partitions whose files agree are merged."""
    location = hive_lake.root / "events"
    days = {"old": 2, "mixed": 1, "new": 0}  # files before the column was added; there are two files in all
    _create(hive_spark, f"lake.events (id BIGINT, day STRING) USING parquet PARTITIONED BY (day) LOCATION '{location}'")
    for day, before in days.items():
        for number in range(before):
            _insert(hive_spark, "lake.events", f"({number}, '{day}')")
    for column in ("note STRING DEFAULT 'x'", "rank INT DEFAULT 7", "nothing DOUBLE DEFAULT CAST(NULL AS DOUBLE)"):
        hive_spark.rows(f"ALTER TABLE lake.events ADD COLUMNS ({column})")
    for day, before in days.items():
        for number in range(before, 2):
            _insert(hive_spark, "lake.events", f"({number}, 'given', 1, 0.5, '{day}')")
    rows = _rows(hive_spark, "lake.events")
    assert {(row["note"], row["rank"]) for row in rows} == {("x", 7), ("given", 1)}

    async with opened() as world:
        run = await world.rewrite()

    assert run.state is RunState.SUCCEEDED, run.detail
    assert _rows(hive_spark, "lake.events") == rows
    assert {each["partition"]: each["removed_files"] for each in _proofs(world, run)} == {"old": 2, "new": 2}
    (left,) = run.result.document["left_out"]["items"]
    assert (left["name"], left["reason"]) == ('{"day":"mixed"}', "not_eligible")
    assert "lack the column 'note', in which Spark reads its default 'x' and other engines null" in left["detail"]


def _proofs(world: World[WrittenTable], run: Any) -> list[dict[str, Any]]:
    moved = [each for each in world.lake.table.partitions() if "/_compacted/" in each.sd.location]
    return [
        {"partition": each.values[0], "removed_files": proof["removed_files"]}
        for each, proof in zip(moved, run.result.verifications, strict=True)
    ]


@pytest.mark.usefixtures("redis")
async def test_f37_buckets_of_spark_are_not_merged(opened: Opened, hive_lake: HiveLake, hive_spark: HiveSpark) -> None:
    """F37: Spark keeps its buckets in parameters; it reads no bucketed table with other file names."""
    location = hive_lake.root / "events"
    columns = "lake.events (id BIGINT, day STRING) USING parquet PARTITIONED BY (day)"
    _create(hive_spark, f"{columns} CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS LOCATION '{location}'")
    for number in range(3):
        _insert(hive_spark, "lake.events", f"({number}, '{DAY}')")

    async with opened() as world:
        run = await world.rewrite()

    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "not_bucketed (buckets: 2 buckets of Spark by id)" in run.detail
    assert len(hive_spark.rows("SELECT id, count(*) FROM lake.events GROUP BY id")) == 3


def test_f38_the_input_formats_of_other_table_formats_are_not_parquets(hive_lake: HiveLake) -> None:
    """F38: Hudi's class has Parquet's name in its own. A table without its provider is not taken for Parquet files."""
    for name, input_format in {
        "hudi": "org.apache.hudi.hadoop.HoodieParquetInputFormat",
        "realtime": "org.apache.hudi.hadoop.realtime.HoodieParquetRealtimeInputFormat",
        "unknown": "com.example.ParquetInputFormat",
    }.items():
        _change(hive_lake.create_table(name), lambda table, to=input_format: setattr(table.sd, "inputFormat", to))
        with pytest.raises(TableUnreadable, match=f"not Parquet .input format {input_format}"):
            _open(hive_lake.table(name))
    connection = HiveFormat(pause=0).connect("lake", _properties(hive_lake))
    assert [name for database, name in connection.list_tables(10).identifiers if database == "lake"] == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: setattr(table.sd.serdeInfo, "serializationLib", "com.example.Serde"), "serde com.example.Serde"),
        (lambda table: setattr(table.sd, "skewedInfo", SkewedInfo(["id"], [["1"]], {})), "values of id have folders"),
        (lambda table: table.sd.serdeInfo.parameters.update(pathGlobFilter="*.x"), "pathGlobFilter is '*.x'"),
        (lambda table: table.sd.parameters.update(mystery="1"), "storage descriptor: mystery is not a known parameter"),
        (
            lambda table: table.parameters.update({"spark.sql.sources.schema": SPARK_SCHEMA}),
            "Spark alone has the column only_here",
        ),
    ],
)
def test_f38_what_an_entry_states_of_its_files_has_to_be_known(
    hive_lake: HiveLake, change: Callable[[Table], object], words: str
) -> None:
    """F38: serde, skewed values, options of readers and columns that only one engine knows are refused by name."""
    table = hive_lake.create_table()
    table.append([DAY], [{"id": 1}])
    assert _condition(table, "known_storage").holds
    _change(table, change)
    condition = _condition(table, "known_storage")
    assert not condition.holds
    assert words in condition.detail


SPARK_SCHEMA = '{"type":"struct","fields":[{"name":"only_here","type":"long","nullable":true,"metadata":{}}]}'


def test_f38_metadata_of_another_format_in_the_location_is_found_at_each_look(hive_lake: HiveLake) -> None:
    """F38: readers of the other format choose rows by it, and would miss merged files or read them twice."""
    table = hive_lake.create_table()
    table.append([DAY], [{"id": 1}])
    table.append([NEXT], [{"id": 2}])
    assert _condition(table, "no_other_format").holds
    _write(table.folder / "metadata/v1.metadata.json")
    condition = _condition(table, "no_other_format")
    assert not condition.holds
    assert "2 of 2 partitions are left out: " in condition.detail
    assert "its folder has the metadata of an Iceberg table" in condition.detail


def test_f38_metadata_of_another_format_in_one_partition_concerns_that_one(hive_lake: HiveLake) -> None:
    """F38: also below it. A table of another format beside the partitions concerns none."""
    table = hive_lake.create_table()
    for day in (DAY, NEXT, "2026-11-03"):
        table.append([day], [{"id": 1}])
    _write(table.folder / "other" / "_delta_log" / "0.json")
    assert _refusals(_open(table)) == {}
    _write(table.default_location([DAY]) / ".hoodie_partition_metadata")
    _write(table.default_location([NEXT]) / "below" / "_delta_log" / "0.json")
    assert _refusals(_open(table)) == {f'{{"day":"{day}"}}': "other_format" for day in (DAY, NEXT)}
    assert _condition(table, "no_other_format").holds


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"numFiles": "3", "EXTERNAL": "TRUE", "comment": "x", "trino_version": "470"}, None),
        ({"projection.enabled": "false", "projection.day.type": "date", "discover.partitions": "false"}, None),
        ({"classification": "parquet", "typeOfData": "file", "skip.header.line.count": "0"}, None),
        ({"projection.enabled": "TRUE"}, "partitions are computed, and their locations in the Metastore are ignored"),
        (
            {"discover.partitions": "true"},
            "partitions whose folder is not in its usual place, as after a rewrite): set it to",
        ),
        ({"is_generic": "true"}, "is_generic is 'true' (a table of another connector): register a table of files"),
        ({"streaming-source.enable": "true"}, "readers wait for new folders and files, and would read rewritten rows"),
        ({"skip.header.line.count": "1"}, "rows at an end of each file are left out by readers): remove it"),
        ({"parquet.column.index.access": "true"}, "columns are found by their position in each file"),
        ({"storage_handler": "org.example.Handler"}, "storage_handler is 'org.example.Handler'"),
        ({"columns.types": "string"}, "Hive takes it in place of what the entry states of columns and classes): remo"),
        ({"parquet.encryption.column.keys": "k:id"}, "files are encrypted: without keys, rewritten rows would be lost"),
        ({"PROTECT_MODE": "OFFLINE"}, "the entry must not be read or changed): remove it"),
        ({"classification": "delta"}, "classification is 'delta' (the format of the files)"),
        ({"spark.sql.partitionProvider": "filesystem"}, "run MSCK REPAIR TABLE in Spark"),
        ({"spark.sql.sources.provider": "parquet"}, "spark.sql.partitionProvider is absent: Spark finds partitions by"),
        (
            {"owner_team": "shop"},
            "owner_team is not a known parameter: if no reader goes by it, name it in the catalog",
        ),
    ],
    ids=lambda value: ",".join(value) if isinstance(value, dict) else "",
)
def test_f45_a_table_is_rewritten_only_if_every_parameter_is_known(
    hive_lake: HiveLake, parameters: Mapping[str, str], words: str | None
) -> None:
    """F45, F50: a parameter that is not listed refuses the table's rewrite by its name, with the remedy."""
    table = hive_lake.create_table()
    table.append([DAY], [{"id": 1}])
    _change(table, lambda entry: entry.parameters.update(parameters))
    condition = _condition(table, "known_parameters")
    assert condition.holds is (words is None), condition.detail
    assert words is None or words in condition.detail


def test_f45_an_admin_declares_parameters_to_change_nothing(hive_lake: HiveLake) -> None:
    """F45: the catalog names them, also by pattern; a parameter with a known meaning keeps it."""
    table = hive_lake.create_table()
    _change(
        table, lambda entry: entry.parameters.update({"owner_team": "x", "dq.rule": "y", "discover.partitions": "true"})
    )
    found = _condition(table, "known_parameters", {MEANINGLESS: "Owner_Team, dq.*,discover.partitions"})
    assert not found.holds
    assert found.detail.startswith("discover.partitions is 'true'")


def test_f49_a_parameter_that_decides_whether_a_table_is_rewritten_changes_its_pointer(hive_lake: HiveLake) -> None:
    """F49: a refused table rests until it changes, so that the remedy of a refusal has to count as a change."""
    table = hive_lake.create_table()
    table.append([DAY], [{"id": 1}])
    seen = [_open(table).pointer]
    for value in ("true", "false"):
        _change(table, lambda entry, to=value: entry.parameters.update({"discover.partitions": to, "numFiles": "7"}))
        seen.append(_open(table).pointer)
    _write(table.default_location([DAY]) / ".hoodie_partition_metadata")
    seen.append(_open(table).pointer)
    assert len(set(seen[:2])) == 2
    assert seen[2] == seen[0]
    assert seen[3] not in seen[:3]


def test_f45_metadata_of_columns_in_spark_has_to_be_known(hive_lake: HiveLake, hive_spark: HiveSpark) -> None:
    """F45: Spark can find columns by numbers in the files, which rewritten files do not have."""
    location = hive_lake.root / "numbered"
    _create(
        hive_spark,
        f"lake.numbered (id BIGINT COMMENT 'x', day STRING) USING parquet PARTITIONED BY (day) LOCATION '{location}'",
    )
    table = hive_lake.table("numbered")
    assert _condition(table, "known_parameters").holds
    schema = table.read().parameters["spark.sql.sources.schema"]
    numbered = schema.replace('"comment":"x"', '"parquet.field.id":1')
    _change(table, lambda entry: entry.parameters.update({"spark.sql.sources.schema": numbered}))
    assert "column id: parquet.field.id is '1'" in _condition(table, "known_parameters").detail


@pytest.mark.usefixtures("redis")
async def test_f50_a_repair_by_spark_leaves_rewritten_partitions_where_they_are(
    opened: Opened, hive_lake: HiveLake, hive_spark: HiveSpark
) -> None:
    """F50: unlike Hive 4, Spark looks whether the folder of a partition exists, wherever it is.

    Its statistics, by which it decides to broadcast a table, are those of the new files.
    """
    location = hive_lake.root / "events"
    _create(hive_spark, f"lake.events (id BIGINT, day STRING) USING parquet PARTITIONED BY (day) LOCATION '{location}'")
    for number in range(2):
        _insert(hive_spark, "lake.events", f"({number}, '{DAY}')")
    hive_spark.rows("ANALYZE TABLE lake.events PARTITION (day) COMPUTE STATISTICS")
    async with opened() as world:
        assert (await world.rewrite()).state is RunState.SUCCEEDED
        (partition,) = world.lake.table.partitions()
        size = sum(each.stat().st_size for each in path_of(partition.sd.location).glob("*.parquet"))
        assert partition.parameters["spark.sql.statistics.totalSize"] == str(size)
        assert partition.parameters["spark.sql.statistics.numRows"] == "2"
        places = world.lake.locations()
        hive_spark.rows("MSCK REPAIR TABLE lake.events SYNC PARTITIONS")
        assert world.lake.locations() == places
    assert "/_compacted/" in places[0]
    assert [row["id"] for row in _rows(hive_spark, "lake.events")] == [0, 1]


@pytest.mark.parametrize(
    "change",
    [
        lambda partition: setattr(partition.sd, "inputFormat", "org.apache.hadoop.mapred.TextInputFormat"),
        lambda partition: partition.parameters.update(mystery="1"),
        lambda partition: setattr(partition.sd, "bucketCols", ["id"]),
    ],
)
def test_f38_a_partition_whose_own_entry_is_another_is_left_out(
    hive_lake: HiveLake, change: Callable[[Partition], object]
) -> None:
    """F38, F47: each partition has an entry of its own, by which Hive reads it; the others are rewritten."""
    table = hive_lake.create_table()
    table.append([DAY], [{"id": 1}])
    table.append([NEXT], [{"id": 2}])
    with table.metastore.client() as client:
        partition = client.get_partition(table.database, table.name, [DAY])
        change(partition)
        client.alter_partition(table.database, table.name, partition)
    assert _refusals(_open(table)) == {f'{{"day":"{DAY}"}}': "unknown_storage"}
    assert _condition(table, "known_partitions").holds


def _create(spark: HiveSpark, what: str) -> None:
    spark.rows(f"CREATE TABLE {what}")
    spark.rows(f"REFRESH TABLE {what.partition(' ')[0]}")  # the session may know another table of this name


def _insert(spark: HiveSpark, table: str, values: str) -> None:
    spark.rows(f"INSERT INTO {table} VALUES {values}")


def _rows(spark: HiveSpark, table: str) -> list[dict[str, Any]]:
    return sorted(spark.rows(f"SELECT * FROM {table}"), key=str)


def _write(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{}")


def _change(table: Stored, change: Callable[[Table], object]) -> None:
    with table.metastore.client() as client:
        entry = client.get_table(table.database, table.name)
        change(entry)
        client.alter_table(table.database, table.name, entry)


def _properties(lake: HiveLake) -> dict[str, str]:
    return {"type": "metastore", "uri": lake.metastore.uri}


def _open(table: Stored, more: Mapping[str, str] | None = None) -> HiveTable:
    properties = {"type": "metastore", "uri": table.metastore.uri, **(more or {})}
    connection = HiveFormat(pause=0).connect("lake", properties)
    return connection.open_table(TableRef("lake", (table.database,), table.name))


def _condition(table: Stored, name: str, more: Mapping[str, str] | None = None) -> Condition:
    (found,) = (each for each in _open(table, more).engines[Engine.ARROW].conditions() if each.name == name)
    return found


def _refusals(table: HiveTable) -> dict[str, str]:
    rows = table.digest().select(["partition", "refusal"]).to_pylist()
    return {row["partition"]: row["refusal"] for row in rows if row["refusal"] is not None}
