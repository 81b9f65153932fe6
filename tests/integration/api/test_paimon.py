"""Paimon tables over HTTP: a warehouse is registered, looked at and planned; rewrites and expiry are accepted."""

import asyncio
from pathlib import Path

import pytest

from engine.domain.runs.run import Operation
from tests.integration.api.conftest import Api
from tests.integration.api.registered import Registered, registered
from tests.support.paimon.core import PaimonCore
from tests.support.paimon.lakes import PaimonLake, made_once
from tests.support.statements import texts_of

OF_PAIMON = {*Operation} - {Operation.REWRITE_DELETES, Operation.REWRITE_MANIFESTS, Operation.DELETE_OLD_COMPACTIONS}


BLOBS = "columns of type BLOB, whose files are not compacted: picture"

Paimon = Registered[PaimonLake]


@pytest.fixture
async def paimon(api: Api, paimon_core: PaimonCore, tmp_path: Path) -> Paimon:
    lake = await asyncio.to_thread(made_once, paimon_core, tmp_path / "warehouse", __name__, _make)
    return await registered(api, lake, "paimon", lake.properties)


def _make(lake: PaimonLake) -> None:
    lake.create(partition_keys=["day"], primary_keys=["id", "day"], bucket="2", write_only="true")
    for day in ("2026-11-01", "2026-11-02"):
        for _ in range(6):
            lake.write([[number, day, 1.5] for number in range(20)])


async def test_a_warehouse_is_checked_step_by_step(paimon: Paimon) -> None:
    steps = (await paimon.api.post("/v1/catalogs/lake/check", status=200))["steps"]
    assert {step["name"]: step["ok"] for step in steps} == {
        "secrets": True,
        "list_databases": True,
        "list_tables": True,
        "read_table": True,
    }


async def test_a_property_that_the_format_does_not_have_is_not_taken_for_a_secret(api: Api) -> None:
    """Every wrong property is named at once, none of the values repeated."""
    properties = {
        "type": "dlf",
        "metastore.uri": "thrift://user:secret@metastore:9083",
        "s3.secret-access-key": "hush",
    }
    refused = await api.post("/v1/catalogs", {"name": "lake", "format": "paimon", "properties": properties}, status=422)
    hints = {each["pointer"]: each["hint"] for each in refused["errors"]}
    assert hints["/properties/type"] == "use one of filesystem, hive, jdbc, rest"
    assert "names that begin with s3." in hints["/properties/metastore.uri"]
    assert "'env:NAME'" in hints["/properties/s3.secret-access-key"]
    assert "secret@" not in str(refused)
    assert "hush" not in str(refused)


async def test_a_warehouse_without_databases_says_what_it_lacks(api: Api, tmp_path: Path) -> None:
    properties = {"type": "filesystem", "warehouse": str(tmp_path / "mistyped")}
    await api.post("/v1/catalogs", {"name": "lake", "format": "paimon", "properties": properties}, status=201)
    steps = (await api.post("/v1/catalogs/lake/check", status=200))["steps"]
    (listed,) = [step for step in steps if step["name"] == "list_databases"]
    assert "there is no such folder" in listed["detail"]


async def test_explain_gives_no_advice_for_a_table_that_can_not_be_rewritten(paimon: Paimon) -> None:
    """Nor does it name a default setting as the reason: no policy asks for it."""
    await asyncio.to_thread(paimon.lake.call, "set_option", name="write-only", value="false")
    explanation = await paimon.view("explain")
    summary = " ".join(texts_of(explanation))
    assert "can't be rewritten" in summary
    assert "To make it due sooner" not in summary
    assert "origin: default" not in summary


async def test_every_view_of_a_table_answers(paimon: Paimon) -> None:
    health = await paimon.view("health")
    assert (health["file_count"], health["table"]["format"], health["table"]["bucket_mode"]) == (24, "paimon", "fixed")
    assert (health["table"]["primary_keys"], health["table"]["write_only"]) == (["id", "day"], True)
    found = await paimon.view("partitions")
    assert {each["partition"]["text"]: each["file_count"] for each in found["items"]} == {
        "day=2026-11-01": 12,
        "day=2026-11-02": 12,
    }
    explained = await paimon.view("explain")
    assert explained["eligible"]
    assert "Paimon's core, because" in str(explained)
    assert explained["upkeep"] == []
    advice = await paimon.view("advice")
    assert advice["writes"]["commits"] == 12
    assert not (await paimon.view("backpressure"))["slow_down"]
    assert not any(
        each["due"] for each in (await paimon.view("upkeep"))["operations"] if each["operation"] != "rewrite"
    )


async def test_a_layout_that_the_format_can_not_have_is_no_policy_to_apply(paimon: Paimon) -> None:
    signal = {"kind": "filters", "queries": [{"columns": ["id"], "query_count": 20}]}
    await paimon.api.post("/v1/signals", {"table_id": paimon.table_id, "signal": signal}, status=202)
    advice = await paimon.view("advice")
    assert (advice["layout"]["layout"], advice["layout"]["cluster_by"], advice["policy"]) == ("cluster", ["id"], None)
    assert (
        "this table can't have it: this version does not sort the rows of Paimon tables: use binpack, window or tiered"
        in advice["layout"]["because"]
    )


async def test_a_plan_has_a_group_for_each_bucket_with_enough_sorted_runs(paimon: Paimon) -> None:
    """Six commits to two buckets of two days make four groups; three commits to a third day make none."""
    for _ in range(3):
        rows = [[number, "2026-11-03", 1.5] for number in range(20)]
        await asyncio.to_thread(paimon.lake.write, rows)
    plan = await paimon.preview()
    assert [(each["partition"]["text"], each["input_files"]) for each in plan["groups"]] == [
        *[("day=2026-11-01", 6)] * 2,
        *[("day=2026-11-02", 6)] * 2,
    ]
    assert [(each["partition"]["text"], each["reason"]) for each in plan["skipped"]] == [("day=2026-11-03", "few_runs")]
    assert (await paimon.preview(force_full=True))["groups_total"] == 6


async def test_no_other_operation_is_accepted(paimon: Paimon) -> None:
    for operation in Operation:
        if operation not in OF_PAIMON:
            (problem,) = (await paimon.preview(operation=operation.value, status=422))["errors"]
            assert problem["pointer"] == "/operation"
            assert problem["message"].startswith("this version does not do it on Paimon tables: ")


async def test_settings_that_nothing_acts_on_are_refused(paimon: Paimon) -> None:
    for section, setting, given in (
        ("rewrite", "strategy", {"strategy": "sort", "columns": ["id"]}),
        ("maintenance", "delete_old_compactions", {"delete_old_compactions": {"grace": "1d"}}),
        ("maintenance", "rewrite_deletes", {"rewrite_deletes": {"interval": "5d"}}),
    ):
        refused = await paimon.govern({section: given}, status=422)
        assert [problem["pointer"] for problem in refused["errors"]] == [f"/{section}/{setting}"]


async def test_m3_a_policy_that_the_only_engine_of_the_table_would_not_follow_is_refused(paimon: Paimon) -> None:
    refused = await paimon.govern({"preset": "maxcompute-tiered"}, status=422)
    assert refused["errors"] == [
        {
            "pointer": "/rewrite/exclude_above_bytes",
            "message": "is not supported by Paimon's core (the only engine for this table)",
            "value": 2**30,
            "hint": "set it to 'off'; origin: preset maxcompute-tiered (on lake.lake.events)",
            "remedy": None,
        }
    ]
    refused = await paimon.govern({"rewrite": {"compression": "zstd:9"}}, status=422)
    assert [(each["pointer"], each["hint"]) for each in refused["errors"]] == [
        ("/rewrite/compression", "set the table property file.compression instead; origin: table (on lake.lake.events)")
    ]
    await paimon.govern({"preset": "maxcompute-tiered", "rewrite": {"exclude_above_bytes": "off"}})


async def test_a_table_with_many_sorted_runs_gets_a_run(paimon: Paimon) -> None:
    policy = {"triggers": [{"name": "runs", "all": [{"metric": "sorted_run_count", "at_least": 5}]}]}
    await paimon.govern(policy)
    (run,) = await paimon.look()
    assert run.operation is Operation.REWRITE


async def test_a_damaged_table_is_answered_as_such(paimon: Paimon) -> None:
    schema = paimon.lake.folder / "schema" / "schema-0"
    await asyncio.to_thread(schema.write_text, "nul")
    path = f"/v1/tables/{paimon.table_id}/health"
    problem = (await paimon.api.call("GET", path, status=409)).json()
    assert problem["code"] == "table_unreadable"
    assert "schema-0: it is not a JSON document" in problem["detail"]


async def test_p14_health_and_partitions_show_the_most_sorted_runs_of_a_bucket(paimon: Paimon) -> None:
    rows = [[number, "2026-11-02", 1.5] for number in range(20)]
    await asyncio.to_thread(paimon.lake.write, rows)
    fullest = (await paimon.view("health"))["fullest_bucket"]
    expected = {"sorted_run_count": 7, "level0_file_count": 7}
    assert fullest == {
        "spec_id": 0,
        "partition": {"values": {"day": "2026-11-02"}, "text": "day=2026-11-02"},
        "bucket": 0,
        "hides_level0": False,
    } | expected | {"stop_trigger": None}
    items = (await paimon.view("partitions"))["items"]
    assert {each["partition"]["text"]: each["sorted_run_count"] for each in items} == {
        "day=2026-11-01": 6,
        "day=2026-11-02": 7,
    }


async def test_p24_a_trigger_on_sorted_runs_holds_on_a_key_table(paimon: Paimon) -> None:
    rule = {"name": "runs", "all": [{"metric": "sorted_run_count", "at_least": 6}]}
    await paimon.govern({"triggers": [rule]})
    states = (await paimon.view("explain"))["triggers"]["rules"]
    (condition,) = next(each["conditions"] for each in states if each["name"] == "runs")
    assert (condition["measured"], condition["holds"]) == (6, True)


async def signal(paimon: Paimon, *, slow_down: bool, reason: str) -> None:
    sent = {"kind": "backpressure", "slow_down": slow_down, "reason": reason}
    await paimon.api.post("/v1/signals", {"table_id": paimon.table_id, "signal": sent}, status=202)


async def test_p23_writers_should_slow_down_at_three_sorted_runs_above_the_trigger(paimon: Paimon) -> None:
    await paimon.view("health")
    found = await paimon.view("backpressure")
    assert (found["slow_down"], found["since"], found["sorted_runs"]["slow_down_at"]) == (False, None, 8)
    assert "no bucket has 8 sorted runs" in found["reason"]
    await paimon.govern({"rewrite": {"key_tables": {"sorted_run_trigger": 3}}})
    found = await paimon.view("backpressure")
    assert (found["slow_down"], found["signal"], found["since"]) == (True, None, found["sorted_runs"]["measured_at"])
    assert found["reason"].startswith("bucket 0 of partition day=2026-11-01 has 6 sorted runs")
    assert (found["sorted_runs"]["bucket"], found["sorted_runs"]["sorted_run_count"]) == (0, 6)


async def test_p23_a_signal_that_ends_another_hides_no_sorted_runs(paimon: Paimon) -> None:
    await paimon.view("health")
    await signal(paimon, slow_down=False, reason="fine again")
    assert (await paimon.view("backpressure"))["reason"] == "fine again"
    await paimon.govern({"rewrite": {"key_tables": {"sorted_run_trigger": 2}}})
    assert "has 6 sorted runs" in (await paimon.view("backpressure"))["reason"]
    await signal(paimon, slow_down=True, reason="readers wait")
    found = await paimon.view("backpressure")
    assert (found["reason"], found["sorted_runs"]["sorted_run_count"]) == ("readers wait", 6)


async def test_p23_a_look_of_the_coordinator_measures_the_sorted_runs_that_advice_is_based_on(
    paimon: Paimon,
) -> None:
    for _ in range(2):
        await asyncio.to_thread(paimon.lake.write, [[number, "2026-11-01", 1.5] for number in range(20)])
    assert (await paimon.view("backpressure"))["sorted_runs"] is None
    await paimon.look()
    found = await paimon.view("backpressure")
    assert (found["slow_down"], found["sorted_runs"]["sorted_run_count"]) == (True, 8)


async def test_p6_a_table_with_a_column_of_type_blob_is_refused_by_name_and_stays_as_it_is(
    api: Api, paimon_core: PaimonCore, tmp_path: Path
) -> None:
    """P6: on a table of the core, whose blobs are in files of their own, for both engines."""
    lake = PaimonLake(paimon_core, tmp_path / "warehouse")
    await asyncio.to_thread(_make_blobs, lake)
    paimon = await registered(api, lake, "paimon", lake.properties)
    before = sorted(each.name for each in lake.folder.rglob("*") if each.is_file())
    assert sum(name.endswith(".blob") for name in before) == 6
    said = " ".join(await _summary(paimon))
    for version, engine in enumerate(("auto", "arrow", "native")):
        policy = {"rewrite": {"engine": engine, "min_input_files": 2}}
        await api.put_policy(paimon.table_id, policy, status=200 if version else 201, version=version or None)
        run = await api.rewrite(paimon.table_id)
        assert (run.state, run.reason) == ("refused", "not_eligible")
        assert f"native_no_blobs ({BLOBS})" in (run.detail or "")
    assert sorted(each.name for each in lake.folder.rglob("*") if each.is_file()) == before
    assert f"It can't be rewritten: native no blobs: {BLOBS}." in said


async def _summary(paimon: Paimon) -> list[str]:
    return texts_of(await paimon.view("explain"))


def _make_blobs(lake: PaimonLake) -> None:
    columns = [("id", "BIGINT NOT NULL"), ("picture", "BLOB")]
    lake.create(columns, bucket="-1", row_tracking__enabled="true", data_evolution__enabled="true")
    for number in range(6):
        lake.write([[number, None]])
