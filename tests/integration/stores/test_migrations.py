"""The migrated schema is the declared one, and several processes may migrate at once."""

import asyncio
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, Engine, create_engine, inspect, make_url, text

from engine.domain.errors import Transient
from engine.domain.watches import Verdict, phase_of
from engine.stores.database import Database
from engine.stores.migrations.upgrade import upgrade
from engine.stores.schema import metadata
from tests.integration.stores.samples import registered
from tests.support.databases import FreshDatabase
from tests.support.postgres_server import PostgresServer

_PROCESSES = 4


def _engine(url: str) -> Engine:
    return create_engine(url.replace("sqlite+aiosqlite", "sqlite+pysqlite"))


async def test_migrations_make_the_declared_schema(fresh_database: FreshDatabase) -> None:
    engine = _engine(fresh_database.url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


async def test_migrations_make_every_declared_check(fresh_database: FreshDatabase) -> None:
    engine = _engine(fresh_database.url)
    for table in metadata.sorted_tables:
        declared = {str(c.name) for c in table.constraints if isinstance(c, CheckConstraint)}
        assert {check["name"] for check in inspect(engine).get_check_constraints(table.name)} == declared
    engine.dispose()


async def test_migrating_again_changes_nothing(fresh_database: FreshDatabase) -> None:
    await fresh_database.connect().migrate()
    assert fresh_database.execute("SELECT version_num FROM alembic_version") == [("0002",)]


async def test_tables_that_were_registered_before_are_watched_from_then_on(fresh_database: FreshDatabase) -> None:
    database = fresh_database.connect()
    table = await registered(database)
    async with database.begin() as work:
        for statement in (
            "DROP TABLE watches",
            "DROP TABLE leaders",
            "UPDATE alembic_version SET version_num = '0001'",
        ):
            await work.connection.execute(text(statement))
    await database.migrate()
    async with database.read() as work:
        watch, now = await work.watches.get(table.id), await work.now()
    assert watch is not None
    assert (watch.phase, watch.verdict) == (phase_of(table.id), Verdict.NEW)
    assert now - timedelta(minutes=1) < watch.next_at < now + timedelta(minutes=11)


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'new' / 'packhouse.sqlite3'}"
    server: PostgresServer = request.getfixturevalue("postgres_server")
    name = f"empty_{abs(hash(str(tmp_path)))}"
    server.execute(f"CREATE DATABASE {name}")
    return server.url(name)


async def test_processes_that_start_at_once_all_find_the_schema(empty_url: str) -> None:
    code = f"from engine.stores.migrations.upgrade import upgrade; input(); upgrade({empty_url!r})"
    started = [
        await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        for _ in range(_PROCESSES)
    ]
    ended = await asyncio.gather(*(process.communicate(b"\n") for process in started))
    assert [process.returncode for process in started] == [0] * _PROCESSES, ended
    database = Database(empty_url)
    async with database.read() as work:
        assert await work.keys.count() == 0
    await database.close()


def test_a_folder_that_can_not_be_made_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        upgrade(f"sqlite+aiosqlite:///{tmp_path}/file/below/packhouse.sqlite3")


def test_migrating_without_a_server_is_transient(tmp_path: Path) -> None:
    with pytest.raises(Transient):
        upgrade(make_url(f"postgresql+psycopg://nobody@/nothing?host={tmp_path}"))
