"""Quiet hours and blackouts to come, as instants: of one table, and of the fleet with equal ones together."""

import asyncio
from datetime import datetime, timedelta

import pytest

from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api
from tests.support.world import SCHEMA, Lake

NIGHTLY = {"from": "22:00", "to": "04:00", "time_zone": "Europe/Berlin", "on_start": "interrupt"}
MIGRATION = {"from": "2026-01-01T00:00:00Z", "to": "2199-01-01T00:00:00Z", "reason": "migration", "on_start": "finish"}
REASON = "quiet hours 22:00-04:00 Europe/Berlin"


@pytest.fixture
async def tables(api: Api, lake: Lake, table_id: str) -> list[str]:
    """Three tables; the policy of the fleet has quiet hours, the last table none."""
    found = [table_id]
    for name in ("second", "third"):
        await asyncio.to_thread(lake.catalog.create_table, ("lake", name), SCHEMA)
        body = {"catalog": "lake", "namespace": ["lake"], "name": name, "owner_team": "sales"}
        found.append((await api.post("/v1/tables", body, status=201))["id"])
    policy = {"name": "nights", "scope": {"kind": "fleet"}, "policy": {"quiet_hours": [NIGHTLY]}}
    await api.post("/v1/policies", policy, status=201)
    await api.put_policy(found[2], {"quiet_hours": []})
    return found


async def test_a_tables_windows_are_instants(api: Api, tables: list[str]) -> None:
    found = await api.get(f"/v1/tables/{tables[0]}/windows")
    since, until = (datetime.fromisoformat(found[name]) for name in ("since", "until"))
    assert until - since == timedelta(hours=168)
    assert 7 <= len(found["items"]) <= 8
    for item in found["items"]:
        starts_at, ends_at = (datetime.fromisoformat(item[name]) for name in ("starts_at", "ends_at"))
        assert starts_at < until
        assert since < ends_at
        assert ends_at - starts_at in {timedelta(hours=hours) for hours in (5, 6, 7)}  # 5 and 7: the clocks change
        assert (item["kind"], item["on_start"], item["reason"]) == ("quiet_hours", "interrupt", REASON)
    assert (await api.get(f"/v1/tables/{tables[2]}/windows"))["items"] == []


async def test_a_window_that_holds_now_is_what_explain_names(api: Api, tables: list[str]) -> None:
    policy = {"quiet_hours": [], "blackouts": [MIGRATION]}
    await api.put_policy(tables[2], policy, status=200, version=1)
    [item] = (await api.get(f"/v1/tables/{tables[2]}/windows", params={"hours": 1}))["items"]
    assert (item["kind"], item["reason"], item["on_start"]) == ("blackout", "migration", "finish")
    held = (await api.get(f"/v1/tables/{tables[2]}/explain"))["next_eligible"]["held_by"]
    assert "blackout" in {hold["code"] for hold in held}


async def test_equal_windows_of_the_fleet_are_one(api: Api, tables: list[str]) -> None:
    await api.put_policy(tables[1], {"blackouts": [MIGRATION]})
    found = await api.get("/v1/fleet/windows", params={"hours": 168})
    assert (found["table_count"], found["window_table_count"], found["omitted_count"]) == (3, 2, 0)
    nightly = [item for item in found["items"] if item["kind"] == "quiet_hours"]
    [once] = [item for item in found["items"] if item["kind"] == "blackout"]
    assert {item["table_count"] for item in nightly} == {2}
    assert {one["table_id"] for one in nightly[0]["examples"]} == set(tables[:2])
    assert (once["table_count"], once["examples"]) == (1, [{"table_id": tables[1], "table": "lake.lake.second"}])
    assert found["items"] == sorted(found["items"], key=lambda item: item["starts_at"])
    of_table = (await api.get(f"/v1/tables/{tables[0]}/windows"))["items"]
    assert [{name: item[name] for name in of_table[0]} for item in nightly] == of_table


async def test_callers_see_the_windows_of_their_tables(api: Api, tables: list[str]) -> None:
    colleague, stranger = [await as_caller(api, "viewer", teams=[team]) for team in ("sales", "hr")]
    mine, foreign = [
        (await client.get("/v1/fleet/windows", params={"hours": 168})).json() for client in (colleague, stranger)
    ]
    assert (mine["table_count"], mine["window_table_count"]) == (2, 1)
    assert [one["table_id"] for one in mine["items"][0]["examples"]] == [tables[1]]
    assert (foreign["table_count"], foreign["items"]) == (0, [])


async def test_a_fleet_without_windows_has_none(api: Api, table_id: str) -> None:
    found = await api.get("/v1/fleet/windows")
    assert (found["table_count"], found["window_table_count"], found["items"]) == (1, 0, [])
