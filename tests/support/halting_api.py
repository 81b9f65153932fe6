"""An api in a process of its own that halts itself by a signal at a point of the first change it makes.

SIGKILL ends it as a power cut does, SIGSTOP delays it until the test sends SIGCONT. Processes are forked off one that
has imported everything.
"""

import functools
import os
import re
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Final

import httpx
from sqlalchemy import Engine, event

from api.server.parts import Parts, serve
from engine.settings.model import Settings
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork
from tests.support.eventually import eventually
from tests.support.killable_process import FORKS, run_forked
from tests.support.stack import printed

FORKS.set_forkserver_preload([__name__])
POINTS: Final = ("before_change", "before_answer", "after_commit")
"""Before the transaction of the change; in it, when the change is made and its answer is not stored; after it."""
_CHANGES: Final = re.compile(r"INSERT INTO (catalogs|tables|policies|runs|signals) ")
_SERVICES: Final = frozenset(
    f"engine.services.{name}"
    for name in ("catalogs.service", "tables.service", "tables.signals", "policies.scoped", "runs.submission")
)


@contextmanager
def halting_api(
    environment: Mapping[str, str], log: Path, *, point: str | None = None, signal_number: int = 0
) -> Iterator[tuple[BaseProcess, str]]:
    """Start an api that answers; yield its process and its address; kill it at the end if it still lives."""
    work = functools.partial(_run, point, signal_number)
    process = FORKS.Process(target=run_forked, args=(dict(environment), log, work))
    process.start()
    try:
        eventually(lambda: log.exists() and _is_answering(log), within_seconds=120)
        yield process, str(printed(log, r"Packhouse is at (\S+)"))
    finally:
        process.kill()
        process.join(30)


def is_stopped(process: BaseProcess) -> bool:
    """Return whether SIGSTOP has stopped the process."""
    return Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] == "T"


def _is_answering(log: Path) -> bool:
    url = printed(log, r"Packhouse is at (\S+)")
    try:
        return url is not None and httpx.get(f"{url}/healthz").is_success
    except httpx.TransportError:
        return False


async def _run(point: str | None, signal_number: int) -> None:
    left = [] if point is None else [point]

    def halt(name: str) -> None:
        if name in left:
            left.clear()
            os.kill(os.getpid(), signal_number)

    def executed(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if _CHANGES.match(statement):
            halt("before_answer")

    event.listen(Engine, "after_cursor_execute", executed)
    original = Database.begin

    @asynccontextmanager
    async def changing(database: Database) -> AsyncIterator[UnitOfWork]:
        halt("before_change")
        async with original(database) as unit:
            yield unit
        halt("after_commit")

    def begin(database: Database) -> Any:
        is_change = sys._getframe(1).f_globals["__name__"] in _SERVICES
        return changing(database) if is_change else original(database)

    Database.begin = begin  # type: ignore[method-assign]
    await serve(Settings(), Parts(api=True), say=functools.partial(print, flush=True))
