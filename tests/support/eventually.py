"""Waits for what another process does: looks often, gives up loudly."""

import time
from collections.abc import Callable


def eventually(holds: Callable[[], bool], *, within_seconds: float = 30.0) -> None:
    """Return as soon as the condition holds; fail the test when it does not within the time."""
    deadline = time.monotonic() + within_seconds
    while not holds():
        assert time.monotonic() < deadline, f"not true within {within_seconds:g} s"
        time.sleep(0.02)
