"""Windows that begin while a rewrite runs, and tasks that wait so that a test knows where it is then."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import NotFound
from engine.domain.policies import PolicyDocument
from engine.domain.runs.run import Run
from engine.services.runs.attempts import Attempt
from engine.spark.dispatch import Ticket
from tests.support.acknowledging import acknowledged
from tests.support.world import World

PATIENCE_SECONDS = 60.0


class Gate:
    """Lets the so many-th task that is sent wait until it is opened. It can be interrupted meanwhile."""

    def __init__(self, world: World, number: int) -> None:
        self.reached = asyncio.Event()
        self._open = threading.Event()
        self._sent = 0
        self._number = number
        self._send = world.dispatcher.run
        self._loop = asyncio.get_running_loop()
        world.dispatcher.run = self._run  # type: ignore[method-assign]

    def open(self) -> None:
        self._open.set()

    def _run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        self._sent += 1
        if self._sent != self._number:
            return self._send(ticket, function, payloads)
        self._loop.call_soon_threadsafe(self.reached.set)

        def waiting(payload: str) -> str:
            while not self._open.wait(0.01):
                pass
            return function(payload)

        return self._send(ticket, waiting, payloads)


def instant(*, seconds: float) -> datetime:
    """So many seconds from now, in whole milliseconds."""
    at = datetime.now(UTC) + timedelta(seconds=seconds)
    return at.replace(microsecond=at.microsecond // 1000 * 1000)


def blackout(begin: datetime, end: datetime, on_start: str = "drain", reason: str = "freeze") -> dict[str, Any]:
    written = [at.isoformat().replace("+00:00", "Z") for at in (begin, end)]
    return {"from": written[0], "to": written[1], "reason": reason, "on_start": on_start}


async def change_policy(world: World, document: dict[str, Any]) -> None:
    """Put the table's policy, whatever it was before; tell the attempt that runs."""
    policies = world.container.policies
    try:
        version = (await policies.get(SYSTEM, world.table_id)).policy.version
    except NotFound:
        version = None
    given = PolicyDocument.model_validate(document)
    condition = {"if_match": version, "if_none_match": version is None}
    await acknowledged(policies.replace, SYSTEM, world.table_id, given, **condition)
    for attempt in world.container.worker._attempts:
        await world.container.hints.publish(attempt.run.id)


def attempt_of(world: World) -> Attempt:
    (attempt,) = world.container.worker._attempts
    return attempt


async def go_on(world: World, run: Run) -> Run:
    """Advance a run that waits as soon as it may start."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await world.container.worker.advance(run.id):
            await asyncio.sleep(0.05)
    return await world.get(run.id)
