"""Changing what is declared of tables over HTTP, and finding tables by it."""

import asyncio
from typing import Any

import pytest

from engine.domain.access.callers import Caller, Role
from engine.domain.errors import Forbidden, NotFound
from engine.domain.ids import TableId
from engine.domain.tables.table import TableFilter, TableUpdate
from tests.integration.api.conftest import ADDRESS, Api


async def patched(api: Api, table_id: str, body: Any, status: int = 200, **arguments: Any) -> Any:
    return (await api.call("PATCH", f"/v1/tables/{table_id}", status=status, json=body, **arguments)).json()


async def test_what_is_not_named_stays_and_null_takes_away(api: Api, table_id: str) -> None:
    await patched(api, table_id, {"owner_team": "sales", "labels": {"a": "1", "b": "2"}})
    table = await patched(api, table_id, {"labels": {"b": None, "c": "3"}})
    assert (table["owner_team"], table["labels"]) == ("sales", {"a": "1", "c": "3"})
    assert await api.get(f"/v1/tables/{table_id}") == table
    table = await patched(api, table_id, {"owner_team": None, "labels": None})
    assert (table["owner_team"], table["labels"], table["version"]) == (None, {}, 4)
    headers = {"Content-Type": "application/merge-patch+json"}
    response = await api.client.patch(f"/v1/tables/{table_id}", content=b'{"owner_team": "x"}', headers=headers)
    assert response.json()["owner_team"] == "x"
    assert (await patched(api, "tbl_unknown", {"owner_team": "x"}, status=404))["code"] == "not_found"


async def test_a_patch_that_changes_nothing_makes_no_version(api: Api, table_id: str) -> None:
    bodies: list[Any] = [{}, {"owner_team": None}, {"labels": {}}, {"labels": {"nothing": None}}]
    for body in bodies:
        assert (await patched(api, table_id, body))["version"] == 1


async def test_a_condition_is_checked_if_it_is_given(api: Api, table_id: str) -> None:
    etag = (await api.call("GET", f"/v1/tables/{table_id}", status=200)).headers["etag"]
    await patched(api, table_id, {"owner_team": "one"}, headers={"If-Match": etag})
    await patched(api, table_id, {"owner_team": "two"}, status=412, headers={"If-Match": etag})
    assert (await patched(api, table_id, {"owner_team": "two"}))["version"] == 3


async def test_a_new_team_takes_the_runs_along(api: Api, table_id: str) -> None:
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    await patched(api, table_id, {"owner_team": "sales"})
    async with api.container.database.read() as unit:
        stored = await unit.runs.get(run["id"])
    assert stored is not None
    assert stored.owner_team == "sales"


async def test_a_change_is_in_the_audit_log(api: Api, table_id: str) -> None:
    await patched(api, table_id, {"owner_team": "sales"})
    async with api.container.database.read() as unit:
        rows = await unit.connection.exec_driver_sql(
            "SELECT action, before, after FROM audit WHERE object = ? ORDER BY id", (table_id,)
        )
        actions = [tuple(row) for row in rows]
    assert [action for action, _, _ in actions] == ["table.register", "table.patch"]
    assert '"owner_team":"sales"' in actions[1][2]


async def test_an_owner_changes_tables_of_its_own_teams_only(api: Api, table_id: str) -> None:
    service, table = api.container.tables, TableId(table_id)
    owner = Caller("key:owner", Role.OWNER, frozenset({"sales", "ads"}))
    with pytest.raises(NotFound):
        await service.update(owner, table, TableUpdate(labels={"a": "b"}))
    await patched(api, table_id, {"owner_team": "sales"})
    assert (await service.update(owner, table, TableUpdate(sets_team=True, owner_team="ads"))).owner_team == "ads"
    for team in ("finance", None):
        with pytest.raises(Forbidden):
            await service.update(owner, table, TableUpdate(sets_team=True, owner_team=team))


async def test_changes_at_once_are_all_kept(api: Api, table_id: str) -> None:
    await asyncio.gather(*(patched(api, table_id, {"labels": {str(n): "x"}}) for n in range(10)))
    table = await api.get(f"/v1/tables/{table_id}")
    assert (len(table["labels"]), table["version"]) == (10, 11)


async def test_tables_are_found_by_what_is_declared_of_them(api: Api, table_id: str) -> None:
    await patched(api, table_id, {"owner_team": "sales", "labels": {"tier": "gold", "env": "a:b"}})
    address = {"catalog": "lake", "namespace": ADDRESS["namespace"], "name": ADDRESS["name"]}
    for found, filters in (
        (True, {"owner_team": "sales"}),
        (False, {"owner_team": "ads"}),
        (True, {"label": "tier:gold"}),
        (True, {"label": ["tier:gold", "env:a:b"]}),
        (False, {"label": ["tier:gold", "env:a"]}),
        (True, {"paused": "false"}),
        (False, {"paused": "true"}),
        (True, address),
        (False, address | {"name": "other"}),
        (False, address | {"namespace": ["lake", "inner"]}),
    ):
        items = (await api.get("/v1/tables", params=filters))["items"]
        assert [item["id"] for item in items] == ([table_id] if found else []), filters


async def test_a_list_shows_tables_of_the_callers_teams_only(api: Api, table_id: str) -> None:
    viewer = Caller("key:viewer", Role.VIEWER, frozenset({"sales"}))
    assert await api.container.tables.list(viewer, TableFilter(), after=None, limit=10) == []
    await patched(api, table_id, {"owner_team": "sales"})
    assert len(await api.container.tables.list(viewer, TableFilter(), after=None, limit=10)) == 1
