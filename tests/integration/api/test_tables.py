"""Registered tables over HTTP, on a real Iceberg table."""

import asyncio
from typing import Any

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


async def test_a_table_is_registered_once_listed_by_catalog_and_deleted_without_a_live_run(
    api: Api, table_id: str
) -> None:
    assert (await api.post("/v1/tables", ADDRESS, status=409))["code"] == "state_conflict"
    assert [table["id"] for table in await api.items("/v1/tables", catalog="lake")] == [table_id]
    assert await api.items("/v1/tables", catalog="pond") == []
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    await api.call("DELETE", f"/v1/tables/{table_id}", status=409)
    await api.post(f"/v1/runs/{run['id']}/cancel", status=202)
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    await api.get(f"/v1/tables/{table_id}", status=404)


async def test_a_table_or_catalog_that_does_not_exist_is_named(api: Api, lake: Lake) -> None:
    [error] = (await api.post("/v1/tables", ADDRESS | {"name": "nope"}, status=422))["errors"]
    assert error["pointer"] == "/name"
    assert "lake.lake.nope" in error["message"]
    [error] = (await api.post("/v1/tables", ADDRESS | {"catalog": "lakes"}, status=422))["errors"]
    assert (error["pointer"], error["hint"]) == ("/catalog", "did you mean 'lake'?")


async def test_a_policy_that_goes_with_its_table_is_told_and_kept_as_a_version(api: Api, table_id: str) -> None:
    await api.put_policy(table_id, {"enabled": False})
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    async with api.container.database.read() as unit:
        versions = await unit.policies.list_versions(table_id)
    assert [(each.version, each.is_deletion) for each in versions] == [(2, True), (1, False)]
    entries = (await api.get("/v1/audit", params={"object": table_id}))["items"]
    assert [entry["action"] for entry in entries][:2] == ["table.delete", "policy.delete"]


async def test_health_counts_what_the_table_holds(api: Api, lake: Lake, table_id: str) -> None:
    health = await api.get(f"/v1/tables/{table_id}/health")
    assert health["file_count"] == health["small_file_count"] == len(lake.paths()) == 12
    assert health["partition_count"] == 2
    assert health["snapshot_id"] == str(lake.table.current_snapshot().snapshot_id)  # type: ignore[union-attr]
    assert health["score"] < 60
    assert health["order"] is None
    await api.put_policy(table_id, {"rewrite": {"strategy": "zorder", "columns": ["id", "note"]}})
    order = (await api.get(f"/v1/tables/{table_id}/health"))["order"]
    assert [column["name"] for column in order["columns"]] == ["id", "note"]
    assert [each["overlap_depth"] for each in order["partitions"]] == [6, 6]  # of the worst column, `note`


async def test_l24_the_score_counts_files_whatever_bytes_they_hold(api: Api, lake: Lake, table_id: str) -> None:
    """L24: opening a file costs the same whatever it holds: 24 times the bytes in as many files are no better."""
    path = f"/v1/tables/{table_id}/health"
    small = await api.get(path)
    await asyncio.to_thread(lake.table.overwrite, lake.table.scan().to_arrow().slice(0, 0))
    for _ in range(6):
        await asyncio.to_thread(lake.append_to, ["2026-11-01", "2026-11-02"], rows=20_000)
    large = await api.get(path)
    assert small["file_count"] == large["file_count"] == 12
    assert large["total_bytes"] > 24 * small["total_bytes"]
    assert small["score_parts"]["file_sizes"] == large["score_parts"]["file_sizes"] < 60
    await api.rewrite(table_id)
    merged = await api.get(path)
    assert merged["total_bytes"] > 10 * small["total_bytes"]
    assert merged["score_parts"]["file_sizes"] > large["score_parts"]["file_sizes"]


async def test_a_plan_says_what_a_run_would_do_and_does_nothing(api: Api, lake: Lake, table_id: str) -> None:
    head = lake.table.current_snapshot()
    plan = await api.post(f"/v1/tables/{table_id}/plan", status=200)
    assert plan["eligible"]
    assert plan["prediction"]["input_files"] == 12
    assert sum(group["input_files"] for group in plan["groups"]) == 12
    assert plan["prediction"]["output_files"] == sum(group["predicted_outputs"] for group in plan["groups"]) == 2
    assert lake.table.current_snapshot() == head


async def test_a_policy_can_be_tried_in_a_plan_unless_it_contradicts_itself(api: Api, table_id: str) -> None:
    path = f"/v1/tables/{table_id}/plan"
    plan = await api.post(path, {"policy": {"rewrite": {"min_input_files": 7}}}, status=200)
    assert plan["groups"] == []
    assert {each["reason"] for each in plan["skipped"]} == {"too_few_files"}
    contradiction = {"target_file_bytes": "16MiB", "small_file_bytes": "32MiB"}
    [error] = (await api.post(path, {"policy": {"rewrite": contradiction}}, status=422))["errors"]
    assert error["pointer"] == "/policy/rewrite/small_file_bytes"
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


async def test_a_table_made_anew_is_noticed(api: Api, lake: Lake, table_id: str) -> None:
    await asyncio.to_thread(_make_anew, lake)
    for method, what in (("GET", "health"), ("POST", "plan"), ("GET", "effective-policy")):
        problem = (await api.call(method, f"/v1/tables/{table_id}/{what}", status=409)).json()
        assert problem["code"] == "table_replaced"
        assert problem["remedy"]["request"] == f"DELETE /v1/tables/{table_id}"


async def test_a_vanished_table_is_a_conflict(api: Api, lake: Lake, table_id: str) -> None:
    await asyncio.to_thread(lake.catalog.drop_table, NAME)
    for method, what in (("GET", "health"), ("POST", "plan")):
        problem = (await api.call(method, f"/v1/tables/{table_id}/{what}", status=409)).json()
        assert "no longer in its catalog" in problem["detail"]


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
