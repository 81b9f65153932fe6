"""The application over a container of its own for each test, and a client with the first admin key."""

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import uvicorn
from asgi_lifespan import LifespanManager
from fastapi import FastAPI
from redis.asyncio import Redis
from structlog.testing import capture_logs

from api.deps import Services
from api.task_app import create_task_app
from engine.domain.runs.run import Run
from engine.factory.container import open_container
from engine.factory.dependencies import ServedFormats
from engine.factory.wiring import Container
from engine.settings.model import Settings
from tests.support.acknowledging import acknowledging
from tests.support.apps import shared_routes_app
from tests.support.eventually import seen_when
from tests.support.local_dispatch import LocalDispatcher
from tests.support.settings import settings_of
from tests.support.stack import Stack
from tests.support.terminal import Done, Terminal
from tests.support.world import NAME, Lake, make_lake

ADDRESS = {"catalog": "lake", "namespace": [NAME[0]], "name": NAME[1]}


@dataclass
class Api:
    """The app, its container, clients with and without a key, and a client of the listener for tasks."""

    app: FastAPI
    container: Container
    client: httpx.AsyncClient
    anonymous: httpx.AsyncClient
    tasks: httpx.AsyncClient

    def with_key(self, secret: str) -> httpx.AsyncClient:
        """Return a client with another key; it holds nothing that must be closed."""
        client = client_of(self.app)
        client.headers["Authorization"] = f"Bearer {secret}"
        return client

    async def call(self, method: str, path: str, *, status: int, **arguments: Any) -> httpx.Response:
        """Send with the key and insist on the status; what a policy deletes is acknowledged unless 428 is expected."""
        response = await self.client.request(method, path, **arguments)
        while status != response.status_code and (token := acknowledging(response)) is not None:
            arguments["params"] = {**arguments.get("params", {}), "acknowledge": token}
            response = await self.client.request(method, path, **arguments)
        assert response.status_code == status, response.text
        return response

    async def get(self, path: str, *, status: int = 200, **arguments: Any) -> Any:
        return (await self.call("GET", path, status=status, **arguments)).json()

    async def post(self, path: str, body: Any = None, *, status: int, **arguments: Any) -> Any:
        return (await self.call("POST", path, status=status, json=body, **arguments)).json()

    async def items(self, path: str, *, page_size: int = 50, **params: Any) -> list[Any]:
        """Return the items of all pages of a list."""
        found, more = list[Any](), dict[str, Any]()
        while True:
            page = await self.get(path, params={"page_size": page_size, **params, **more})
            found += page["items"]
            if page["next_page_token"] is None:
                return found
            more = {"page_token": page["next_page_token"]}

    async def put_policy(self, table: str, policy: Any, *, status: int = 201, version: int | None = None) -> Any:
        """Write a table's first policy, or the one after a version."""
        headers = {"If-None-Match": "*"} if version is None else {"If-Match": f'"{version}"'}
        answer = await self.call("PUT", f"/v1/tables/{table}/policy", status=status, json=policy, headers=headers)
        return answer.json()

    async def rewrite(self, table_id: str) -> Run:
        """Submit a run over HTTP and advance it to its end."""
        accepted = await self.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
        await self.container.worker.advance(accepted["id"])
        async with self.container.database.read() as unit:
            run = await unit.runs.get(accepted["id"])
        assert run is not None
        assert run.is_terminal, run
        return run


@pytest.fixture
def settings(sqlite_url: str, redis_url: str, tmp_path: Path) -> Settings:
    return settings_of(tmp_path / "state", database_url=sqlite_url, redis_url=redis_url)


@pytest.fixture
async def api(settings: Settings, redis: Redis) -> AsyncIterator[Api]:
    """A started app. Spark is away: nothing of the api needs it."""
    async with started_api(settings) as api:
        yield api


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_api(
    sqlite_template: Path, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Api]:
    """A started app for tests of a module that change nothing; they are marked with `READS_ONLY`."""
    folder = tmp_path_factory.mktemp("shared")
    file = shutil.copyfile(sqlite_template, folder / "packhouse.sqlite3")
    settings = settings_of(folder / "state", database_url=f"sqlite+aiosqlite:///{file}", redis_url=redis_url)
    async with started_api(settings) as api:
        yield api


READS_ONLY = pytest.mark.asyncio(loop_scope="module")
"""For tests with `shared_api`: they run in its event loop."""


@asynccontextmanager
async def started_api(settings: Settings, *, formats: ServedFormats | None = None) -> AsyncIterator[Api]:
    """Start an app on a container of its own, with other table formats than usual if given."""
    async with (
        open_container(settings, dispatcher=LocalDispatcher(), formats=formats) as container,
        api_on(container) as api,
    ):
        yield api


@asynccontextmanager
async def api_on(container: Container) -> AsyncIterator[Api]:
    """Start an app on an open container."""

    @asynccontextmanager
    async def services() -> AsyncIterator[Services]:
        yield container

    app = shared_routes_app(services)
    key = await container.access.ensure_admin_key()
    tasks_app = create_task_app(container, app.state.metrics)
    async with (
        LifespanManager(app),
        client_of(app) as anonymous,
        client_of(app) as client,
        client_of(tasks_app) as tasks,
    ):
        client.headers["Authorization"] = f"Bearer {key}"
        yield Api(app, container, client, anonymous, tasks)


def client_of(app: FastAPI) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://packhouse")


@pytest.fixture
async def lake(api: Api, tmp_path: Path) -> Lake:
    """An Iceberg table of two partitions with six small files each; its catalog is created."""
    return await make_registered_lake(api, tmp_path)


async def make_registered_lake(api: Api, folder: Path) -> Lake:
    made = await asyncio.to_thread(make_lake, folder / "lake", days=2)
    await api.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": made.properties}, status=201)
    return made


@pytest.fixture
async def table_id(api: Api, lake: Lake) -> str:
    """The registered table."""
    return str((await api.post("/v1/tables", ADDRESS, status=201))["id"])


@asynccontextmanager
async def on_a_port(app: FastAPI, **configured: Any) -> AsyncIterator[str]:
    """Serve a started app to other programs; yield its address."""
    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_config=None, port=0))
    serving = asyncio.create_task(server.serve(**configured))

    async def is_started() -> bool:
        return server.started

    await seen_when(is_started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    await serving


@dataclass(frozen=True)
class Command:
    """The `packhouse` command with the admin key, run in a thread of this process."""

    terminal: Terminal

    async def __call__(self, *arguments: str) -> Done:
        """Run a command; what the app logs stays out of its output."""
        with capture_logs():
            return await asyncio.to_thread(self.terminal, *arguments)

    async def json(self, *arguments: str, code: int = 0) -> Any:
        """Run a command that has to end with an exit code, and return its document."""
        done = await self(*arguments, "--output", "json")
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


@pytest.fixture
async def packhouse(api: Api, tmp_path: Path) -> AsyncIterator[Command]:
    """The command line of the app."""
    key = api.client.headers["Authorization"].removeprefix("Bearer ")
    async with on_a_port(api.app) as url:
        yield Command(Terminal(Stack(url=url, key=key, lake=tmp_path, pid=os.getpid())))
