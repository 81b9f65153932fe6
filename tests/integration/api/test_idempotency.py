"""`Idempotency-Key`: the same request twice is done once."""

import asyncio

import pytest

from tests.integration.api.conftest import Api

BODY = {"name": "lake", "format": "iceberg", "properties": {"type": "sql", "uri": "env:X", "warehouse": "file:///x"}}
KEY = {"Idempotency-Key": "first-try"}


async def test_a_repeated_request_gets_the_same_answer(api: Api) -> None:
    first = await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)
    again = await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)
    assert again.json() == first.json()
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["idempotent-replayed"] == "true"


async def test_a_key_is_not_used_again_with_another_body(api: Api) -> None:
    await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)
    answer = await api.call("POST", "/v1/catalogs", status=422, json=BODY | {"name": "pond"}, headers=KEY)
    assert "Idempotency-Key" in answer.text
    await api.get("/v1/catalogs/pond", status=404)


async def test_a_refused_request_may_be_mended_under_its_key(api: Api) -> None:
    await api.call("POST", "/v1/catalogs", status=422, json=BODY | {"name": "a b"}, headers=KEY)
    await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)


async def test_keys_of_other_routes_do_not_meet(api: Api, table_id: str) -> None:
    run = await api.call("POST", "/v1/runs", status=202, json={"table_id": table_id}, headers=KEY)
    await api.call("POST", "/v1/catalogs", status=201, json=BODY | {"name": "pond"}, headers=KEY)
    again = await api.call("POST", "/v1/runs", status=202, json={"table_id": table_id}, headers=KEY)
    assert again.json()["id"] == run.json()["id"]


async def test_two_at_once_are_done_once(api: Api) -> None:
    calls = [api.client.post("/v1/catalogs", json=BODY, headers=KEY) for _ in range(4)]
    answers = [answer.status_code for answer in await asyncio.gather(*calls)]
    assert 201 in answers
    assert set(answers) <= {201, 409}
    assert len((await api.get("/v1/catalogs"))["items"]) == 1


@pytest.mark.parametrize("key", ["", "x" * 256, "with space", "tab\there"])
async def test_a_key_that_can_not_be_one_is_refused(api: Api, key: str) -> None:
    await api.call("POST", "/v1/catalogs", status=422, json=BODY, headers={"Idempotency-Key": key})
