"""Databases of catalogs whose answers have no end: a real Postgres, in which the table of tables is a view."""

import asyncio
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from engine.domain.errors import Away, StateConflict
from engine.domain.tables.table import TableRef
from engine.formats.base import CatalogConnection
from engine.formats.iceberg import IcebergFormat
from engine.formats.paimon.connection import PaimonFormat
from engine.services.catalogs.bulkheads.calls import Bulkheads
from engine.services.catalogs.bulkheads.compartments import Compartment, ThreadLimits
from tests.support.eventually import seen_when
from tests.support.hostile.budgets import error_within
from tests.support.postgres_server import PostgresServer

REF = TableRef("lake", ("sales",), "orders")
ICEBERG = """
    DROP TABLE iceberg_tables; CREATE VIEW iceberg_tables AS
    SELECT 'lake' AS catalog_name, 'sales' AS table_namespace, 'orders' AS table_name,
        's3://' || repeat('x', 500) || generate_series(1, 1000000000) AS metadata_location,
        NULL AS previous_metadata_location, 'TABLE' AS iceberg_type
"""
PAIMON = """
    CREATE VIEW paimon_tables AS
    SELECT 'jdbc' AS catalog_key, 'sales' AS database_name, 'orders' AS table_name, generate_series(1, 1000000000)
"""
"""Rows that the server makes while it sends them."""
AT_WORK = "SELECT query FROM pg_stat_activity WHERE datname = %s AND state = 'active'"


@pytest.fixture
def url(postgres_server: PostgresServer) -> str:
    """The address of a database with the tables of an Iceberg catalog."""
    name = f"endless_{uuid4().hex[:8]}"
    postgres_server.execute(f"CREATE DATABASE {name}")
    SqlCatalog("lake", uri=postgres_server.url(name)).close()
    return postgres_server.url(name)


def execute(url: str, statements: str) -> None:
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute(statements)


def iceberg(url: str) -> CatalogConnection:
    """Return an open connection to a catalog whose database has become endless since."""
    connection = IcebergFormat().connect("lake", {"type": "sql", "uri": url})
    connection.ping()
    execute(url, ICEBERG)
    return connection


@pytest.mark.parametrize("kind", ["pointers", "open_table", "paimon"])
def test_f62_rows_without_an_end_are_an_error_within_its_limits(url: str, kind: str) -> None:
    connection: CatalogConnection
    if kind == "paimon":
        execute(url, PAIMON)
        connection = PaimonFormat().connect("lake", {"type": "jdbc", "uri": url, "warehouse": "/tmp/none"})
    else:
        connection = iceberg(url)
    error = error_within(30, lambda: connection.open_table(REF) if kind == "open_table" else connection.pointers([REF]))
    assert isinstance(error, StateConflict), error
    assert "the answer of the database is longer than 64 MiB" in error.message


async def test_f62_a_query_that_was_given_up_ends(url: str, postgres_server: PostgresServer) -> None:
    """The server looks for distinct namespaces among rows without an end, sends nothing, and would fill its disk."""
    connection, bulk = await asyncio.to_thread(iceberg, url), Bulkheads(ThreadLimits(per_table=1, read_seconds=0.3))
    with pytest.raises(Away, match="did not answer within"):
        await bulk.read(Compartment.of("lake"), connection.ping)

    async def held() -> int:
        return len(bulk._compartments._held)

    async def at_work() -> list[Any]:
        with psycopg.connect(postgres_server.url("postgres").replace("+psycopg", "")) as other:
            return other.execute(AT_WORK, [urlsplit(url).path.strip("/")]).fetchall()

    await seen_when(held, lambda count: count == 0, within_seconds=10)
    await seen_when(at_work, lambda found: not found, within_seconds=10)
