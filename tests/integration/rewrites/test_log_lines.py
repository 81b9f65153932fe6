"""Each line that an attempt logs names the run, its table and the request that submitted the run."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from engine.logging import LogFormat, configure_logging
from tests.support.world import EVERYTHING, World


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """The service's own logging, into a string; restored after the test."""
    root, written = logging.getLogger(), io.StringIO()
    handlers, level, configuration = root.handlers[:], root.level, structlog.get_config()
    monkeypatch.setattr(sys, "stderr", written)
    configure_logging("INFO", log_format=LogFormat.JSON)
    yield written
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.configure(**configuration)


async def test_lines_of_an_attempt_carry_run_table_and_request(world: World, lines: io.StringIO) -> None:
    caller = replace(SYSTEM, request_id="req_from_airflow")
    run, _ = await world.container.runs.submit(caller, world.table_id, EVERYTHING, priority=None)
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    found = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert {"run_claimed", "run_ended"} <= {line["event"] for line in found}
    fields = {"run_id": run.id, "table_id": world.table_id, "request_id": "req_from_airflow", "attempt": 1}
    address = str((await world.container.tables.get(SYSTEM, world.table_id)).ref)
    assert all(line.items() >= (fields | {"table": address}).items() for line in found)
