"""A worker process as it is in production but for its tasks, which wait for a file: `python -m … <folder>`.

Each operation that is begun leaves `begun-<number>` in the folder, and goes on once `gate` is there. Tasks run in
threads of the process. Settings come from the environment, signals and figures are served as ever.
"""

import asyncio
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from api.server import parts
from engine.domain.errors import Interrupted
from engine.factory.container import open_container
from engine.services.operations.tasks import waiting_groups
from engine.settings.model import Settings
from engine.spark.dispatch import Ticket
from tests.support.local_dispatch import LocalDispatcher

_MOST_SECONDS = 300


class GatedDispatcher(LocalDispatcher):
    """Runs nothing before the gate is there."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._begun = 0

    def run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        self._begun += 1
        (self._folder / f"begun-{self._begun}").touch()
        until = time.monotonic() + _MOST_SECONDS
        while not (self._folder / "gate").exists():
            if time.monotonic() > until:
                message = "the gate was never opened"
                raise TimeoutError(message)
            if (ticket.session_id, ticket.tag) in self._stopped:
                raise Interrupted("the operation was interrupted")
            time.sleep(0.01)
        return super().run(ticket, function, payloads)


async def main(folder: Path) -> None:
    """Work until a signal comes."""
    waiting_groups.LEAST_BUNDLE_BYTES = 1  # each group is an operation of its own
    parts.open_container = partial(open_container, dispatcher=GatedDispatcher(folder))  # type: ignore[attr-defined]
    await parts.serve(Settings(), parts.Parts(worker=True), say=lambda line: print(line, flush=True))  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
