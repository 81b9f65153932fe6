"""F63: registered tables with overlapping locations are found in every spelling, within one store only."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from engine.domain.errors import NotEligible
from engine.domain.tables.table import Catalog, Table
from engine.services.catalogs.neighbours import check_alone, overlapping_tables
from tests.integration.stores.samples import LAKE, a_table
from tests.integration.stores.stores import Stores


async def registered(database: Stores, name: str, location: str, properties: Mapping[str, str]) -> Table:
    """Register a table in a catalog of its own."""
    table = replace(a_table(name, catalog=name), location=location)
    async with database.begin() as work:
        await work.catalogs.insert(_catalog(name, properties))
        await work.tables.insert(table)
    return table


def _catalog(name: str, properties: Mapping[str, str]) -> Catalog:
    return replace(LAKE, name=name, properties=properties)


async def neighbours(database: Stores, location: str, properties: Mapping[str, str] | None = None) -> list[str]:
    """Return the names of the registered tables that overlap with a location."""
    table = replace(a_table("new", catalog="new"), location=location)
    async with database.read() as work:
        found = await overlapping_tables(work, table, _catalog("new", properties or {}), limit=10)
    return [each.ref.name for each in found]


@pytest.mark.parametrize(
    "location",
    [
        "s3://lake/a_b/c",
        "s3a://lake/a_b/c/",
        "S3N://Lake//a_b/c",
        "s3://lake/a%5Fb/c",
        "s3://lake/a_b%2Fc",
        "s3://lake/a_b",
        "s3://lake",
        "s3://lake/a_b/c/inner",
        "s3://lake/a_b/./c".replace("/./", "//"),
    ],
)
@pytest.mark.parametrize("theirs", ["s3://lake/a_b/c", "s3a://lake//a%5fb/c/", "S3://LAKE/a_b/c"])
async def test_f63_overlaps_are_found_in_every_spelling(database: Stores, theirs: str, location: str) -> None:
    await registered(database, "old", theirs, {})
    assert await neighbours(database, location) == ["old"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("hdfs://NN:8020/wh/orders/data", "hdfs://nn:8020/wh/orders"),
        ("hdfs://nn./wh/orders", "hdfs://nn:8020/wh/orders"),
        ("hdfs://nameservice1/wh/orders", "hdfs://nn.example.com:8020/wh/orders/data"),
        ("hdfs://10.0.0.5/wh/orders", "hdfs://nn/wh"),
        ("abfss://c@acct.dfs.core.windows.net/a", "wasbs://c@acct.blob.core.windows.net/a/b"),
        ("abfss://c@acct.dfs.core.windows.net./a", "abfs://c@acct.privatelink.dfs.core.windows.net/a"),
        ("abfss://c@acct-secondary.dfs.core.windows.net:443/a", "abfs://C@ACCT.blob.core.windows.net/a"),
        ("s3://lake/wh/orders", "s3a://orders-abc123-s3alias/wh/orders/data"),
        ("oss://lake/wh/orders", "s3://lake/wh/orders"),
    ],
)
async def test_f63_names_of_one_store_overlap(database: Stores, ours: str, theirs: str) -> None:
    """An HDFS has a name for each name node and nameservice, an account in Azure several hosts, a bucket aliases."""
    await registered(database, "old", theirs, {})
    assert await neighbours(database, ours) == ["old"]


async def test_f63_other_locations_are_none(database: Stores) -> None:
    await registered(database, "old", "s3://lake/a_b/c", {})
    for location in ("s3://lake/a_b/cd", "s3://lake/a_b/C", "s3://lake/axb/c", "s3://lake2/a_b/c", "gs://lake/a_b/c"):
        assert await neighbours(database, location) == [], location


@pytest.mark.parametrize(
    ("ours", "theirs", "is_one"),
    [
        ("http://minio-1:9000", "http://minio-2:9000", False),
        ("http://minio-1:9000", "https://minio-1:9001", False),
        ("http://Minio-1:80/", "minio-1:443", True),
        ("http://minio-1:9000", "http://me:hidden@minio-1.:09000", True),
        ("http://10.0.0.5:9000", "http://0xa.5:9000", True),
        ("http://[2001:db8::1]:9000", "http://[2001:DB8:0::1]:9000", True),
        ("http://minio-1:9000", "http://minio%2d1:9000", True),
        ("https://s3.eu-west-1.amazonaws.com", "https://s3.amazonaws.com", True),
        ("http://minio-1:9000", None, True),
        (None, None, True),
        ("http://minio-1:9000", "env:ENDPOINT", True),
    ],
)
async def test_f63_a_bucket_at_two_endpoints_is_two_places(
    database: Stores, ours: str | None, theirs: str | None, is_one: bool
) -> None:
    """An endpoint that is not known can be the same."""
    await registered(database, "old", "s3://lake/a", {} if theirs is None else {"s3.endpoint": theirs})
    found = await neighbours(database, "s3://lake/a", {} if ours is None else {"s3.endpoint": ours})
    assert found == (["old"] if is_one else [])


@pytest.mark.parametrize("theirs", ["s3://lake/t", "s3a://lake/t/inner", "s3://lake//"])
async def test_f43_a_location_that_another_table_shares_is_not_alone(database: Stores, theirs: str) -> None:
    table = await registered(database, "new", "s3://lake/t", {})
    async with database.read() as work:
        await check_alone(work, table, _catalog("new", {}))
    await registered(database, "old", theirs, {})
    async with database.read() as work:
        with pytest.raises(NotEligible, match="1 other tables are registered"):
            await check_alone(work, table, _catalog("new", {}))
