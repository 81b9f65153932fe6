"""An engine that a table can't have, asked for before there was a table that it could be held against."""

import asyncio
from pathlib import Path

import pytest

from tests.integration.api.conftest import ADDRESS, Api
from tests.support.world import Lake, make_lake

NATIVE = {"rewrite": {"engine": "native"}}


@pytest.fixture
async def native(api: Api, tmp_path: Path) -> tuple[Lake, str]:
    """A table under a policy of the fleet that was made while the service was empty."""
    policy = {"name": "all", "scope": {"kind": "fleet"}, "policy": NATIVE}
    await api.post("/v1/policies", policy, status=201)
    lake = await asyncio.to_thread(make_lake, tmp_path / "lake", days=2)
    await api.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": lake.properties}, status=201)
    return lake, str((await api.post("/v1/tables", ADDRESS, status=201))["id"])


async def test_a_run_fails_and_names_what_is_missing_instead_of_doing_something_else(
    api: Api, native: tuple[Lake, str]
) -> None:
    lake, table_id = native
    before = lake.paths()
    run = await api.rewrite(table_id)
    assert (run.state, run.reason) == ("failed", "not_eligible")
    assert "native_spark_catalog (the catalog has no property packhouse.spark-catalog" in (run.detail or "")
    assert lake.paths() == before


async def test_a_plan_says_that_nothing_can_rewrite_the_table(api: Api, native: tuple[Lake, str]) -> None:
    answer = await api.post(f"/v1/tables/{native[1]}/plan", status=200)
    assert not answer["eligible"]
    assert [each["name"] for each in answer["conditions"] if not each["holds"]] == ["native_spark_catalog"]


async def test_a_policy_to_try_is_held_against_the_table(api: Api, table_id: str) -> None:
    answer = await api.post(f"/v1/tables/{table_id}/plan", {"policy": NATIVE}, status=200)
    assert not answer["eligible"]


async def test_explain_says_that_a_run_would_fail_and_what_is_missing(api: Api, native: tuple[Lake, str]) -> None:
    answer = await api.get(f"/v1/tables/{native[1]}/explain")
    assert answer["now"]["outcome"] == "refused"
    (hold,) = answer["next_eligible"]["held_by"]
    assert hold["code"] == "not_eligible"
    said = " ".join(line.strip() for line in answer["summary"])
    assert "can't be rewritten as it stands" in answer["summary"][0]
    assert "set it to the name that Spark has for this catalog" in said


async def test_a_disabled_table_is_left_alone_whatever_its_policy_asks_for(api: Api, native: tuple[Lake, str]):
    table_id = native[1]
    own = {"enabled": False, "rewrite": {"engine": "auto"}}
    headers = {"If-None-Match": "*"}
    await api.call("PUT", f"/v1/tables/{table_id}/policy", status=200, json=own, headers=headers)
    assert (await api.rewrite(table_id)).reason == "disabled"


@pytest.fixture
async def contradicted(api: Api, tmp_path: Path) -> tuple[Lake, str]:
    """A table whose property was changed to a target below what its policy takes for small."""
    policy = {"name": "all", "scope": {"kind": "fleet"}, "policy": {"rewrite": {"small_file_bytes": "64MiB"}}}
    await api.post("/v1/policies", policy, status=201)
    lake = await asyncio.to_thread(make_lake, tmp_path / "lake", days=2)
    await api.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": lake.properties}, status=201)
    table_id = str((await api.post("/v1/tables", ADDRESS, status=201))["id"])
    with lake.table.transaction() as change:
        change.set_properties({"write.target-file-size-bytes": str(32 * 2**20)})
    return lake, table_id


async def test_settings_that_came_to_contradict_one_another_fail_the_run_as_they_refuse_the_plan(
    api: Api, contradicted: tuple[Lake, str]
):
    lake, table_id = contradicted
    before = lake.paths()
    refused = await api.post(f"/v1/tables/{table_id}/plan", status=422)
    assert [problem["pointer"] for problem in refused["errors"]] == ["/rewrite/small_file_bytes"]
    explained = await api.get(f"/v1/tables/{table_id}/explain")
    assert explained["now"]["outcome"] == "refused"
    said = " ".join(line.strip() for line in explained["summary"])
    assert "rewrite.small_file_bytes is set (it comes from: fleet), and must not be above the target" in said
    run = await api.rewrite(table_id)
    assert (run.state, run.reason) == ("failed", "invalid_input")
    assert "rewrite.small_file_bytes must not be above the target" in (run.detail or "")
    assert lake.paths() == before
