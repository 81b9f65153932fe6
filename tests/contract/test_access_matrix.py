"""Every operation, by every role, on own, foreign and unowned objects: the matrix is made from `openapi.yaml`."""

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from asgi_lifespan import LifespanManager

from api.app import create_app
from api.deps import Services
from engine.domain.access.callers import Role
from engine.factory.container import open_container
from engine.factory.wiring import Container
from tests.support.acknowledging import acknowledging
from tests.support.local_dispatch import LocalDispatcher
from tests.support.matrix import (
    OBJECT_PARAMETERS,
    OWN_TEAM,
    TEAM_IN_BODY,
    TEAM_OF,
    Kind,
    Operation,
    example_body,
    expected,
    filled,
    operations,
    verdict,
)
from tests.support.settings import settings_of
from tests.support.world import SCHEMA, make_lake

pytestmark = pytest.mark.asyncio(loop_scope="module")
OPERATIONS = {operation.id: operation for operation in operations()}
CALLERS: tuple[Role | None, ...] = (None, *Role)
PUBLIC = {"get_liveness", "get_readiness", "get_metrics", "get_sign_in", "explain_problem"}
MALFORMED = {400, 405, 415, 422, 428}  # such an answer would say nothing of rights
UNLIMITED = 10**9


@dataclass
class Cells:
    """The app with its objects; after each change the record is put back as it was."""

    client: httpx.AsyncClient
    keys: dict[Role, str]
    values: dict[Kind, dict[str, str]]
    live: Path
    kept: Path

    async def ask(
        self, operation: Operation, role: Role | None, kind: Kind, *, if_none_match: str | None = None, **instead: str
    ) -> httpx.Response:
        """Send the request of one cell; `instead` replaces ids."""
        values: dict[str, Any] = self.values[kind] | instead
        if operation.id in TEAM_IN_BODY:
            values |= {"catalog": "lake", "namespace": ["lake"], "name": "spare", "owner_team": TEAM_OF[kind]}
        headers = {} if role is None else {"Authorization": f"Bearer {self.keys[role]}"}
        headers |= {"If-Match": '"2"'} if operation.takes_if_match else {}
        headers |= {} if if_none_match is None else {"If-None-Match": if_none_match}
        path, body = filled(operation.path, values), example_body(operation, values)
        query = {name: values[f"?{name}"] for name in operation.query}
        response = await self.client.request(operation.method, path, json=body, headers=headers, params=query)
        if response.is_success and operation.method != "GET":
            self.put_back()
        return response

    def put_back(self) -> None:
        with sqlite3.connect(self.kept) as kept, sqlite3.connect(self.live) as live:
            kept.backup(live)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def cells(
    sqlite_template: Path, redis_url: str, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Cells]:
    folder = tmp_path_factory.mktemp("matrix")
    live = folder / "live.sqlite3"
    shutil.copyfile(sqlite_template, live)
    settings = settings_of(
        folder / "state",
        database_url=f"sqlite+aiosqlite:///{live}",
        redis_url=redis_url,
        reads_per_minute=UNLIMITED,
        writes_per_minute=UNLIMITED,
        failed_authentications_per_minute=UNLIMITED,
        webhook_allow="127.0.0.1",
    )
    async with AsyncExitStack() as stack:
        container = await stack.enter_async_context(open_container(settings, dispatcher=LocalDispatcher()))

        @asynccontextmanager
        async def services() -> AsyncIterator[Services]:
            yield container

        app = create_app(services)
        await stack.enter_async_context(LifespanManager(app))
        transport = httpx.ASGITransport(app=app)
        client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://packhouse"))
        admin = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://packhouse"))
        admin.headers["Authorization"] = f"Bearer {await container.access.ensure_admin_key()}"
        values = await make_objects(admin, folder)
        await add_deliveries(admin, container, values)
        keys = {role: await make_key(admin, role) for role in Role}
        made = Cells(client, keys, values, live, folder / "kept.sqlite3")
        with sqlite3.connect(live) as source, sqlite3.connect(made.kept) as kept:
            source.backup(kept)
        yield made


async def make_objects(admin: httpx.AsyncClient, folder: Path) -> dict[Kind, dict[str, str]]:
    """Make a table with a policy, a live run and a deletion for each kind of owner, and one of all else.

    Return what paths take.
    """

    async def send(method: str, path: str, body: Any, **headers: str) -> Any:
        answer = await admin.request(method, path, json=body, headers=headers)
        if (token := acknowledging(answer)) is not None:
            answer = await admin.request(method, path, json=body, headers=headers, params={"acknowledge": token})
        return answer.raise_for_status().json()

    lake = await asyncio.to_thread(make_lake, folder / "lake", days=1, files=1)
    lake.catalog.create_namespace("open")
    rights = {"team": OWN_TEAM, "namespaces": ["lake"], "rights": ["discover", "register"]}
    reading = {"team": OWN_TEAM, "namespaces": ["open"], "rights": ["read"]}
    for name, grants in (("lake", [rights, reading]), ("hide", [])):
        body = {"name": name, "format": "iceberg", "properties": lake.properties | {"catalog-name": "lake"}}
        await send("POST", "/v1/catalogs", body | {"grants": grants})
    everywhere = {"name": "everywhere", "scope": {"kind": "fleet"}, "policy": {"limits": {"parallel_groups": 3}}}
    await send("POST", "/v1/policies", everywhere)
    elsewhere = everywhere | {"name": "elsewhere", "scope": {"kind": "catalog", "catalog": "hide"}}
    await send("POST", "/v1/policies", elsewhere)
    for name in ("everywhere", "elsewhere"):
        await send("PUT", f"/v1/policies/{name}", {"limits": {"parallel_groups": 2}}, **{"If-Match": '"1"'})
    endpoint = {"url": "sc://127.0.0.1:9", "labels": {"site": "eu"}}
    await send("PUT", "/v1/spark-endpoints/eu-1", endpoint, **{"If-None-Match": "*"})
    lake.catalog.create_table(("lake", "spare"), SCHEMA)
    common = {
        "catalogs/{name}": "lake",
        "policies/{name}": "everywhere",
        "spark-endpoints/{name}": "eu-1",
        "presets/{name}": "balanced",
        "problems/{code}": "not_found",
        "keys/{key_id}": (await send("POST", "/v1/keys", {"name": "other", "role": "viewer"}))["id"],
        "versions/{version}": "2",
        "upkeep/{operation}": "expire_snapshots",
        "owner_team": OWN_TEAM,
        "teams": [OWN_TEAM],
        "v1/{name}": "lake",
        "?kind": "commit",
        "?partition": "day=2026-11-01",
    }
    values = {Kind.NONE: common}
    for kind, team in TEAM_OF.items():
        namespace = "open" if kind is Kind.READABLE else "lake"
        address = {"catalog": "lake", "namespace": [namespace], "name": f"table_{kind}"}
        lake.catalog.create_table((namespace, f"table_{kind}"), SCHEMA)
        table = (await send("POST", "/v1/tables", address | {"owner_team": team}))["id"]
        await send("PUT", f"/v1/tables/{table}/policy", {"priority": "low"}, **{"If-None-Match": "*"})
        expiry = {"expire_snapshots": {"older_than": "5d", "delete_files": True}}
        policy = {"priority": "high", "maintenance": expiry}
        await send("PUT", f"/v1/tables/{table}/policy", policy, **{"If-Match": '"1"'})
        deleting = await send("POST", "/v1/runs", {"table_id": table, "operation": "expire_snapshots"})
        values[kind] = common | {
            "namespaces/{namespace}": namespace,
            "tables/{table}": address["name"],
            "table_id": table,
            "deletions/{run_id}": deleting["id"],
            "run_id": (await send("POST", "/v1/runs", {"table_id": table, "operation": "rewrite"}))["id"],
        }
    values[Kind.FOREIGN] |= {"catalogs/{name}": "hide", "policies/{name}": "elsewhere"}
    for kind in (Kind.OWN, Kind.FOREIGN):
        hook = {"name": f"hook_{kind}", "url": "http://127.0.0.1:9/", "teams": [TEAM_OF[kind]]}
        made = (await send("POST", "/v1/webhooks", hook))["id"]
        await send("PUT", f"/v1/webhooks/{made}", hook, **{"If-Match": '"1"'})
        values[kind]["webhooks/{webhook_id}"] = made
    return values


async def add_deliveries(admin: httpx.AsyncClient, container: Container, values: dict[Kind, dict[str, str]]) -> None:
    """Record an event for each webhook, and add the event's id to the values."""
    for kind in (Kind.OWN, Kind.FOREIGN):
        await admin.post(f"/v1/tables/{values[kind]['table_id']}/pause", json={"reason": "an event"})
        await admin.post(f"/v1/tables/{values[kind]['table_id']}/resume")
    sending = container.coordinator._webhooks
    assert sending is not None
    await sending.lead_webhooks()
    await sending._distribute(sending._leadership.token or 0)
    for kind in (Kind.OWN, Kind.FOREIGN):
        path = f"/v1/webhooks/{values[kind]['webhooks/{webhook_id}']}/deliveries"
        values[kind]["deliveries/{event_id}"] = (await admin.get(path)).json()["items"][0]["event_id"]


async def make_key(admin: httpx.AsyncClient, role: Role) -> str:
    """Return the secret of a new key; below admin it is of the own team only."""
    teams = None if role is Role.ADMIN else [OWN_TEAM]
    answer = await admin.post("/v1/keys", json={"name": f"a-{role}", "role": role, "teams": teams})
    return str(answer.raise_for_status().json()["secret"])


async def test_operations_without_a_role_are_those_that_need_no_key() -> None:
    assert {operation.id for operation in OPERATIONS.values() if operation.role is None} == PUBLIC


async def test_operations_of_the_api_have_a_role_but_for_signing_in() -> None:
    without = [
        operation.id for operation in OPERATIONS.values() if operation.path.startswith("/v1") and not operation.role
    ]
    assert without == ["get_sign_in"]


@pytest.mark.parametrize("name", OPERATIONS)
async def test_every_cell_answers_what_the_role_and_the_object_demand(cells: Cells, name: str) -> None:
    operation = OPERATIONS[name]
    wanted, found = {}, {}
    for role in CALLERS:
        for kind in operation.kinds():
            response = await cells.ask(operation, role, kind)
            cell = (str(role or "no key"), str(kind))
            wanted[cell], found[cell] = expected(operation, role, kind), verdict(response.status_code)
            assert response.status_code not in MALFORMED, response.text
            assert response.status_code < 500 or operation.id == "get_readiness", response.text
    assert found == wanted


async def test_304_is_declared_by_the_operations_that_answer_it(cells: Cells) -> None:
    answered = {"get_write_locations"}  # refused for tables of this format: tests of the other ones have it
    for name, operation in OPERATIONS.items():
        kind = operation.kinds()[0]
        if (await cells.ask(operation, Role.ADMIN, kind, if_none_match="*")).status_code == 304:
            answered.add(name)
    declared = {name for name, operation in OPERATIONS.items() if "304" in operation.statuses}
    assert answered == declared != set()


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.names_object])
@pytest.mark.parametrize("kind", [Kind.FOREIGN, Kind.UNOWNED])
async def test_an_object_of_others_is_answered_as_one_that_does_not_exist(cells: Cells, name: str, kind: Kind) -> None:
    operation, ids = OPERATIONS[name], cells.values[kind]
    if operation.id in TEAM_IN_BODY or not operation.role:
        return
    unknown = {key: f"{ids[key][:-4]}zzzz" for key in (*OBJECT_PARAMETERS, "deletions/{run_id}", "tables/{table}")}
    theirs = await cells.ask(operation, Role.OWNER, kind)
    nobodys = await cells.ask(operation, Role.OWNER, kind, **unknown)
    text = nobodys.text
    for key, value in unknown.items():
        text = text.replace(value, ids[key])
    assert without_request_id(theirs.text) == without_request_id(text)


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.names_granted])
async def test_a_hidden_catalog_policy_or_webhook_is_answered_as_one_that_does_not_exist(
    cells: Cells, name: str
) -> None:
    operation = OPERATIONS[name]
    hook = f"{cells.values[Kind.FOREIGN]['webhooks/{webhook_id}'][:-4]}zzzz"
    unknown = {"catalogs/{name}": "nope", "policies/{name}": "nopolicys", "webhooks/{webhook_id}": hook}
    for role in (Role.VIEWER, Role.OPERATOR, Role.OWNER):
        hidden = await cells.ask(operation, role, Kind.FOREIGN)
        missing = await cells.ask(operation, role, Kind.FOREIGN, **unknown)
        text = missing.text
        for key, value in unknown.items():
            text = text.replace(value, cells.values[Kind.FOREIGN][key])
        assert without_request_id(hidden.text) == without_request_id(text)
        assert (hidden.status_code, names_of(hidden)) == (missing.status_code, names_of(missing))


@pytest.mark.parametrize("name", [name for name, operation in OPERATIONS.items() if operation.method == "GET"])
async def test_nothing_of_foreign_objects_is_shown(cells: Cells, name: str) -> None:
    operation = OPERATIONS[name]
    kind = Kind.OWN if operation.names_object or operation.names_granted else Kind.NONE
    for role in (Role.VIEWER, Role.OPERATOR, Role.OWNER):
        shown = (await cells.ask(operation, role, kind)).text
        others = [(other, cells.values[other]) for other in (Kind.FOREIGN, Kind.UNOWNED)]
        secrets = [
            word for other, ids in others for word in (f"table_{other}", *(ids[key] for key in OBJECT_PARAMETERS))
        ]
        assert [secret for secret in (*secrets, '"hide"', '"elsewhere"') if secret in shown] == []


def without_request_id(text: str) -> str:
    head, _, rest = text.partition('"request_id": "')
    return head + rest.partition('"')[2]


def names_of(response: httpx.Response) -> dict[str, str]:
    """Return the headers without those that differ between any two requests."""
    differing = ("x-request-id", "date", "ratelimit", "content-length")
    return {name: value for name, value in response.headers.items() if name not in differing}
