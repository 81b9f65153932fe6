"""Registered tables over HTTP, on a real Iceberg table."""

import asyncio
from typing import Any

import pytest
from pyiceberg.catalog import load_catalog

from tests.integration.api.conftest import ADDRESS, Api
from tests.support.world import NAME, SCHEMA, Lake


async def test_a_registered_table_has_the_tables_own_uuid(api: Api, lake: Lake) -> None:
    response = await api.call(
        "POST", "/v1/tables", status=201, json=ADDRESS | {"owner_team": "sales", "labels": {"a": "b"}}
    )
    table = response.json()
    assert table["uuid"] == str(lake.table.metadata.table_uuid)
    assert table["location"] == lake.table.location()
    assert await api.get(response.headers["location"]) == table


async def test_a_table_is_registered_once(api: Api, table_id: str) -> None:
    assert (await api.post("/v1/tables", ADDRESS, status=409))["code"] == "state_conflict"


async def test_a_table_that_is_not_in_its_catalog_is_named(api: Api, lake: Lake) -> None:
    [error] = (await api.post("/v1/tables", ADDRESS | {"name": "nope"}, status=422))["errors"]
    assert error["pointer"] == "/name"
    assert "lake.lake.nope" in error["message"]


async def test_a_catalog_that_does_not_exist_is_answered_with_the_nearest(api: Api, lake: Lake) -> None:
    [error] = (await api.post("/v1/tables", ADDRESS | {"catalog": "lakes"}, status=422))["errors"]
    assert error["pointer"] == "/catalog"
    assert error["hint"] == "did you mean 'lake'?"


async def test_lists_are_newest_first_and_by_catalog(api: Api, table_id: str) -> None:
    assert [t["id"] for t in (await api.get("/v1/tables", params={"catalog": "lake"}))["items"]] == [table_id]
    assert (await api.get("/v1/tables", params={"catalog": "pond"}))["items"] == []


async def test_a_deleted_registration_is_gone(api: Api, table_id: str) -> None:
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    await api.get(f"/v1/tables/{table_id}", status=404)


async def test_a_policy_that_goes_with_its_table_is_told_and_kept_as_a_version(api: Api, table_id: str) -> None:
    policy = {"json": {"enabled": False}, "headers": {"If-None-Match": "*"}}
    await api.call("PUT", f"/v1/tables/{table_id}/policy", status=201, **policy)
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    async with api.container.database.read() as unit:
        versions = await unit.policies.list_versions(table_id)
    assert [(each.version, each.is_deletion) for each in versions] == [(2, True), (1, False)]
    entries = (await api.get("/v1/audit", params={"object": table_id}))["items"]
    assert [entry["action"] for entry in entries][:2] == ["table.delete", "policy.delete"]


async def test_a_table_with_a_live_run_stays(api: Api, table_id: str) -> None:
    await api.post("/v1/runs", {"table_id": table_id}, status=202)
    await api.call("DELETE", f"/v1/tables/{table_id}", status=409)


async def test_health_counts_what_the_table_holds(api: Api, lake: Lake, table_id: str) -> None:
    health = await api.get(f"/v1/tables/{table_id}/health")
    assert health["file_count"] == health["small_file_count"] == len(lake.paths()) == 12
    assert health["partition_count"] == 2
    assert health["snapshot_id"] == str(lake.table.current_snapshot().snapshot_id)  # type: ignore[union-attr]
    assert health["score"] < 60
    assert health["order"] is None
    order = {"rewrite": {"strategy": "zorder", "columns": ["id", "note"]}}
    headers = {"If-None-Match": "*"}
    await api.call("PUT", f"/v1/tables/{table_id}/policy", status=201, json=order, headers=headers)
    order = (await api.get(f"/v1/tables/{table_id}/health"))["order"]
    assert [column["name"] for column in order["columns"]] == ["id", "note"]
    assert [each["overlap_depth"] for each in order["partitions"]] == [6, 6]  # of the worst column, `note`


async def test_a_plan_says_what_a_run_would_do_and_does_nothing(api: Api, lake: Lake, table_id: str) -> None:
    head = lake.table.current_snapshot()
    plan = await api.post(f"/v1/tables/{table_id}/plan", status=200)
    assert plan["eligible"]
    assert plan["prediction"]["input_files"] == 12
    assert sum(group["input_files"] for group in plan["groups"]) == 12
    assert plan["prediction"]["output_files"] == sum(group["predicted_outputs"] for group in plan["groups"]) == 2
    assert lake.table.current_snapshot() == head


async def test_a_policy_can_be_tried_in_a_plan(api: Api, table_id: str) -> None:
    body = {"policy": {"rewrite": {"min_input_files": 7}}}
    plan = await api.post(f"/v1/tables/{table_id}/plan", body, status=200)
    assert plan["groups"] == []
    assert {s["reason"] for s in plan["skipped"]} == {"too_few_files"}


async def test_a_policy_to_try_that_contradicts_itself_is_refused(api: Api, table_id: str) -> None:
    body = {"policy": {"rewrite": {"target_file_bytes": "16MiB", "small_file_bytes": "32MiB"}}}
    [error] = (await api.post(f"/v1/tables/{table_id}/plan", body, status=422))["errors"]
    assert error["pointer"] == "/rewrite/small_file_bytes"
    assert "16 MiB" in error["hint"]


async def test_a_catalog_that_does_not_answer_is_unavailable(api: Api, table_id: str) -> None:
    away = {"type": "rest", "uri": "http://127.0.0.1:1"}
    await api.call("PUT", "/v1/catalogs/lake", status=200, json={"properties": away}, headers={"If-Match": '"1"'})
    response = await api.call("GET", f"/v1/tables/{table_id}/health", status=503)
    assert response.headers["retry-after"] == "5"


async def test_a_catalog_with_wrong_properties_is_a_conflict_with_the_remedy(
    api: Api, lake: Lake, table_id: str, tmp_path: Any
) -> None:
    broken = lake.properties | {"uri": f"sqlite:///{tmp_path}/gone/catalog.db"}
    await api.call("PUT", "/v1/catalogs/lake", status=200, json={"properties": broken}, headers={"If-Match": '"1"'})
    answer = (await api.call("GET", f"/v1/tables/{table_id}/health", status=409)).json()
    assert "check the catalog's `uri`" in answer["detail"]


@pytest.mark.parametrize(("method", "what"), [("GET", "health"), ("POST", "plan"), ("GET", "effective-policy")])
async def test_a_table_made_anew_is_noticed(api: Api, lake: Lake, table_id: str, method: str, what: str) -> None:
    await asyncio.to_thread(_make_anew, lake)
    response = await api.call(method, f"/v1/tables/{table_id}/{what}", status=409)
    assert response.json()["code"] == "table_replaced"
    assert f"DELETE /v1/tables/{table_id}" in response.json()["detail"]


@pytest.mark.parametrize(("method", "what"), [("GET", "health"), ("POST", "plan")])
async def test_a_vanished_table_is_a_conflict(api: Api, lake: Lake, table_id: str, method: str, what: str) -> None:
    await asyncio.to_thread(lake.catalog.drop_table, NAME)
    response = await api.call(method, f"/v1/tables/{table_id}/{what}", status=409)
    assert "no longer in its catalog" in response.json()["detail"]


async def test_history_holds_runs_that_changed_the_table(api: Api, lake: Lake, table_id: str) -> None:
    assert (await api.get(f"/v1/tables/{table_id}/history"))["items"] == []
    run = await api.rewrite(table_id)
    await api.rewrite(table_id)  # finds nothing to do, changes nothing
    [entry] = (await api.get(f"/v1/tables/{table_id}/history"))["items"]
    assert entry["id"] == run.id
    assert entry["snapshot_ids"] == [str(lake.table.current_snapshot().snapshot_id)]  # type: ignore[union-attr]
    assert entry["result"]["rewritten_files"] == 12
    assert entry["result"]["predicted"]["output_files"] == entry["result"]["added_files"] == 2


async def test_a_prediction_of_time_says_whether_it_was_measured(api: Api, lake: Lake, table_id: str) -> None:
    first = await api.post(f"/v1/tables/{table_id}/plan", status=200)
    assert 0 < first["prediction"]["seconds"] < 10
    assert (first["time_estimate"]["source"], first["time_estimate"]["runs"]) == ("prior", 0)
    await api.rewrite(table_id)
    await asyncio.to_thread(lambda: [lake.append(day="2026-11-01") for _ in range(6)])
    later = await api.post(f"/v1/tables/{table_id}/plan", status=200)
    assert later["prediction"]["seconds"] > 0
    assert (later["time_estimate"]["source"], later["time_estimate"]["runs"]) == ("table", 1)


def _make_anew(lake: Lake) -> None:
    catalog = load_catalog("lake", **lake.properties)
    catalog.drop_table(NAME)
    catalog.create_table(NAME, SCHEMA)
