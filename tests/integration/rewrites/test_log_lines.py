"""Each line that an attempt logs names the run, its table and the request that submitted the run."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.runs.run import RunState
from tests.support.logs import own_lines
from tests.support.world import EVERYTHING, World


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    with own_lines() as written:
        yield written


async def test_lines_of_an_attempt_carry_run_table_and_request(world: World, lines: io.StringIO) -> None:
    caller = replace(SYSTEM, request_id="req_from_airflow")
    run, _ = await world.container.runs.submit(caller, world.table_id, EVERYTHING, priority=None)
    assert (await world.finish(run.id)).state is RunState.SUCCEEDED
    found = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert {"run_claimed", "run_ended"} <= {line["event"] for line in found}
    fields = {"run_id": run.id, "table_id": world.table_id, "request_id": "req_from_airflow", "attempt": 1}
    address = str((await world.container.tables.get(SYSTEM, world.table_id)).ref)
    assert all(line.items() >= (fields | {"table": address}).items() for line in found)
