"""`Idempotency-Key`: the same request twice is done once."""

import asyncio

import pytest

from engine.domain.errors import Transient
from engine.services.access.idempotency import IdempotencyService
from tests.integration.api.access import make_key
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.world import Lake

BODY = {"name": "lake", "format": "iceberg", "properties": {"type": "sql", "uri": "env:X", "warehouse": "file:///x"}}
KEY = {"Idempotency-Key": "first-try"}


async def test_a_repeated_request_gets_the_same_answer_and_another_body_none(api: Api) -> None:
    await api.call("POST", "/v1/catalogs", status=422, json=BODY | {"name": "a b"}, headers=KEY)  # may be corrected
    first = await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)
    again = await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)
    assert again.json() == first.json()
    assert again.headers["location"] == first.headers["location"]
    assert again.headers["idempotent-replayed"] == "true"
    answer = await api.call("POST", "/v1/catalogs", status=422, json=BODY | {"name": "pond"}, headers=KEY)
    assert "Idempotency-Key" in answer.text
    await api.get("/v1/catalogs/pond", status=404)


async def test_keys_of_other_routes_do_not_meet(api: Api, table_id: str) -> None:
    run = await api.call(
        "POST", "/v1/runs", status=202, json={"table_id": table_id, "operation": "rewrite"}, headers=KEY
    )
    await api.call("POST", "/v1/catalogs", status=201, json=BODY | {"name": "pond"}, headers=KEY)
    again = await api.call(
        "POST", "/v1/runs", status=202, json={"table_id": table_id, "operation": "rewrite"}, headers=KEY
    )
    assert again.json()["id"] == run.json()["id"]


async def test_two_at_once_are_done_once(api: Api) -> None:
    calls = [api.client.post("/v1/catalogs", json=BODY, headers=KEY) for _ in range(4)]
    answers = [answer.status_code for answer in await asyncio.gather(*calls)]
    assert 201 in answers
    assert set(answers) <= {201, 409}
    assert len((await api.get("/v1/catalogs"))["items"]) == 1


async def test_what_was_done_is_answered_also_when_the_answer_can_not_be_kept(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object, **__: object) -> None:
        raise Transient("the database went away")

    monkeypatch.setattr(IdempotencyService, "finish", away)
    await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)
    await api.get("/v1/catalogs/lake")


async def test_a_key_that_can_not_be_one_is_refused(api: Api) -> None:
    for key in ("", "x" * 256, "with space", "tab\there"):
        await api.call("POST", "/v1/catalogs", status=422, json=BODY, headers={"Idempotency-Key": key})


async def test_a_name_that_comes_back_with_other_teams_gets_no_answer_of_the_former(api: Api, lake: Lake) -> None:
    table_id = (await api.post("/v1/tables", ADDRESS | {"owner_team": "sales"}, status=201))["id"]
    former = await make_key(api, "operator", name="etl", teams=["sales"])
    request = {"json": {"table_id": table_id, "operation": "rewrite"}, "headers": KEY}
    assert (await api.with_key(former["secret"]).post("/v1/runs", **request)).status_code == 202
    await api.call("POST", f"/v1/keys/{former['id']}/revoke", status=200)
    later = await make_key(api, "operator", name="etl", teams=["hr"])
    assert (await api.with_key(later["secret"]).post("/v1/runs", **request)).status_code == 404


async def test_a_retry_with_the_key_that_takes_over_is_the_same_request(api: Api, lake: Lake) -> None:
    table_id = (await api.post("/v1/tables", ADDRESS | {"owner_team": "sales"}, status=201))["id"]
    old, new = [await make_key(api, "operator", name="etl", teams=["sales", "hr"]) for _ in range(2)]
    request = {"json": {"table_id": table_id, "operation": "rewrite"}, "headers": KEY}
    first = await api.with_key(old["secret"]).post("/v1/runs", **request)
    again = await api.with_key(new["secret"]).post("/v1/runs", **request)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
