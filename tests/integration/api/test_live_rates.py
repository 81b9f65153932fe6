"""Rates of a rewrite while it runs: tasks report over HTTP to the pace channel, callers see what becomes of it."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from api.task_app import create_task_app
from engine.settings.model import Settings
from tests.integration.api.conftest import Api, on_a_port
from tests.support.settings import settings_of
from tests.support.world import Lake

SLOW = 64 * 1024
"""The least bandwidth that can be set."""


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound


@pytest.fixture
def settings(sqlite_url: str, redis_url: str, tmp_path: Path, listener: socket.socket) -> Settings:
    pace_url = f"http://127.0.0.1:{listener.getsockname()[1]}/internal/pace"
    return settings_of(tmp_path / "state", database_url=sqlite_url, redis_url=redis_url, pace_url=pace_url)


@pytest.fixture
async def channel(api: Api, listener: socket.socket) -> AsyncIterator[None]:
    """The listener for tasks on a port."""
    async with on_a_port(create_task_app(api.container, api.app.state.metrics), sockets=[listener]):
        yield


async def replace_limits(api: Api, body: dict[str, Any]) -> None:
    etag = (await api.call("GET", "/v1/limits", status=200)).headers["etag"]
    await api.call("PUT", "/v1/limits", status=200, json=body, headers={"If-Match": etag})


async def rewrite(api: Api, table_id: str, look: Callable[[dict[str, Any]], Awaitable[None]] | None = None) -> None:
    """Rewrite the table; `look` is told of its progress again and again while it runs."""
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    advancing = asyncio.create_task(api.container.worker.advance(run["id"]))
    while look is not None and not advancing.done():
        await look((await api.get(f"/v1/runs/{run['id']}"))["progress"])
        await asyncio.sleep(0.05)
    await advancing
    assert (await api.get(f"/v1/runs/{run['id']}"))["state"] == "succeeded"


@pytest.mark.usefixtures("channel")
async def test_a_running_rewrite_shows_its_rate_and_its_share_of_the_limits(
    api: Api, lake: Lake, table_id: str
) -> None:
    await replace_limits(api, {"parallel_runs": 2, "bandwidth": "1MB", "catalogs": {"lake": {"bandwidth": SLOW}}})
    await asyncio.to_thread(lambda: lake.append(day="2026-11-01", rows=20_000))
    seen: list[tuple[dict[str, Any], Any]] = []

    async def look(progress: dict[str, Any]) -> None:
        rates = (await api.get("/v1/fleet"))["rates"]
        if progress["bytes_per_second"] and all(rate["runs"] == 1 and rate["bytes_per_second"] for rate in rates):
            seen.append((progress, rates))

    await rewrite(api, table_id, look)
    budgets = [progress["budget_bytes_per_second"] for progress, _ in seen]
    assert 0 < min(budgets) <= max(budgets) <= SLOW
    assert seen[-1][0]["throttled_seconds"] > 0
    limits = [(rate["catalog"], rate["bytes_per_second_limit"]) for rate in seen[-1][1]]
    assert limits == [(None, 1_000_000), ("lake", SLOW)]
    metrics = (await api.client.get("/metrics")).text
    assert f'packhouse_rewrite_bytes_per_second_limit{{catalog="lake"}} {float(SLOW)}' in metrics
    assert 'packhouse_rewrite_bytes_per_second{catalog=""}' in metrics


@pytest.mark.usefixtures("channel")
async def test_l16_a_running_rewrite_keeps_to_the_requests_per_second_of_the_fleet(
    api: Api, lake: Lake, table_id: str
) -> None:
    """Counted from the first report of its tasks on; one second more for the burst of a bucket and for the report."""
    limit = 5
    for _ in range(20):
        await asyncio.to_thread(lake.append, day="2026-11-01")
    await replace_limits(api, {"parallel_runs": 1, "requests": limit})
    seen: list[tuple[float, int]] = []

    async def look(_progress: dict[str, Any]) -> None:
        requests = (await api.container.shared.progress("fleet")).requests
        if requests and (not seen or requests > seen[-1][1]):
            seen.append((time.monotonic(), requests))

    await rewrite(api, table_id, look)
    await look({})
    (began, first), (ended, last) = seen[0], seen[-1]
    assert 4 * limit <= last - first <= limit * (ended - began + 1)


@pytest.mark.usefixtures("channel")
async def test_a_run_that_ended_gives_its_share_back_and_counts_with_all_that_it_moved(api: Api, table_id: str) -> None:
    await replace_limits(api, {"parallel_runs": 2, "bandwidth": "100MB"})
    await rewrite(api, table_id)
    [rate] = (await api.get("/v1/fleet"))["rates"]
    run = (await api.get("/v1/runs", params={"include": "result"}))["items"][0]
    moved = await api.container.shared.progress("fleet")
    assert (rate["runs"], rate["bytes_per_second_limit"]) == (0, 100_000_000)
    assert moved.bytes_read >= run["result"]["rewritten_bytes"]
    assert moved.bytes_written >= run["result"]["added_bytes"]


async def test_an_idle_fleet_moves_nothing(api: Api) -> None:
    [rate] = (await api.get("/v1/fleet"))["rates"]
    assert (rate["catalog"], rate["runs"], rate["bytes_per_second"]) == (None, 0, 0)
    assert (rate["bytes_per_second_limit"], rate["requests_per_second_limit"]) == (None, None)
