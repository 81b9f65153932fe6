"""A Hive-style table in Glue and S3, rewritten by real Spark over HTTP, and by workers that are killed at the swap."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.domain.runs.run import RunState
from tests.integration.hive.test_glue import DAYS, POLICY
from tests.support.eventually import eventually
from tests.support.glue_server import GlueServer
from tests.support.hive.glue_lakes import GlueLake
from tests.support.hive.worlds import served
from tests.support.killable_process import STEPS, killable, killed
from tests.support.moved_clock import MovedClock
from tests.support.processes import environment_of
from tests.support.settings import settings_of
from tests.support.stack import started
from tests.support.world import World, open_on

PATIENCE_SECONDS = 180


def test_a_table_of_glue_is_rewritten_over_http(glue: GlueServer, spark_url: str, tmp_path: Path) -> None:
    lake = GlueLake(glue).create(DAYS, files=6)
    with started(tmp_path, PACKHOUSE_SPARK_URL=spark_url, PACKHOUSE_WATCH="off") as stack:
        headers = {"Authorization": f"Bearer {stack.key}"}
        with httpx.Client(base_url=stack.url, headers=headers, timeout=60) as client:
            body = {"name": "lake", "format": "hive", "properties": dict(lake.properties)}
            post(client, "/v1/catalogs", body)
            steps = post(client, "/v1/catalogs/lake/check", {})["steps"]
            assert [each["name"] for each in steps if not each["ok"]] == []
            assert steps[-1]["detail"].startswith("the credentials may change partitions in")
            assert len(post(client, "/v1/catalogs/lake/discover", {})["tables"]) == 1
            post(client, "/v1/catalogs/lake/register", {})
            (table,) = client.get("/v1/tables").json()["items"]
            scope = {"kind": "catalog", "catalog": "lake"}
            post(client, "/v1/policies", {"name": "lake", "scope": scope, "policy": POLICY})
            run = ended(client, {"table_id": table["id"], "operation": "rewrite"})
            assert run["state"] == "succeeded", run
            assert (run["result"]["rewritten_files"], run["result"]["added_files"]) == (12, 2)
            planned = post(client, "/v1/runs/preview", {"table_id": table["id"], "operation": "delete_old_compactions"})
            assert "2 are watched until then" in str(planned), planned
            listed = client.get("/v1/runs", params={"table_id": table["id"]}).json()["items"]
            assert [(each["operation"], each["reason"]) for each in listed] == [("rewrite", "committed")]
    assert lake.rows() == lake.wanted()
    assert [len(lake.keys(day)) for day in DAYS] == [1, 1]


def post(client: httpx.Client, path: str, body: dict[str, Any]) -> dict[str, Any]:
    answer = client.post(path, json=body)
    if answer.status_code == httpx.codes.PRECONDITION_REQUIRED:  # of what a policy deletes
        answer = client.post(path, json=body, params={"acknowledge": answer.json()["details"]["acknowledge"]})
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return found


def ended(client: httpx.Client, request: dict[str, Any]) -> dict[str, Any]:
    """Request a run and return it at its end."""
    path = f"/v1/runs/{post(client, '/v1/runs', request)['id']}"
    ends = ("succeeded", "skipped", "failed", "refused", "cancelled")
    eventually(lambda: client.get(path).json()["state"] in ends, within_seconds=PATIENCE_SECONDS)
    found: dict[str, Any] = client.get(path).json()
    return found


@pytest.fixture
async def world(glue: GlueServer, postgres_url: str, redis_url: str, tmp_path: Path) -> AsyncIterator[World[GlueLake]]:
    lake = await asyncio.to_thread(lambda: GlueLake(glue).create(DAYS, files=4))
    settings = settings_of(tmp_path, database_url=postgres_url, redis_url=redis_url, lease_seconds=30, watch=False)
    async with open_on(lake, settings, formats=served) as opened:
        await opened.set_policy(POLICY)
        yield opened


@pytest.mark.usefixtures("redis")
@pytest.mark.parametrize("step", ["commit_marked", "within the swap", "after_commit"])
async def test_another_worker_finishes_a_run_that_was_killed_at_the_swap(
    world: World[GlueLake], glue: GlueServer, step: str, tmp_path: Path
) -> None:
    """Within the swap, Glue changed the partition and did not answer. A writer adds a file before the next attempt."""
    clock, run = await MovedClock.of(world.container.database), await world.submit()
    environment = environment_of(world.container.settings, worker_slots=1)
    point = step if step in STEPS else "before_end"
    with killable(environment, "worker", point, log=tmp_path / "log", formats=served) as process:
        if point != step:
            glue.after_update = process.kill
        await killed(process, within_seconds=PATIENCE_SECONDS, log=tmp_path / "log")
    assert glue.calls["UpdatePartition"] == (step != "commit_marked")
    await asyncio.to_thread(world.lake.append, DAYS[0])
    await clock.pass_by(seconds=31)
    await world.container.coordinator.reap()
    done = await world.finish(run.id)
    assert (done.state, done.attempt) == (RunState.SUCCEEDED, 2), done.detail
    assert world.lake.rows() == world.lake.wanted()
    assert all("/_compacted/" in world.lake.folder(day) for day in DAYS)
