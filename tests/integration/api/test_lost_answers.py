"""A request with an `Idempotency-Key` whose answer is lost is made once, wherever its process dies or is delayed.

Two api processes on one database: the first is killed or stopped at a point of the change, the second gets the repeat.
"""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.settings.model import Settings
from engine.stores.migrations.upgrade import upgrade
from tests.support.databases import FreshDatabase
from tests.support.eventually import eventually
from tests.support.halting_api import POINTS, halting_api, is_stopped
from tests.support.processes import environment_of
from tests.support.settings import settings_of
from tests.support.stack import first_key
from tests.support.world import NAME, SCHEMA, Lake, make_lake

_numbers = count()
REWRITE = {"operation": "rewrite", "allow_duplicate": True}
CONNECTION = {"format": "iceberg", "properties": {"type": "sql", "uri": "env:NONE", "warehouse": "file:///none"}}


@dataclass(frozen=True)
class Change:
    """A POST that takes a key: its path, the SQL table of the change, and its body by a fresh name."""

    path: str
    table: str
    body: Callable[[str, str], dict[str, Any]]


CHANGES = {
    "catalog": Change("/v1/catalogs", "catalogs", lambda name, _: {"name": name} | CONNECTION),
    "table": Change("/v1/tables", "tables", lambda name, _: {"catalog": "lake", "namespace": [NAME[0]], "name": name}),
    "policy": Change(
        "/v1/policies",
        "policies",
        lambda name, _: {"name": name, "scope": {"kind": "pattern", "pattern": f"{name}.*"}, "policy": {}},
    ),
    "run": Change("/v1/runs", "runs", lambda _, table: {"table_id": table} | REWRITE),
    "signal": Change("/v1/signals", "signals", lambda _, table: {"table_id": table, "signal": {"kind": "commit"}}),
}


@dataclass(frozen=True)
class Installation:
    """A database, a lake with one registered table, and one api process that is never halted."""

    settings: Settings
    database: FreshDatabase
    lake: Lake
    folder: Path
    url: str
    table_id: str

    def client(self, url: str) -> httpx.Client:
        """Return a client of one process, with the admin key."""
        headers = {"Authorization": f"Bearer {first_key(self.settings.data_dir)}"}
        return httpx.Client(base_url=url, headers=headers, timeout=60)

    @contextmanager
    def halting(self, point: str, signal_number: int) -> Iterator[tuple[BaseProcess, httpx.Client]]:
        """Start another process that halts itself, and yield it with a client of it."""
        log, environment = self.folder / f"halting-{next(_numbers)}.log", environment_of(self.settings, port=0)
        with (
            halting_api(environment, log, point=point, signal_number=signal_number) as (process, url),
            self.client(url) as client,
        ):
            yield process, client

    def request(self, change: Change) -> dict[str, Any]:
        """Return the arguments of a new request; a table to be registered is created."""
        name = f"made_{next(_numbers)}"
        if change.table == "tables":
            self.lake.catalog.create_table((NAME[0], name), SCHEMA)
        headers = {"Idempotency-Key": f"key-{next(_numbers)}"}
        return {"url": change.path, "json": change.body(name, self.table_id), "headers": headers}

    def count(self, change: Change) -> int:
        """Return how many rows the table of a change has."""
        return int(self.database.execute(f"SELECT count(*) FROM {change.table}")[0][0])


def cases(*changes: str) -> pytest.MarkDecorator:
    """Return each change at each point on both databases; on Postgres all but runs are deep, as on SQLite others."""
    made = [
        pytest.param(
            database,
            CHANGES[change],
            point,
            id=f"{database}-{change}-{point}",
            marks=() if change in (changes if database == "sqlite" else ("run",)) else pytest.mark.deep,
        )
        for database in ("sqlite", "postgres")
        for change in CHANGES
        for point in POINTS
    ]
    return pytest.mark.parametrize(("installation", "change", "point"), made, indirect=["installation"])


@pytest.fixture(scope="module")
def installation(
    request: pytest.FixtureRequest, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("lost_answers")
    database = FreshDatabase(url=_url_of(request, folder))
    settings = settings_of(folder / "state", database_url=database.url, redis_url=redis_url)
    with halting_api(environment_of(settings, port=0), folder / "steady.log") as (_, url):
        lake = make_lake(folder / "lake", days=1)
        made = Installation(settings, database, lake, folder, url, "")
        with made.client(url) as client:
            catalog = {"name": "lake", "format": "iceberg", "properties": lake.properties}
            client.post("/v1/catalogs", json=catalog).raise_for_status()
            table = {"catalog": "lake", "namespace": [NAME[0]], "name": NAME[1]}
            table_id = client.post("/v1/tables", json=table).raise_for_status().json()["id"]
        yield Installation(settings, database, lake, folder, url, table_id)


def _url_of(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "postgres":
        server, name = request.getfixturevalue("postgres_server"), f"lost_answers_{next(_numbers)}"
        server.execute(f"CREATE DATABASE {name}")
        url = str(server.url(name))
    else:
        url = f"sqlite+aiosqlite:///{folder}/packhouse.sqlite3"
    upgrade(url)
    return url


@cases(*CHANGES)
def test_the_repeat_of_a_killed_request_changes_nothing_twice(
    installation: Installation, change: Change, point: str
) -> None:
    request, before = installation.request(change), installation.count(change)
    with installation.halting(point, signal.SIGKILL) as (process, client):
        with pytest.raises(httpx.TransportError):
            client.post(**request)
        process.join(30)
        assert process.exitcode == -signal.SIGKILL
    assert installation.count(change) == before + (point == "after_commit")
    with installation.client(installation.url) as steady:
        answers = [steady.post(**request) for _ in range(2)]
    assert [answer.is_success for answer in answers] == [True, True], answers[0].text
    assert answers[0].content == answers[1].content
    is_repeat = ["idempotent-replayed" in answer.headers for answer in answers]
    assert is_repeat == [point == "after_commit", True]
    assert installation.count(change) == before + 1


@cases("run", "table")
def test_a_delayed_request_and_its_repeat_make_one_change_and_get_one_answer(
    installation: Installation, change: Change, point: str
) -> None:
    request, before = installation.request(change), installation.count(change)
    with (
        installation.halting(point, signal.SIGSTOP) as (process, client),
        installation.client(installation.url) as steady,
        ThreadPoolExecutor(2) as pool,
    ):
        delayed = pool.submit(client.post, **request)
        eventually(lambda: is_stopped(process))
        repeat = pool.submit(steady.post, **request)
        if point != "before_answer":  # otherwise it waits for the open transaction
            assert repeat.result(30).is_success
        assert process.pid is not None
        os.kill(process.pid, signal.SIGCONT)
        answers = [delayed.result(30), repeat.result(30)]
    assert [answer.is_success for answer in answers] == [True, True], [answer.text for answer in answers]
    assert answers[0].content == answers[1].content
    assert answers[0].headers.get("location") == answers[1].headers.get("location")
    assert installation.count(change) == before + 1
