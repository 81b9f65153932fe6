"""An engine that a table can't have, asked for before there was a table that it could be held against."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.integration.api.conftest import ADDRESS, Api
from tests.support.statements import texts_of
from tests.support.world import Lake, make_lake

NATIVE = {"rewrite": {"engine": "native"}}
SORT = {"rewrite": {"strategy": "sort", "columns": [{"name": "id"}]}}
SORT_NATIVELY = {"rewrite": SORT["rewrite"] | NATIVE["rewrite"]}
WHY_NOT = (
    "this version calls Iceberg's own procedure for binpack only; arrow does it "
    "(rewrite.strategy is sort: set rewrite.engine to arrow or auto)"
)


async def write_for_all(api: Api, policy: dict[str, Any], *, status: int = 201) -> dict[str, Any]:
    """Write the first policy of the fleet."""
    return dict(
        await api.post("/v1/policies", {"name": "all", "scope": {"kind": "fleet"}, "policy": policy}, status=status)
    )


async def make_under(api: Api, folder: Path, policy: dict[str, Any]) -> tuple[Lake, str]:
    """Make a table under a policy of the fleet that was written while the service was empty."""
    await write_for_all(api, policy)
    lake = await asyncio.to_thread(make_lake, folder / "lake", days=2)
    await api.post("/v1/catalogs", {"name": "lake", "format": "iceberg", "properties": lake.properties}, status=201)
    return lake, str((await api.post("/v1/tables", ADDRESS, status=201))["id"])


@pytest.fixture
async def native(api: Api, tmp_path: Path) -> tuple[Lake, str]:
    return await make_under(api, tmp_path, NATIVE)


async def test_a_run_fails_and_names_what_is_missing_instead_of_doing_something_else(
    api: Api, native: tuple[Lake, str]
) -> None:
    lake, table_id = native
    before = lake.paths()
    run = await api.rewrite(table_id)
    assert (run.state, run.reason) == ("refused", "not_eligible")
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
    said = " ".join(texts_of(answer))
    assert "can't be rewritten in its current state" in texts_of(answer)[0]
    assert "set it to the name that Spark has for this catalog" in said


async def test_a_disabled_table_is_left_alone_whatever_its_policy_asks_for(api: Api, native: tuple[Lake, str]):
    table_id = native[1]
    await api.put_policy(table_id, {"enabled": False, "rewrite": {"engine": "auto"}}, status=201)
    assert (await api.rewrite(table_id)).reason == "disabled"


def the_problem(answer: dict[str, Any]) -> tuple[str, Any, str]:
    (problem,) = answer["errors"]
    return problem["pointer"].removeprefix("/policy"), problem["value"], problem["message"]


async def test_an_engine_that_does_not_do_the_strategy_is_refused_wherever_it_is_written(
    api: Api, table_id: str
) -> None:
    wanted = ("/rewrite/engine", "native", WHY_NOT)
    assert the_problem(await api.put_policy(table_id, SORT_NATIVELY, status=422)) == wanted
    assert the_problem(await write_for_all(api, SORT_NATIVELY, status=422)) == wanted
    assert the_problem(await api.post(f"/v1/tables/{table_id}/plan", {"policy": SORT_NATIVELY}, status=422)) == wanted


async def test_an_engine_that_does_not_do_the_strategy_of_a_preset_is_refused(api: Api, table_id: str) -> None:
    answer = await api.put_policy(table_id, {"preset": "maxcompute-tiered"} | NATIVE, status=422)
    assert the_problem(answer) == ("/rewrite/engine", "native", WHY_NOT.replace("sort", "tiered"))


async def test_a_strategy_that_the_engine_of_a_wider_policy_does_not_do_is_refused(api: Api, table_id: str) -> None:
    await write_for_all(api, NATIVE)
    answer = await api.put_policy(table_id, SORT, status=422)
    assert the_problem(answer) == ("/rewrite/engine", "native", WHY_NOT)
    assert answer["errors"][0]["hint"].startswith("origin: fleet; see what")
    assert answer["errors"][0]["remedy"]["operation_id"] == "list_formats"
    await api.put_policy(table_id, {"rewrite": SORT["rewrite"] | {"engine": "arrow"}}, status=201)


async def test_a_setting_that_the_requested_engine_has_no_option_for_is_refused(api: Api, table_id: str) -> None:
    asked = {"rewrite": NATIVE["rewrite"] | {"exclude_above_bytes": "1GB", "compression": "gzip"}}
    answer = await api.put_policy(table_id, asked | {"verification": "content"}, status=422)
    by_it = "is not supported by the table format's own procedure (rewrite.engine is native)"
    assert [(each["pointer"], each["message"], each["hint"].partition(";")[0]) for each in answer["errors"]] == [
        ("/rewrite/compression", by_it, "set the table property write.parquet.compression-codec instead"),
        ("/rewrite/exclude_above_bytes", by_it, "set it to 'off'"),
        ("/verification", f"{by_it}, whose rewrites are proven from metadata", "set it to 'metadata'"),
    ]
    await api.put_policy(table_id, {"rewrite": {"exclude_above_bytes": "1GB"}}, status=201)


async def test_a_setting_stays_refused_until_it_is_mended_but_another_can_be_changed(api: Api, table_id: str) -> None:
    """A policy of the fleet reads no table: the table's own policy can still be changed in other settings."""
    await write_for_all(api, {"rewrite": NATIVE["rewrite"] | {"exclude_above_bytes": "1GB"}})
    await api.put_policy(table_id, {"enabled": False}, status=201)


async def test_explain_and_a_run_say_of_an_engine_what_a_write_says(api: Api, tmp_path: Path) -> None:
    """Of a policy that was stored while there was no catalog that it could be held against."""
    _, table_id = await make_under(api, tmp_path, SORT_NATIVELY)
    explained = await api.get(f"/v1/tables/{table_id}/explain")
    assert explained["now"]["outcome"] == "refused"
    said = " ".join(texts_of(explained))
    assert f"rewrite.engine is native (origin: fleet), and {WHY_NOT}" in said
    run = await api.rewrite(table_id)
    assert (run.state, run.reason) == ("refused", "invalid_input")
    assert WHY_NOT in (run.detail or "")


@pytest.fixture
async def contradicted(api: Api, tmp_path: Path) -> tuple[Lake, str]:
    """A table whose property was changed to a target below what its policy takes for small."""
    lake, table_id = await make_under(api, tmp_path, {"rewrite": {"small_file_bytes": "64MiB"}})
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
    said = " ".join(texts_of(explained))
    assert "rewrite.small_file_bytes is set (origin: fleet), and must not be above the target" in said
    run = await api.rewrite(table_id)
    assert (run.state, run.reason) == ("refused", "invalid_input")
    assert "rewrite.small_file_bytes must not be above the target" in (run.detail or "")
    assert lake.paths() == before


async def test_u17_rows_of_an_iceberg_table_are_not_merged_by_a_key(api: Api, tmp_path: Path) -> None:
    """U17: a format whose writers delete rows themselves refuses a key, with the reason."""
    _, table_id = await make_under(api, tmp_path, {"enabled": True})
    key = {"columns": ["id"], "version": "at"}
    refused = await api.put_policy(table_id, {"rewrite": {"key": key}}, status=422)
    assert "writers change and delete rows by delete files" in str(refused)
