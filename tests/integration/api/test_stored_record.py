"""A record that an earlier version wrote is upgraded, and everything in it is shown and can be worked on.

`data/record_0016.json` has the rows of a record with schema 0016, written before runs had typed intents and reasons of
dropped groups: a run that lost a race, one that failed on a damaged file, a cancelled one, one whose proof failed and
froze the table, and one that waits.
"""

import base64
import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from redis.asyncio import Redis
from sqlalchemy import make_url

from engine.domain.runs.drops import DropKind, Loss
from engine.domain.runs.run import RunState
from engine.stores.database import Database
from engine.stores.migrations.upgrade import _config
from engine.stores.sql.engines import make_migration_engine
from tests.integration.api.conftest import Api, started_api
from tests.support.settings import settings_of

RECORD = Path(__file__).parents[2] / "data" / "record_0016.json"
KEYS = "api_keys"


def value(stored: Any) -> Any:
    return base64.b64decode(stored["$b"]) if isinstance(stored, dict) else stored


def restore(file: Path) -> None:
    """Make a SQLite record of schema 0016 with the stored rows, without its keys: their secrets are not known."""
    engine = make_migration_engine(make_url(f"sqlite+pysqlite:///{file}"), busy_seconds=10)
    with engine.begin() as connection:
        command.upgrade(_config(connection), "0016")
    engine.dispose()
    tables: dict[str, Any] = json.loads(RECORD.read_text())
    with sqlite3.connect(file) as database:
        database.execute("PRAGMA foreign_keys = OFF")
        guards = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:  # the audit log is append-only
            database.execute(f'DROP TRIGGER "{name}"')
        for name, content in tables.items():
            database.execute(f'DELETE FROM "{name}"')
            columns = ", ".join(f'"{column}"' for column in content["columns"])
            marks = ", ".join("?" for _ in content["columns"])
            rows = [] if name == KEYS else [[value(each) for each in row] for row in content["rows"]]
            database.executemany(f'INSERT INTO "{name}" ({columns}) VALUES ({marks})', rows)
        for _, guard in guards:
            database.execute(guard)
    database.close()


@pytest.fixture
async def api(redis: Redis, redis_url: str, tmp_path: Path) -> AsyncIterator[Api]:
    """The API on the upgraded record; its catalog and tables are gone."""
    file = tmp_path / "packhouse.sqlite3"
    restore(file)
    url = f"sqlite+aiosqlite:///{file}"
    database = Database(url)
    await database.migrate()
    await database.close()
    async with started_api(settings_of(tmp_path / "state", database_url=url, redis_url=redis_url)) as started:
        yield started


async def runs_of(api: Api) -> dict[str, Any]:
    """Return the runs of the record by state and reason."""
    shown = (await api.get("/v1/runs", params={"include": "result,plan,policy"}))["items"]
    assert len(shown) == 5
    return {f"{each['state']} {each['reason'] or ''}".strip(): each for each in shown}


async def test_runs_are_shown_as_they_ended(api: Api) -> None:
    runs = await runs_of(api)
    assert set(runs) == {
        "succeeded committed",
        "failed groups_failed",
        "cancelled",
        "failed invariant_broken",
        "queued",
    }
    done = runs["succeeded committed"]
    assert (done["result"]["groups_committed"], done["result"]["races"]["groups_lost"]) == (2, 1)
    assert all(each["ok"] for each in done["result"]["verifications"])
    for run in runs.values():
        assert (await api.get(f"/v1/runs/{run['id']}"))["state"] == run["state"]
        assert (await api.get(f"/v1/runs/{run['id']}/events"))["items"]


async def test_intents_are_read_and_reasons_of_dropped_groups_told_apart(api: Api) -> None:
    runs = await runs_of(api)
    async with api.container.database.read() as unit:
        raced = await unit.groups.list(runs["succeeded committed"]["id"], limit=10)
        damaged = await unit.groups.list(runs["failed groups_failed"]["id"], limit=10)
    lost = [each.reason for each in raced if each.reason is not None]
    assert [(each.kind, each.code) for each in lost] == [(DropKind.LOST, Loss.SOURCE_GONE)]
    (failed,) = [each.reason for each in damaged if each.reason is not None]
    assert (failed.kind, failed.is_own_fault) == (DropKind.FAILED, True)
    shown = (await api.get(f"/v1/runs/{runs['failed groups_failed']['id']}/groups"))["items"]
    assert [each["reason"].startswith("failed: InputFault: ") for each in shown] == [True]
    async with api.container.database.read() as unit:
        done = await unit.runs.get(runs["succeeded committed"]["id"])
        waiting = await unit.runs.get(runs["queued"]["id"])
    assert done is not None
    assert waiting is not None
    assert (done.intent.engine, done.unsettled) == ("arrow", frozenset())
    assert done.intent.tag is not None
    assert len(done.intent.bases) == 1
    assert waiting.intent.bases == frozenset()


async def test_tables_policies_and_audit_are_as_they_were(api: Api) -> None:
    tables = {each["name"]: each for each in (await api.get("/v1/tables"))["items"]}
    assert set(tables) == {"events", "orders"}
    assert "does not hold what was planned" in tables["events"]["freeze"]["reason"]
    policy = await api.get(f"/v1/tables/{tables['events']['id']}/policy")
    assert policy["policy"]["verification"] == "content"
    assert policy["policy"]["quiet_hours"][0]["time_zone"] == "Europe/Berlin"
    assert len((await api.get("/v1/audit", params={"page_size": 100}))["items"]) >= 13
    assert (await api.container.audit.verify()).faults == []


async def test_what_waits_goes_on(api: Api) -> None:
    waiting = (await runs_of(api))["queued"]
    await api.post(f"/v1/runs/{waiting['id']}/cancel", status=202)
    async with api.container.database.read() as unit:
        run = await unit.runs.get(waiting["id"])
    assert run is not None
    assert run.state is RunState.CANCELLED
