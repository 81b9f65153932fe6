"""The check of a catalog compares it with the catalogs of real Spark servers, of which one does not answer."""

import asyncio
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from engine.domain.access.callers import SYSTEM, Caller, Role
from engine.domain.fleet.endpoints import EndpointRequest
from engine.domain.tables.table import FormatName
from tests.support.native import native_spark, native_world
from tests.support.peer import attach, confs_of
from tests.support.world import World, make_lake

__all__ = ["native_spark", "native_world"]

PASSWORD = "hidden-in-spark"


async def checked(world: World, spark_catalog: str) -> tuple[bool, str]:
    """Return the step about Spark of a catalog with this name there."""
    name = f"as_{spark_catalog}"
    properties = world.lake.properties | {"catalog-name": "lake", "packhouse.spark-catalog": spark_catalog}
    await world.container.catalogs.create(SYSTEM, name, FormatName.ICEBERG, properties)
    *_, step = await world.container.catalogs.check(SYSTEM, name)
    assert step.name == "spark_catalog"
    assert PASSWORD not in step.detail
    return step.ok, step.detail


async def test_a_catalog_is_compared_with_those_of_spark(
    native_world: World, native_spark: SparkSession, tmp_path: Path
) -> None:
    spark, world = native_spark, native_world

    def prepare() -> None:
        spark.sql("CREATE TABLE lake.lake.tall (id BIGINT) USING iceberg")
        spark.sql("INSERT INTO lake.lake.tall SELECT id FROM range(10)")
        spark.conf.set("spark.sql.catalog.jdbc", "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
        spark.conf.set("spark.sql.catalog.jdbc.password", PASSWORD)
        spark.conf.set("spark.sql.catalog.broken", "org.apache.iceberg.spark.SparkCatalog")
        spark.conf.set("spark.sql.catalog.broken.type", "hadoop")
        other = make_lake(tmp_path / "other", days=0)
        attach(spark, {key.replace(".lake", ".elsewhere"): value for key, value in confs_of(other).items()})
        for table in ("events", "tall", "orders"):
            spark.sql(f"CREATE TABLE IF NOT EXISTS elsewhere.lake.{table} (id BIGINT) USING iceberg")

    await asyncio.to_thread(prepare)
    default = "Spark endpoint default"
    ok, detail = await checked(world, "lake")
    assert (ok, detail.startswith(f"{default} has lake, with the same metadata of lake.lake.")) == (True, True), detail
    for name, words in {
        "nowhere": f"{default} has no catalog named nowhere; of class org.apache.iceberg.spark.SparkCatalog it has br",
        "jdbc": f"{default}: catalog jdbc is org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog; name",
        "elsewhere": "is another table than as_elsewhere.lake.",
        "broken": f"{default} can't read broken.lake.",
    }.items():
        ok, detail = await checked(world, name)
        assert (ok, words in detail) == (False, True), detail
    gone = EndpointRequest("sc://127.0.0.1:9", None, {})
    await world.container.endpoints.create(Caller("key:root", Role.ADMIN), "gone", gone)
    *_, step = await world.container.catalogs.check(SYSTEM, "as_lake")
    assert step.ok
    assert "has lake, with the same metadata" in step.detail
    assert "Spark endpoint gone does not answer, and runs that need it wait" in step.detail


async def test_a_catalog_without_a_name_in_spark_asks_no_endpoint(
    native_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_world.container.servers, "open", pytest.fail)
    properties = native_world.lake.properties | {"catalog-name": "lake"}
    del properties["packhouse.spark-catalog"]
    await native_world.container.catalogs.create(SYSTEM, "plain", FormatName.ICEBERG, properties)
    steps = await native_world.container.catalogs.check(SYSTEM, "plain")
    assert steps[-1].name == "may_commit"
