"""Versions of Packhouse side by side on one database: what a migration may change, and which version may run."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from pydantic import ValidationError
from sqlalchemy import Connection, create_engine, inspect, make_url, text

from engine.domain.access.callers import Role
from engine.domain.access.grants import Grant, Right
from engine.domain.errors import SchemaUnsupported
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import RunState
from engine.stores.migrations.compatibility import known_schema, migrations, oldest_supported
from engine.stores.migrations.upgrade import _config
from engine.stores.schema.history import metadata
from engine.stores.sql.dialects import EnumText, unlisted
from engine.stores.sql.engines import make_migration_engine
from tests.integration.stores.samples import finished, registered, submitted
from tests.integration.stores.stores import Stores
from tests.support.databases import FreshDatabase
from tests.support.postgres_server import PostgresServer

_NEWER = "9000"
_VALUE = re.compile(r"'([^']*)'(?:::character varying)?(?:, )?")
_AT = "'2026-11-01T00\\:00\\:00.000000Z'"


@pytest.fixture(params=["sqlite", "postgres"])
def connection(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connection]:
    """A connection to an empty database, in one transaction."""
    url = f"sqlite+aiosqlite:///{tmp_path / 'packhouse.sqlite3'}"
    if request.param == "postgres":
        server: PostgresServer = request.getfixturevalue("postgres_server")
        name = f"schema_{abs(hash(str(tmp_path)))}"
        server.execute(f"CREATE DATABASE {name}")
        url = server.url(name)
    engine = make_migration_engine(make_url(url), busy_seconds=10)
    with engine.begin() as opened:
        yield opened
    engine.dispose()


def test_no_migration_takes_anything_away_from_versions_that_it_supports(connection: Connection) -> None:
    before: Mapping[str, Any] = {}
    for number, migration in migrations().items():
        command.upgrade(_config(connection), number)
        after = _shape(connection)
        if getattr(migration, "oldest_supported", "0001") < number:
            assert list(_breaks(before, after)) == [], number
        before = after


def test_the_check_of_migrations_finds_what_breaks_an_older_version(connection: Connection) -> None:
    kinds = "CREATE TABLE c (kind TEXT CONSTRAINT ck_c CHECK (kind IN ('x', '{}')))"
    for statement in (
        "CREATE TABLE a (id INTEGER NOT NULL, name TEXT, size INTEGER CHECK (size > 0))",
        "CREATE TABLE b (id INTEGER)",
        kinds.format("y"),
    ):
        connection.execute(text(statement))
    before = _shape(connection)
    for statement in (
        "DROP TABLE b",
        "DROP TABLE c",
        kinds.format("z"),
        "ALTER TABLE a DROP COLUMN name",
        "ALTER TABLE a ADD COLUMN kind TEXT DEFAULT 'x' NOT NULL",
        "ALTER TABLE a RENAME COLUMN id TO number",
        "CREATE UNIQUE INDEX uq_a_size ON a (size)",
    ):
        connection.execute(text(statement))
    assert sorted(_breaks(before, _shape(connection))) == [
        "a.id is gone",
        "a.name is gone",
        "a.number is new and must be given",
        "a: uq_a_size refuses rows that were allowed",
        "b is gone",
        "c: ck_c refuses rows that were allowed",
    ]


def _shape(connection: Connection) -> Mapping[str, Any]:
    found = inspect(connection)
    return {
        table: {
            "columns": {
                column["name"]: (str(column["type"]), column["nullable"], column["default"])
                for column in found.get_columns(table)
            },
            "unique": {index["name"]: index["column_names"] for index in found.get_indexes(table) if index["unique"]},
            "checks": {check["name"]: check["sqltext"] for check in found.get_check_constraints(table)},
        }
        for table in found.get_table_names()
        if table != "alembic_version"
    }


def _breaks(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a process of the version before can't read or write any more."""
    for table, old in before.items():
        if table not in after:
            yield f"{table} is gone"
            continue
        yield from (f"{table}{what}" for what in _changed_columns(old["columns"], after[table]["columns"]))
        yield from (f"{table}: {name} refuses rows that were allowed" for name in _stricter(old, after[table]))


def _changed_columns(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    for name, (kind, is_nullable, _) in old.items():
        if name not in new:
            yield f".{name} is gone"
        elif new[name][0] != kind or (is_nullable and not new[name][1]):
            yield f".{name} takes other values"
    for name in new.keys() - old.keys():
        _, is_nullable, default = new[name]
        if not is_nullable and default is None:
            yield f".{name} is new and must be given"


def _stricter(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """Yield new conditions on nothing but columns that an older version writes."""
    added = new["columns"].keys() - old["columns"].keys()
    for name in new["unique"].keys() - old["unique"].keys():
        if not added.intersection(new["unique"][name]):
            yield name
    for name, condition in new["checks"].items():
        if _is_widened(old["checks"].get(name, ""), condition):
            continue
        if condition != old["checks"].get(name) and not any(re.search(rf"\b{each}\b", condition) for each in added):
            yield name


def _is_widened(old: str, new: str) -> bool:
    """Return whether a condition lists the values of an earlier one and others, and is the same otherwise."""
    values = [set(_VALUE.findall(each)) for each in (old, new)]
    return values[0] < values[1] and len({_VALUE.sub("", each) for each in (old, new)}) == 1


async def test_a_database_that_is_behind_is_refused_with_both_schemas_and_the_command(connection: Connection):
    command.upgrade(_config(connection), "0011")
    connection.commit()
    url = connection.engine.url
    driver = url.drivername.replace("sqlite+pysqlite", "sqlite+aiosqlite")
    database = Stores(url.set(drivername=driver).render_as_string(hide_password=False))
    with pytest.raises(SchemaUnsupported) as refused:
        await database.check_schema()
    await database.close()
    needed = f"the database is at schema 0011, this version needs schema {known_schema()}"
    assert refused.value.message.startswith(needed)
    assert "packhouse-server migrate" in refused.value.message


async def test_a_newer_schema_that_does_not_support_this_version_is_refused(fresh_database: FreshDatabase) -> None:
    fresh_database.execute("UPDATE alembic_version SET version_num = :newer", newer=_NEWER)
    fresh_database.execute("UPDATE schema_support SET oldest_supported = '8000'")
    database = fresh_database.connect()
    expected = (
        f"the database is at schema {_NEWER}, which versions that know schema 8000 or newer can use, and this version "
        f"knows schema {known_schema()}"
    )
    for attempt in (database.check_schema, database.migrate):
        with pytest.raises(SchemaUnsupported, match=re.escape(expected)):
            await attempt()


async def test_a_newer_schema_that_supports_this_version_is_used_and_a_new_database_says_which_it_supports(
    fresh_database: FreshDatabase,
) -> None:
    assert fresh_database.execute("SELECT oldest_supported FROM schema_support") == [(oldest_supported(),)]
    fresh_database.execute("UPDATE alembic_version SET version_num = :newer", newer=_NEWER)
    database = fresh_database.connect()
    assert await database.check_schema() == _NEWER
    await database.migrate()
    assert fresh_database.execute("SELECT version_num FROM alembic_version") == [(_NEWER,)]


async def test_values_of_newer_versions_are_read_and_written_back_as_they_are(
    fresh_database: FreshDatabase, database: Stores
) -> None:
    table = await registered(database)
    ended, live = await finished(database, table.id, RunState.SKIPPED), await submitted(database, table.id)
    _without_checks(fresh_database)
    for of in metadata.sorted_tables:
        for column in (each.name for each in of.columns if isinstance(each.type, EnumText)):
            fresh_database.execute(f"UPDATE {of.name} SET {column} = 'future' WHERE {column} IS NOT NULL")
    fresh_database.execute("UPDATE runs SET waiting_for = 'future' WHERE id = :id", id=live.id)
    runs = await database.runs.list()
    assert [(run.id, run.state.value) for run in runs] == [(live.id, "future"), (ended.id, "future")]
    assert (runs[0].waiting_for, runs[0].is_terminal) == ("future", False)
    assert (await database.events.list(ended.id))[0].to_state is runs[0].state
    assert (await database.runs.totals())[0].operation == "future"
    assert await database.runs.list_ready(10) == []
    assert await database.runs.claim(live.id, "w1", 30) is None
    catalog = await database.catalogs.get("lake")
    assert (catalog.format, catalog.outside_files) == ("future", "future")
    assert (await database.watches.get(table.id)).verdict == "future"


async def test_runs_and_outages_that_only_a_newer_version_knows_are_left_to_that_version(
    fresh_database: FreshDatabase, database: Stores
) -> None:
    newer, known = await submitted(database), await submitted(database)
    fresh_database.execute("UPDATE runs SET operation = 'future', priority = 'normal' WHERE id = :id", id=newer.id)
    assert [run.id for run in await database.runs.list_ready(10)] == [known.id]
    assert await database.runs.claim(newer.id, "w1", 30) is None
    assert await database.runs.claim(known.id, "w1", 30) is not None
    fresh_database.execute(f"INSERT INTO outages VALUES ('future', 'future', 'lake', '', 'x', {_AT}, 0, {_AT})")
    assert await database.outages.claim_probes(10) == []
    assert sum((await database.outages.counts()).values()) == 0


async def test_limits_grants_and_policies_of_newer_versions_are_read_without_what_is_unknown(
    fresh_database: FreshDatabase, database: Stores
) -> None:
    table = await registered(database)
    limits = {"parallel_runs": 3, "future": 1, "catalogs": {"lake": {"parallel_runs": 2, "future": 1}}}
    fresh_database.execute("UPDATE fleet SET limits = :limits", limits=json.dumps(limits))
    grants = [{"team": "shop", "namespaces": ["*"], "rights": ["read", "future"]}]
    fresh_database.execute("UPDATE catalogs SET grants = :grants", grants=json.dumps(grants))
    backoff = {"signal": "query_latency_p95", "throttle_above": "2s", "pause_above": "5s", "resume_below": "1s"}
    document = {
        "enabled": False,
        "future": 1,
        "rewrite": {"max_group_bytes": "1GiB", "future": {"a": 1}},
        "backoff": {**backoff, "future": 1},
    }
    fresh_database.execute(
        "INSERT INTO policies (name, kind, version, updated_at, updated_by, document) "
        f"VALUES ('fleet', 'fleet', 1, {_AT}, 'key', :document)",
        document=json.dumps(document),
    )
    found = (await database.fleet.get()).limits
    assert (found.parallel_runs, found.of_catalog("lake").parallel_runs) == (3, 2)
    assert await database.catalogs.grants() == {"lake": (Grant("shop", ("*",), (Right.READ,)),)}
    (policy,) = await database.policy_coverage.covering(table)
    known = {"enabled": False, "rewrite": {"max_group_bytes": "1GiB"}, "backoff": backoff}
    assert policy.document == PolicyDocument.model_validate(known)


async def test_neither_an_unknown_value_of_a_policy_is_guessed_nor_may_an_unknown_role_do_anything() -> None:
    with pytest.raises(ValidationError):
        PolicyDocument.of_stored({"preset": "future", "future": 1})
    assert not any(unlisted(Role, "future").includes(role) for role in Role)


def _without_checks(fresh: FreshDatabase) -> None:
    """Take the CHECKs of enumerations away, as a migration of a newer version that widens them would."""
    if fresh.dialect == "sqlite":
        # Its CHECKs are parts of the tables: read the file as a version without them wrote it.
        engine = create_engine(make_url(fresh.url).set(drivername="sqlite+pysqlite"))
        with engine.connect() as connection:
            connection.execute(text("PRAGMA writable_schema = ON"))
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE type = 'table'")).all()
            for name, sql in rows:
                if name.startswith("sqlite_") or sql is None:
                    continue
                bare = re.sub(r"CHECK \((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)", "CHECK (1)", sql)
                statement = text("UPDATE sqlite_master SET sql = :sql WHERE name = :name AND type = 'table'")
                connection.execute(statement, {"sql": bare, "name": name})
            connection.execute(text("PRAGMA writable_schema = RESET"))
            connection.commit()
        engine.dispose()
        fresh.execute("DROP TRIGGER run_events_no_update")
        return
    for table in metadata.sorted_tables:
        for (name,) in fresh.execute(
            "SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = CAST(:of AS regclass)", of=table.name
        ):
            fresh.execute(f"ALTER TABLE {table.name} DROP CONSTRAINT {name}")
    fresh.execute("DROP TRIGGER run_events_append_only ON run_events")
