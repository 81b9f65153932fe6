"""Operations on Spark: the interface of what sends them, and the end of all operations of an attempt."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from engine.spark.dispatch import Ticket

GONE_SECONDS: Final = 20.0


class Dispatcher(Protocol):
    """Runs a task function over payloads remotely; blocking. Spark Connect in production."""

    def ticket(self, run_id: str, attempt: int, part: int) -> Ticket:
        """Return the identity under which an operation will be sent."""

    def run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        """Run the function over the payloads in one task, in order."""

    def ping(self) -> None:
        """Check that the server answers; raise `Away` when it does not."""

    def interrupt(self, tag: str, *, session_id: str) -> None:
        """Stop every operation with this tag."""

    def has_repeated(self, tag: str, *, session_id: str) -> bool:
        """Return whether a task with this tag was executed more than once: an execution may have left files."""

    def wait_gone(self, tag: str, *, session_id: str, timeout: float) -> bool:
        """Wait until no operation with this tag runs; return False at the timeout."""


async def stop_operations(dispatcher: Dispatcher, tag: str, session_id: str) -> bool:
    """Interrupt an attempt's operations and wait for their end; return whether they are certainly gone."""
    await asyncio.to_thread(dispatcher.interrupt, tag, session_id=session_id)
    return await asyncio.to_thread(dispatcher.wait_gone, tag, session_id=session_id, timeout=GONE_SECONDS)
