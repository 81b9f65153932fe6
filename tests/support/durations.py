"""Seconds of every test and fixture, in the file that `PACKHOUSE_DURATIONS` names; `make durations` adds them up.

One line for each phase of a test (`setup`, `call`, `teardown`) and one for each set-up of a fixture, with tabs between:
kind, seconds, CPU seconds of the test process itself, its name, the test, scope and name of the fixture. Seconds of a
fixture leave out the fixtures that it requests by its arguments. CPU of servers that a fixture starts is in no line.
"""

import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

_FILE: Final = os.environ.get("PACKHOUSE_DURATIONS")
_IS_WORKER: Final = "PYTEST_XDIST_WORKER" in os.environ
_fixtures: list[tuple[float, float, str, str]] = []
_cpu = [time.process_time()]


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[Any]) -> Generator[None, object, object]:
    """Measure the set-up of a fixture."""
    began, cpu = time.perf_counter(), time.process_time()
    try:
        return (yield)
    finally:
        spent = time.perf_counter() - began, time.process_time() - cpu
        _fixtures.append((*spent, fixturedef.scope, fixturedef.argname))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Send what was measured from the process that ran the test to the one that writes the file."""
    report = yield
    cpu = time.process_time()
    report.durations = (cpu - _cpu[0], tuple(_fixtures))  # type: ignore[attr-defined]
    _cpu[0] = cpu
    _fixtures.clear()
    return report


def pytest_configure() -> None:
    """Begin with an empty file."""
    if _FILE and not _IS_WORKER:
        Path(_FILE).parent.mkdir(parents=True, exist_ok=True)
        Path(_FILE).write_text("")


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the lines of one phase of a test."""
    if not _FILE or _IS_WORKER:
        return
    cpu, fixtures = getattr(report, "durations", (0.0, ()))
    worker = getattr(report, "worker_id", "main")
    lines = [f"{report.when}\t{report.duration:.4f}\t{cpu:.4f}\t{worker}\t{report.nodeid}\t\t"]
    lines += [
        f"fixture\t{seconds:.4f}\t{busy:.4f}\t{worker}\t{report.nodeid}\t{scope}\t{name}"
        for seconds, busy, scope, name in fixtures
    ]
    with Path(_FILE).open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
