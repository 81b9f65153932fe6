"""Table policies over HTTP."""

import asyncio
from typing import Any

import pytest

from engine.services.policies.checks import Judged, PolicyChecks
from tests.integration.api.access import as_caller
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.world import Lake

POLICY = {"rewrite": {"target_file_bytes": "64MiB"}, "limits": {"bandwidth": "50MB", "parallel_groups": 2}}
NEW = {"If-None-Match": "*"}
NAMED = {
    "rewrite.target_file_bytes": (64 * 2**20, "table"),
    "rewrite.small_file_bytes": (48 * 2**20, "derived"),
    "limits.requests": ("unlimited", "default"),
}


@pytest.fixture
def path(table_id: str) -> str:
    return f"/v1/tables/{table_id}/policy"


async def test_sizes_are_answered_in_bytes_and_absent_fields_are_left_out(api: Api, path: str) -> None:
    stored = (await api.call("PUT", path, status=201, json=POLICY, headers=NEW)).json()
    assert stored["policy"] == {
        "rewrite": {"target_file_bytes": 64 * 2**20},
        "limits": {"bandwidth": 50_000_000, "parallel_groups": 2},
    }
    assert stored["version"] == 1
    assert stored["updated_by"] == "key:admin"
    assert await api.get(path) == stored


async def test_a_write_needs_the_version_that_it_follows(api: Api, path: str) -> None:
    assert (await api.get(path, status=404))["code"] == "not_found"
    for method in ("PUT", "DELETE"):
        refused = await api.call(method, path, status=428, **({"json": POLICY} if method == "PUT" else {}))
        assert refused.json()["code"] == "precondition_required"
    first = await api.call("PUT", path, status=201, json=POLICY, headers=NEW)
    await api.call("PUT", path, status=412, json=POLICY, headers=NEW)
    second = await api.call("PUT", path, status=200, json={}, headers={"If-Match": first.headers["etag"]})
    assert second.headers["etag"] == '"2"'
    await api.call("PUT", path, status=412, json=POLICY, headers={"If-Match": first.headers["etag"]})
    await api.call("DELETE", path, status=204, headers={"If-Match": second.headers["etag"]})
    again = await api.call("PUT", path, status=201, json=POLICY, headers=NEW)
    assert again.headers["etag"] not in {first.headers["etag"], second.headers["etag"]}
    await api.call("PUT", "/v1/tables/tbl_nope/policy", status=404, json=POLICY, headers=NEW)


async def test_writing_what_is_stored_already_writes_nothing(api: Api, table_id: str, path: str) -> None:
    first = await api.call("PUT", path, status=201, json=POLICY, headers=NEW)
    same = {"limits": {"parallel_groups": 2, "bandwidth": 50_000_000}, "rewrite": {"target_file_bytes": 64 * 2**20}}
    again = await api.call("PUT", path, status=200, json=same, headers={"If-Match": first.headers["etag"]})
    assert (again.headers["etag"], again.json()) == (first.headers["etag"], first.json())
    restored = await api.call(
        "POST", f"{path}/restore", status=200, json={"version": 1}, headers={"If-Match": first.headers["etag"]}
    )
    assert restored.headers["etag"] == first.headers["etag"]
    assert len((await api.get(f"{path}/versions"))["items"]) == 1
    entries = (await api.get("/v1/audit", params={"object": table_id}))["items"]
    assert [entry["action"] for entry in entries if entry["action"].startswith("policy.")] == ["policy.replace"]
    await api.call("PUT", path, status=412, json=POLICY, headers={"If-Match": '"7"'})


async def test_the_effective_policy_names_every_origin(api: Api, table_id: str, path: str) -> None:
    await api.call("PUT", path, status=201, json=POLICY, headers=NEW)
    settings = (await api.get(f"/v1/tables/{table_id}/effective-policy"))["settings"]
    assert {name: (settings[name]["value"], settings[name]["origin"]) for name in NAMED} == NAMED


async def test_versions_of_a_table_s_policy_are_kept_and_restored(api: Api, path: str) -> None:
    await api.call("PUT", path, status=201, json=POLICY, headers=NEW)
    await api.call("PUT", path, status=200, json={"enabled": False}, headers={"If-Match": '"1"'})
    versions = (await api.get(f"{path}/versions"))["items"]
    assert [each["version"] for each in versions] == [2, 1]
    assert {"setting": "enabled", "before": None, "after": False} in versions[0]["changes"]
    assert await api.get(f"{path}/versions/2") == versions[0]
    await api.post(f"{path}/restore", {"version": 1}, status=428)
    restored = await api.post(f"{path}/restore", {"version": 1}, status=200, headers={"If-Match": '"2"'})
    assert (restored["version"], restored["policy"]) == (3, versions[1]["policy"])
    answer = await api.post(f"{path}/restore", {"version": 9}, status=422, headers={"If-Match": '"3"'})
    assert answer["errors"][0]["pointer"] == "/version"
    await api.get(f"{path}/versions/9", status=404)


async def test_a_preview_of_a_table_s_policy_writes_nothing(api: Api, table_id: str, path: str) -> None:
    preview = await api.post(f"{path}/preview", {"change": "replace", "policy": POLICY}, status=200)
    assert preview["affected_tables"] == [{"id": table_id, "address": "lake.lake.events"}]
    assert {each["setting"] for each in preview["changes"][0]["settings"]} >= {"limits.bandwidth"}
    await api.get(path, status=404)
    await api.post(f"{path}/preview", {"change": "delete"}, status=404)


async def test_a_policy_can_be_written_while_the_catalog_is_away(api: Api, lake: Lake, path: str) -> None:
    etag = (await api.call("GET", "/v1/catalogs/lake", status=200)).headers["etag"]
    away = {"properties": lake.properties | {"uri": "postgresql://127.0.0.1:1/nothing"}}
    await api.call("PUT", "/v1/catalogs/lake", status=200, json=away, headers={"If-Match": etag})
    written = (await api.call("PUT", path, status=201, json={"enabled": False}, headers=NEW)).json()
    assert any("own properties" in note for note in written["notes"])
    shown = await api.get(path.removesuffix("policy") + "effective-policy")
    assert shown["settings"]["enabled"]["value"] is False
    assert any("own properties" in note for note in shown["notes"])


async def test_two_first_policies_at_once_do_not_both_win(api: Api, path: str) -> None:
    sent = (api.client.put(path, json=POLICY, headers=NEW) for _ in range(2))
    assert sorted(answer.status_code for answer in await asyncio.gather(*sent)) == [201, 412]


async def test_a_policy_is_not_written_once_the_table_became_another_teams(
    api: Api, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lake.paths()
    table_id = (await api.post("/v1/tables", ADDRESS | {"owner_team": "sales"}, status=201))["id"]
    owner = await as_caller(api, "owner", teams=["sales"])
    judge = PolicyChecks.judge

    async def move_first(self: PolicyChecks, *given: Any, **named: Any) -> Judged:
        judged = await judge(self, *given, **named)
        await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "hr"})
        return judged

    monkeypatch.setattr(PolicyChecks, "judge", move_first)
    path = f"/v1/tables/{table_id}/policy"
    answer = await owner.put(path, json={"enabled": False}, headers={"If-None-Match": "*"})
    assert answer.status_code == 404
    await api.get(path, status=404)
