"""Roles and teams at every operation: the description says what is needed, and the app holds to it."""

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest

from api.http.auth import SIGN_IN
from tests.integration.api.access import ROLES, as_caller, grant, make_key
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.apps import described_app
from tests.support.eventually import seen_when
from tests.support.world import Lake

FORBIDDEN_FIRST = {"Content-Type": "application/json"}


def operations() -> Iterator[tuple[str, str, str]]:
    for path, item in described_app()["paths"].items():
        for method, operation in item.items():
            if path.startswith("/v1/") and path != SIGN_IN:
                yield method.upper(), path, operation.get("x-packhouse-role", "none")


OPERATIONS = list(operations())


def address(path: str) -> str:
    """Return a path with ids that nothing has."""
    return re.sub(r"\{[a-z_]+\}", "none", path)


def test_every_operation_names_its_role() -> None:
    assert [(method, path) for method, path, role in OPERATIONS if role not in ROLES] == []


def test_no_operation_that_changes_something_is_for_viewers_and_planners() -> None:
    reading = {"plan_table", "preview_policy", "preview_run", "preview_table_policy"}
    document = described_app()
    found = [
        operation["operationId"]
        for item in document["paths"].values()
        for method, operation in item.items()
        if method != "get" and operation.get("x-packhouse-role") in ("viewer", "planner")
    ]
    assert set(found) <= reading


async def test_every_role_is_refused_what_needs_more_and_nothing_else(api: Api) -> None:
    clients = {role: api.with_key((await make_key(api, role))["secret"]) for role in ROLES}
    wrong = []
    for method, path, needed in OPERATIONS:
        for role in ROLES:
            if role == "admin" and method == "POST" and path.startswith("/v1/fleet"):
                continue  # it would pause everything
            body = b"{}" if method in {"POST", "PUT", "PATCH"} else None
            response = await clients[role].request(method, address(path), content=body, headers=FORBIDDEN_FIRST)
            is_enough = ROLES.index(role) >= ROLES.index(needed)
            if (response.status_code == 403) == is_enough:
                wrong.append((method, path, role, response.status_code))
    assert wrong == []


@pytest.fixture
async def foreign(api: Api, lake: Lake) -> dict[str, str]:
    """A table of the team sales with a policy and a run."""
    table = await api.post("/v1/tables", ADDRESS | {"owner_team": "sales"}, status=201)
    policy = {"rewrite": {"min_input_files": 2}}
    await api.call("PUT", f"/v1/tables/{table['id']}/policy", json=policy, headers={"If-None-Match": "*"}, status=201)
    run = await api.post("/v1/runs", {"table_id": table["id"], "operation": "rewrite"}, status=202)
    return {"table_id": table["id"], "run_id": run["id"]}


GOOD_BODIES: dict[str, Any] = {
    "/plan": {},
    "/pause": {"reason": "x"},
    "/resume": {},
    "/unfreeze": {"reason": "x"},
    "/restore": {"version": 1},
    "/policy": {"rewrite": {"min_input_files": 3}},
    "/preview": {"change": "delete"},
}


def good_body(method: str, path: str) -> Any:
    """Return a body that is right, so that only the object can be wrong."""
    if method == "PATCH":
        return {"labels": {"a": "b"}}
    ending = path[path.rindex("/") :]
    return GOOD_BODIES.get(ending) if method in {"POST", "PUT"} else None


OF_TABLES_AND_RUNS = [
    (method, path) for method, path, role in OPERATIONS if role != "admin" and re.search(r"{(table|run)_id}", path)
]


async def test_what_another_team_has_is_answered_as_if_it_were_not_there(api: Api, foreign: dict[str, str]) -> None:
    stranger = await as_caller(api, "owner", teams=["hr"])
    unknown = {kind: f"{object_id[:-4]}zzzz" for kind, object_id in foreign.items()}
    for method, path in OF_TABLES_AND_RUNS:
        told = []
        for ids in (foreign, unknown):
            response = await stranger.request(
                method,
                path.format(**ids, version=1, operation="reclaim"),
                params={"partition": "day="} if path.endswith("/write-locations") else None,
                json=good_body(method, path),
                headers={"If-Match": '"1"'},
            )
            assert response.status_code == 404, (method, path, response.text)
            text = {name: value for name, value in response.json().items() if name not in {"request_id", "instance"}}
            told.append(str(text).replace(ids["table_id"], "X").replace(ids["run_id"], "X"))
        assert told[0] == told[1], (method, path)


async def test_policy_signals_and_streams_of_another_teams_table_are_not_there(
    api: Api, foreign: dict[str, str]
) -> None:
    stranger, table, run = await as_caller(api, "operator", teams=["hr"]), foreign["table_id"], foreign["run_id"]
    for ending in ("", "/versions", "/versions/1"):
        assert (await stranger.get(f"/v1/policies/{table}{ending}")).status_code == 404
    signal = {"table_id": table, "signal": {"kind": "commit", "added_files": 1}}
    assert (await stranger.post("/v1/signals", json=signal)).status_code == 404
    assert (await stranger.get("/v1/signals", params={"table_id": table, "kind": "commit"})).status_code == 404
    stream = {"Accept": "text/event-stream"}
    assert (await stranger.get(f"/v1/runs/{run}/events", headers=stream)).status_code == 404
    assert (await stranger.post("/v1/runs", json={"table_id": table, "operation": "rewrite"})).status_code == 404


async def test_tables_and_runs_of_another_team_are_not_listed_by_any_filter(api: Api, foreign: dict[str, str]) -> None:
    stranger, colleague = await as_caller(api, "viewer", teams=["hr"]), await as_caller(api, "viewer", teams=["sales"])
    for query in ({"table_id": foreign["table_id"]}, {"state": "queued"}, {"catalog": "lake"}, {"owner_team": "sales"}):
        response = await stranger.get("/v1/runs", params=query)
        assert response.status_code in {200, 404}, response.text
        assert foreign["run_id"] not in response.text
    for query in ({}, {"catalog": "lake"}, {"team": "sales"}, {"owner_team": "sales"}):
        assert foreign["table_id"] not in (await stranger.get("/v1/tables", params=query)).text
    for path in ("/v1/tables", "/v1/runs"):
        assert (await stranger.get(path)).json()["items"] == []
        assert len((await colleague.get(path)).json()["items"]) == 1
        assert len((await api.get(path))["items"]) == 1


async def test_the_fleet_is_what_the_caller_sees(api: Api, foreign: dict[str, str]) -> None:
    await api.get(f"/v1/tables/{foreign['table_id']}/health")
    stranger, colleague = await as_caller(api, "viewer", teams=["hr"]), await as_caller(api, "viewer", teams=["sales"])
    assert foreign["table_id"] not in (await stranger.get("/v1/fleet/tables")).text
    assert foreign["table_id"] in (await colleague.get("/v1/fleet/tables")).text
    seen = [(await client.get("/v1/fleet")).json() for client in (stranger, colleague)]
    assert seen[0] != seen[1]


async def test_a_table_without_a_team_is_for_callers_of_every_team(api: Api, table_id: str) -> None:
    narrow, wide = await as_caller(api, "viewer", teams=["hr"]), await as_caller(api, "viewer")
    assert (await narrow.get(f"/v1/tables/{table_id}")).status_code == 404
    assert (await wide.get(f"/v1/tables/{table_id}")).status_code == 200


async def test_an_owner_registers_tables_of_its_own_teams_only(api: Api, lake: Lake) -> None:
    await grant(api, "lake", {"team": "sales", "rights": ["register"]})
    owner = await as_caller(api, "owner", teams=["sales"])
    for team in ("hr", None):
        refused = await owner.post("/v1/tables", json=ADDRESS | {"owner_team": team})
        assert refused.status_code == 403
        assert "its teams are: sales" in refused.json()["detail"]
    assert (await owner.post("/v1/tables", json=ADDRESS | {"owner_team": "sales"})).status_code == 201


async def test_a_stream_ends_when_its_key_is_revoked(api: Api, foreign: dict[str, str]) -> None:
    key = await make_key(api, "viewer")
    client = api.with_key(key["secret"])
    headers = {"Accept": "text/event-stream"}
    following = asyncio.create_task(client.get(f"/v1/runs/{foreign['run_id']}/events", headers=headers))

    async def is_open() -> bool:
        return bool(api.app.state.stream_slots._open["key:" + key["name"]])

    await seen_when(is_open, within_seconds=10)
    await api.call("POST", f"/v1/keys/{key['id']}/revoke", status=200)
    assert (await asyncio.wait_for(following, 10)).status_code == 200


async def test_a_planner_asks_what_runs_of_its_teams_would_do_and_starts_none(
    api: Api, foreign: dict[str, str]
) -> None:
    table = foreign["table_id"]
    expiry = {"maintenance": {"expire_snapshots": {"older_than": "5d", "delete_files": True}}}
    await api.call("PUT", f"/v1/tables/{table}/policy", json=expiry, headers={"If-Match": '"1"'}, status=200)
    planner, stranger = [await as_caller(api, "planner", teams=[team]) for team in ("sales", "hr")]
    for operation, status in (("rewrite", 200), ("expire_snapshots", 200), ("purge", 403)):
        asked = {"table_id": table, "operation": operation}
        assert (await planner.post("/v1/runs/preview", json=asked)).status_code == status
        assert (await stranger.post("/v1/runs/preview", json=asked)).status_code == 404
        assert (await planner.post("/v1/runs", json=asked)).status_code == 403
    assert (await planner.get(f"/v1/tables/{table}/upkeep/expire_snapshots/files")).status_code == 200
    assert (await planner.get(f"/v1/tables/{table}/upkeep/purge/files")).status_code == 403
    assert len((await api.get("/v1/runs"))["items"]) == 1
