"""Transactions, clocks and what drivers' errors become."""

import asyncio
import os
import sqlite3
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from engine.domain.errors import Fatal, InvalidInput, NotFound, StateConflict, Transient
from engine.domain.tables.table import Table
from engine.stores.database import Database
from tests.integration.stores.samples import LAKE, NOON, a_run, a_table, submitted
from tests.support.databases import FreshDatabase


async def test_a_unit_of_work_is_all_or_nothing(database: Database) -> None:
    async def half() -> None:
        async with database.begin() as work:
            await work.catalogs.insert(LAKE)
            await work.tables.insert(a_table(catalog="nowhere"))

    with pytest.raises(NotFound):
        await half()
    async with database.read() as work:
        assert await work.catalogs.get("lake") is None


async def test_a_read_transaction_can_not_write_and_its_connection_writes_again(database: Database) -> None:
    await database.ping()
    with pytest.raises(DBAPIError, match=r"read-?only"):
        async with database.read() as work:
            await work.catalogs.insert(LAKE)
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
    async with database.read() as work:
        assert await work.catalogs.get("lake") == LAKE


async def test_now_moves_within_a_transaction(database: Database) -> None:
    async with database.begin() as work:
        first = await work.now()
        while (later := await work.now()) == first:
            pass
    assert later > first
    assert later.tzinfo is UTC
    assert abs(later - datetime.now(UTC)) < timedelta(minutes=1)


async def test_times_keep_their_microseconds_and_are_utc(database: Database) -> None:
    run = await submitted(database)
    async with database.read() as work:
        stored = await work.runs.get(run.id)
    assert (stored.created_at, stored.created_at.tzinfo) == (NOON, UTC)


async def test_neither_a_naive_time_nor_not_a_number_nor_a_row_that_must_not_be_is_stored(
    database: Database, table: Table
) -> None:
    with pytest.raises(Exception, match="no time zone"):
        await submitted(database, table.id, created_at=datetime(2026, 11, 1))  # noqa: DTZ001 - what is refused
    with pytest.raises(Exception, match="not JSON compliant"):
        await submitted(database, table.id, plan={"rate": float("nan")})
    with pytest.raises(Fatal, match="ck_runs_"):
        await submitted(database, table.id, attempt=-1)


async def test_a_unique_violation_names_its_constraint_and_spares_the_transaction(database: Database) -> None:
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
        with pytest.raises(StateConflict) as caught:
            await work.catalogs.insert(LAKE)
        assert await work.catalogs.get("lake") == LAKE
    assert caught.value.details == {"constraint": "pk_catalogs"}


async def test_foreign_keys_hold_on_every_connection(database: Database) -> None:
    with pytest.raises(StateConflict) as caught:
        async with database.begin() as work:
            await work.outbox.insert_many([a_run(a_table().id).id])
    assert caught.value.details == {"constraint": "foreign_key"}


async def test_a_fault_of_ours_is_not_dressed_up(database: Database) -> None:
    with pytest.raises(DBAPIError):
        async with database.read() as work:
            await work.connection.execute(text("SELECT * FROM no_such_table"))


async def test_a_busy_writer_makes_others_wait_and_then_is_transient(sqlite_url: str) -> None:
    database = Database(sqlite_url, busy_seconds=0.1)
    writer = sqlite3.connect(sqlite_url.removeprefix("sqlite+aiosqlite:///"), isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(Transient, match="locked"):
        async with database.begin():
            pass
    await database.ping()  # readers go on
    writer.close()
    async with database.begin() as work:
        await work.catalogs.insert(LAKE)
    await database.close()


async def test_a_locked_row_makes_others_wait_and_then_is_transient(postgres_url: str) -> None:
    first, second = Database(postgres_url), Database(postgres_url, busy_seconds=0.1)
    run = await submitted(first)
    async with first.begin() as work:
        await work.runs.request_cancel(run.id, "key:admin")
        with pytest.raises(Transient, match="lock timeout"):
            async with second.begin() as other:
                await other.runs.request_cancel(run.id, "key:other")
    await first.close()
    await second.close()


async def test_work_that_is_cancelled_at_any_moment_leaves_no_lock(fresh_database: FreshDatabase) -> None:
    """A client that hangs up cancels its request between a query and its rows: others must be able to write."""
    database = fresh_database.connect(busy_seconds=0.5)

    async def write(name: str) -> None:
        async with database.begin() as work:
            await work.now()
            await work.catalogs.insert(replace(LAKE, name=name))

    ends = []
    for number in range(0, 100, 1 if os.environ.get("PACKHOUSE_DEEP") else 3):
        task = asyncio.create_task(write(f"cancelled{number}"))
        await asyncio.sleep(number * 0.00005)
        task.cancel()
        ends += await asyncio.gather(task, return_exceptions=True)
        await write(f"written{number}")
    assert any(isinstance(each, asyncio.CancelledError) for each in ends)


async def test_a_pool_without_a_free_connection_is_transient(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect(busy_seconds=0.1)
    open_units = [database.read() for _ in range(15)]
    for unit in open_units:
        await unit.__aenter__()
    with pytest.raises(Transient, match="in use"):
        await database.ping()
    for unit in open_units:
        await unit.__aexit__(None, None, None)


async def test_a_killed_connection_is_transient_once(postgres_url: str) -> None:
    database = Database(postgres_url)
    with pytest.raises(Transient):
        async with database.read() as work:
            await work.connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    await database.ping()
    await database.close()


async def test_neither_a_missing_server_nor_a_missing_folder_is_more_than_transient(tmp_path: Path) -> None:
    file = f"sqlite+aiosqlite:///{tmp_path}/missing/packhouse.sqlite3"
    for url in (f"postgresql+psycopg://nobody@/nothing?host={tmp_path}", file):
        with pytest.raises(Transient):
            await Database(url).ping()
    for thread in threading.enumerate():  # the driver's thread tells this loop that it ends: wait for it
        if "_connection_worker_thread" in thread.name:
            await asyncio.to_thread(thread.join, 5)


@pytest.mark.parametrize("url", ["sqlite+aiosqlite://", "sqlite+aiosqlite:///:memory:", "mysql://host/db"])
def test_an_address_that_can_not_hold_the_record_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput, match="database_url"):
        Database(url)
