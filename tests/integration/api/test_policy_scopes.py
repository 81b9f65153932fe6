"""Policies of teams and labels over HTTP: who writes and sees them, what wins, and what a change of a table does."""

from datetime import datetime
from typing import Any

import pytest

from engine.domain.ids import TableId
from tests.integration.api.access import as_caller, grant
from tests.integration.api.conftest import Api
from tests.integration.api.test_scoped_policies import create, setting

NAMES = ("secret", "gone", "free")
GROUPS = "limits.parallel_groups"
GROWTH = {"kind": "team", "team": "growth"}
HOSTILE = "a=b\"'%_\\ä💧{}<>&?#"


def label(key: str, value: str) -> dict[str, str]:
    return {"kind": "label", "key": key, "value": value}


def groups(count: int) -> dict[str, Any]:
    return {"limits": {"parallel_groups": count}}


async def change(api: Api, table_id: str, **fields: Any) -> None:
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json=fields)


async def test_labels_win_over_patterns_and_the_later_name_over_other_labels(api: Api, table_id: str) -> None:
    await create(api, "team", GROWTH, groups(2))
    await create(api, "pattern", {"kind": "pattern", "pattern": "lake.*"}, groups(3))
    await create(api, "b", label("tier", "gold"), groups(4))
    await create(api, "a", label("zone", "eu"), groups(5))
    assert await setting(api, table_id, GROUPS) == (3, "pattern pattern")
    await change(api, table_id, labels={"zone": "eu"})
    assert await setting(api, table_id, GROUPS) == (5, "label zone=eu")
    await change(api, table_id, labels={"tier": "gold"})
    assert await setting(api, table_id, GROUPS) == (4, "label tier=gold")
    await api.call("DELETE", "/v1/policies/pattern", status=204, headers={"If-Match": '"1"'})
    await change(api, table_id, labels=None, owner_team="growth")
    assert await setting(api, table_id, GROUPS) == (2, "team growth")
    await create(api, "lake", {"kind": "catalog", "catalog": "lake"}, groups(6))
    assert await setting(api, table_id, GROUPS) == (6, "catalog lake")


@pytest.mark.parametrize("scope", [label(HOSTILE, HOSTILE), label("k", ""), {"kind": "team", "team": HOSTILE}], ids=str)
async def test_hostile_names_come_back_as_they_were_written(api: Api, table_id: str, scope: dict[str, str]) -> None:
    made = await create(api, "mine", scope, groups(7))
    assert made["scope"] == scope
    if scope["kind"] == "team":
        await change(api, table_id, owner_team=scope["team"])
        found = await api.get("/v1/policies", params={"scope_team": scope["team"]})
    else:
        await change(api, table_id, labels={scope["key"]: scope["value"]})
        found = await api.get("/v1/policies", params={"scope_label": f"{scope['key']}:{scope['value']}"})
    assert [policy["name"] for policy in found["items"]] == ["mine"]
    assert (await setting(api, table_id, GROUPS))[0] == 7
    assert (await api.get("/v1/policies", params={"scope_label": "k:%"}))["items"] == []


async def test_a_scope_has_one_policy(api: Api) -> None:
    await create(api, "gold", label("tier", "gold"))
    refused = await create(api, "other", label("tier", "gold"), status=409)
    assert "'gold'" in refused["detail"]
    await create(api, "silver", label("tier", "silver"))
    await create(api, "growth", GROWTH)
    await create(api, "again", GROWTH, status=409)


async def test_an_owner_writes_the_policy_of_its_team_and_no_other(api: Api, table_id: str) -> None:
    owner = await as_caller(api, "owner", teams=["growth"])
    body = {"name": "team-growth", "scope": GROWTH, "policy": groups(2)}
    assert (await owner.post("/v1/policies", json=body)).status_code == 201
    for scope in ({"kind": "fleet"}, label("tier", "gold"), {"kind": "team", "team": "sales"}):
        created = await owner.post("/v1/policies", json={"name": "x", "scope": scope, "policy": {}})
        previewed = await owner.post("/v1/policies/x/preview", json={"change": "create", "scope": scope})
        for answer, words in ((created, "admin"), (previewed, "sees those of its teams only")):
            assert (answer.status_code, words in answer.json()["detail"]) == (403, True)
    etag = {"If-Match": '"1"'}
    replaced = await owner.put("/v1/policies/team-growth", json=groups(3), headers=etag)
    assert (replaced.status_code, replaced.json()["version"]) == (200, 2)
    restored = await owner.post("/v1/policies/team-growth/restore", json={"version": 1}, headers={"If-Match": '"2"'})
    assert restored.status_code == 200
    assert (await owner.delete("/v1/policies/team-growth", headers={"If-Match": '"3"'})).status_code == 204
    restored = await owner.post("/v1/policies/team-growth/restore", json={"version": 1}, headers={"If-None-Match": "*"})
    assert restored.status_code == 200
    await create(api, "fleet", {"kind": "fleet"})
    for method, path in (("PUT", ""), ("DELETE", ""), ("POST", "/restore")):
        body = {"version": 1} if path else {}
        answer = await owner.request(method, f"/v1/policies/fleet{path}", json=body, headers=etag)
        assert answer.status_code == 403


@pytest.mark.parametrize("role", ["viewer", "operator"])
async def test_lesser_roles_write_no_policy_of_their_team(api: Api, role: str) -> None:
    caller = await as_caller(api, role, teams=["growth"])
    assert (await caller.post("/v1/policies", json={"name": "x", "scope": GROWTH, "policy": {}})).status_code == 403


async def test_who_only_reads_previews_what_covers_no_table_that_it_does_not_see(api: Api, table_id: str) -> None:
    """A check of a pull request has a key that can't write."""
    await create(api, "team-growth", GROWTH)
    await create(api, "fleet", {"kind": "fleet"})
    member = await as_caller(api, "viewer", teams=["growth"])
    everyone = await as_caller(api, "viewer")
    replacement = {"change": "replace", "policy": groups(2)}
    for caller, name, status in ((member, "team-growth", 200), (member, "fleet", 403), (everyone, "fleet", 200)):
        assert (await caller.post(f"/v1/policies/{name}/preview", json=replacement)).status_code == status, name
    own = f"/v1/tables/{table_id}/policy/preview"
    assert (await everyone.post(own, json=replacement)).json()["affected_count"] == 1
    assert (await member.post(own, json=replacement)).status_code == 404


async def test_policies_of_other_teams_and_their_labels_do_not_exist(api: Api, table_id: str) -> None:
    await change(api, table_id, owner_team="sales", labels={"tier": "gold"})
    await create(api, "sales", {"kind": "team", "team": "sales"})
    await create(api, "gold", label("tier", "gold"))
    await create(api, "growth", GROWTH)
    stranger = await as_caller(api, "owner", teams=["growth"])
    assert [each["name"] for each in (await stranger.get("/v1/policies")).json()["items"]] == ["growth"]
    assert (await stranger.get("/v1/policies", params={"scope_label": "tier:gold"})).json()["items"] == []
    for name in ("sales", "gold"):
        unknown = (await stranger.get(f"/v1/policies/{name}x")).json()
        for path in ("", "/versions", "/versions/1"):
            assert (await stranger.get(f"/v1/policies/{name}{path}")).status_code == 404
        assert (await stranger.get(f"/v1/policies/{name}")).json()["detail"] == unknown["detail"].replace("x'", "'")
        for method, path in (("PUT", ""), ("DELETE", ""), ("POST", "/restore")):
            sent = {"json": {"version": 1} if path else {}, "headers": {"If-Match": '"1"'}}
            assert (await stranger.request(method, f"/v1/policies/{name}{path}", **sent)).status_code == 404
    reader = await as_caller(api, "viewer", teams=["growth"])
    await grant(api, "lake", {"team": "growth", "namespaces": ["*"], "rights": ["read"]})
    names = [each["name"] for each in (await reader.get("/v1/policies")).json()["items"]]
    assert names == ["gold", "growth", "sales"]


async def test_f30_names_of_hidden_policies_are_refused_to_an_owner_like_free_ones(api: Api, table_id: str) -> None:
    await create(api, "secret", {"kind": "pattern", "pattern": "lake.lake.*"})
    await create(api, "gone", {"kind": "pattern", "pattern": "lake.l*"})
    await api.call("DELETE", "/v1/policies/gone", status=204, headers={"If-Match": '"1"'})
    owner = await as_caller(api, "owner", teams=["growth"])
    answers = [await owner.post("/v1/policies", json={"name": name, "scope": GROWTH, "policy": {}}) for name in NAMES]
    previews = [
        await owner.post(f"/v1/policies/{name}/preview", json={"change": "create", "scope": GROWTH}) for name in NAMES
    ]
    assert {answer.status_code for answer in answers + previews} == {422}
    problem = {
        "pointer": "/name",
        "message": "an owner's policy is named after its team",
        "hint": "name it 'team-growth'",
        "remedy": None,
    }
    assert [answer.json()["errors"] for answer in answers] == [[problem | {"value": name}] for name in NAMES]
    problem["pointer"] = "path:name"
    assert [answer.json()["errors"] for answer in previews] == [[problem | {"value": name}] for name in NAMES]
    made = await owner.post("/v1/policies", json={"name": "team-growth", "scope": GROWTH, "policy": {}})
    assert made.status_code == 201


async def test_a_preview_shows_the_tables_of_a_label(api: Api, table_id: str) -> None:
    await change(api, table_id, labels={"tier": "gold"})
    body = {"change": "create", "scope": label("tier", "gold"), "policy": groups(9)}
    found = await api.post("/v1/policies/x/preview", body, status=200)
    assert (found["covered_count"], found["affected_count"]) == (1, 1)
    assert found["changes"][0]["settings"][0]["after_origin"] == "label tier=gold"
    none = await api.post("/v1/policies/x/preview", body | {"scope": label("tier", "silver")}, status=200)
    assert none["covered_count"] == 0


async def test_a_new_label_wakes_the_table_only_where_another_policy_covers_it_then(api: Api, table_id: str) -> None:
    await create(api, "gold", label("tier", "gold"), groups(9))
    database = api.container.database

    async def rest_ended() -> bool:
        async with database.read() as unit:
            return await unit.watches.rest_ended_at(TableId(table_id)) is not None

    async def reconsidered_at() -> datetime | None:
        async with database.read() as unit:
            watch = await unit.watches.get(TableId(table_id))
        assert watch is not None
        return watch.reconsider_at

    await change(api, table_id, labels={"note": "x"}, owner_team="growth")
    assert not await rest_ended()
    assert await reconsidered_at() is None
    await change(api, table_id, labels={"tier": "gold"})
    assert await rest_ended()
    assert await reconsidered_at() is not None


async def test_a_new_label_makes_live_runs_urgent(api: Api, table_id: str) -> None:
    await create(api, "gold", label("tier", "gold"), {"schedule": {"urgent_after": "1h"}})
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)

    async def urgent() -> bool:
        async with api.container.database.read() as unit:
            found = await unit.runs.get(run["id"])
        assert found is not None
        return found.urgent_at is not None

    assert not await urgent()
    await change(api, table_id, labels={"tier": "gold"})
    assert await urgent()
    await change(api, table_id, labels={"tier": None})
    assert not await urgent()


MESSAGE = "größere Dateien: 50 % of the 'dashboards'"


async def test_a_message_is_kept_with_its_version_and_in_the_audit_log(api: Api, table_id: str) -> None:
    made = {"name": "fleet", "scope": {"kind": "fleet"}, "policy": groups(2)}
    own = f"/v1/tables/{table_id}/policy"
    for path, audited, first in (
        (own, table_id, ("PUT", own, 201, {"json": groups(2), "headers": {"If-None-Match": "*"}})),
        ("/v1/policies/fleet", "fleet", ("POST", "/v1/policies", 201, {"json": made})),
    ):
        known = [{"headers": {"If-Match": f'"{version}"'}} for version in (1, 2, 2, 3)]
        for method, where, status, sent, message, kept in (
            (*first, MESSAGE, MESSAGE),
            ("PUT", path, 200, known[0] | {"json": groups(3)}, None, None),
            ("PUT", path, 200, known[1] | {"json": groups(3)}, "dropped", None),  # nothing changes
            ("POST", f"{path}/restore", 200, known[2] | {"json": {"version": 1}}, "back", "back"),
        ):
            params = {} if message is None else {"message": message}
            answer = await api.call(method, where, status=status, params=params, **sent)
            assert answer.json()["message"] == (await api.get(path))["message"] == kept
        assert [each["message"] for each in await api.items("/v1/policies")] == ([] if path == own else ["back"])
        await api.call("DELETE", path, status=204, params={"message": "gone"}, **known[3])
        new = {"headers": {"If-None-Match": "*"}, "params": {"message": "again"}}
        await api.call("POST", f"{path}/restore", status=200, json={"version": 1}, **new)
        told = ["again", "gone", "back", None, MESSAGE]
        assert [each["message"] for each in await api.items(f"{path}/versions")] == told
        entries = await api.items("/v1/audit", object=audited)
        of_policies = [entry for entry in entries if entry["action"].startswith("policy.")]
        assert [(entry["after"] or {}).get("message") for entry in of_policies] == told


async def test_a_message_is_one_line_of_at_most_500_characters(api: Api) -> None:
    body = {"name": "fleet", "scope": {"kind": "fleet"}, "policy": {}}
    for message in ("", "a\nb", "a\x1b[31m", "a\u202eb", "\x00", "m" * 501):
        errors = (await api.post("/v1/policies", body, status=422, params={"message": message}))["errors"]
        assert [error["pointer"] for error in errors] == ["query:message"]
    assert (await api.get("/v1/policies"))["items"] == []
