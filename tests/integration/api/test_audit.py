"""The audit log over HTTP, and the verification from the command line."""

import asyncio
from subprocess import CompletedProcess
from typing import Any

from engine.domain.access.audit import GENESIS
from engine.settings.model import Settings
from engine.settings.values import reveal
from tests.integration.api.access import as_caller
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.server_command import server_command
from tests.support.world import Lake


async def entries(api: Api, **query: Any) -> Any:
    return (await api.get("/v1/audit", params=query))["items"]


async def test_a_change_is_told_with_its_request_and_a_refused_one_is_not(api: Api) -> None:
    await api.post("/v1/keys", {"name": "a b", "role": "viewer"}, status=422)
    (first,) = await entries(api)
    assert (first["caller"], first["action"], first["after"]["name"]) == ("system", "key.create", "admin")
    body = {"name": "etl", "role": "operator", "teams": ["sales"]}
    response = await api.call("POST", "/v1/keys", json=body, headers={"X-Request-Id": "req-17"}, status=201)
    entry, _ = await entries(api)
    assert (entry["caller"], entry["action"], entry["object"]) == ("key:admin", "key.create", response.json()["id"])
    assert entry["request_id"] == "req-17"
    assert entry["before"] is None
    assert entry["after"] == {"name": "etl", "slot": 1, "role": "operator", "teams": ["sales"], "expires_at": None}
    assert response.json()["secret"] not in str(entry)


async def test_catalogs_tables_and_runs_tell_their_changes(api: Api, lake: Lake) -> None:
    owner = await as_caller(api, "owner", name="etl", teams=["sales"])
    grants = {"grants": [{"team": "sales", "namespaces": ["*"], "rights": ["register"]}]}
    await api.call("PUT", "/v1/catalogs/lake/grants", status=200, json=grants, headers={"If-Match": '"1"'})
    table = (await owner.post("/v1/tables", json=ADDRESS | {"owner_team": "sales"})).json()
    run = (await owner.post("/v1/runs", json={"table_id": table["id"], "operation": "rewrite"})).json()
    await owner.post(f"/v1/runs/{run['id']}/cancel")
    await owner.delete(f"/v1/tables/{table['id']}")
    etag = (await api.call("GET", "/v1/catalogs/lake", status=200)).headers["etag"]
    await api.call("DELETE", "/v1/catalogs/lake", status=204, headers={"If-Match": etag})
    told = [(entry["action"], entry["object"], entry["caller"]) for entry in await entries(api)]
    assert [each for each in reversed(told) if not each[0].startswith("key.")] == [
        ("catalog.create", "lake", "key:admin"),
        ("catalog.grants", "lake", "key:admin"),
        ("table.register", table["id"], "key:etl"),
        ("run.submit", run["id"], "key:etl"),
        ("run.cancel", run["id"], "key:etl"),
        ("table.delete", table["id"], "key:etl"),
        ("catalog.delete", "lake", "key:admin"),
    ]


async def test_sealed_entries_show_their_hash_and_the_head(api: Api) -> None:
    await as_caller(api, "viewer")
    assert (await api.get("/v1/audit"))["head"] is None
    assert not (await entries(api))[0]["is_sealed"]
    await api.container.coordinator.seal()
    page = await api.get("/v1/audit")
    entry = page["items"][0]
    assert entry["is_sealed"]
    assert entry["sequence"] == page["head"]["sequence"] == 2
    assert entry["hash"] == page["head"]["hash"] != GENESIS


async def test_the_log_is_filtered_and_paged(api: Api) -> None:
    for _ in range(3):
        await as_caller(api, "viewer")
    assert len(await entries(api, action="key.create", caller="key:admin")) == 3
    assert await entries(api, action="key.revoke") == []
    assert await entries(api, until="2020-01-01T00:00:00Z") == []
    assert [entry["id"] for entry in await api.items("/v1/audit", page_size=2)] == [4, 3, 2, 1]


async def test_the_command_line_verifies_the_chain(api: Api, settings: Settings) -> None:
    async def verify(head: str) -> CompletedProcess[str]:
        places = {"data_dir": settings.data_dir, "database_url": reveal(settings.database_url)}
        return await asyncio.to_thread(server_command, "audit", "verify", "--head", head, **places)

    await as_caller(api, "viewer")
    await api.container.coordinator.seal()
    await as_caller(api, "viewer")
    head = (await api.get("/v1/audit"))["head"]["hash"]
    good = await verify(head)
    assert (good.returncode, good.stderr) == (0, "")
    assert f"the chain holds: 2 sealed, 1 not sealed yet, head {head}" in good.stdout
    bad = await verify("f" * 64)
    assert bad.returncode == 1
    assert "is not in the chain" in bad.stderr
