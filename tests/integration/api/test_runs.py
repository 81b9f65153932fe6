"""Runs over HTTP. Tasks run in threads; everything else is real."""

import asyncio
import csv
import io

from tests.integration.api.conftest import Api
from tests.support.moved_clock import MovedClock
from tests.support.world import Lake


async def test_a_run_is_accepted_and_found_under_its_location_and_a_double_click_is_the_same_run(
    api: Api, table_id: str
) -> None:
    response = await api.call("POST", "/v1/runs", status=202, json={"table_id": table_id, "operation": "rewrite"})
    run = response.json()
    assert (run["state"], run["deduplicated"], run["requested_by"]) == ("queued", False, "key:admin")
    shown = await api.get(response.headers["location"])
    assert shown["id"] == run["id"]
    assert shown["progress"]["groups_total"] == 0
    second = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=200)
    assert (second["id"], second["deduplicated"]) == (run["id"], True)


async def test_clicks_at_the_same_time_are_one_run(api: Api, table_id: str) -> None:
    calls = [api.client.post("/v1/runs", json={"table_id": table_id, "operation": "rewrite"}) for _ in range(5)]
    answers = await asyncio.gather(*calls)
    assert sorted(answer.status_code for answer in answers) == [200, 200, 200, 200, 202]
    assert len({answer.json()["id"] for answer in answers}) == 1


async def test_an_expiry_is_planned_without_doing_and_refuses_what_is_for_rewrites(api: Api, table_id: str) -> None:
    asked = {"table_id": table_id, "operation": "expire_snapshots"}
    [off] = (await api.post("/v1/runs", asked, status=422))["errors"]
    assert "maintenance.expire_snapshots: off" in off["message"]
    policy = {"maintenance": {"expire_snapshots": {"older_than": "1s", "keep_last": 1}}}
    await api.put_policy(table_id, policy)
    [refused] = (await api.post("/v1/runs", asked | {"force_full": True}, status=422))["errors"]
    assert (refused["pointer"], refused["message"]) == ("/force_full", "unknown field")
    plan = await api.post("/v1/runs/preview", asked, status=200)
    assert (plan["operation"], plan["setting"]) == ("expire_snapshots", "maintenance.expire_snapshots")
    assert plan["details"]["rule"] == {"older_than_seconds": 1, "keep_last": 1, "delete_files": False}
    assert (await api.get("/v1/runs"))["items"] == []
    upkeep = (await api.get(f"/v1/tables/{table_id}/explain"))["upkeep"]
    assert [(each["operation"], each["blocked"]) for each in upkeep] == [
        ("rewrite_manifests", None),
        ("expire_snapshots", None),
    ]


async def test_an_ended_run_shows_what_was_measured_and_is_not_cancelled(api: Api, table_id: str) -> None:
    run = await api.rewrite(table_id)
    shown = await api.get(f"/v1/runs/{run.id}")
    assert shown["state"] == "succeeded"
    assert shown["is_terminal"]
    assert shown["result"]["rewritten_files"] == 12
    assert shown["result"]["rewritten_rows"] == shown["result"]["added_rows"]
    assert shown["progress"]["bytes_finished"] == shown["progress"]["bytes_total"] > 0
    assert isinstance(shown["plan"]["base_snapshot_id"], str)
    assert (await api.post(f"/v1/runs/{run.id}/cancel", status=409))["code"] == "state_conflict"


async def test_groups_say_what_became_of_them(api: Api, table_id: str) -> None:
    """U18: the work of a run is listed by file group: state, input files, output files."""
    path = f"/v1/runs/{(await api.rewrite(table_id)).id}/groups"
    both = await api.items(path, page_size=1)
    assert [group["state"] for group in both] == ["committed", "committed"]
    assert {group["input_files"] for group in both} == {6}
    assert {group["output_files"] for group in both} == {1}
    assert await api.items(path, state="dropped") == []
    await api.get(path, status=422, params={"state": "melted"})


async def test_lists_are_newest_first_and_filtered(api: Api, table_id: str) -> None:
    ended = await api.rewrite(table_id)
    live = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    ids = [run["id"] for run in (await api.get("/v1/runs", params={"table_id": table_id}))["items"]]
    assert ids == [live["id"], ended.id]
    queued = await api.get("/v1/runs", params={"state": ["queued", "planning"]})
    assert [run["id"] for run in queued["items"]] == [live["id"]]


async def test_a_waiting_run_is_cancelled_at_once_and_only_once(api: Api, table_id: str) -> None:
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    cancelled = await api.post(f"/v1/runs/{run['id']}/cancel", status=202)
    assert cancelled["state"] == "cancelled"
    assert cancelled["cancel_requested_by"] == "key:admin"
    await api.post(f"/v1/runs/{run['id']}/cancel", status=409)


async def test_an_unknown_run_table_or_operation_is_refused(api: Api, table_id: str) -> None:
    for what in ("", "/groups", "/events"):
        await api.get(f"/v1/runs/run_nope{what}", status=404)
    await api.post("/v1/runs/run_nope/cancel", status=404)
    assert (await api.post("/v1/runs", {"table_id": "tbl_nope", "operation": "rewrite"}, status=404))[
        "code"
    ] == "not_found"
    [error] = (await api.post("/v1/runs", {"table_id": table_id, "operation": "vacuum"}, status=422))["errors"]
    assert error["pointer"] == "/operation"


DAY_ONE = {"column": "day", "op": "eq", "value": "2026-11-01"}


async def test_a_run_of_some_partitions_leaves_the_others_alone(api: Api, table_id: str) -> None:
    accepted = await api.post(
        "/v1/runs", {"table_id": table_id, "operation": "rewrite", "partitions": DAY_ONE}, status=202
    )
    assert accepted["request"]["partitions"] == DAY_ONE
    await api.container.worker.advance(accepted["id"])
    groups = (await api.get(f"/v1/runs/{accepted['id']}/groups"))["items"]
    assert [group["partition"]["text"] for group in groups] == ["day=2026-11-01"]


async def test_a_preview_answers_the_plan_and_stores_nothing(api: Api, table_id: str) -> None:
    body = {"table_id": table_id, "operation": "rewrite", "partitions": DAY_ONE}
    plan = await api.post("/v1/runs/preview", body, status=200)
    asked = await api.post(f"/v1/tables/{table_id}/plan", {"partitions": DAY_ONE}, status=200)
    assert (plan["groups_total"], plan["plan_hash"]) == (1, asked["plan_hash"])
    off = {"table_id": table_id, "operation": "delete_old_compactions"}
    [error] = (await api.post("/v1/runs/preview", off, status=422))["errors"]
    assert "maintenance.delete_old_compactions: off" in error["message"]
    assert (await api.get("/v1/runs"))["items"] == []


async def test_a_purge_needs_an_admin_the_hash_of_its_preview_and_the_address(api: Api, table_id: str) -> None:
    asked = {"table_id": table_id, "operation": "purge"}
    errors = (await api.post("/v1/runs", asked, status=422))["errors"]
    assert [each["pointer"] for each in errors] == ["/plan_hash", "/confirm"]
    assert "preview" in errors[0]["hint"]
    assert "address of the table" in errors[1]["hint"]
    [untold] = (await api.post("/v1/runs", {"table_id": table_id}, status=422))["errors"]
    [unknown] = (await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrit"}, status=422))["errors"]
    assert untold["hint"].startswith("one of rewrite, rewrite_manifests, ")
    assert unknown["message"].startswith("must be one of 'rewrite', 'rewrite_manifests', ")
    plan_hash = (await api.post("/v1/runs/preview", asked, status=200))["details"]["plan_hash"]
    wrong = asked | {"plan_hash": plan_hash, "confirm": "lake.lake.other"}
    [error] = (await api.post("/v1/runs", wrong, status=422))["errors"]
    assert (error["pointer"], error["value"]) == ("/confirm", "lake.lake.other")
    assert "lake.lake.events" in error["hint"]
    accepted = await api.post("/v1/runs", wrong | {"confirm": "lake.lake.events"}, status=202)
    assert accepted["operation"] == "purge"


async def test_a_full_plan_takes_what_a_plain_one_leaves(api: Api, table_id: str) -> None:
    await api.rewrite(table_id)
    plain = await api.post("/v1/runs/preview", {"table_id": table_id, "operation": "rewrite"}, status=200)
    full = await api.post(
        "/v1/runs/preview", {"table_id": table_id, "operation": "rewrite", "force_full": True}, status=200
    )
    assert (plain["groups_total"], full["groups_total"]) == (0, 0)  # one file each: it would come out as it is
    every = {"every_file": True}
    runs = await api.post("/v1/runs/preview", {"table_id": table_id, "operation": "rewrite"} | every, status=200)
    tables = await api.post(f"/v1/tables/{table_id}/plan", every, status=200)
    assert runs["groups_total"] == tables["groups_total"] == plain["skipped_total"] > 0


async def test_another_request_or_force_is_a_run_of_its_own(api: Api, table_id: str) -> None:
    plain = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    other = await api.post(
        "/v1/runs", {"table_id": table_id, "operation": "rewrite", "partitions": DAY_ONE}, status=202
    )
    forced = await api.post(
        "/v1/runs",
        {"table_id": table_id, "operation": "rewrite", "priority": "high", "allow_duplicate": True},
        status=202,
    )
    assert (plain["priority"], forced["priority"]) == ("normal", "high")
    assert len({run["id"] for run in (plain, other, forced)}) == 3


async def test_runs_are_found_by_every_filter(api: Api, table_id: str) -> None:
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    day = {"since": "2000-01-01T00:00:00Z", "until": "2100-01-01T00:00:00Z"}
    every = {"table_id": table_id, "state": "queued", "operation": "rewrite", "catalog": "lake", **day}
    assert [item["id"] for item in (await api.get("/v1/runs", params=every))["items"]] == [run["id"]]
    others = {"catalog": "other", "operation": "purge", "owner_team": "nobody", "until": "2000-01-01T00:00:00Z"}
    for name, value in others.items():
        assert (await api.get("/v1/runs", params=every | {name: value}))["items"] == []


async def test_files_to_delete_and_deleted_files_are_downloads(api: Api, lake: Lake, table_id: str) -> None:
    expiry = {"older_than": "30m", "keep_last": 1, "delete_files": True}
    policy = {"maintenance": {"expire_snapshots": expiry}}
    await api.put_policy(table_id, policy)
    await api.rewrite(table_id)
    await (await MovedClock.of(api.container.database)).pass_by(hours=1)
    foreseen = await api.call("GET", f"/v1/tables/{table_id}/upkeep/expire_snapshots/files", status=200)
    assert foreseen.headers["content-type"].startswith("text/csv")
    assert "expire_snapshots.csv" in foreseen.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(foreseen.text)))
    assert [*rows[0]] == ["path", "kind", "file_bytes", "snapshot_id"]
    assert sum(row["kind"] == "data" for row in rows) == 12
    asked = {"table_id": table_id, "operation": "expire_snapshots", "grace": "0s"}
    run = await api.post("/v1/runs", asked, status=202)
    await api.container.worker.advance(run["id"])
    deleted = await api.call("GET", f"/v1/runs/{run['id']}/deleted-files", status=200)
    assert deleted.text == foreseen.text
    nothing = await api.call("GET", f"/v1/tables/{table_id}/upkeep/expire_snapshots/files", status=200)
    assert nothing.text == '"path","kind","file_bytes","snapshot_id"\n'


async def test_files_of_an_operation_without_a_list_or_switched_off_are_refused(api: Api, table_id: str) -> None:
    for operation in ("rewrite", "remove_orphans", "vacuum"):
        answer = await api.call("GET", f"/v1/tables/{table_id}/upkeep/{operation}/files", status=422)
        assert "expire_snapshots" in answer.text
    off = await api.get(f"/v1/tables/{table_id}/upkeep/expire_snapshots/files", status=422)
    assert off["errors"][0]["pointer"] == "/operation"
