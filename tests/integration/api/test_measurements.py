"""What is measured of tables: kept once for each snapshot, whoever looks."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState
from tests.integration.api.conftest import Api
from tests.support.world import Lake


async def history(api: Api, table_id: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (await api.get(f"/v1/tables/{table_id}/health/history"))["items"]
    return items


async def test_a_look_at_the_health_is_kept_once_for_each_snapshot(api: Api, lake: Lake, table_id: str) -> None:
    assert await history(api, table_id) == []
    seen = await api.get(f"/v1/tables/{table_id}/health")
    await api.get(f"/v1/tables/{table_id}/health")
    [kept] = await history(api, table_id)
    for name in ("snapshot_id", "measured_at", "small_file_count", "avoidable_file_count", "score", "total_bytes"):
        assert kept[name] == seen[name]
    assert kept["benefit_per_cost"] == pytest.approx(10 * 4 * 2**20 / seen["total_bytes"])


async def test_what_runs_lost_to_other_writers_makes_a_table_worth_less(api: Api, table_id: str) -> None:
    await api.get(f"/v1/tables/{table_id}/health")
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    async with api.container.database.begin() as unit:
        claim = await unit.runs.claim(run["id"], "worker", 60)
        assert claim is not None
        result = {"groups_committed": 1, "races": {"groups_lost": 2}, "wasted_bytes": 9}
        await unit.runs.transition(claim[1], to=RunState.FAILED, reason="conflict", result=RunResult(result))
    [before] = await history(api, table_id)
    await api.get(f"/v1/tables/{table_id}/health")
    [after] = await history(api, table_id)
    assert after["benefit_per_cost"] == pytest.approx(before["benefit_per_cost"] / 2)
    [ranked] = (await api.get("/v1/fleet/tables"))["items"]
    assert ranked["benefit_per_cost"] == after["benefit_per_cost"]


@pytest.mark.parametrize(("method", "what"), [("GET", "explain"), ("POST", "plan")])
async def test_explain_and_plan_measure_too(api: Api, table_id: str, method: str, what: str) -> None:
    await api.call(method, f"/v1/tables/{table_id}/{what}", status=200)
    assert [entry["small_file_count"] for entry in await history(api, table_id)] == [12]


async def test_a_policy_that_is_only_tried_measures_nothing(api: Api, table_id: str) -> None:
    body = {"policy": {"rewrite": {"small_file_bytes": "1MiB"}}}
    await api.post(f"/v1/tables/{table_id}/plan", body, status=200)
    assert await history(api, table_id) == []


async def test_a_run_measures_before_and_after_with_files_by_size(api: Api, lake: Lake, table_id: str) -> None:
    classes = (await api.get(f"/v1/tables/{table_id}/health"))["size_classes"]
    await api.rewrite(table_id)
    after, before = await history(api, table_id)
    assert (before["small_file_count"], after["small_file_count"], after["small_file_change"]) == (12, 2, -10)
    assert (before["is_latest"], after["is_latest"]) == (False, True)
    assert after["snapshot_id"] == str(lake.table.current_snapshot().snapshot_id)  # type: ignore[union-attr]
    assert before["size_classes"] == classes
    for kept in (before, after):
        assert sum(one["file_count"] for one in kept["size_classes"]) == kept["file_count"]
        assert sum(one["total_bytes"] for one in kept["size_classes"]) == kept["total_bytes"]


async def test_a_measurement_without_size_classes_has_null(api: Api, table_id: str) -> None:
    await api.get(f"/v1/tables/{table_id}/health")
    async with api.container.database.begin() as unit:
        latest = await unit.measurements.latest(table_id)
        assert latest is not None
        bare = {name: value for name, value in latest.document.items() if name != "size_classes"}
        await unit.measurements.record(replace(latest, document=bare))
    assert [kept["size_classes"] for kept in await history(api, table_id)] == [None]


async def test_history_comes_in_pages(api: Api, lake: Lake, table_id: str) -> None:
    for _ in range(3):
        await asyncio.to_thread(lake.append, day="2026-11-01")
        await api.get(f"/v1/tables/{table_id}/health")
    listed = await api.items(f"/v1/tables/{table_id}/health/history", page_size=2)
    assert [entry["file_count"] for entry in listed] == [15, 14, 13]


async def test_an_unknown_table_has_no_history(api: Api) -> None:
    await api.get("/v1/tables/tbl_unknown/health/history", status=404)
