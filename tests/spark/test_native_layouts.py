"""Tables whose files the kernel does not write as the table asks: Avro data files, bloom filters; and custom locations.

Avro and bloom filters go to Iceberg's own procedure. Where data goes is the table's own business on both paths: outputs
lie where its properties say, and what a failed run wrote there is removed.
"""

from pathlib import Path
from typing import NoReturn

import duckdb
import pytest
from pyspark.sql import SparkSession

from engine.domain.runs.run import Run, RunState
from engine.domain.tables.table import OutsideFiles
from tests.support.native import checks, rewrite
from tests.support.peer import both_readers, rows_by_spark
from tests.support.world import World

FILES = 6
BLOOM = {"write.parquet.bloom-filter-enabled.column.id": "true", "write.parquet.bloom-filter-fpp.column.id": "0.001"}


@pytest.fixture
def world(native_world: World) -> World:
    return native_world


@pytest.fixture
def spark(native_spark: SparkSession) -> SparkSession:
    return native_spark


def create(spark: SparkSession, name: str, properties: dict[str, str]) -> str:
    """Create a table with two partitions of `FILES` small files each; return its name in Spark."""
    table = f"lake.lake.{name}"
    given = told({"write.distribution-mode": "none", **properties})
    columns = "id BIGINT, day STRING, value DOUBLE, tags ARRAY<STRING>"
    spark.sql(f"CREATE TABLE {table} ({columns}) USING iceberg PARTITIONED BY (day) TBLPROPERTIES ({given})")
    append(spark, table, files=FILES)
    return table


def append(spark: SparkSession, table: str, *, files: int, first: int = 0) -> None:
    for start in range(first, first + files * 100, 100):
        values = "IF(id % 7 = 0, NULL, id / 3), IF(id % 5 = 0, NULL, array('a', concat('t', id)))"
        spark.sql(
            f"INSERT INTO {table} SELECT id * 2, concat('d', id % 2), {values} FROM range({start}, {start + 100}, 1, 1)"
        )


def told(properties: dict[str, str]) -> str:
    """Properties as SQL has them."""
    return ", ".join(f"'{name}'='{value}'" for name, value in properties.items())


def live(spark: SparkSession, table: str) -> list[Path]:
    """The live data files."""
    rows = spark.sql(f"SELECT file_path FROM {table}.files WHERE content = 0").collect()
    return [Path(row[0].removeprefix("file:")) for row in rows]


def formats(spark: SparkSession, table: str) -> dict[str, int]:
    return dict(
        map(tuple, spark.sql(f"SELECT file_format, count(*) FROM {table}.files WHERE content = 0 GROUP BY 1").collect())
    )


def written(folder: Path) -> set[Path]:
    """All data files below a folder, live or not."""
    return {path for path in folder.rglob("*") if path.suffix in {".parquet", ".avro"}}


def assert_done_by(run: Run, engine: str) -> None:
    assert (run.state, run.intent.engine) == (RunState.SUCCEEDED, engine), run.detail
    checks(run)


@pytest.mark.parametrize(
    ("files", "version"),
    [("avro", 2), *(pytest.param(*each, marks=pytest.mark.deep) for each in (("orc", 2), ("avro", 3)))],
)
async def test_tables_of_avro_and_orc_files_are_rewritten_natively_and_keep_their_format(
    world: World, spark: SparkSession, files: str, version: int
) -> None:
    table = create(spark, files, {"write.format.default": files, "format-version": str(version)})
    lineage = ", _row_id, _last_updated_sequence_number" if version > 2 else ""
    ids = f"SELECT id{lineage} FROM {table} ORDER BY id"
    before = rows_by_spark(spark, table), spark.sql(ids).collect()
    run = await rewrite(world, (await world.register(files)).id)
    assert_done_by(run, "native")
    assert (rows_by_spark(spark, table), spark.sql(ids).collect()) == before
    assert formats(spark, table) == {files.upper(): 2}
    assert "0 deleted by deletes" in checks(run)["rows_conserved"]


@pytest.mark.deep
async def test_orc_files_of_version_three_are_refused_because_spark_reads_one_id_for_all_rows_of_a_file(
    world: World, spark: SparkSession
) -> None:
    """A fault of Iceberg 1.12's vectorised reader: once this fails, remove the condition `native_row_ids`."""
    table = create(spark, "orc", {"write.format.default": "orc", "format-version": "3"})
    read = []
    for vectorised in ("true", "false"):
        spark.conf.set("spark.sql.iceberg.vectorization.enabled", vectorised)
        read.append(len(set(spark.sql(f"SELECT _row_id FROM {table}").toArrow()["_row_id"].to_pylist())))
    assert read == [2 * FILES, 100 * FILES]
    run = await rewrite(world, (await world.register("orc")).id)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert f"native_row_ids ({2 * FILES} live data files are ORC" in str(run.detail)


@pytest.mark.deep
async def test_avro_files_of_a_table_that_writes_parquet_by_now_become_parquet(
    world: World, spark: SparkSession
) -> None:
    """Also files of both formats in one partition, and position deletes that are Avro themselves."""
    by_deletes = {"write.delete.mode": "merge-on-read", "write.delete.format.default": "avro", "format-version": "2"}
    table = create(spark, "mixed", {"write.format.default": "avro", **by_deletes})
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.format.default'='parquet')")
    append(spark, table, files=2, first=1000)
    spark.sql(f"DELETE FROM {table} WHERE id % 11 = 4")
    before = both_readers(spark, table)
    assert formats(spark, table) == {"AVRO": 12, "PARQUET": 4}
    registered = await world.register("mixed")
    run = await rewrite(world, registered.id)
    assert_done_by(run, "native")
    assert both_readers(spark, table) == before
    assert formats(spark, table) == {"PARQUET": 2}
    assert run.result.document["deleted_rows"] == 800 - len(before[0])


def excluded(path: Path, column: str, value: int) -> list[bool]:
    """Whether the bloom filter of each row group says that a value is not there; False where there is no filter."""
    found = duckdb.sql(f"SELECT * FROM parquet_bloom_probe('{path}', '{column}', {value})")
    return [bool(row[-1]) for row in found.fetchall()]


@pytest.mark.deep
async def test_outputs_of_tables_with_bloom_filters_have_them(world: World, spark: SparkSession) -> None:
    """The kernel writes none, so the procedure does it; a reader that is not Iceberg skips by them."""
    table = create(spark, "bloom", BLOOM)
    before = both_readers(spark, table)
    run = await rewrite(world, (await world.register("bloom")).id)
    assert_done_by(run, "native")
    assert both_readers(spark, table) == before
    files = live(spark, table)
    assert len(files) == 2
    for path in files:
        held = duckdb.sql(f"SELECT id FROM '{path}' LIMIT 20").fetchall()
        assert not any(any(excluded(path, "id", value)) for (value,) in held)
        odd = [all(excluded(path, "id", value)) for value in range(1, 400, 2)]  # ids are even
        assert sum(odd) >= 190
        assert not any(excluded(path, "value", 1))


@pytest.mark.deep
async def test_the_kernel_is_refused_where_bloom_filters_are_asked_for(world: World, spark: SparkSession) -> None:
    """`rewrite.engine: arrow` would lose them: the run fails, names the property, and changes nothing."""
    table = create(spark, "bloom", BLOOM)
    files = sorted(live(spark, table))
    registered = await world.register("bloom", policy={"rewrite": {"engine": "arrow"}})
    run = await rewrite(world, registered.id)
    assert (run.state, run.reason) == (RunState.REFUSED, "not_eligible")
    assert "write.parquet.bloom-filter-enabled.column.id" in (run.detail or "")
    assert sorted(live(spark, table)) == files


def elsewhere(folder: Path, layout: str) -> dict[str, str]:
    """The properties of a table whose data lies in a folder of its own."""
    hashed = {"write.object-storage.enabled": "true"} if layout != "plain" else {}
    whole = {"write.object-storage.partitioned-paths": "false"} if layout == "hashed, no partitions" else {}
    return {"write.data.path": f"file://{folder}", **hashed, **whole}


@pytest.mark.deep
@pytest.mark.parametrize("engine", ["arrow", "native"])
@pytest.mark.parametrize("layout", ["plain", "hashed", "hashed, no partitions"])
async def test_outputs_lie_where_the_table_says(
    world: World, spark: SparkSession, tmp_path: Path, layout: str, engine: str
) -> None:
    """Files that came before the properties did are taken along; the partition is in the path where it is asked for."""
    table = create(spark, "placed", {})
    folder = tmp_path / "elsewhere"
    spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ({told(elsewhere(folder, layout))})")
    append(spark, table, files=2, first=1000)
    before = both_readers(spark, table)
    await world.allow(OutsideFiles.ALLOWED_LOCATIONS, f"file://{tmp_path}")
    registered = await world.register("placed", policy={"rewrite": {"engine": engine}})
    run = await rewrite(world, registered.id)
    assert_done_by(run, engine)
    assert both_readers(spark, table) == before
    files = live(spark, table)
    assert len(files) == 2
    for path in files:
        parts = path.relative_to(folder).parts[:-1]
        assert ("day=d0" in parts or "day=d1" in parts) == (layout != "hashed, no partitions")
        assert sum(set(part) <= {"0", "1"} for part in parts) >= (3 if layout != "plain" else 0)


@pytest.mark.deep
@pytest.mark.parametrize("layout", ["plain", "hashed", "hashed, no partitions"])
async def test_what_a_failed_run_wrote_to_a_custom_location_is_removed(
    world: World, spark: SparkSession, tmp_path: Path, layout: str
) -> None:
    folder = tmp_path / "elsewhere"
    table = create(spark, "placed", elsewhere(folder, layout))
    before, files = rows_by_spark(spark, table), written(folder)
    seen: list[int] = []

    def crash() -> NoReturn:
        seen.append(len(written(folder)) - len(files))
        message = "nobody foresaw this"
        raise RuntimeError(message)

    world.at("commit_made", crash)
    await world.allow(OutsideFiles.ALLOWED_LOCATIONS, f"file://{tmp_path}")
    registered = await world.register("placed")
    run = await rewrite(world, registered.id)
    assert (run.state, run.reason, seen) == (RunState.FAILED, "internal_error", [2]), run.detail
    assert written(folder) == files
    again = await rewrite(world, registered.id)
    assert_done_by(again, "arrow")
    assert rows_by_spark(spark, table) == before
    assert written(folder) == files | set(live(spark, table))
