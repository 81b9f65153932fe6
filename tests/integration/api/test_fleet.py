"""All tables together over HTTP, and advice on one of them."""

import asyncio
from collections.abc import Callable
from typing import Any

import pyarrow.parquet as pq
import pytest

from engine.domain.access.callers import Caller, Role
from tests.integration.api.access import as_caller, grant
from tests.integration.api.conftest import Api
from tests.support.eventually import seen_when
from tests.support.world import SCHEMA, Lake


async def test_an_empty_fleet_has_figures(api: Api) -> None:
    fleet = await api.get("/v1/fleet")
    assert (fleet["tables"], fleet["measured_tables"], fleet["pause"]) == (0, 0, None)
    assert fleet["backlog"] == {"avoidable_files": 0, "eta_seconds": 0, "detail": "nothing is left to merge"}
    assert fleet["races"]["conflict_rate"] is None


async def test_a_run_shows_in_the_figures(api: Api, lake: Lake, table_id: str) -> None:
    await api.get(f"/v1/tables/{table_id}/health")
    before = await api.get("/v1/fleet")
    assert (before["small_file_count"], before["backlog"]["avoidable_files"]) == (12, 10)
    assert before["backlog"]["eta_seconds"] is None
    run = await api.rewrite(table_id)
    after = await _figures_with(api, lambda fleet: fleet["ended_runs"] != before["ended_runs"])
    assert after["ended_runs"] == {"succeeded": 1}
    assert after["small_files"] == {"made": 0, "removed": 10, "made_per_hour": 0, "removed_per_hour": 10 / 24}
    assert after["races"] == {"groups_committed": 2, "groups_lost": 0, "conflict_rate": 0}
    assert after["budget"]["rewritten_bytes"] == run.result.rewritten_bytes
    assert after["backlog"]["avoidable_files"] == 0


async def _figures_with(api: Api, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """Return figures as soon as they are new enough: slow ones are kept for a while."""
    figures: dict[str, Any] = await seen_when(lambda: api.get("/v1/fleet"), holds)
    return figures


async def test_callers_see_figures_of_their_own_tables(api: Api, table_id: str) -> None:
    await api.get(f"/v1/tables/{table_id}/health")
    viewer = Caller("key:viewer", Role.VIEWER, frozenset({"sales"}))
    assert (await api.container.fleet.figures(viewer)).tables == 0
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "sales"})
    await seen_when(lambda: api.container.fleet.figures(viewer), lambda seen: seen.small_file_count == 12)


async def test_advice_without_signals_is_about_writes_only(api: Api, lake: Lake, table_id: str) -> None:
    advice = await api.get(f"/v1/tables/{table_id}/advice")
    assert advice["layout"]["layout"] == "unknown"
    assert (advice["writes"]["commits"], advice["writes"]["rewritten_bytes"]) == (6, 0)
    assert advice["writes"]["ingested_bytes"] > 0
    assert advice["upkeep"]["write_amplification"] == 0
    assert (advice["expiry_seconds"], advice["expiry_is_assumed"]) == (5 * 86_400, True)


async def test_advice_knows_what_was_rewritten_and_how_long_it_is_kept(api: Api, lake: Lake, table_id: str) -> None:
    """P1, M12: advice shows the write amplification of a table."""
    run = await api.rewrite(table_id)
    await api.put_policy(table_id, {"maintenance": {"expire_snapshots": {"older_than": "2d"}}})
    advice = await api.get(f"/v1/tables/{table_id}/advice")
    assert advice["writes"]["rewritten_bytes"] == run.result.rewritten_bytes == advice["writes"]["ingested_bytes"]
    assert advice["upkeep"]["write_amplification"] == 1
    assert (advice["expiry_seconds"], advice["expiry_is_assumed"]) == (2 * 86_400, False)


@pytest.mark.parametrize(
    ("columns", "layout", "cluster_by"),
    [(["day"], "binpack", []), (["value", "note"], "cluster", ["value", "note"]), ([], "binpack", [])],
)
async def test_advice_follows_the_filters_of_queries(
    api: Api, table_id: str, columns: list[str], layout: str, cluster_by: list[str]
) -> None:
    """L8: filters of queries decide whether bin-packing suffices."""
    signal = {"kind": "filters", "queries": [{"columns": columns, "query_count": 20}]}
    await api.post("/v1/signals", {"table_id": table_id, "signal": signal}, status=202)
    advice = (await api.get(f"/v1/tables/{table_id}/advice"))["layout"]
    assert (advice["layout"], advice["cluster_by"], advice["query_count"]) == (layout, cluster_by, 20)


@pytest.mark.parametrize(("columns", "strategy"), [(["value"], "sort"), (["value", "note"], "hilbert")])
async def test_l8_advice_is_applied_with_one_call_and_taken_back_when_queries_change(
    api: Api, lake: Lake, table_id: str, columns: list[str], strategy: str
) -> None:
    """L8: the answer has the table's own policy with the recommended layout, and the next run writes it."""
    path, write = f"/v1/tables/{table_id}/advice", f"/v1/tables/{table_id}/policy"
    assert (await api.get(path))["policy"] is None
    await api.put_policy(table_id, {"priority": "low", "rewrite": {"target_file_bytes": "64MiB"}})
    signal = {"kind": "filters", "queries": [{"columns": columns, "query_count": 20}]}
    await api.post("/v1/signals", {"table_id": table_id, "signal": signal}, status=202)
    advised = (await api.get(path))["policy"]
    assert (advised["priority"], advised["rewrite"]["target_file_bytes"]) == ("low", 64 * 2**20)
    await api.call("PUT", write, status=200, json=advised, headers={"If-Match": '"1"'})
    effective = (await api.get(f"/v1/tables/{table_id}/effective-policy"))["settings"]
    assert effective["rewrite.strategy"]["value"] == strategy
    assert [each["name"] for each in effective["rewrite.columns"]["value"]] == columns
    assert (await api.get(path))["policy"] is None
    run = await api.rewrite(table_id)
    assert run.result.rewritten_files == 12
    for task in lake.table.scan().plan_files():
        values = pq.read_table(task.file.file_path.removeprefix("file://"))["value"].to_pylist()
        assert strategy != "sort" or values == sorted(values, key=lambda each: (each is not None, each))
    by_day = {"kind": "filters", "queries": [{"columns": ["day"], "query_count": 2000}]}
    await api.post("/v1/signals", {"table_id": table_id, "signal": by_day}, status=202)
    packed = (await api.get(path))["policy"]
    assert (packed["rewrite"]["strategy"], packed["rewrite"]["columns"]) == ("binpack", [])
    await api.call("PUT", write, status=200, json=packed, headers={"If-Match": '"2"'})


async def test_an_unknown_table_has_no_advice_and_an_unknown_order_is_refused(api: Api) -> None:
    await api.get("/v1/tables/tbl_unknown/advice", status=404)
    await api.get("/v1/tables/tbl_unknown/backpressure", status=404)
    [error] = (await api.get("/v1/fleet/tables", status=422, params={"sort": "names"}))["errors"]
    assert error["pointer"] == "query:sort"
    assert "'-last_run'" in error["message"]


async def test_the_list_of_tables_shows_their_state(api: Api, lake: Lake, table_id: str) -> None:
    [new] = (await api.get("/v1/fleet/tables"))["items"]
    assert (new["table"], new["verdict"]) == ("lake.lake.events", "new")
    assert (new["hold"], new["last_run"], new["score"]) == (None, None, None)
    run = await api.rewrite(table_id)
    params = {"last_run_state": "succeeded,failed", "sort": "-last_run", "verdict": "new,held", "catalog": "lake"}
    [shown] = (await api.get("/v1/fleet/tables", params=params))["items"]
    assert (shown["last_run"]["id"], shown["last_run"]["state"]) == (run.id, "succeeded")
    assert shown["file_count"] == 2
    assert (await api.get("/v1/fleet/tables", params={"hold": "quiet_hours"}))["items"] == []
    assert (await api.get("/v1/fleet/tables", params={"due": "true"}))["items"] == []


async def test_tables_are_searched_by_their_address(api: Api, table_id: str) -> None:
    for path in ("/v1/tables", "/v1/fleet/tables"):
        [found] = await api.items(path, search="LAKE.ev")
        assert found["name"] == "events"
        for absent in ("events_", "%", "\u202e", "x" * 200):
            assert await api.items(path, search=absent) == []
        for refused in ("", "x" * 201, "\x00"):
            [error] = (await api.get(path, status=422, params={"search": refused}))["errors"]
            assert error["pointer"] == "query:search"


async def test_the_list_of_tables_is_that_of_the_callers_view(api: Api, table_id: str) -> None:
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "sales"})
    stranger = await as_caller(api, "viewer", teams=["hr"])
    assert (await stranger.get("/v1/fleet/tables")).json()["items"] == []
    await grant(api, "lake", {"team": "hr", "namespaces": ["lake"], "rights": ["read"]})
    [shown] = (await stranger.get("/v1/fleet/tables")).json()["items"]
    assert shown["table_id"] == table_id


async def test_pages_of_the_list_of_tables_follow_each_other(api: Api, lake: Lake, table_id: str) -> None:
    await asyncio.to_thread(lake.catalog.create_table, ("lake", "empty"), SCHEMA)
    await api.post("/v1/catalogs/lake/register", {}, status=200)
    await api.get(f"/v1/tables/{table_id}/health")
    for sort in ("-benefit_per_cost", "next_look_at", "-due_since", "verdict"):
        whole = (await api.get("/v1/fleet/tables", params={"sort": sort}))["items"]
        assert await api.items("/v1/fleet/tables", page_size=1, sort=sort) == whole
    assert [table["name"] for table in whole] == ["events", "empty"]
