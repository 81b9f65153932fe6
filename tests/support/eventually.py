"""Waits for what another process or task does: looks often, gives up loudly."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

Seen = TypeVar("Seen")


def eventually(holds: Callable[[], bool], *, within_seconds: float = 30.0) -> None:
    """Return as soon as the condition holds; fail the test when it does not within the time."""
    deadline = time.monotonic() + within_seconds
    while not holds():
        assert time.monotonic() < deadline, f"not true within {within_seconds:g} s"
        time.sleep(0.02)


async def until(holds: Callable[[], object], *, within_seconds: float = 60.0) -> None:
    """Return as soon as the condition holds, looking from the event loop; fail the test as `eventually`."""
    deadline = time.monotonic() + within_seconds
    while not holds():
        assert time.monotonic() < deadline, f"not true within {within_seconds:g} s"
        await asyncio.sleep(0.02)


async def seen_when(
    look: Callable[[], Awaitable[Seen]], fits: Callable[[Seen], object] = bool, *, within_seconds: float = 60.0
) -> Seen:
    """Return what a look sees as soon as it fits; fail the test when it does not within the time."""
    async with asyncio.timeout(within_seconds):
        while not fits(seen := await look()):
            await asyncio.sleep(0.02)
    return seen
