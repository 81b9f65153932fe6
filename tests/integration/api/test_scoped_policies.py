"""Policies of wider scopes over HTTP: who they cover, how they merge, their versions, and what they would change."""

import asyncio
from typing import Any

import pytest

from tests.integration.api.conftest import ADDRESS, Api

FLEET = {"kind": "fleet"}
LAKE = {"kind": "catalog", "catalog": "lake"}
SPACE = {"kind": "namespace", "catalog": "lake", "namespace": ADDRESS["namespace"]}
PATTERN = {"kind": "pattern", "pattern": "*.events"}
POLICY = {"rewrite": {"target_file_bytes": "64MiB"}}


async def create(api: Api, name: str, scope: Any, policy: Any = None, *, status: int = 201, **options: Any) -> Any:
    body = {"name": name, "scope": scope, "policy": POLICY if policy is None else policy}
    return await api.post("/v1/policies", body, status=status, **options)


PREVIEW = "/v1/policies/mine/preview"


async def preview_of(api: Api, scope: Any, policy: Any = POLICY) -> Any:
    return await api.post(PREVIEW, {"change": "create", "scope": scope, "policy": policy}, status=200)


async def setting(api: Api, table_id: str, name: str) -> tuple[Any, str]:
    found = (await api.get(f"/v1/tables/{table_id}/effective-policy"))["settings"][name]
    return found["value"], found["origin"]


@pytest.mark.parametrize("scope", [FLEET, LAKE, SPACE, PATTERN], ids=lambda scope: scope["kind"])
async def test_a_policy_is_answered_as_it_was_created(api: Api, table_id: str, scope: Any) -> None:
    made = await create(api, "mine", scope)
    assert made["scope"] == scope
    assert (made["name"], made["version"], made["updated_by"]) == ("mine", 1, "key:admin")
    assert made["policy"] == {"rewrite": {"target_file_bytes": 64 * 2**20}}
    answer = await api.call("GET", "/v1/policies/mine", status=200)
    assert answer.json() == made
    assert answer.headers["etag"].startswith('"1-')
    assert [item["name"] for item in (await api.get("/v1/policies"))["items"]] == ["mine"]


async def test_the_strongest_scope_wins_and_every_setting_names_its_origin(api: Api, table_id: str) -> None:
    name = "limits.parallel_groups"
    expected = {
        "default": (None, None, 4),
        "fleet": ("a", FLEET, 5),
        "catalog lake": ("b", LAKE, 6),
        "namespace lake.lake": ("c", SPACE, 7),
        "pattern d": ("d", PATTERN, 8),
    }
    for origin, (policy, scope, groups) in expected.items():
        if policy is not None:
            await create(api, policy, scope, {"limits": {"parallel_groups": groups}})
        assert await setting(api, table_id, name) == (groups, origin)
    own = {"limits": {"parallel_groups": 9}}
    await api.put_policy(table_id, own)
    assert await setting(api, table_id, name) == (9, "table")


async def test_a_run_is_planned_with_the_policy_of_the_fleet(api: Api, table_id: str) -> None:
    assert (await api.post(f"/v1/tables/{table_id}/plan", status=200))["groups_total"] > 0
    await create(api, "fleet", FLEET, {"rewrite": {"min_input_files": 1000}})
    assert (await api.post(f"/v1/tables/{table_id}/plan", status=200))["groups_total"] == 0


async def test_an_unknown_column_is_found_on_a_covered_table(api: Api, table_id: str) -> None:
    body = {"name": "x", "scope": FLEET, "policy": {"rewrite": {"strategy": "sort", "columns": ["id", "dya"]}}}
    errors = (await api.post("/v1/policies", body, status=422))["errors"]
    found = {error["pointer"]: (error["message"], error["hint"]) for error in errors}
    assert found["/policy/rewrite/columns/1"] == ("no such column in lake.lake.events", "did you mean 'day'?")
    assert "/policy/rewrite/columns/0" not in found


async def test_a_contradiction_names_a_table_where_it_is(api: Api, table_id: str) -> None:
    own = {"rewrite": {"small_file_bytes": "100MiB"}}
    await api.put_policy(table_id, own)
    answer = await create(api, "fleet", FLEET, {"rewrite": {"target_file_bytes": "64MiB"}}, status=422)
    (error,) = answer["errors"]
    assert error["pointer"] == "/policy/rewrite/small_file_bytes"
    assert "lake.lake.events" in error["hint"]


@pytest.mark.parametrize(
    ("scope", "nearest"),
    [
        ({"kind": "namespace", "catalog": "lake", "namespace": ["lakes"]}, "'lake.lake'"),
        ({"kind": "pattern", "pattern": "lak.*"}, "'lake'"),
        ({"kind": "pattern", "pattern": "lake.lakes.ev*"}, "'lake.lake'"),
        ({"kind": "pattern", "pattern": "lake.lake.nothing"}, None),
        ({"kind": "pattern", "pattern": "*.nothing"}, None),
    ],
)
async def test_a_policy_that_covers_no_table_says_so(api: Api, table_id: str, scope: Any, nearest: str | None) -> None:
    previewed = await preview_of(api, scope)
    made = await create(api, "mine", scope)
    (note,) = (note for note in made["notes"] if "covers no registered table now" in note)
    assert note in previewed["notes"]
    assert note.partition("; ")[2] == (f"did you mean {nearest}?" if nearest else "")
    covers = await create(api, "other", PATTERN)
    assert not any("covers no" in note for note in covers["notes"])


async def test_quiet_hours_without_a_zone_are_noted_as_utc(api: Api, table_id: str) -> None:
    berlin = {"from": "09:00", "to": "17:00", "time_zone": "Europe/Berlin"}
    night = {"from": "22:00", "to": "06:00"}
    made = await create(api, "mine", LAKE, {"quiet_hours": [berlin, night]})
    (note,) = (note for note in made["notes"] if "time_zone" in note)
    assert note.startswith("quiet_hours[1].time_zone is not given: 22:00 to 06:00 is read as UTC; write an IANA name")
    same = await api.call(
        "PUT", "/v1/policies/mine", status=200, json={"quiet_hours": [berlin, night]}, headers={"If-Match": '"1"'}
    )
    assert (same.headers["etag"], note in same.json()["notes"]) == ('"1"', True)
    spelt = {"quiet_hours": [berlin, night | {"time_zone": "UTC"}]}
    same = await api.call("PUT", "/v1/policies/mine", status=200, json=spelt, headers={"If-Match": '"1"'})
    assert (same.headers["etag"], any("time_zone" in each for each in same.json()["notes"])) == ('"1"', False)


async def test_a_name_and_a_scope_are_taken_once(api: Api, table_id: str) -> None:
    await create(api, "mine", LAKE)
    for name, scope in (("mine", FLEET), ("other", LAKE)):
        refused = await create(api, name, scope, status=409)
        assert "'mine'" in refused["detail"]
        assert refused["remedy"] == {
            "operation_id": "replace_policy",
            "parameters": {"name": "mine"},
            "request": "PUT /v1/policies/mine",
        }
    await create(api, "p1", PATTERN)
    await create(api, "p2", PATTERN)


async def test_a_replace_needs_the_etag_and_keeps_the_scope(api: Api, table_id: str) -> None:
    await create(api, "mine", LAKE)
    await api.call("PUT", "/v1/policies/mine", status=428, json={})
    await api.call("PUT", "/v1/policies/mine", status=412, json={}, headers={"If-Match": '"7"'})
    done = await api.call("PUT", "/v1/policies/mine", status=200, json={"enabled": False}, headers={"If-Match": '"1"'})
    assert done.headers["etag"] == '"2"'
    assert done.json()["scope"] == LAKE
    await api.call("PUT", "/v1/policies/other", status=404, json={}, headers={"If-Match": '"1"'})


async def test_a_deleted_policy_is_gone_and_can_be_restored(api: Api, table_id: str) -> None:
    await create(api, "mine", LAKE)
    await api.call("DELETE", "/v1/policies/mine", status=428)
    await api.call("DELETE", "/v1/policies/mine", status=204, headers={"If-Match": '"1"'})
    await api.get("/v1/policies/mine", status=404)
    versions = (await api.get("/v1/policies/mine/versions"))["items"]
    assert [(each["version"], each["is_deletion"]) for each in versions] == [(2, True), (1, False)]
    path, new = "/v1/policies/mine/restore", {"If-None-Match": "*"}
    await api.post(path, {"version": 1}, status=428)
    assert (await api.post(path, {"version": 2}, status=422, headers=new))["errors"][0]["pointer"] == "/version"
    restored = await api.post(path, {"version": 1}, status=200, headers=new)
    assert (restored["version"], restored["scope"]) == (3, LAKE)
    assert restored["policy"] == {"rewrite": {"target_file_bytes": 64 * 2**20}}
    await api.post(path, {"version": 1}, status=412, headers=new)


async def test_a_version_tells_what_it_changed(api: Api, table_id: str) -> None:
    await create(api, "mine", LAKE)
    policy = {"rewrite": {"target_file_bytes": "32MiB"}, "schedule": {"min_interval": "1h"}}
    await api.call("PUT", "/v1/policies/mine", status=200, json=policy, headers={"If-Match": '"1"'})
    changes = (await api.get("/v1/policies/mine/versions/2"))["changes"]
    assert changes == [
        {"setting": "rewrite.target_file_bytes", "before": 64 * 2**20, "after": 32 * 2**20},
        {"setting": "schedule.min_interval", "before": None, "after": "1h"},
    ]
    page = await api.get("/v1/policies/mine/versions", params={"page_size": 1})
    assert page["items"][0]["changes"] == changes
    more = await api.get("/v1/policies/mine/versions", params={"page_size": 1, "page_token": page["next_page_token"]})
    assert [item["version"] for item in more["items"]] == [1]
    await api.get("/v1/policies/mine/versions/3", status=404)


async def test_what_was_never_written_and_a_table_s_own_policy_are_no_named_ones(api: Api, table_id: str) -> None:
    await api.put_policy(table_id, POLICY)
    for name in ("nope", table_id):
        for path in ("", "/versions", "/versions/1"):
            await api.get(f"/v1/policies/{name}{path}", status=404)
        for headers in ({"If-Match": '"1"'}, {"If-None-Match": "*"}):
            await api.post(f"/v1/policies/{name}/restore", {"version": 1}, status=404, headers=headers)
    assert (await api.get("/v1/policies"))["items"] == []


async def test_a_preview_says_what_would_change_and_writes_nothing(api: Api, table_id: str) -> None:
    preview = await preview_of(api, LAKE)
    assert (preview["covered_count"], preview["affected_count"]) == (1, 1)
    assert preview["affected_tables"] == [{"id": table_id, "address": "lake.lake.events"}]
    (change,) = preview["changes"]
    settings = {each.pop("setting"): each for each in change["settings"]}
    assert settings["rewrite.target_file_bytes"] == {
        "before": 128 * 2**20,
        "before_origin": "default",
        "after": 64 * 2**20,
        "after_origin": "catalog lake",
    }
    assert settings["rewrite.small_file_bytes"]["after"] == 48 * 2**20
    await api.get("/v1/policies/mine", status=404)


async def test_a_setting_that_a_stronger_policy_holds_would_not_change(api: Api, table_id: str) -> None:
    await api.put_policy(table_id, POLICY)
    preview = await preview_of(api, LAKE, {"rewrite": {"target_file_bytes": "32MiB"}})
    assert (preview["covered_count"], preview["affected_count"], preview["changes"]) == (1, 0, [])


async def test_a_preview_needs_no_precondition(api: Api, table_id: str) -> None:
    await create(api, "mine", LAKE)
    path = "/v1/policies/mine/preview"
    replaced = await api.post(path, {"change": "replace", "policy": {"enabled": False}}, status=200)
    assert {each["setting"] for each in replaced["changes"][0]["settings"]} >= {"enabled"}
    deleted = await api.post(path, {"change": "delete"}, status=200)
    assert {each["after_origin"] for each in deleted["changes"][0]["settings"]} == {"default", "derived"}
    restored = await api.post(path, {"change": "restore", "version": 1}, status=200)
    assert restored["affected_count"] == 0
    assert (await api.get("/v1/policies/mine"))["version"] == 1


async def test_a_preview_refuses_what_the_write_would_refuse(api: Api, table_id: str) -> None:
    zorder = {"rewrite": {"strategy": "zorder"}}
    refused = await create(api, "mine", LAKE, zorder, status=422)
    previewed = await api.post(PREVIEW, {"change": "create", "scope": LAKE, "policy": zorder}, status=422)
    assert previewed["errors"] == refused["errors"]
    assert refused["errors"][0]["pointer"].startswith("/policy/")
    await api.post(PREVIEW, {"change": "replace", "policy": {}}, status=404)
    for wrong in ({}, {"change": "make"}, {"change": "replace"}, {"change": "delete", "policy": {}}):
        await api.post(PREVIEW, wrong, status=422)
    await create(api, "mine", LAKE)
    await api.post(PREVIEW, {"change": "create", "scope": LAKE}, status=409)


async def test_of_two_creates_two_replaces_or_a_delete_and_a_replace_one_wins(api: Api, table_id: str) -> None:
    path, body = "/v1/policies/mine", {"name": "mine", "scope": LAKE, "policy": {}}
    created = await asyncio.gather(*(api.client.post("/v1/policies", json=body) for _ in range(2)))
    assert sorted(answer.status_code for answer in created) == [201, 409]
    sent = (api.client.put(path, json={"enabled": on}, headers={"If-Match": '"1"'}) for on in (True, False))
    assert sorted(answer.status_code for answer in await asyncio.gather(*sent)) == [200, 412]
    known = {"If-Match": '"2"'}
    deleted, replaced = await asyncio.gather(
        api.client.delete(path, headers=known), api.client.put(path, json={}, headers=known)
    )
    assert (deleted.status_code, replaced.status_code) in {(204, 404), (412, 200)}


async def test_replacing_a_policy_by_itself_writes_nothing(api: Api, table_id: str) -> None:
    created = await create(api, "mine", LAKE, {"enabled": False})
    known = {"If-Match": '"1"'}
    answer = await api.call("PUT", "/v1/policies/mine", status=200, json={"enabled": False}, headers=known)
    assert (answer.headers["etag"], answer.json()) == ('"1"', created)
    assert len((await api.get("/v1/policies/mine/versions"))["items"]) == 1
    entries = (await api.get("/v1/audit", params={"object": "mine"}))["items"]
    assert [entry["action"] for entry in entries] == ["policy.create"]


async def test_every_write_is_in_the_audit_log(api: Api, table_id: str) -> None:
    await create(api, "mine", LAKE)
    await api.call("PUT", "/v1/policies/mine", status=200, json={"enabled": False}, headers={"If-Match": '"1"'})
    await api.post("/v1/policies/mine/restore", {"version": 1}, status=200, headers={"If-Match": '"2"'})
    await api.call("DELETE", "/v1/policies/mine", status=204, headers={"If-Match": '"3"'})
    entries = (await api.get("/v1/audit", params={"object": "mine"}))["items"]
    assert [entry["action"] for entry in reversed(entries)] == [
        "policy.create",
        "policy.replace",
        "policy.restore",
        "policy.delete",
    ]
    assert entries[2]["after"]["policy"] == {"enabled": False}


async def due(api: Api, policy: Any) -> Any:
    return (await preview_of(api, LAKE, policy))["due"]


def many_files(least: int) -> Any:
    return {"triggers": [{"name": "many", "all": [{"metric": "file_count", "at_least": least}]}]}


async def test_a_preview_names_tables_that_would_become_due_and_those_never_measured(api: Api, table_id: str) -> None:
    told = await due(api, many_files(2))
    assert (told["count"], told["never_measured_count"]) == (0, 1)
    assert told["never_measured"] == [{"id": table_id, "address": "lake.lake.events"}]
    assert (await due(api, {"limits": {"parallel_groups": 2}}))["never_measured_count"] == 0
    await api.get(f"/v1/tables/{table_id}/health")
    told = await due(api, many_files(6))
    assert (told["count"], told["never_measured_count"], told["untold_count"]) == (1, 0, 0)
    assert (told["tables"][0]["id"], told["tables"][0]["rule"]) == (table_id, "many")
    for nothing in (many_files(7), many_files(6) | {"enabled": False}):
        assert (await due(api, nothing))["count"] == 0
    old = {"triggers": [{"name": "old", "all": [{"metric": "newest_file_age", "above": "2d"}]}]}
    assert (await due(api, old))["untold_count"] == 1
