"""Several api processes on one Postgres and one Redis, each by itself and behind a proxy that takes them in turn.

There is no Spark and no worker: a run is advanced by the test, by `Replicas.advance`.
"""

import asyncio
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count, cycle
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from engine.domain.ids import RunId
from engine.domain.runs.run import Run
from engine.embedded.redis import EmbeddedRedis
from engine.factory.container import open_container
from engine.settings.model import Settings
from engine.stores.migrations.upgrade import upgrade
from tests.support.eventually import eventually
from tests.support.local_dispatch import LocalDispatcher
from tests.support.postgres_server import PostgresServer
from tests.support.processes import child, environment_of
from tests.support.settings import settings_of
from tests.support.stack import first_key, printed
from tests.support.world import NAME, Lake, make_lake

ADDRESS = {"catalog": "lake", "namespace": [NAME[0]], "name": NAME[1]}
_UNLIMITED = 10**9
_START_SECONDS = 240  # a loaded machine
_numbers = count()


class RoundRobin:
    """A TCP proxy on 127.0.0.1: each connection goes to the next server. It runs in a thread of its own."""

    def __init__(self, urls: list[str]) -> None:
        self._targets = cycle([(str(urlsplit(url).hostname), int(urlsplit(url).port or 80)) for url in urls])
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result()
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def close(self) -> None:
        """Break every connection and end the thread."""
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self) -> asyncio.Server:
        return await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def _stop(self) -> None:
        self._server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.CancelledError):
            inner_reader, inner_writer = await asyncio.open_connection(*next(self._targets))
            ways = [
                asyncio.ensure_future(_pump(reader, inner_writer)),
                asyncio.ensure_future(_pump(inner_reader, writer)),
            ]
            try:
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for way in ways:
                    way.cancel()
                inner_writer.close()
                writer.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(2**16):
            writer.write(data)
            await writer.drain()


@dataclass(frozen=True)
class Replicas:
    """Running api processes: their addresses, the proxy's, an admin key, and a lake with one registered table."""

    urls: list[str]
    proxy_url: str
    key: str
    settings: Settings
    lake: Lake
    table_id: str

    def client(self, replica: int | None = None, *, key: str | None = None) -> httpx.Client:
        """Return a client of one replica, or of the proxy with a new connection (so another replica) a request."""
        return httpx.Client(
            base_url=self.proxy_url if replica is None else self.urls[replica],
            headers={"Authorization": f"Bearer {self.key if key is None else key}"},
            limits=httpx.Limits(max_keepalive_connections=0),
            timeout=30,
        )

    def advance(self, run_id: str) -> Run:
        """Advance a run as a worker would, with tasks in threads, and return it."""
        return asyncio.run(self._advance(RunId(run_id)))

    async def _advance(self, run_id: RunId) -> Run:
        async with open_container(self.settings, dispatcher=LocalDispatcher()) as container:
            await container.worker.advance(run_id)
            async with container.database.read() as unit:
                run = await unit.runs.get(run_id)
        assert run is not None
        return run


@contextmanager
def start_replicas(
    postgres_server: PostgresServer, folder: Path, *, processes: int = 2, **limits: int
) -> Iterator[Replicas]:
    """Start api processes on a database and a Redis of their own, and stop them in good order."""
    names = ("reads_per_minute", "writes_per_minute", "failed_authentications_per_minute")
    database = f"replicas_{next(_numbers)}"
    postgres_server.execute(f"CREATE DATABASE {database}")
    upgrade(postgres_server.url(database))
    with ExitStack() as stack:
        redis = EmbeddedRedis(data_dir=folder)
        stack.callback(redis.stop)
        settings = settings_of(
            folder / "state",
            database_url=postgres_server.url(database),
            redis_url=redis.start(),
            **{name: limits.get(name, _UNLIMITED) for name in names},
        )
        logs = [folder / f"replica-{number}.log" for number in range(processes)]
        servers = [stack.enter_context(_api_process(settings, log)) for log in logs]
        urls = [_address_of(server, log) for server, log in zip(servers, logs, strict=True)]
        proxy = RoundRobin(urls)
        stack.callback(proxy.close)
        lake = make_lake(folder / "lake", days=2)
        key = first_key(settings.data_dir)
        started = Replicas(urls=urls, proxy_url=proxy.url, key=key, settings=settings, lake=lake, table_id="")
        yield replace(started, table_id=_register(started))


def _register(replicas: Replicas) -> str:
    with replicas.client() as client:
        catalog = {"name": "lake", "format": "iceberg", "properties": replicas.lake.properties}
        client.post("/v1/catalogs", json=catalog).raise_for_status()
        return str(client.post("/v1/tables", json=ADDRESS).raise_for_status().json()["id"])


@contextmanager
def _api_process(settings: Settings, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """Start `packhouse-server api` on a free port; it has to end in good order on SIGTERM."""
    with child(environment_of(settings, port=0), "api", "api", log=log) as server:
        yield server
        server.send_signal(signal.SIGTERM)
        assert server.wait(_START_SECONDS) == 0, log.read_text()


def _address_of(server: "subprocess.Popen[bytes]", log: Path) -> str:
    """Return the address of a started process once it answers."""
    eventually(lambda: server.poll() is not None or _answers(log), within_seconds=_START_SECONDS)
    assert server.poll() is None, log.read_text()
    return str(printed(log, r"Packhouse is at (\S+)"))


def _answers(log: Path) -> bool:
    url = printed(log, r"Packhouse is at (\S+)")
    with suppress(httpx.TransportError):
        return url is not None and httpx.get(f"{url}/healthz").is_success
    return False
