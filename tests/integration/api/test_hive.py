"""Tables of a Hive Metastore over HTTP: discovered, measured, explained and rewritten."""

import asyncio

import pytest

from tests.integration.api.conftest import Api
from tests.integration.api.registered import Registered, registered
from tests.support.hive.lakes import NULL, HiveLake, HiveTable

DAYS = ("2026-11-01", "a b%", NULL)


Hive = Registered[HiveTable]


@pytest.fixture
async def hive(api: Api, hive_lake: HiveLake) -> Hive:
    return await _registered(api, hive_lake)


async def _registered(api: Api, hive_lake: HiveLake) -> Hive:
    table = await asyncio.to_thread(_make, hive_lake)
    return await registered(api, table, "hive", {"type": "metastore", "uri": hive_lake.metastore.uri})


def _make(lake: HiveLake) -> HiveTable:
    table = lake.create_table(keys=[("day", "string")])
    for day in DAYS:
        for number in range(4):
            table.append([day], [{"id": number, "value": 1.5}])
    return table


async def test_a_metastore_is_checked_step_by_step(hive: Hive) -> None:
    steps = (await hive.api.post("/v1/catalogs/lake/check", status=200))["steps"]
    assert {step["name"]: step["ok"] for step in steps} == {
        "secrets": True,
        "list_databases": True,
        "list_tables": True,
        "read_table": True,
    }
    assert "lake.events: 12 files" in steps[-1]["detail"]


async def test_every_view_of_a_table_answers(hive: Hive) -> None:
    health = await hive.view("health")
    assert (health["file_count"], health["table"]["format"]) == (12, "hive")
    assert (health["table"]["partition_count"], health["table"]["partitions_outside"]) == (3, 0)
    found = await hive.view("partitions")
    assert {each["partition"]["text"]: each["file_count"] for each in found["items"]} == {
        "day=2026-11-01": 4,
        "day=a b%": 4,
        "day=null": 4,
    }
    assert not (await hive.view("backpressure"))["slow_down"]
    await hive.view("advice")
    await hive.view("upkeep")
    explained = await hive.view("explain")
    assert not explained["eligible"]
    assert "set maintenance.delete_old_compactions in the policy" in str(explained)


async def test_a_rewrite_waits_for_the_setting_that_watches_replaced_folders(hive: Hive) -> None:
    refused = await hive.preview()
    assert "set maintenance.delete_old_compactions in the policy" in str(refused)
    policy = {"rewrite": {"min_input_files": 2}, "maintenance": {"delete_old_compactions": {"grace": "1d"}}}
    await hive.govern(policy)
    found = await hive.preview()
    assert len(found["groups"]) == len(DAYS)
    planned = await hive.preview(operation="delete_old_compactions")
    assert "0 replaced folders can be deleted" in str(planned)


async def test_a_metastore_that_is_away_is_told_with_its_address(api: Api) -> None:
    properties = {"type": "metastore", "uri": "thrift://127.0.0.1:1"}
    await api.post("/v1/catalogs", {"name": "lake", "format": "hive", "properties": properties}, status=201)
    steps = (await api.post("/v1/catalogs/lake/check", status=200))["steps"]
    (listed,) = [step for step in steps if step["name"] == "list_databases"]
    assert (listed["ok"], "127.0.0.1" in listed["detail"]) == (False, True)


async def test_a_key_is_declared_in_the_policy_of_a_hive_table(hive: Hive) -> None:
    key = {"columns": ["id"], "version": "id"}
    body = {"rewrite": {"min_input_files": 2, "key": key}, "maintenance": {"delete_old_compactions": {"grace": "1d"}}}
    answer = await hive.govern(body, status=422)
    assert "'id' is named twice" in str(answer)
    del key["version"]
    answer = await hive.govern(body, status=422)
    assert "/rewrite/key" in str(answer)
    body["rewrite"]["key"] = {"columns": ["valu"], "version": "id"}
    (problem,) = (await hive.govern(body, status=422))["errors"]
    assert (problem["pointer"], problem["hint"]) == ("/rewrite/key/columns/0", "did you mean 'value'?")
    body["rewrite"]["key"] = {"columns": ["VALUE"], "version": "Id"}
    (problem,) = (await hive.govern(body, status=422))["errors"]
    assert (problem["pointer"], problem["value"]) == ("/rewrite/key", body["rewrite"]["key"])
    assert "'value' of type double, which can't be part of a key" in problem["message"]


async def test_rows_are_not_put_in_the_order_of_a_partition_key(hive: Hive) -> None:
    body = {"rewrite": {"strategy": "sort", "columns": ["id", "DAY"]}}
    (problem,) = (await hive.govern(body, status=422))["errors"]
    assert problem["pointer"] == "/rewrite/columns"
    assert "lake.lake.events: rewrite.columns: 'DAY' is a partition key" in problem["message"]


async def test_a_key_from_before_a_table_was_registered_is_one_of_its_conditions(api: Api, hive_lake: HiveLake) -> None:
    policy = {"rewrite": {"key": {"columns": ["value"], "version": "id"}}}
    await api.post("/v1/policies", {"name": "fleet", "scope": {"kind": "fleet"}, "policy": policy}, status=201)
    hive = await _registered(api, hive_lake)
    refused = await api.rewrite(hive.table_id)
    assert "'value' of type double, which can't be part of a key" in (refused.detail or "")
    assert "key_columns" in str(await hive.view("explain"))
