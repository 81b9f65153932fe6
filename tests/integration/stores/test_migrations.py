"""The migrated schema is the declared one, and several processes may migrate at once."""

import asyncio
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import CheckConstraint, Connection, create_engine, inspect, make_url, text
from sqlalchemy.sql.elements import TextClause

from engine.domain.access.grants import Grant, Right
from engine.domain.errors import Fatal, StateConflict, Transient
from engine.domain.ids import TableId
from engine.domain.policies import PolicyDocument, PolicyScope, PolicyScopeKind
from engine.domain.tables.watches import Verdict, phase_of
from engine.stores.migrations import versions
from engine.stores.migrations.compatibility import known_schema, stored_schema
from engine.stores.migrations.upgrade import _config, upgrade
from engine.stores.schema.history import metadata
from engine.stores.sql.engines import make_migration_engine
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase
from tests.support.eventually import until
from tests.support.postgres_server import PostgresServer

_PROCESSES = 4 if os.environ.get("PACKHOUSE_DEEP") else 2


async def test_migrations_make_the_declared_schema_with_every_check_once(fresh_database: FreshDatabase) -> None:
    engine = create_engine(fresh_database.url.replace("sqlite+aiosqlite", "sqlite+pysqlite"))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, metadata) == []
    for table in metadata.sorted_tables:
        declared = {str(c.name) for c in table.constraints if isinstance(c, CheckConstraint)}
        assert {check["name"] for check in inspect(engine).get_check_constraints(table.name)} == declared
    engine.dispose()
    await fresh_database.connect().migrate()
    newest = max(path.name[1:5] for path in Path(versions.__file__).parent.glob("v0*.py"))
    assert fresh_database.execute("SELECT version_num FROM alembic_version") == [(newest,)]


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite+aiosqlite:///{tmp_path / 'new' / 'packhouse.sqlite3'}"
    server: PostgresServer = request.getfixturevalue("postgres_server")
    name = f"empty_{abs(hash(str(tmp_path)))}"
    server.execute(f"CREATE DATABASE {name}")
    return server.url(name)


@contextmanager
def migrating(url: str) -> Iterator[Connection]:
    """Connect to an empty database, in one transaction, to migrate it step by step."""
    engine = make_migration_engine(make_url(url), busy_seconds=10)
    Path(make_url(url).database or "").parent.mkdir(exist_ok=True)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


async def test_tables_that_were_registered_before_are_watched_from_then_on(empty_url: str) -> None:
    with migrating(empty_url) as connection:
        command.upgrade(_config(connection), "0001")
        times = "'2026-11-01T00:00:00.000000Z'"
        connection.execute(text(f"INSERT INTO catalogs VALUES ('lake', 'iceberg', 1, {times}, {times}, '{{}}', '[]')"))
        columns = "id, catalog, namespace, name, uuid, location, created_at, version, labels"
        values = f"'tbl_1', 'lake', '[\"a\"]', 'b', 'uuid', 's3://lake/b', {times}, 1, '{{}}'"
        connection.execute(text(f"INSERT INTO tables ({columns}) VALUES ({values})".replace(":", "\\:")))
    database = Stores(empty_url)
    await database.migrate()
    watch, now = await database.watches.get(TableId("tbl_1")), await database.now()
    catalog = await database.catalogs.get("lake")
    await database.close()
    assert (watch.phase, watch.verdict) == (phase_of(TableId("tbl_1")), Verdict.NEW)
    assert now - timedelta(minutes=1) < watch.next_at < now + timedelta(minutes=11)
    assert catalog.pause is None


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
    database = Stores(empty_url)
    assert await database.keys.count() == 0
    await database.close()


def test_neither_a_folder_that_can_not_be_made_nor_a_missing_server_is_migrated(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        upgrade(f"sqlite+aiosqlite:///{tmp_path}/file/below/packhouse.sqlite3")
    with pytest.raises(Transient):
        upgrade(make_url(f"postgresql+psycopg://nobody@/nothing?host={tmp_path}"))


async def test_catalogs_of_before_grants_keep_what_owners_could_do_and_new_ones_begin_without(empty_url: str) -> None:
    columns = "name, format, version, created_at, updated_at, properties, allowed_locations"
    times = "'2026-11-01T00:00:00.000000Z'"

    def row(name: str) -> TextClause:
        return text(f"INSERT INTO catalogs ({columns}) VALUES ('{name}', 'iceberg', 1, {times}, {times}, '{{}}', '[]')")

    with migrating(empty_url) as connection:
        command.upgrade(_config(connection), "0007")
        connection.execute(row("before"))
        command.upgrade(_config(connection), "head")
        connection.execute(row("after"))  # as a process of the version before does while both run
    database = Stores(empty_url)
    granted = await database.catalogs.grants()
    await database.close()
    assert granted == {"before": (Grant("*", ("*",), (Right.REGISTER,)),), "after": ()}


async def test_policies_of_before_teams_and_labels_stay_and_processes_of_that_version_still_write(empty_url: str):
    at = "'2026-11-01T00:00:00.000000Z'"

    def rows(name: str, kind: str, pattern: str) -> tuple[TextClause, TextClause]:
        document = '{"enabled"\\: false}'
        scope = f'{{"kind"\\: "{kind}"}}' if pattern == "NULL" else f'{{"kind"\\: "pattern", "pattern"\\: {pattern}}}'
        policy = "name, kind, pattern, version, updated_at, updated_by, document"
        version = "name, version, written_at, written_by, is_deletion, scope, document"
        quoted = pattern.replace('"', "'")
        kept = f"'{name}', 1, {at}, 'x', false, '{scope}', '{document}'"
        return (
            text(f"INSERT INTO policies ({policy}) VALUES ('{name}', '{kind}', {quoted}, 1, {at}, 'x', '{document}')"),
            text(f"INSERT INTO policy_versions ({version}) VALUES ({kept})"),
        )

    with migrating(empty_url) as connection:
        command.upgrade(_config(connection), "0014")
        for row in rows("fleet", "fleet", "NULL"):
            connection.execute(row)
        command.upgrade(_config(connection), "head")
        for row in rows("later", "pattern", '"lake.*"'):
            connection.execute(row)
    database = Stores(empty_url)
    label = PolicyScope(PolicyScopeKind.LABEL, label_key="tier", label_value="gold")
    await database.policies.insert("gold", label, PolicyDocument(), "key:admin", message="why")
    scoped = await database.policies.list_scoped()
    found = {each.name: (each.scope.kind, each.document, each.message) for each in scoped}
    history = await database.policies.list_versions("fleet") + await database.policies.list_versions("gold")
    off = PolicyDocument(enabled=False)
    assert found == {
        "fleet": ("fleet", off, None),
        "gold": ("label", PolicyDocument(), "why"),
        "later": ("pattern", off, None),
    }
    assert [(each.scope.kind, each.message) for each in history] == [("fleet", None), ("label", "why")]
    with pytest.raises(StateConflict):
        await database.policies.insert("again", label, PolicyDocument(), "key:admin")
    await database.close()


async def test_a_record_of_before_takes_refused_runs_and_its_references_hold(empty_url: str) -> None:
    """SQLite can't change a check, so that the migration changes its text in the schema."""
    with migrating(empty_url) as connection:
        command.upgrade(_config(connection), "0028")
        columns = "operation, state, runs, rewritten_bytes, added_bytes"
        connection.execute(text(f"INSERT INTO run_totals ({columns}) VALUES ('rewrite', 'failed', 1, 0, 0)"))
    upgrade(empty_url)
    with migrating(empty_url) as connection:
        connection.execute(text("UPDATE run_totals SET state = 'refused'"))
        checks = {check["name"]: check["sqltext"] for check in inspect(connection).get_check_constraints("runs")}
        assert all("'refused'" in checks[f"ck_runs_{name}"] for name in ("state", "finished_if_terminal"))
        if connection.dialect.name == "sqlite":
            assert connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
            assert connection.execute(text("PRAGMA foreign_key_check")).all() == []
    with pytest.raises(Fatal, match=r"ck_run_totals_state|state IN"), migrating(empty_url) as connection:
        connection.execute(text("UPDATE run_totals SET state = 'lost'"))


async def test_a_migration_begins_again_after_a_deadlock_with_a_process_at_work(postgres_url_before: str) -> None:
    """The other transaction never looks for deadlocks, so the migration is the one that Postgres ends."""
    engine = make_migration_engine(make_url(postgres_url_before), busy_seconds=10)
    with engine.begin() as at_work:
        at_work.execute(text("SET LOCAL deadlock_timeout = '1h'"))
        at_work.execute(text("LOCK TABLE run_totals"))
        migration = asyncio.create_task(asyncio.to_thread(upgrade, postgres_url_before))
        await until(lambda: at_work.execute(text("SELECT 1 FROM pg_locks WHERE NOT granted")).all())
        await asyncio.to_thread(at_work.execute, text("LOCK TABLE runs"))
    await migration
    with engine.begin() as connection:
        assert stored_schema(connection).number == known_schema()
    engine.dispose()


@pytest.fixture
def postgres_url_before(postgres_server: PostgresServer, tmp_path: Path) -> str:
    """A database of schema 0028, whose next migration locks runs before the totals."""
    name = f"before_{abs(hash(str(tmp_path)))}"
    postgres_server.execute(f"CREATE DATABASE {name}")
    with migrating(postgres_server.url(name)) as connection:
        command.upgrade(_config(connection), "0028")
    return postgres_server.url(name)
