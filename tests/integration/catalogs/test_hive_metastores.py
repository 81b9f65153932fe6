"""Whole runs on Iceberg tables whose catalog is a Hive Metastore: races, locks that others hold, lost answers."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from hive_metastore.ttypes import (
    Database,
    LockComponent,
    LockLevel,
    LockRequest,
    LockState,
    LockType,
    MetaException,
    SerDeInfo,
    ShowLocksRequest,
    StorageDescriptor,
    Table,
    UnlockRequest,
)
from pyiceberg.exceptions import CommitFailedException
from redis.asyncio import Redis

from engine.domain.runs.run import RunState
from engine.domain.tables.table import TableRef
from engine.formats.iceberg.catalog.stored import hive
from engine.formats.iceberg.connection import IcebergFormat
from engine.formats.intake.catalogs.metastores import locks
from tests.support.hive.metastore import Metastore
from tests.support.world import NAME, World, open_world


@pytest.fixture
async def world(
    metastore: Metastore, sqlite_url: str, redis: Redis, redis_url: str, tmp_path: Path
) -> AsyncIterator[World]:
    """A lake in the Metastore, to which PyIceberg's own client writes."""
    settings = {"type": "hive", "uri": metastore.uri}
    lake = {"settings": {**settings, "warehouse": f"file://{tmp_path}/warehouse"}, "registered": settings}
    async with open_world(tmp_path / "world", database_url=sqlite_url, redis_url=redis_url, **lake) as opened:
        yield opened
    with metastore.client() as client:
        for each in client.show_locks(ShowLocksRequest(*NAME)).locks:
            client.unlock(UnlockRequest(each.lockid))
        client.drop_database("lake", deleteData=False, cascade=True)


def entry(metastore: Metastore) -> Any:
    with metastore.client() as client:
        return client.get_table(*NAME)


def held(metastore: Metastore) -> list[Any]:
    with metastore.client() as client:
        return list(client.show_locks(ShowLocksRequest(*NAME)).locks)


def take_lock(metastore: Metastore, agent: str) -> int:
    component = LockComponent(LockType.EXCLUSIVE, LockLevel.TABLE, *NAME)
    with metastore.client() as client:
        answer = client.lock(LockRequest([component], user="ada", hostname="spark-7", agentInfo=agent))
    assert answer.state == LockState.ACQUIRED
    return int(answer.lockid)


async def test_a_table_is_rewritten_and_its_entry_stays_what_it_was_otherwise(
    world: World, metastore: Metastore
) -> None:
    rows, before = world.lake.rows(), entry(metastore)
    run = await world.rewrite()
    assert (run.state, run.result.groups_committed) == (RunState.SUCCEEDED, 3), run.detail
    assert (len(world.lake.paths()), world.lake.rows()) == (3, rows)
    after = entry(metastore)
    assert after.parameters["previous_metadata_location"] == before.parameters["metadata_location"]
    assert after.sd == before.sd
    assert after.parameters["numFiles"] == "3"
    moving = {"metadata_location", "previous_metadata_location", "transient_lastDdlTime", "numFiles", "totalSize"}
    assert {k: v for k, v in after.parameters.items() if k not in moving} == {
        k: v for k, v in before.parameters.items() if k not in moving
    }
    assert held(metastore) == []


def metadata_files(world: World) -> set[str]:
    """Return the names of the metadata files in the table's folder, which tables of other tests had before."""
    folder = Path(world.lake.table.location().removeprefix("file:")) / "metadata"
    return {each.name for each in folder.glob("*.metadata.json")}


async def test_an_append_before_the_lock_costs_a_try(
    world: World, metastore: Metastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, left, enter = len(world.lake.ids()), [1, 1], locks.MetastoreLock.__enter__
    others = metadata_files(world)

    def append_first(lock: locks.MetastoreLock) -> locks.MetastoreLock:
        if left:
            left.pop()
            world.lake.append(day="2026-11-01")
        return enter(lock)

    monkeypatch.setattr(locks.MetastoreLock, "__enter__", append_first)
    run = await world.rewrite()
    assert (run.state, run.attempt, left) == (RunState.SUCCEEDED, 1, []), run.detail
    assert len(set(world.lake.ids())) == len(world.lake.ids()) == before + 100
    assert held(metastore) == []
    table = world.lake.table
    named = {table.metadata_location, *(each.metadata_file for each in table.metadata.metadata_log)}
    assert metadata_files(world) - others <= {each.rpartition("/")[2] for each in named}


async def test_an_address_in_capital_letters_has_the_pointer_of_its_table(world: World) -> None:
    """A Metastore stores names in lower case, and finds them however they are written."""
    ref = TableRef("lake", (NAME[0],), NAME[1].upper())
    connection = IcebergFormat().connect("lake", world.lake.properties)
    found = await asyncio.to_thread(connection.pointers, [ref])
    assert found == {ref: world.lake.table.metadata_location}


async def test_a_lock_of_another_program_is_waited_for_and_its_holder_named(
    world: World, metastore: Metastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.5)
    lock = take_lock(metastore, "Iceberg-1")
    connection = IcebergFormat().connect("lake", world.lake.properties)
    last = (await asyncio.to_thread(connection.check))[-1]
    assert (last.name, last.ok) == ("may_commit", False)
    assert f"the lock of lake.events is held by ada@spark-7 (Iceberg-1, lock {lock})" in last.detail
    with metastore.client() as client:
        client.unlock(UnlockRequest(lock))
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail


async def test_a_run_that_finds_the_lock_held_sends_nothing_and_says_by_whom(
    world: World, metastore: Metastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.5)
    lock, before = take_lock(metastore, "Iceberg-1"), metadata_files(world)
    run = await world.submit()
    await world.container.worker.advance(run.id)
    waiting = await world.get(run.id)
    assert (waiting.state, waiting.attempt) == (RunState.QUEUED, 1)
    assert f"is held by ada@spark-7 (Iceberg-1, lock {lock})" in (waiting.detail or "")
    assert metadata_files(world) == before
    with metastore.client() as client:
        client.unlock(UnlockRequest(lock))
    run = await world.finish(run.id)
    assert (run.state, len(world.lake.replaces())) == (RunState.SUCCEEDED, 1), run.detail


async def test_a_lock_of_packhouse_is_waited_for_until_its_process_must_have_left_it(
    world: World, metastore: Metastore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its age is that of the Metastore's own clock: by it no time has to pass here."""
    monkeypatch.setattr(locks, "WAIT_SECONDS", 0.5)
    left = take_lock(metastore, locks.AGENT)
    connection = IcebergFormat().connect("lake", world.lake.properties)
    last = (await asyncio.to_thread(connection.check))[-1]
    assert f"ada@spark-7 ({locks.AGENT}, lock {left})" in last.detail
    assert left in {each.lockid for each in held(metastore)}
    monkeypatch.setattr(locks, "LEFT_SECONDS", 0.0)
    run = await world.rewrite()
    assert run.state is RunState.SUCCEEDED, run.detail
    assert left not in {each.lockid for each in held(metastore)}


async def test_a_right_that_is_missing_ends_the_run_at_its_first_attempt(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text is that of Hive's storage-based authorization, which a Metastore of the tests does not have."""
    asked, replace, before = Mock(), hive._replace, metadata_files(world)
    asked.alter_table_with_environment_context.side_effect = MetaException("Permission denied: user=me, access=WRITE")
    monkeypatch.setattr(hive, "_replace", lambda _client, entry, **options: replace(asked, entry, **options))
    run = await world.rewrite()
    assert (run.state, run.attempt, len(asked.mock_calls)) == (RunState.FAILED, 1, 1), run.detail
    assert "Permission denied: user=me, access=WRITE; grant the catalog's user this right" in (run.detail or "")
    assert (metadata_files(world), world.lake.replaces()) == (before, [])


async def test_an_answer_lost_after_the_commit_is_found_in_the_table(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, lost = hive._replace, [1]

    def lose(client: Any, *args: Any, **options: Any) -> None:
        replace(client, *args, **options)
        if lost:
            lost.pop()
            client._iprot.trans.close()
            client.get_all_databases()

    monkeypatch.setattr(hive, "_replace", lose)
    rows = world.lake.rows()
    run = await world.rewrite()
    assert (run.state, run.attempt) == (RunState.SUCCEEDED, 1), run.detail
    assert (len(world.lake.replaces()), world.lake.rows()) == (1, rows)


@pytest.mark.parametrize("release", ["metastore", "metastore_4"])
def test_newer_servers_compare_the_location_that_a_commit_replaces(
    release: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """So that a lock which was lost loses no commit."""
    metastore: Metastore = request.getfixturevalue(release)
    parameters = {"table_type": "ICEBERG", "metadata_location": "first", "EXTERNAL": "TRUE"}
    with metastore.client() as client:
        client.create_database(Database(name="compared", locationUri=tmp_path.as_uri()))
        sd = StorageDescriptor(cols=[], location=tmp_path.as_uri(), serdeInfo=SerDeInfo())
        client.create_table(
            Table(tableName="t", dbName="compared", sd=sd, parameters=parameters, tableType="EXTERNAL_TABLE")
        )
        found = client.get_table("compared", "t")
        found.parameters["metadata_location"] = "second"
        hive._replace(client, found, expected="first")
        found.parameters["metadata_location"] = "third"
        with pytest.raises(CommitFailedException):
            hive._replace(client, found, expected="first")
        assert client.get_table("compared", "t").parameters["metadata_location"] == "second"
        client.drop_database("compared", deleteData=False, cascade=True)
