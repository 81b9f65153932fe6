"""Keyset pages behind signed tokens."""

import pytest

from tests.integration.api.conftest import Api

NAMES = ["alpha", "bravo", "charlie", "delta", "echo"]


@pytest.fixture
async def five(api: Api) -> Api:
    for name in NAMES:
        body = {
            "name": name,
            "format": "iceberg",
            "properties": {"type": "sql", "uri": "env:X", "warehouse": "file:///x"},
        }
        await api.post("/v1/catalogs", body, status=201)
    return api


async def test_pages_hold_every_item_once_and_the_last_full_one_has_no_next(five: Api) -> None:
    assert [item["name"] for item in await five.items("/v1/catalogs", page_size=2)] == NAMES
    assert (await five.get("/v1/catalogs", params={"page_size": 5}))["next_page_token"] is None


async def test_a_token_that_is_not_ours_or_of_another_query_is_refused(five: Api) -> None:
    token = (await five.get("/v1/catalogs", params={"page_size": 2}))["next_page_token"]
    for wrong in (token[:-2], "x" + token, "garbage", "", token[::-1]):
        answer = await five.get("/v1/catalogs", status=422, params={"page_size": 2, "page_token": wrong})
        assert answer["errors"][0]["pointer"] == "query:page_token"
    answer = await five.get("/v1/tables", status=422, params={"page_token": token})
    assert "another query" in answer["errors"][0]["message"]


async def test_the_page_size_may_change_from_page_to_page(five: Api) -> None:
    token = (await five.get("/v1/catalogs", params={"page_size": 2}))["next_page_token"]
    page = await five.get("/v1/catalogs", params={"page_size": 500, "page_token": token})
    assert [item["name"] for item in page["items"]] == NAMES[2:]
