"""Explanations over HTTP: for tables in every condition, healthy or not."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import text

from engine.domain.access.callers import Caller, Role
from engine.domain.errors import NotFound
from engine.domain.tables.signals import QueryLatency, SignalKind
from tests.integration.api.conftest import Api
from tests.support.statements import texts_of
from tests.support.world import NAME, SCHEMA, SPEC, Lake


async def explained(api: Api, table_id: str) -> Any:
    """Return the explanation; every summary has whole sentences."""
    answer = await api.get(f"/v1/tables/{table_id}/explain")
    assert 0 < len(answer["summary"]) <= 24
    assert all(text.endswith(".") and "\n" not in text for text in texts_of(answer))
    return answer


def said(answer: Any) -> str:
    return " ".join(texts_of(answer))


def requests(answer: Any) -> set[str]:
    return {each["remedy"]["request"] for each in answer["summary"] if each["remedy"] is not None}


async def test_a_table_of_few_small_files_can_be_rewritten_at_a_cost_and_is_not_due(api: Api, table_id: str):
    answer = await explained(api, table_id)
    assert (answer["eligible"], answer["due"], answer["would_start_by_itself"]) == (True, False, False)
    assert answer["now"]["outcome"] == "rewrite"
    (rule, *_, full) = answer["triggers"]["rules"]
    assert (rule["name"], rule["kind"], full["kind"]) == ("many small files", "trigger", "full")
    assert rule["partition"]["file_count"] == 6
    count = rule["conditions"][0]
    assert (count["metric"], count["wanted"], count["measured"], count["holds"]) == ("small_file_count", 20, 6, False)
    assert "is not due" in texts_of(answer)[0]
    assert "No run of it has ended yet." in said(answer)
    assert set(rule["partition"]["partition"]["values"]) == {"day"}
    assert (answer["triggers"]["advice"], answer["triggers"]["never_due"]["files"]) == ([], 0)  # time makes each due
    cost = answer["now"]["cost"]
    assert (cost["files"], answer["now"]["time_estimate"]["source"]) == (12, "prior")
    assert 0 < cost["seconds"] < 10
    assert "That time is assumed: no run has been measured yet." in said(answer)
    assert cost["requests"] == 12 + 2
    assert cost["bytes_read"] > 0


async def test_every_setting_comes_with_its_origin(api: Api, table_id: str):
    await api.put_policy(table_id, {"seal": {"quiet_for": "30m"}})
    settings = (await explained(api, table_id))["settings"]
    assert settings["rewrite.min_input_files"] == {"value": 2, "origin": "preset balanced"}
    assert settings["seal"] == {"value": {"quiet_for": "30m"}, "origin": "table"}


async def test_a_due_table_names_its_partitions(api: Api, table_id: str):
    rule = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}
    await api.put_policy(table_id, {"triggers": [rule]})
    answer = await explained(api, table_id)
    assert answer["due"]
    assert answer["next_eligible"]["held_by"] == []
    assert datetime.fromisoformat(answer["next_eligible"]["at"]) <= datetime.now(UTC)
    (found, _) = answer["triggers"]["rules"]
    assert (found["due"], found["due_partitions_total"]) == (True, 2)
    assert "nothing holds it back" in texts_of(answer)[0]


async def test_a_due_rule_says_which_of_its_branches_held(api: Api, table_id: str):
    many, few = {"metric": "file_count", "at_least": 1000}, {"metric": "small_file_count", "at_least": 5}
    rule = {"name": "either", "any": [many, {"all": [few, {"not": {"metric": "file_count", "above": 50}}]}]}
    await api.put_policy(table_id, {"triggers": [rule]})
    answer = await explained(api, table_id)
    (found, _) = answer["triggers"]["rules"]
    assert found["due"]
    conditions = [(each["path"], each["is_negated"], each["holds"]) for each in found["conditions"]]
    assert conditions == [("/any/0", False, False), ("/any/1/all/0", False, True), ("/any/1/all/1/not", True, False)]
    assert "because any of: small_file_count 6 (wanted: at least 5), file_count 6 (wanted: not more than 50)" in said(
        answer
    )
    assert "1,000" not in said(answer)
    await api.put_policy(table_id, {"triggers": [{"name": "none", "any": [many, {"not": few}]}]}, status=200, version=1)
    assert "none of: file_count 6" in said(await explained(api, table_id))


async def test_avoidable_files_that_no_rule_makes_due_come_with_advice(api: Api, table_id: str):
    twenty = {"name": "twenty", "all": [{"metric": "small_file_count", "at_least": 20}]}
    await api.put_policy(table_id, {"triggers": [twenty]})
    never_due = {"files": 10, "partitions": 2, "too_few_files": 0, "of_files": 12}
    answer = await explained(api, table_id)
    assert answer["triggers"]["never_due"] == never_due
    advice = answer["triggers"]["advice"]
    first, remedy = (each["text"] for each in advice)
    assert first == (
        "10 of its 12 files are avoidable and in 2 partitions that no rule makes due unless more files are written."
    )
    assert remedy.startswith("Add a rule to triggers (table)")
    assert f"{first} {remedy}" in said(answer)
    for path in (f"/v1/tables/{table_id}/health", f"/v1/tables/{table_id}/plan"):
        method = "GET" if path.endswith("health") else "POST"
        due = (await api.call(method, path, status=200, **({} if method == "GET" else {"json": {}}))).json()["due"]
        assert due == {"is_due": False, "because": [], "never_due": never_due, "advice": advice}


async def test_health_and_plan_name_the_rule_that_makes_a_table_due(api: Api, table_id: str):
    few = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}
    trial = await api.call("POST", f"/v1/tables/{table_id}/plan", status=200, json={"policy": {"triggers": [few]}})
    (because,) = trial.json()["due"]["because"]
    assert because["text"].startswith("Rule 'few' makes 2 partitions due, most of all day=2026-11-01 with 6 files")
    assert (because["code"], because["values"]["rule"], because["values"]["partitions"]) == ("due", "few", 2)
    await api.put_policy(table_id, {"triggers": [few]})
    due = (await api.get(f"/v1/tables/{table_id}/health"))["due"]
    assert (due["is_due"], due["because"], due["advice"]) == (True, trial.json()["due"]["because"], [])


async def test_partitions_that_are_not_sealed_hold_a_table_back(api: Api, table_id: str):
    rule = {"name": "few", "all": [{"metric": "small_file_count", "at_least": 5}]}
    await api.put_policy(table_id, {"triggers": [rule], "seal": {"quiet_for": "2h"}})
    answer = await explained(api, table_id)
    assert not answer["due"]
    (hold,) = answer["next_eligible"]["held_by"]
    assert hold["code"] == "not_sealed"
    assert answer["next_eligible"]["at"] == hold["until"] == answer["triggers"]["seal"]["next_sealed_at"]


async def test_the_last_run_and_its_effect_are_told_and_the_next_run_waits_for_min_interval(api: Api, table_id: str):
    run = await api.rewrite(table_id)
    answer = await explained(api, table_id)
    assert answer["last_run"]["id"] == run.id
    assert answer["last_runs"][0]["words"] == "everything planned was committed"
    assert answer["now"]["outcome"] == "nothing_to_do"
    assert "made 2 files of 12" in said(answer)
    (hold,) = answer["next_eligible"]["held_by"]
    assert hold["code"] == "min_interval"
    began = datetime.fromisoformat(answer["schedule"]["last_start_at"])
    assert datetime.fromisoformat(answer["next_eligible"]["at"]) == began + timedelta(minutes=10)


async def test_a_rewrite_does_not_wait_for_min_interval_after_upkeep(api: Api, table_id: str):
    accepted = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite_manifests"}, status=202)
    await api.container.worker.advance(accepted["id"])
    answer = await explained(api, table_id)
    assert answer["last_run"]["state"] == "succeeded"
    assert answer["schedule"]["last_start_at"] is None
    assert not answer["next_eligible"]["held_by"]


async def test_a_partition_just_rewritten_was_rewritten_a_moment_ago(api: Api, table_id: str):
    await api.put_policy(
        table_id, {"triggers": [{"name": "r", "all": [{"metric": "time_since_rewrite", "at_least": "1d"}]}]}
    )
    (before, _) = (await explained(api, table_id))["triggers"]["rules"]
    assert (before["conditions"][0]["holds"], before["conditions"][0]["detail"]) == (True, "never happened")
    await api.rewrite(table_id)
    (after, _) = (await explained(api, table_id))["triggers"]["rules"]
    assert not after["conditions"][0]["holds"]
    assert 0 <= after["conditions"][0]["measured"] < 600


async def test_u16_what_the_last_rewrite_left_is_no_change(api: Api, lake: Lake, table_id: str):
    rule = {"name": "old", "input_changed": True, "all": [{"metric": "file_count", "at_least": 1}]}
    await api.put_policy(table_id, {"triggers": [rule]})
    await api.rewrite(table_id)
    (found, _) = (await explained(api, table_id))["triggers"]["rules"]
    assert (found["due"], found["held_back"]) == (False, {"unchanged": 2})
    await asyncio.to_thread(lake.append, day="2026-11-01")
    (found, _) = (await explained(api, table_id))["triggers"]["rules"]
    assert found["held_back"]["unchanged"] == 1


async def test_a_live_run_holds_the_table_back(api: Api, table_id: str):
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    answer = await explained(api, table_id)
    assert answer["live_run"]["id"] == run["id"]
    assert [hold["code"] for hold in answer["next_eligible"]["held_by"]] == ["run_waits"]
    assert answer["next_eligible"]["at"] is None


async def test_a_policy_that_is_switched_off_is_named_with_its_origin(api: Api, table_id: str):
    await api.put_policy(table_id, {"enabled": False})
    answer = await explained(api, table_id)
    assert answer["now"]["outcome"] == "disabled"
    assert answer["next_eligible"]["held_by"][0]["code"] == "disabled"
    assert "enabled: false (origin: table" in said(answer)


async def test_quiet_hours_and_a_cron_expression_are_told_with_their_instants(api: Api, table_id: str):
    now = datetime.now(UTC)
    window = {"from": f"{now - timedelta(hours=2):%H:%M}", "to": f"{now + timedelta(hours=2):%H:%M}"}
    schedule = {"cron": "0 2 * * *", "time_zone": "Europe/Berlin"}
    await api.put_policy(table_id, {"quiet_hours": [window], "schedule": schedule})
    answer = await explained(api, table_id)
    assert (answer["windows"]["inside"], answer["windows"]["kind"]) == (True, "quiet_hours")
    assert answer["next_eligible"]["at"] == answer["windows"]["ends_at"]
    assert datetime.fromisoformat(answer["schedule"]["cron_next_at"]) > now


async def test_a_paused_table_says_who_paused_it_and_how_to_go_on(api: Api, table_id: str):
    async with api.container.database.begin() as unit:
        await unit.pauses.switch_table(table_id, by="key:ops", reason="migration", stops=True)  # type: ignore[arg-type]
        await unit.pauses.switch_catalog("lake", by="key:keeper", reason="outage", stops=False)
        await unit.pauses.switch_fleet(by="key:chief", reason="incident", stops=False)
    answer = await explained(api, table_id)
    assert [(pause["scope"], pause["by"], pause["stops"]) for pause in answer["pauses"]] == [
        ("fleet", "key:chief", False),
        ("catalog", "key:keeper", False),
        ("table", "key:ops", True),
    ]
    paused = {f"POST /v1/{of}/resume" for of in ("fleet", "catalogs/lake", f"tables/{table_id}")}
    assert paused <= requests(answer)


async def test_a_daily_budget_that_is_used_up_tells_when_it_frees(api: Api, table_id: str):
    await api.put_policy(table_id, {"limits": {"bytes_per_day": "1MiB"}, "schedule": {"min_interval": "0s"}})
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    async with api.container.database.begin() as unit:
        columns = "INSERT INTO rewritten_bytes (table_id, at, bytes)"
        await unit.connection.execute(
            text(f"{columns} SELECT table_id, created_at, 1048576 FROM runs WHERE id = :id"), {"id": run["id"]}
        )
    answer = await explained(api, table_id)
    day = answer["budgets"]["bytes_per_day"]
    assert (day["limit"], day["used"], day["remaining"]) == (2**20, 2**20, 0)
    holds = {hold["code"]: hold for hold in answer["next_eligible"]["held_by"]}
    assert holds["bytes_per_day"]["until"] == day["frees_at"]


async def test_a_table_without_files_is_explained(api: Api, lake: Lake):
    await asyncio.to_thread(lambda: lake.catalog.create_table((NAME[0], "empty"), SCHEMA, partition_spec=SPEC))
    address = {"catalog": "lake", "namespace": [NAME[0]], "name": "empty"}
    empty = (await api.post("/v1/tables", address, status=201))["id"]
    answer = await explained(api, empty)
    assert (answer["due"], answer["now"]["groups_total"], answer["health"]["file_count"]) == (False, 0, 0)
    assert answer["triggers"]["rules"][0]["conditions"][0]["detail"] == "the table has no files"


async def test_without_the_catalog_the_record_still_answers(api: Api, lake: Lake, table_id: str):
    await explained(api, table_id)
    broken = lake.properties | {"uri": "env:TEST_NOT_SET"}
    await api.call("PUT", "/v1/catalogs/lake", status=200, json={"properties": broken}, headers={"If-Match": '"1"'})
    answer = await explained(api, table_id)
    assert (answer["eligible"], answer["due"], answer["triggers"]) == (None, None, None)
    assert answer["now"]["outcome"] == "unknown"
    assert answer["health"]["file_count"] == 12
    assert "It was measured last at" in said(answer)


async def test_a_table_that_is_gone_or_made_anew_is_explained_with_the_remedy(api: Api, lake: Lake, table_id: str):
    await asyncio.to_thread(lake.catalog.drop_table, NAME)
    answer = await explained(api, table_id)
    assert answer["now"]["outcome"] == "unknown"
    assert "no longer in its catalog" in said(answer)
    await asyncio.to_thread(lambda: lake.catalog.create_table(NAME, SCHEMA, partition_spec=SPEC))
    answer = await explained(api, table_id)
    (hold,) = answer["next_eligible"]["held_by"]
    assert hold["code"] == "table_replaced"
    assert hold["remedy"]["request"] == f"DELETE /v1/tables/{table_id}"
    assert answer["now"]["because"]["remedy"] == hold["remedy"]


async def test_a_table_of_another_team_does_not_exist(api: Api, lake: Lake):
    address = {"catalog": "lake", "namespace": [NAME[0]], "name": NAME[1], "owner_team": "sales"}
    table_id = (await api.post("/v1/tables", address, status=201))["id"]
    stranger, owner = (Caller("key:x", Role.VIEWER, frozenset({team})) for team in ("ops", "sales"))
    assert (await api.container.explain.explain(owner, table_id))["table_id"] == table_id
    with pytest.raises(NotFound, match="is registered"):
        await api.container.explain.explain(stranger, table_id)


async def test_signals_are_shown_newest_of_each_kind(api: Api, table_id: str):
    async with api.container.database.begin() as unit:
        for about, p95 in ((table_id, 1.0), (None, 4.0), (table_id, 2.5)):
            value = QueryLatency(kind=SignalKind.QUERY_LATENCY, p95_seconds=p95)
            await unit.signals.append(about, value, "key:grafana")  # type: ignore[arg-type]
    signals = (await explained(api, table_id))["signals"]
    assert [(signal["table_id"], signal["signal"]["p95_seconds"]) for signal in signals] == [
        (table_id, 2.5),
        (None, 4.0),
    ]
    assert {(signal["signal"]["kind"], signal["sent_by"]) for signal in signals} == {("query_latency", "key:grafana")}
