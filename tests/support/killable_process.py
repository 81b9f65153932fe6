"""A worker or a coordinator in a process that ends itself with SIGKILL: `python -m … <part> <point> [<number> <file>]`.

A point is a labelled step (of a rewrite or of a look) or a key of `CALLS`. Tasks run in threads of the process and die
with it, each with one file group. With a number and a file, the so many-th task that is sent waits until the file is
there, so that a test knows where the process is. Settings come from the environment, as for the real processes.
"""

import asyncio
import functools
import inspect
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from engine.factory import open_container
from engine.services import hold_watch, lanes
from engine.services.attempts import Attempt
from engine.services.run_claims import ClaimService
from engine.settings import Settings
from engine.spark.dispatch import Ticket
from engine.stores.runs import RunStore
from tests.support.local_dispatch import LocalDispatcher


class Call(NamedTuple):
    """A method at whose call the process ends: before it, or after it when it returned something."""

    owner: type
    name: str
    is_after: bool


CALLS: Final = {
    "before_park": Call(Attempt, "park", False),
    "after_park": Call(Attempt, "park", True),
    "told_to_stop": Call(Attempt, "stop", False),
    "let_go": Call(ClaimService, "review", True),
    "seen_ready": Call(RunStore, "list_ready", True),
}


def die() -> None:
    """End as by a power cut."""
    os.kill(os.getpid(), signal.SIGKILL)


class GatedDispatcher(LocalDispatcher):
    """Lets the so many-th task wait for a file; it can be interrupted meanwhile."""

    def __init__(self, number: int = 0, gate: Path | None = None) -> None:
        super().__init__()
        self._number, self._gate, self._sent = number, gate, 0

    def run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        self._sent += 1
        gate = self._gate if self._sent == self._number else None

        def after_gate(payload: str) -> str:
            while gate is not None and not gate.exists():
                time.sleep(0.01)
            return function(payload)

        return super().run(ticket, after_gate, payloads)


async def main(part: str, point: str, number: int = 0, gate: Path | None = None) -> None:
    """Work until killed."""
    hold_watch.POLICY_SECONDS = 0.0  # type: ignore[misc]
    lanes.LEAST_BUNDLE_BYTES = 1
    if point in CALLS:
        _end_at(CALLS[point])

    def on_step(name: str) -> None:
        if name == point:
            die()

    async with open_container(Settings(), step=on_step, dispatcher=GatedDispatcher(number, gate)) as container:
        await (container.worker if part == "worker" else container.coordinator).run()


def _end_at(call: Call) -> None:
    original = getattr(call.owner, call.name)

    @functools.wraps(original)
    async def ending(*given: Any, **named: Any) -> Any:
        if not call.is_after:
            die()
        if answer := await original(*given, **named):
            die()
        return answer

    @functools.wraps(original)
    def ending_at_once(*_given: Any, **_named: Any) -> None:
        die()

    setattr(call.owner, call.name, ending if inspect.iscoroutinefunction(original) else ending_at_once)


if __name__ == "__main__":
    asyncio.run(
        main(sys.argv[1], sys.argv[2], *[kind(given) for kind, given in zip((int, Path), sys.argv[3:], strict=False)])
    )
