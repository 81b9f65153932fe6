"""A whole installation with a collector: from the request of a client to the phases of tasks on real Spark."""

import asyncio
from pathlib import Path

import httpx
import pytest

from tests.support.eventually import seen_when
from tests.support.stack import started
from tests.support.traces import collector, tree
from tests.support.world import make_lake

CALLER = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TABLE = {"catalog": "lake", "namespace": ["lake"], "name": "events"}


@pytest.mark.deep
async def test_a_run_is_traced_from_its_request_to_its_tasks(tmp_path: Path) -> None:
    lake = await asyncio.to_thread(lambda: make_lake(tmp_path / "tables", days=2, files=5))
    with collector() as received:
        with started(tmp_path, PACKHOUSE_WATCH="off", **received.environ) as stack:
            headers = {"Authorization": f"Bearer {stack.key}"}
            async with httpx.AsyncClient(base_url=stack.url, headers=headers, timeout=60) as client:
                catalog = {"name": "lake", "format": "iceberg", "properties": dict(lake.properties)}
                (await client.post("/v1/catalogs", json=catalog)).raise_for_status()
                table = (await client.post("/v1/tables", json=TABLE)).json()["id"]
                body, context = {"table_id": table, "operation": "rewrite"}, {"traceparent": CALLER}
                run = (await client.post("/v1/runs", json=body, headers=context)).json()["id"]

                async def state() -> str:
                    return str((await client.get(f"/v1/runs/{run}")).json()["state"])

                await seen_when(state, lambda found: found == "succeeded", within_seconds=90)
        [submit] = [each for each in received.all if each.name == "run.submit"]
        [attempt] = [each for each in received.all if each.name == "run.attempt"]
        assert (submit.trace, attempt.links) == (CALLER.split("-")[1], {submit.key})
        steps = {("run.attempt", name) for name in ("plan", "spark.operation", "commit", "proof")}
        phases = {("group", name) for name in ("read", "encode", "write")}
        assert tree(received.all) >= {("POST /v1/runs", "run.submit"), ("spark.operation", "group"), *steps, *phases}
