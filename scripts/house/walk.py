"""Trace one real run: a rewrite of an Iceberg table on SQLite, from `POST /v1/runs` until the run has succeeded.

Api and worker share this process, Redis is the embedded one, and tasks run in threads instead of Spark. A module counts
once one of its functions was called; constructors and what runs while modules are imported do not count. The tracer is
`sys.settrace` without events of lines, in every thread that is started after `Tracer` was.
"""

import asyncio
import logging
import sqlite3
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from inspect import CO_OPTIMIZED
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Final

import httpx
import structlog
from asgi_lifespan import LifespanManager

from api.app import create_app
from api.deps import Services
from engine.domain.runs.run import TERMINAL_STATES, RunState
from engine.embedded.redis import EmbeddedRedis
from engine.stores.migrations.upgrade import upgrade
from tests.support.eventually import seen_when
from tests.support.world import World, open_world

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("api", "engine")
_ENDED: Final = frozenset(map(str, TERMINAL_STATES))
_CONSTRUCTORS: Final = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__", "__set_name__"})


class Tracer:
    """Records the modules whose functions are called, in the order of their first call, while `is_on`."""

    def __init__(self) -> None:
        self.is_on = False
        self._folders = tuple(f"{ROOT / package}/" for package in PACKAGES)
        self._seen: dict[str, None] = {}

    def start(self) -> None:
        """Trace this thread and those that are started from now on."""
        threading.settrace(self._called)
        sys.settrace(self._called)

    def stop(self) -> None:
        """Trace no further thread."""
        self.is_on = False
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]  # typeshed does not know that None is allowed

    def modules(self) -> list[str]:
        """Return the traced modules, as paths below the root, in the order of their first call."""
        return [str(Path(file).relative_to(ROOT)) for file in self._seen if not file.endswith("/__init__.py")]

    def _called(self, frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG002 - of `sys.settrace`
        code = frame.f_code
        if self.is_on and code.co_filename not in self._seen and self._counts(code) and not _is_importing(frame):
            self._seen[code.co_filename] = None

    def _counts(self, code: CodeType) -> bool:
        is_function = code.co_flags & CO_OPTIMIZED and code.co_name not in _CONSTRUCTORS
        return bool(is_function) and code.co_filename.startswith(self._folders)


def _is_importing(frame: FrameType | None) -> bool:
    """Return whether a frame runs because a module is imported."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def traced_run() -> list[str]:
    """Rewrite a new table of 18 files in 3 partitions; return the traced modules in the order of their first call.

    Raises:
        SystemExit: the run did not succeed.
    """
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    tracer = Tracer()
    with TemporaryDirectory() as folder:
        redis = EmbeddedRedis(data_dir=Path(folder) / "redis")
        try:
            url = redis.start()
            tracer.start()
            asyncio.run(_rewrite(tracer, Path(folder), url))
        finally:
            tracer.stop()
            redis.stop()
    return tracer.modules()


async def _rewrite(tracer: Tracer, folder: Path, redis_url: str) -> None:
    record = folder / "packhouse.sqlite3"
    url = f"sqlite+aiosqlite:///{record}"
    upgrade(url)
    async with open_world(folder / "world", database_url=url, redis_url=redis_url) as world, _client(world) as client:
        worker = world.container.worker
        tracer.is_on = True
        accepted = await client.post("/v1/runs", json={"table_id": world.table_id, "operation": "rewrite"})
        accepted.raise_for_status()
        working = asyncio.create_task(worker.run())
        state = await seen_when(lambda: asyncio.to_thread(_state, record, accepted.json()["id"]), _ENDED.__contains__)
        tracer.is_on = False
        worker.stop()
        await working
    if state != RunState.SUCCEEDED:
        raise SystemExit(f"the traced run ended as {state}")


def _state(record: Path, run_id: str) -> str:
    """Return the state of a run, without a function that would be traced."""
    with closing(sqlite3.connect(record)) as connection:
        (state,) = connection.execute("SELECT state FROM runs WHERE id = ?", (run_id,)).fetchone()
    return str(state)


@asynccontextmanager
async def _client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    """Open the app on the services of a world; yields a client with the admin's key."""

    @asynccontextmanager
    async def services() -> AsyncIterator[Services]:
        yield world.container

    app, key = create_app(services), await world.container.access.ensure_admin_key()
    options = {"base_url": "http://packhouse", "headers": {"Authorization": f"Bearer {key}"}}
    async with LifespanManager(app), httpx.AsyncClient(transport=httpx.ASGITransport(app=app), **options) as client:
        yield client
