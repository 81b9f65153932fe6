"""Kill switches and limits over HTTP."""

import pytest

from tests.integration.api.conftest import Api, Command
from tests.support.statements import texts_of
from tests.support.world import NAME, Lake

REASON = {"reason": "backfill of October"}


async def replace_limits(api: Api, body: object, *, status: int = 200, etag: str | None = None) -> dict[str, object]:
    if etag is None:
        etag = (await api.call("GET", "/v1/limits", status=200)).headers["etag"]
    answer = await api.call("PUT", "/v1/limits", status=status, json=body, headers={"If-Match": etag})
    document: dict[str, object] = answer.json()
    return document


async def test_an_unknown_table_or_catalog_is_not_paused(api: Api) -> None:
    for unknown in ("/v1/catalogs/nope", "/v1/tables/tbl_nope"):
        await api.post(f"{unknown}/pause", REASON, status=404)
        await api.call("POST", f"{unknown}/resume", status=404)


@pytest.mark.parametrize("scope", ["table", "catalog", "fleet"])
async def test_a_pause_is_shown_with_who_when_and_why_until_the_resume(api: Api, table_id: str, scope: str) -> None:
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    switch = {"table": f"/v1/tables/{table_id}", "catalog": "/v1/catalogs/lake", "fleet": "/v1/fleet"}[scope]
    paused = await api.post(f"{switch}/pause", REASON | {"mode": "stop"}, status=200)
    assert (paused["paused_by"], paused["reason"], paused["mode"]) == ("key:admin", "backfill of October", "stop")
    shown = await api.get(f"/v1/runs/{run['id']}")
    assert (shown["waiting_for"], shown[f"{scope}_pause"]) == ("paused", paused)
    [listed] = (await api.get("/v1/runs", params={"table_id": table_id}))["items"]
    assert listed["waiting_for"] == "paused"
    again = await api.post(f"{switch}/pause", {"reason": "incident", "mode": "drain"}, status=200)
    assert (again["reason"], again["mode"]) == ("incident", "drain")
    for _ in range(2):
        await api.call("POST", f"{switch}/resume", status=204)
    shown = await api.get(f"/v1/runs/{run['id']}")
    assert [shown[name] for name in ("waiting_for", "table_pause", "catalog_pause", "fleet_pause")] == [None] * 4


async def test_a_catalog_shows_its_pause_keeps_its_version_and_the_audit_log_tells_of_both_ways(
    api: Api, table_id: str
) -> None:
    before = await api.call("GET", "/v1/catalogs/lake", status=200)
    paused = await api.post("/v1/catalogs/lake/pause", REASON, status=200)
    during = await api.call("GET", "/v1/catalogs/lake", status=200)
    assert (before.json()["pause"], during.json()["pause"]) == (None, paused)
    versions = [each.headers["etag"].partition("-")[0] for each in (before, during)]
    assert versions[0] == versions[1]
    assert before.headers["etag"] != during.headers["etag"]  # what is kept of the first answer is not this one
    assert (await api.get("/v1/catalogs"))["items"][0]["pause"] == paused
    await api.call("POST", "/v1/catalogs/lake/resume", status=204)
    assert (await api.get("/v1/catalogs/lake"))["pause"] is None
    entries = (await api.get("/v1/audit", params={"object": "lake"}))["items"]
    assert [each["action"] for each in entries[:2]] == ["catalog.resume", "catalog.pause"]
    assert entries[1]["after"] == {"by": "key:admin", "reason": "backfill of October", "mode": "drain"}


async def test_limits_are_unlimited_at_first_and_replaced_as_a_whole_after_the_version_that_was_read(api: Api) -> None:
    first = await api.get("/v1/limits")
    assert (first["parallel_runs"], first["bandwidth"], first["requests"], first["catalogs"]) == (None, None, None, {})
    stored = await replace_limits(api, {"parallel_runs": 4, "bandwidth": "400MB"})
    assert (stored["parallel_runs"], stored["bandwidth"], stored["updated_by"]) == (4, 400_000_000, "key:admin")
    assert stored["parallel_groups"] is None
    assert (await replace_limits(api, {"parallel_groups": 4}))["parallel_groups"] == 4
    assert (await replace_limits(api, {}))["bandwidth"] is None
    await api.call("PUT", "/v1/limits", status=428, json={})
    etag = (await api.call("GET", "/v1/limits", status=200)).headers["etag"]
    await replace_limits(api, {"parallel_runs": 1}, etag=etag)
    await replace_limits(api, {"parallel_runs": 2}, etag=etag, status=412)


async def test_a_catalog_has_limits_of_its_own(api: Api, table_id: str) -> None:
    catalogs = {"lake": {"bandwidth": "100MB"}}
    stored = await replace_limits(api, {"parallel_runs": 4, "catalogs": catalogs})
    assert stored["catalogs"] == {"lake": {"parallel_runs": None, "bandwidth": 100_000_000, "requests": None}}
    assert (await api.get("/v1/limits"))["catalogs"] == stored["catalogs"]
    explained = (await api.get(f"/v1/tables/{table_id}/explain"))["budgets"]
    assert (explained["bytes_per_second"], explained["fleet_share"]["bytes_per_second"]) == (100e6, 25e6)
    assert (await replace_limits(api, {"catalogs": {"lake": {}}, "parallel_groups": 4}))["catalogs"] == {}
    assert (await api.get(f"/v1/tables/{table_id}/explain"))["budgets"]["fleet_parallel_groups"] == 4


async def test_explain_says_that_the_catalog_has_as_many_runs_as_it_may(api: Api, lake: Lake, table_id: str) -> None:
    await replace_limits(api, {"catalogs": {"lake": {"parallel_runs": 1, "bandwidth": "100MB"}}})
    lake.catalog.create_table((NAME[0], "other"), lake.table.schema())
    address = {"catalog": "lake", "namespace": [NAME[0]], "name": "other"}
    other_id = (await api.post("/v1/tables", address, status=201))["id"]
    free = await api.get(f"/v1/tables/{table_id}/explain")
    assert free["budgets"]["parallel_runs"]["catalog"] == {"limit": 1, "at_work": 0}
    assert "catalog_full" not in {hold["code"] for hold in free["next_eligible"]["held_by"]}
    run = await api.post("/v1/runs", {"table_id": other_id, "operation": "rewrite"}, status=202)
    async with api.container.database.begin() as unit:
        assert await unit.runs.claim(run["id"], "worker", 60) is not None
    full = await api.get(f"/v1/tables/{table_id}/explain")
    assert full["budgets"]["parallel_runs"]["catalog"] == {"limit": 1, "at_work": 1}
    assert "catalog_full" in {hold["code"] for hold in full["next_eligible"]["held_by"] if hold["holds_requests"]}
    assert full["next_eligible"]["at"] is None
    assert "its catalog's limit of parallel_runs is reached" in " ".join(texts_of(full))
    at_work = await api.get(f"/v1/tables/{other_id}/explain")
    assert "catalog_full" not in [hold["code"] for hold in at_work["next_eligible"]["held_by"]]


async def test_limits_of_an_unknown_catalog_are_refused_with_the_nearest_name(api: Api, table_id: str) -> None:
    for name, hint in (("lakes", "did you mean 'lake'?"), ("archive", "known: lake")):
        error = await replace_limits(api, {"parallel_runs": 4, "catalogs": {name: {"requests": 5}}}, status=422)
        [problem] = error["errors"]  # type: ignore[misc]
        assert (problem["pointer"], problem["hint"]) == (f"/catalogs/{name}", hint)


async def test_the_command_sets_limits_of_the_fleet_and_of_one_catalog_and_leaves_others(
    packhouse: Command, lake: Lake
) -> None:
    await packhouse.json("limits", "set", "parallel_runs=8", "catalogs.lake.requests=200")
    found = await packhouse.json("limits", "set", "bandwidth=400MB", "catalogs.lake.bandwidth=100MB")
    assert (found["parallel_runs"], found["bandwidth"]) == (8, 400_000_000)
    assert found["catalogs"]["lake"] == {"parallel_runs": None, "bandwidth": 100_000_000, "requests": 200}
    assert (await packhouse.json("limits", "set", "catalogs.lake=null"))["catalogs"] == {}
    for wrong in ("catalogs=5", "catalogs.lake=5", "catalogs..requests=5"):
        refused = await packhouse("limits", "set", wrong)
        assert (refused.returncode, "write catalogs.NAME.bandwidth=100MB" in refused.stderr) == (2, True)
