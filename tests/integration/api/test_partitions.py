"""Every partition of a table, sorted, in pages of one snapshot."""

import asyncio
from typing import Any

import pytest

from engine.settings.model import Settings
from tests.integration.api.access import as_caller
from tests.integration.api.conftest import Api, started_api
from tests.support.world import Lake


@pytest.fixture
async def path(lake: Lake, table_id: str) -> str:
    """The list of a table with 12 partitions: of 6, 6 and ten times 1 file."""
    days = [f"2026-12-{at:02}" for at in range(1, 11)]
    await asyncio.to_thread(lake.append_to, days, rows=5)
    return f"/v1/tables/{table_id}/partitions"


async def pages(api: Api, path: str, **params: Any) -> list[dict[str, Any]]:
    found = [await api.get(path, params=params)]
    while (token := found[-1]["next_page_token"]) is not None:
        found.append(await api.get(path, params=params | {"page_token": token}))
    return found


async def test_pages_have_every_partition_once_the_worst_first(api: Api, path: str) -> None:
    found = await pages(api, path, page_size=5)
    items = [item for page in found for item in page["items"]]
    assert [len(page["items"]) for page in found] == [5, 5, 2]
    assert {page["partition_count"] for page in found} == {12} == {len({item["partition"]["text"] for item in items})}
    counts = [item["small_file_count"] for item in items]
    assert counts == sorted(counts, reverse=True)


async def test_partitions_have_the_figures_of_health(api: Api, path: str, table_id: str) -> None:
    health = await api.get(f"/v1/tables/{table_id}/health")
    listed = await api.get(path)
    assert listed["items"][:2] == health["worst_partitions"]
    for name in ("snapshot_id", "partition_count", "small_file_bytes", "large_file_bytes", "small_row_group_bytes"):
        assert listed[name] == health[name]
    assert sum(item["file_count"] for item in listed["items"]) == health["file_count"]


async def test_partitions_are_sorted_both_ways(api: Api, path: str) -> None:
    for key in ("avoidable_file_count", "file_count", "total_bytes", "partition"):
        for sort, is_reverse in ((key, False), (f"-{key}", True)):
            values = [
                str(item[key]) if key == "partition" else item[key]
                for item in (await api.get(path, params={"sort": sort}))["items"]
            ]
            assert values == sorted(values, reverse=is_reverse)


async def test_pages_after_a_commit_are_of_the_snapshot_of_the_first(api: Api, lake: Lake, path: str) -> None:
    first = await api.get(path, params={"page_size": 4, "sort": "partition"})
    await asyncio.to_thread(lake.append, day="1999-01-01")
    rest = await api.get(path, params={"page_size": 500, "sort": "partition", "page_token": first["next_page_token"]})
    assert rest["snapshot_id"] == first["snapshot_id"] != (await api.get(path))["snapshot_id"]
    assert len({item["partition"]["text"] for item in [*first["items"], *rest["items"]]}) == 12


@pytest.mark.parametrize("parts", [{}, {"include": "decision,task"}], ids=["health", "with decisions and tasks"])
async def test_another_process_continues_at_the_snapshot_of_the_first_page(
    api: Api, settings: Settings, lake: Lake, path: str, parts: dict[str, str]
) -> None:
    first = await api.get(path, params={"page_size": 4, **parts})
    following = {"page_size": 4, "page_token": first["next_page_token"], **parts}
    for day in ("1999-01-01", "2026-11-01"):
        await asyncio.to_thread(lake.append, day=day)
        async with started_api(settings) as other:
            other.client.headers = api.client.headers
            page = await other.get(path, params=following)
        assert (page["items"], page["snapshot_id"]) == (
            (await api.get(path, params=following))["items"],
            first["snapshot_id"],
        )


async def test_a_list_of_an_expired_snapshot_has_to_begin_again(
    api: Api, settings: Settings, lake: Lake, path: str
) -> None:
    first = await api.get(path, params={"page_size": 4})
    await asyncio.to_thread(lake.append, day="1999-01-01")
    lake.table.refresh().maintenance.expire_snapshots().by_id(int(first["snapshot_id"])).commit()
    async with started_api(settings) as other:
        other.client.headers = api.client.headers
        problem = await other.get(path, status=410, params={"page_size": 4, "page_token": first["next_page_token"]})
    assert (problem["code"], problem["details"]) == ("list_expired", {"snapshot_id": first["snapshot_id"]})
    assert "without page_token" in problem["detail"]


async def test_a_table_without_files_has_no_partitions(api: Api, lake: Lake, path: str) -> None:
    await asyncio.to_thread(lake.table.delete)
    listed = await api.get(path)
    assert (listed["items"], listed["partition_count"], listed["next_page_token"]) == ([], 0, None)


async def test_a_page_is_refused_to_callers_that_lost_the_table(api: Api, path: str, table_id: str) -> None:
    await api.call("PATCH", f"/v1/tables/{table_id}", status=200, json={"owner_team": "sales"})
    colleague, stranger = [await as_caller(api, "viewer", teams=[team]) for team in ("sales", "hr")]
    first = (await colleague.get(path, params={"page_size": 2})).json()
    following = {"page_size": 2, "page_token": first["next_page_token"]}
    assert (await colleague.get(path, params=following)).status_code == 200
    assert (await stranger.get(path, params=following)).status_code == 404
