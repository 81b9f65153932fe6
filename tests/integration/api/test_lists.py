"""What all lists share: small items, addresses in the place of ids, and one vocabulary of filters."""

import asyncio
import json
from typing import Any
from urllib.parse import quote

from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api
from tests.support.world import SCHEMA, Lake

ADDRESS = "lake.lake.events"
DOCUMENTS = {"request", "plan", "policy", "result"}


async def the_run(api: Api, **params: Any) -> dict[str, Any]:
    [item] = (await api.get("/v1/runs", params=params))["items"]
    found: dict[str, Any] = item
    return found


async def test_a_run_in_a_list_names_its_table_and_leaves_its_documents_out(api: Api, table_id: str) -> None:
    run = await api.rewrite(table_id)
    listed, shown = await the_run(api), await api.get(f"/v1/runs/{run.id}")
    assert (listed["table"], shown["table"]) == (ADDRESS, ADDRESS)
    assert [listed[name] for name in DOCUMENTS] == [None] * 4
    assert {name: shown[name] for name in listed} == listed | {name: shown[name] for name in DOCUMENTS}


async def test_a_run_with_every_field_set_takes_at_most_one_kilobyte(api: Api, table_id: str) -> None:
    run = await api.rewrite(table_id)
    assert len(json.dumps((await api.get(f"/v1/runs/{run.id}")), separators=(",", ":"))) > 1000
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "order-management"})
    queued = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    await api.post(
        f"/v1/tables/{table_id}/pause",
        {"reason": "the month is closed in finance: " + 10 * "nothing may be rewritten before; "},
        status=200,
    )
    for item in (await api.get("/v1/runs"))["items"]:
        every = item | {name: item[name] or "2026-11-01T09:30:00.123456Z" for name in item if name.endswith("_at")}
        every |= {"not_before": "2026-11-01T09:30:00.123456Z", "waiting_for": "concurrency_limit", "failures": 12}
        every |= {"table": "lake.order_management.eu_west.order_lines_with_tax", "reason": "conflict_backoff"}
        assert len(json.dumps(every, separators=(",", ":"))) <= 1024, every
        assert item["id"] != queued["id"] or "…" in item["detail"]


async def test_documents_are_included_on_request(api: Api, table_id: str) -> None:
    detail = await api.get(f"/v1/runs/{(await api.rewrite(table_id)).id}")
    for include, shown in (
        (["plan"], {"plan"}),
        (["plan", "result"], {"plan", "result"}),
        (["request,policy", "plan"], DOCUMENTS - {"result"}),
    ):
        listed = await the_run(api, include=include)
        assert {name for name in DOCUMENTS if listed[name] is not None} == shown
        assert {name: listed[name] for name in shown} == {name: detail[name] for name in shown}
    [error] = (await api.get("/v1/runs", status=422, params={"include": "plan,logs"}))["errors"]
    assert (error["pointer"], error["value"]) == ("query:include.1", "logs")
    assert all(name in error["message"] for name in DOCUMENTS)


async def test_a_run_outlives_the_address_of_its_table(api: Api, table_id: str) -> None:
    await api.rewrite(table_id)
    await api.call("DELETE", f"/v1/tables/{table_id}", status=204)
    assert ((await the_run(api))["table"], (await the_run(api))["table_id"]) == (None, table_id)


async def test_several_values_are_given_with_commas_or_several_times(api: Api, table_id: str) -> None:
    run = await api.rewrite(table_id)
    for query in ("state=failed,succeeded", "state=failed&state=succeeded", "operation=rewrite,expire_snapshots"):
        assert [item["id"] for item in (await api.get(f"/v1/runs?{query}"))["items"]] == [run.id]
    assert (await api.get("/v1/runs?state=failed,queued"))["items"] == []
    groups = f"/v1/runs/{run.id}/groups?state="
    assert len((await api.get(f"{groups}committed,dropped"))["items"]) == 2
    assert (await api.get(f"{groups}planned,dropped"))["items"] == []


async def test_every_list_with_times_is_narrowed_by_the_same_names(api: Api, table_id: str) -> None:
    await api.rewrite(table_id)
    await api.post("/v1/signals", {"table_id": table_id, "signal": {"kind": "commit", "added_files": 1}}, status=202)
    lists = ("/v1/runs", "/v1/audit", f"/v1/signals?kind=commit&table_id={table_id}")
    lists += (f"/v1/tables/{table_id}/history", f"/v1/tables/{table_id}/health/history")
    past, future = "2000-01-01T00:00:00Z", "2100-01-01T00:00:00Z"
    for path in lists:
        join = "&" if "?" in path else "?"
        assert (await api.get(f"{path}{join}since={past}&until={future}"))["items"], path
        assert (await api.get(f"{path}{join}since={future}"))["items"] == [], path
        assert (await api.get(f"{path}{join}until={past}"))["items"] == [], path


async def test_a_table_is_read_by_its_address(api: Api, table_id: str) -> None:
    for what in ("", "/health", "/health/history", "/explain", "/advice", "/history", "/backpressure"):
        by_id, by_address = await api.get(f"/v1/tables/{table_id}{what}"), await api.get(f"/v1/tables/{ADDRESS}{what}")
        if what not in {"/explain", "/health", "/advice"}:  # they have the present instant
            assert by_address == by_id
        assert by_address.keys() == by_id.keys()


async def test_a_table_is_changed_by_its_address(api: Api, table_id: str) -> None:
    base = f"/v1/tables/{ADDRESS}"
    await api.call("PATCH", base, status=200, json={"labels": {"tier": "gold"}})
    await api.call("PUT", f"{base}/policy", status=201, json={"enabled": False}, headers={"If-None-Match": "*"})
    assert (await api.get(f"{base}/policy"))["table_id"] == table_id
    assert (await api.get(f"{base}/effective-policy"))["table_id"] == table_id
    await api.post(f"{base}/pause", {"reason": "a test"}, status=200)
    await api.call("POST", f"{base}/resume", status=204)
    assert (await api.post(f"{base}/plan", {}, status=200))["table_id"] == table_id
    await api.call("DELETE", base, status=204)
    await api.get(f"/v1/tables/{table_id}", status=404)


async def test_addresses_are_taken_in_filters_and_bodies(api: Api, table_id: str) -> None:
    run = await api.post("/v1/runs", {"table_id": ADDRESS, "operation": "rewrite"}, status=202)
    assert (run["table_id"], run["table"]) == (table_id, ADDRESS)
    assert (await the_run(api, table_id=ADDRESS))["id"] == run["id"]
    signal = {"table_id": ADDRESS, "signal": {"kind": "commit", "added_files": 1}}
    assert (await api.post("/v1/signals", signal, status=202))["table_id"] == table_id
    assert len((await api.get("/v1/signals", params={"kind": "commit", "table_id": ADDRESS}))["items"]) == 1


async def test_a_part_with_a_dot_is_quoted(api: Api, lake: Lake, table_id: str) -> None:
    await asyncio.to_thread(lake.catalog.create_table, ("lake", "v1.2"), SCHEMA)
    made = await api.post("/v1/tables", {"catalog": "lake", "namespace": ["lake"], "name": "v1.2"}, status=201)
    address = 'lake.lake."v1.2"'
    assert (await api.get(f"/v1/tables/{quote(address)}"))["id"] == made["id"]
    assert (await api.post("/v1/runs", {"table_id": address, "operation": "rewrite"}, status=202))["table"] == address
    await api.get("/v1/tables/lake.lake.v1.2", status=404)


async def test_tables_that_are_unknown_or_hidden_are_refused_in_the_same_words(api: Api, table_id: str) -> None:
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "sales"})
    stranger = await as_caller(api, "operator", teams=["hr"])
    for name in (ADDRESS, "lake.lake.nopeee", table_id, "tbl_nope"):
        for method, path, body in (
            ("GET", f"/v1/tables/{name}", None),
            ("GET", f"/v1/tables/{name}/history", None),
            ("POST", "/v1/runs", {"table_id": name, "operation": "rewrite"}),
            ("POST", "/v1/signals", {"table_id": name, "signal": {"kind": "commit", "added_files": 1}}),
            ("GET", f"/v1/signals?kind=commit&table_id={name}", None),
        ):
            refused = await stranger.request(method, path, json=body)
            shown = [refused.json()[field] for field in ("detail", "remedy")]
            listing = {"operation_id": "list_tables", "parameters": {}, "request": "GET /v1/tables"}
            assert (refused.status_code, shown) == (404, [f"no table '{name}' is registered", listing]), (method, path)


async def test_what_is_neither_id_nor_address_is_refused(api: Api) -> None:
    for name in ("lake.events", 'lake."lake.events', "lake..events", "a b"):
        [error] = (await api.get(f"/v1/tables/{quote(name)}", status=422))["errors"]
        assert error["pointer"] == "path:table_id"
        assert "lake.shop.orders" in error["hint"]


async def test_the_mark_of_a_page_belongs_to_its_filters(api: Api, table_id: str) -> None:
    for _ in range(2):
        await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite", "allow_duplicate": True}, status=202)
    first = await api.get("/v1/runs", params={"page_size": 1, "include": "plan"})
    token = {"page_size": 1, "page_token": first["next_page_token"]}
    await api.get("/v1/runs", status=422, params=token)
    assert "plan" in (await the_run(api, include="plan", **token))
