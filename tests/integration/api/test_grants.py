"""Grants of catalogs: what each right opens, and that everything else is answered as something that does not exist.

`red` is the caller's team. It holds all rights but `read` on the namespace `lake` of the catalog `lake`, nothing on
`secret`, and nothing on the catalog `hide`. Tables of `blue` are registered in all of them. Unknown names are as long
as the hidden ones, so that complete answers, with their lengths, can be compared.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from engine.settings.model import Settings
from tests.integration.api.access import as_caller, grant
from tests.integration.api.conftest import Api
from tests.support.settings import settings_of
from tests.support.world import SCHEMA, make_lake

HIDDEN, UNKNOWN = "hide", "nope"
TABLES = [("lake", "own"), ("lake", "theirs"), ("lake", "free"), ("secret", "theirs"), ("secret", "free")]
PROPERTIES = {"catalog-name": "lake"}
RED = {"team": "red", "namespaces": ["lake"], "rights": ["discover", "register"]}
BLUE = {"team": "blue", "rights": ["discover", "register", "read"]}


DEEP_ON_POSTGRES = ["sqlite", pytest.param("postgres", marks=pytest.mark.deep)]
TWO_DATABASES = pytest.mark.parametrize("settings", ["sqlite", "postgres"], indirect=True)
"""For tests whose statements judge grants in SQL: lists, totals and pages."""


@pytest.fixture(params=DEEP_ON_POSTGRES)
def settings(request: pytest.FixtureRequest, redis_url: str, tmp_path: Path) -> Settings:
    url: str = request.getfixturevalue(f"{request.param}_url")
    return settings_of(tmp_path / "state", database_url=url, redis_url=redis_url)


@pytest.fixture(scope="module")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """The properties of two lakes that tests only read, by the names of their catalogs."""
    made = {name: make_lake(tmp_path_factory.mktemp("grants"), days=1, files=1) for name in ("lake", HIDDEN)}
    for lake in made.values():
        lake.catalog.create_namespace("secret")
        for name in TABLES:
            lake.catalog.create_table(name, SCHEMA)
    return {name: lake.properties for name, lake in made.items()}


@dataclass(frozen=True)
class World:
    """Registered tables by `catalog.namespace.name`, and an owner of team red."""

    api: Api
    ids: dict[str, str]
    red: httpx.AsyncClient


@pytest.fixture
async def world(api: Api, lakes: dict[str, dict[str, str]]) -> World:
    for name, grants in (("lake", [RED, BLUE]), (HIDDEN, [BLUE])):
        body = {"name": name, "format": "iceberg", "properties": PROPERTIES | lakes[name], "grants": grants}
        await api.post("/v1/catalogs", body, status=201)
    ids = {}
    for catalog, namespace, name, team in (
        ("lake", "lake", "own", "red"),
        ("lake", "lake", "theirs", "blue"),
        ("lake", "secret", "theirs", "blue"),
        (HIDDEN, "lake", "theirs", "blue"),
    ):
        body = address(catalog, namespace, name) | {"owner_team": team}
        ids[f"{catalog}.{namespace}.{name}"] = (await api.post("/v1/tables", body, status=201))["id"]
    return World(api, ids, await as_caller(api, "owner", teams=["red"]))


def address(catalog: str, namespace: str, name: str) -> dict[str, Any]:
    return {"catalog": catalog, "namespace": [namespace], "name": name}


def complete(response: httpx.Response, *replaced: tuple[str, str]) -> tuple[int, dict[str, str], str]:
    """Return status, headers and body without what differs between any two requests; `replaced` are names in it."""
    text = re.sub(r"req_[0-9a-f]+", "req", response.text)
    headers = {name: value for name, value in response.headers.items() if name not in ("x-request-id", "date")}
    headers["ratelimit"] = re.sub(r"\d+", "n", headers.get("ratelimit", ""))
    for hidden, unknown in replaced:
        text = text.replace(hidden, unknown)
        headers = {name: value.replace(hidden, unknown) for name, value in headers.items()}
    return response.status_code, headers, text


# --- nothing of what is not granted shows ---


ABOUT_CATALOGS: list[tuple[str, str, Any]] = [
    ("GET", "/v1/catalogs/{}", None),
    ("GET", "/v1/catalogs/{}/grants", None),
    ("POST", "/v1/catalogs/{}/discover", {}),
    ("POST", "/v1/catalogs/{}/register", {"owner_team": "red"}),
    ("GET", "/v1/tables?catalog={}", None),
    ("GET", "/v1/tables?catalog={}&namespace=lake&name=theirs", None),
    ("GET", "/v1/runs?catalog={}", None),
]
UNGRANTED = [
    (HIDDEN, "lake", "free"),
    (HIDDEN, "lake", "theirs"),
    (HIDDEN, "lake", "absent"),
    ("lake", "secret", "free"),
    ("lake", "secret", "theirs"),
    ("lake", "secret", "absent"),
    ("lake", "absent", "absent"),
]


async def test_registering_without_a_grant_is_answered_as_in_a_catalog_that_does_not_exist(world: World) -> None:
    for catalog, namespace, name in UNGRANTED:
        asked = [
            address(each, namespace, name) | {"owner_team": "red", "labels": {"a": "b"}} for each in (catalog, UNKNOWN)
        ]
        refused, unknown = [await world.red.post("/v1/tables", json=body) for body in asked]
        assert refused.status_code == 422, refused.text
        names = [(f"{mark}{catalog}{end}", f"{mark}{UNKNOWN}{end}") for mark, end in ("''", '""', "//", " .")]
        assert complete(refused, *names) == complete(unknown), (catalog, namespace, name)


@pytest.mark.parametrize("role", ["viewer", "operator", "owner"])
async def test_a_catalog_without_a_grant_is_answered_as_one_that_does_not_exist(world: World, role: str) -> None:
    caller = await as_caller(world.api, role, teams=["red"])
    await world.api.post(
        "/v1/runs", {"table_id": world.ids[f"{HIDDEN}.lake.theirs"], "operation": "rewrite"}, status=202
    )
    for method, path, body in ABOUT_CATALOGS:
        hidden, unknown = [await caller.request(method, path.format(name), json=body) for name in (HIDDEN, UNKNOWN)]
        assert complete(hidden, (HIDDEN, UNKNOWN)) == complete(unknown), path
        assert hidden.status_code == (403 if method == "POST" and role != "owner" else 200 if "?" in path else 404)


async def test_a_nearly_right_name_does_not_lead_to_a_hidden_catalog(world: World) -> None:
    answer = (await world.red.get("/v1/catalogs/hid")).json()
    assert answer["detail"] == "no catalog 'hid'"
    assert "did you mean 'hide'" in (await world.api.get("/v1/catalogs/hid", status=404))["detail"]


@TWO_DATABASES
@pytest.mark.parametrize("role", ["viewer", "operator", "owner"])
async def test_no_list_and_no_total_names_a_hidden_catalog_or_its_policies(world: World, role: str) -> None:
    limits = {"parallel_runs": 4, "catalogs": {HIDDEN: {"parallel_runs": 1, "bandwidth": 1000000}}}
    await world.api.call("PUT", "/v1/limits", status=200, json=limits, headers={"If-Match": '"1"'})
    for name, scope in SCOPES.items():
        await world.api.post("/v1/policies", {"name": name, "scope": scope, "policy": {}}, status=201)
    caller = await as_caller(world.api, role, teams=["red"])
    for path in (
        "/v1/catalogs",
        "/v1/limits",
        "/v1/fleet",
        "/v1/fleet/tables",
        "/v1/policies",
        "/v1/tables",
        "/v1/runs",
    ):
        shown = (await caller.get(path)).text
        assert HIDDEN not in shown, path
        assert "secret" not in shown, path
    assert (await caller.get("/v1/fleet")).json()["tables"] == 1


SCOPES = {
    "p1": {"kind": "catalog", "catalog": HIDDEN},
    "p2": {"kind": "namespace", "catalog": "lake", "namespace": ["secret"]},
    "p3": {"kind": "pattern", "pattern": f"{HIDDEN}.*"},
    "p4": {"kind": "pattern", "pattern": "lake.*.own?"},
}


async def test_a_policy_that_covers_no_table_of_the_caller_is_answered_as_one_that_does_not_exist(
    world: World,
) -> None:
    for name, scope in SCOPES.items():
        await world.api.post("/v1/policies", {"name": name, "scope": scope, "policy": {}}, status=201)
        for path in ("/v1/policies/{}", "/v1/policies/{}/versions", "/v1/policies/{}/versions/1"):
            hidden, unknown = [await world.red.get(path.format(each)) for each in (name, "p9")]
            assert complete(hidden, (name, "p9")) == complete(unknown)
            assert hidden.status_code == 404
        await world.api.call("DELETE", f"/v1/policies/{name}", status=204, headers={"If-Match": '"1"'})
        assert (await world.red.get(f"/v1/policies/{name}/versions")).status_code == 404


@TWO_DATABASES
async def test_a_policy_that_covers_a_table_of_the_caller_is_shown(world: World) -> None:
    scopes: dict[str, dict[str, Any]] = {
        "q1": {"kind": "fleet"},
        "q2": {"kind": "catalog", "catalog": "lake"},
        "q3": {"kind": "namespace", "catalog": "lake", "namespace": ["lake"]},
        "q4": {"kind": "pattern", "pattern": "lake.*.ow?"},
    }
    for name, scope in (scopes | SCOPES).items():
        await world.api.post("/v1/policies", {"name": name, "scope": scope, "policy": {}}, status=201)
    first = (await world.red.get("/v1/policies?page_size=3")).json()
    second = (
        await world.red.get("/v1/policies", params={"page_size": 3, "page_token": first["next_page_token"]})
    ).json()
    assert [policy["name"] for page in (first, second) for policy in page["items"]] == list(scopes)
    assert second["next_page_token"] is None


async def test_connections_are_shown_to_admins_only(world: World) -> None:
    for role in ("viewer", "owner"):
        for teams in (["red"], None):
            caller = await as_caller(world.api, role, teams=teams)
            shown = (await caller.get("/v1/catalogs/lake")).json()
            assert (shown["properties"], shown["allowed_locations"]) == (None, None)
            listed = (await caller.get("/v1/catalogs")).json()["items"]
            assert [catalog["properties"] for catalog in listed] == [None] * (1 if teams else 2)
    assert "uri" in (await world.api.get("/v1/catalogs/lake"))["properties"]


async def test_a_caller_sees_the_grants_that_it_holds(world: World) -> None:
    shown = (await world.red.get("/v1/catalogs/lake/grants")).json()
    assert shown == {"catalog": "lake", "version": 1, "grants": [RED]}
    stranger = await as_caller(world.api, "owner", teams=["green"])
    assert (await stranger.get("/v1/catalogs")).json()["items"] == []


async def test_an_idempotency_key_of_another_caller_changes_no_answer(world: World) -> None:
    blue = await as_caller(world.api, "owner", teams=["blue"])
    body = address(HIDDEN, "secret", "free") | {"owner_team": "blue"}
    made = await blue.post("/v1/tables", json=body, headers={"Idempotency-Key": "same"})
    assert made.status_code == 201
    foreign, fresh = [
        await world.red.post("/v1/tables", json=body | {"owner_team": "red"}, headers={"Idempotency-Key": key})
        for key in ("same", "other")
    ]
    assert complete(foreign) == complete(fresh)
    assert foreign.status_code == 422


async def test_runs_of_a_foreign_table_are_answered_as_those_of_an_unknown_one(world: World) -> None:
    table = world.ids["lake.lake.theirs"]
    await world.api.post("/v1/runs", {"table_id": table, "operation": "rewrite"}, status=202)
    unknown = f"{table[:-4]}zzzz"
    hidden, missing = [await world.red.get("/v1/runs", params={"table_id": each}) for each in (table, unknown)]
    assert complete(hidden) == complete(missing)


# --- what each right opens ---


async def test_a_table_of_a_granted_namespace_is_registered(world: World) -> None:
    made = await world.red.post("/v1/tables", json=address("lake", "lake", "free") | {"owner_team": "red"})
    assert made.status_code == 201
    foreign = await world.red.post("/v1/tables", json=address("lake", "lake", "theirs") | {"owner_team": "red"})
    assert foreign.status_code == 409
    assert world.ids["lake.lake.theirs"] not in foreign.text
    assert "blue" not in foreign.text


async def test_a_second_spelling_of_a_namespace_is_not_granted(world: World) -> None:
    await grant(world.api, "lake", {"team": "red", "namespaces": ["*"], "rights": ["register", "discover"]})
    answer = await world.red.post("/v1/tables", json=address("lake", "lake.inner", "free") | {"owner_team": "red"})
    assert answer.status_code == 422
    assert "from which" in answer.json()["detail"]


async def test_discovery_lists_granted_namespaces_only(world: World) -> None:
    found = (await world.red.post("/v1/catalogs/lake/discover", json={})).json()
    assert {(table["name"], table["outcome"], table["table_id"]) for table in found["tables"]} == {
        ("events", "registrable", None),
        ("free", "registrable", None),
        ("own", "already_registered", world.ids["lake.lake.own"]),
        ("theirs", "already_registered", None),
    }
    assert (found["examined"], found["truncated"]) == (4, False)
    none = (await world.red.post("/v1/catalogs/lake/discover", json={"pattern": "secret.*"})).json()
    absent = (await world.red.post("/v1/catalogs/lake/discover", json={"pattern": "absent.*"})).json()
    assert none == absent


async def test_discovery_registers_where_that_is_granted_too(world: World) -> None:
    discover = {"team": "red", "namespaces": ["*"], "rights": ["discover"]}
    register = {"team": "red", "namespaces": ["secret"], "rights": ["register"]}
    await grant(world.api, "lake", discover)
    asked = {"owner_team": "red"}
    refused = await world.red.post("/v1/catalogs/lake/register", json=asked)
    assert refused.status_code == 403
    assert "'register'" in refused.json()["detail"]
    await grant(world.api, "lake", discover, register)
    found = (await world.red.post("/v1/catalogs/lake/register", json=asked)).json()
    outcomes = {(*table["namespace"], table["name"]): table["outcome"] for table in found["tables"]}
    assert outcomes == {
        ("lake", "events"): "refused",
        ("lake", "free"): "refused",
        ("lake", "own"): "already_registered",
        ("lake", "theirs"): "already_registered",
        ("secret", "free"): "registered",
        ("secret", "theirs"): "already_registered",
    }


@TWO_DATABASES
async def test_a_right_to_read_shows_a_table_of_another_team_and_changes_nothing(world: World) -> None:
    table = world.ids["lake.lake.theirs"]
    run = (await world.api.post("/v1/runs", {"table_id": table, "operation": "rewrite"}, status=202))["id"]
    assert (await world.red.get(f"/v1/tables/{table}")).status_code == 404
    await grant(world.api, "lake", RED, {"team": "red", "namespaces": ["l?ke"], "rights": ["read"]})
    for path in ("", "/health", "/explain", "/effective-policy", "/history", "/backpressure"):
        assert (await world.red.get(f"/v1/tables/{table}{path}")).status_code == 200, path
    assert (await world.red.get(f"/v1/runs/{run}/events")).status_code == 200
    listed = (await world.red.get("/v1/tables")).json()["items"]
    assert {each["id"] for each in listed} == {table, world.ids["lake.lake.own"]}
    runs = (await world.red.get("/v1/runs", params={"table_id": table})).json()["items"]
    assert [each["id"] for each in runs] == [run]
    for method, path, body in (
        ("POST", f"/v1/tables/{table}/pause", {"reason": "x"}),
        ("POST", "/v1/runs", {"table_id": table, "operation": "rewrite"}),
        ("POST", f"/v1/runs/{run}/cancel", None),
        ("PATCH", f"/v1/tables/{table}", {"owner_team": "red"}),
        ("DELETE", f"/v1/tables/{table}", None),
        ("POST", f"/v1/tables/{table}/policy/preview", {"change": "delete"}),
        ("POST", "/v1/signals", {"table_id": table, "signal": {"kind": "commit"}}),
    ):
        answer = await world.red.request(method, path, json=body)
        assert (answer.status_code, path) == (403, path), answer.text
    hidden = world.ids["lake.secret.theirs"]
    assert (await world.red.get(f"/v1/tables/{hidden}")).status_code == 404


@TWO_DATABASES
@pytest.mark.parametrize("pattern", ["*", "lake", "l*", "?ake"])
async def test_lists_of_readable_tables_have_pages(world: World, pattern: str) -> None:
    await grant(world.api, "lake", {"team": "*", "namespaces": [pattern], "rights": ["read"]})
    green = await as_caller(world.api, "viewer", teams=["green"])
    wanted = [world.ids[name] for name in ("lake.lake.own", "lake.lake.theirs", "lake.secret.theirs")]
    wanted = wanted if pattern == "*" else wanted[:2]
    found, token = list[str](), ""
    while token is not None:
        page = (
            await green.get("/v1/tables", params={"page_size": 1} | ({"page_token": token} if token else {}))
        ).json()
        found += [each["id"] for each in page["items"]]
        token = page["next_page_token"]
    assert found == sorted(wanted, reverse=True)
    of_blue = (await green.get("/v1/tables", params={"owner_team": "blue"})).json()["items"]
    assert {each["id"] for each in of_blue} == set(wanted[1:])


async def test_a_revoked_grant_ends_at_once(world: World) -> None:
    table = world.ids["lake.lake.theirs"]
    await grant(world.api, "lake", {"team": "red", "rights": ["read", "register"]})
    assert (await world.red.get(f"/v1/tables/{table}")).status_code == 200
    await grant(world.api, "lake")
    assert (await world.red.get(f"/v1/tables/{table}")).status_code == 404
    answer = await world.red.post("/v1/tables", json=address("lake", "lake", "free") | {"owner_team": "red"})
    assert answer.status_code == 422
    assert (await world.red.get(f"/v1/tables/{world.ids['lake.lake.own']}")).status_code == 200
    assert (await world.red.get("/v1/catalogs/lake")).json()["grants"] == []


async def test_callers_of_every_team_hold_the_grants_of_all_teams(world: World) -> None:
    everyone = await as_caller(world.api, "owner")
    made = await everyone.post("/v1/tables", json=address("lake", "secret", "free") | {"owner_team": None})
    assert made.status_code == 201
    await grant(world.api, "lake")
    answer = await everyone.post("/v1/tables", json=address("lake", "lake", "free") | {"owner_team": None})
    assert answer.status_code == 422


# --- writing grants ---


async def test_grants_are_written_as_a_whole_on_the_version_that_was_read(world: World) -> None:
    call, path = world.api.call, "/v1/catalogs/lake/grants"
    body = {"grants": [{"team": "green", "rights": ["register", "discover"]}]}
    await call("PUT", path, status=428, json=body)
    await call("PUT", path, status=412, json=body, headers={"If-Match": '"9"'})
    written = await call("PUT", path, status=200, json=body, headers={"If-Match": '"1"'})
    grants = [{"team": "green", "namespaces": ["*"], "rights": ["discover", "register"]}]
    assert (written.json(), written.headers["etag"]) == ({"catalog": "lake", "version": 2, "grants": grants}, '"2"')
    catalog = await world.api.get("/v1/catalogs/lake")
    kept = await call(
        "PUT",
        "/v1/catalogs/lake",
        status=200,
        json={"properties": catalog["properties"]},
        headers={"If-Match": '"2"'},
    )
    assert kept.json()["grants"] == grants
    entry = (await world.api.get("/v1/audit", params={"action": "catalog.grants"}))["items"][0]
    assert (entry["before"], entry["after"]) == ({"grants": [RED, BLUE | {"namespaces": ["*"]}]}, {"grants": grants})


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"team": ""}, "/grants/0/team"),
    ({"rights": []}, "/grants/0/rights"),
    ({"rights": ["write"]}, "/grants/0/rights/0"),
    ({"namespaces": []}, "/grants/0/namespaces"),
    ({"namespaces": ["a..b"]}, "/grants/0/namespaces/0"),
    ({"namespaces": ["a" * 501]}, "/grants/0/namespaces/0"),
]


async def test_a_grant_that_can_not_be_meant_is_refused(world: World) -> None:
    for wrong, pointer in WRONG:
        body = {"grants": [{"team": "green", "rights": ["read"]} | wrong]}
        answer = await world.api.call(
            "PUT", "/v1/catalogs/lake/grants", status=422, json=body, headers={"If-Match": '"1"'}
        )
        assert [problem["pointer"] for problem in answer.json()["errors"]] == [pointer]


async def test_a_new_catalog_is_granted_to_no_team(world: World) -> None:
    properties = (await world.api.get("/v1/catalogs/lake"))["properties"]
    made = await world.api.post(
        "/v1/catalogs", {"name": "new", "format": "iceberg", "properties": properties}, status=201
    )
    assert made["grants"] == []
    everyone = await as_caller(world.api, "owner")
    assert (await everyone.get("/v1/catalogs/new")).status_code == 404
