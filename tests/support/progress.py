"""Lines about single tests while the suite runs: one that failed, at once, and one that does not end.

A run that is ended from outside has no summary, so these lines are all that tells which test it was.
"""

import os
import sys
import time
from collections.abc import Iterator
from threading import Event, Thread
from typing import Final

import pytest

_LONG_SECONDS: Final = float(os.environ.get("PACKHOUSE_LONG_TEST_SECONDS", "100"))
_IS_WORKER: Final = "PYTEST_XDIST_WORKER" in os.environ
_began: dict[str, float] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop() -> Iterator[None]:
    """Watch the tests of all processes from the one that distributes them."""
    over = Event()
    if not _IS_WORKER:
        Thread(target=_watch, args=(over,), daemon=True).start()
    try:
        return (yield)
    finally:
        over.set()


def pytest_runtest_logstart(nodeid: str) -> None:
    """Remember when a test began."""
    _began[nodeid] = time.monotonic()


def pytest_runtest_logfinish(nodeid: str) -> None:
    """Forget a test that ended."""
    _began.pop(nodeid, None)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Name a failed test."""
    if report.failed and not _IS_WORKER:
        _print(f"failed after {report.duration:.0f} s: {report.nodeid}")


def _watch(over: Event) -> None:
    """Name each test once that has run for a long time, until the run is over."""
    named: set[str] = set()
    while not over.wait(_LONG_SECONDS / 20):
        for test, began in list(_began.items()):
            seconds = time.monotonic() - began
            if seconds > _LONG_SECONDS and test not in named:
                named.add(test)
                _print(f"running for {seconds:.0f} s: {test}")


def _print(line: str) -> None:
    sys.stdout.write(f"\n{time.strftime('%H:%M:%S')} {line}\n")
    sys.stdout.flush()
