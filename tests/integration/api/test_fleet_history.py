"""The fleet over time: what happened in each hour or day, for the tables of the caller's teams."""

import asyncio
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api
from tests.support.world import Lake

HOUR = timedelta(hours=1)


async def the_history(api: Api, **params: Any) -> dict[str, Any]:
    found: dict[str, Any] = await api.get("/v1/fleet/history", params=params)
    return found


async def test_a_fleet_without_activity_has_no_intervals(api: Api) -> None:
    assert await the_history(api) == {"step": "1h", "known_since": None, "items": []}


async def test_a_run_is_in_the_interval_of_its_end(api: Api, lake: Lake, table_id: str) -> None:
    await api.get(f"/v1/tables/{table_id}/health")
    await asyncio.to_thread(lake.append, day="2026-11-01")
    run = await api.rewrite(table_id)
    detail = await api.get(f"/v1/runs/{run.id}")
    assert await api.container.fleet_history.sample() == 1
    fleet = await api.get("/v1/fleet")
    assert run.finished_at is not None
    for step in ("1h", "1d"):
        last = (await the_history(api, step=step))["items"][-1]
        assert datetime.fromisoformat(last["starts_at"]) <= run.finished_at < datetime.fromisoformat(last["ends_at"])
        assert last["ended_runs"] == {"succeeded": 1}
        assert (last["rewritten_files"], last["groups_committed"], last["conflict_rate"]) == (13, 2, 0.0)
        assert last["rewritten_bytes"] == detail["result"]["rewritten_bytes"]
        assert (last["small_files_made"], last["small_files_removed"]) == (1, 11)
        for name in ("file_count", "small_file_count", "total_bytes", "history_bytes", "measured_tables"):
            assert last["backlog"][name] == fleet[name]
        assert last["backlog"]["avoidable_file_count"] == fleet["backlog"]["avoidable_files"]


async def test_intervals_have_no_gaps_and_none_is_before_the_first_known_hour(api: Api) -> None:
    now = datetime.now(UTC)
    for hours in (30, 2):
        async with api.container.database.begin() as unit:
            await unit.fleet_hours.count_small_files(now - hours * HOUR, "shop", 5)
    found = await the_history(api, since=(now - timedelta(days=10)).isoformat())
    starts = [datetime.fromisoformat(item["starts_at"]) for item in found["items"]]
    assert starts[0] == datetime.fromisoformat(found["known_since"])
    assert [after - before for before, after in pairwise(starts)] == [HOUR] * 30
    assert [item["small_files_made"] for item in found["items"] if item["small_files_made"]] == [5, 5]
    by_day = await the_history(api, step="1d")
    assert sum(item["small_files_made"] for item in by_day["items"]) == 10
    assert {item["starts_at"][10:] for item in by_day["items"]} == {"T00:00:00Z"}
    assert len((await the_history(api))["items"]) == 25


async def test_a_sample_is_taken_every_five_minutes_by_all_processes_together(api: Api, table_id: str) -> None:
    await api.get(f"/v1/tables/{table_id}/health")
    assert [await api.container.coordinator.sample() for _ in range(2)] == [1, 0]


async def test_callers_see_the_activity_of_their_teams(api: Api, table_id: str) -> None:
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "sales"})
    await api.rewrite(table_id)
    await api.container.fleet_history.sample()
    colleague, stranger = [await as_caller(api, "viewer", teams=[team]) for team in ("sales", "hr")]
    mine, foreign = [(await client.get("/v1/fleet/history")).json()["items"][-1] for client in (colleague, stranger)]
    assert (mine["ended_runs"], foreign["ended_runs"]) == ({"succeeded": 1}, {})
    assert (foreign["rewritten_bytes"], foreign["small_files_removed"], foreign["backlog"]) == (0, 0, None)
    assert mine["backlog"]["measured_tables"] == 1


async def test_periods_that_are_empty_or_too_long_are_refused_and_the_ends_of_time_answered(api: Api) -> None:
    for since, until, message in (
        ("2026-01-01", "2026-02-02", "has 32 days; a history covers at most 31"),
        ("2026-01-02", "2026-01-01", "must be earlier than until"),
        ("2999-01-01", None, "must be earlier than now"),
        ("0001-01-01", None, "a history covers at most 31"),
    ):
        params = {"since": f"{since}T00:00:00Z"} | ({"until": f"{until}T00:00:00Z"} if until else {})
        [error] = (await api.get("/v1/fleet/history", status=422, params=params))["errors"]
        assert error["pointer"] == "query:since"
        assert message in error["message"]
    await api.container.coordinator.sample()
    for end in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        await the_history(api, until=end)
        await the_history(api, until=end, step="1d")
