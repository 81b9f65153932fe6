"""`Idempotency-Key`: the same request twice is done once."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import Any

import pytest

from engine.domain.access.callers import SYSTEM
from engine.domain.access.keyed_requests import KeyedRequest, StoredAnswer, Superseded
from engine.domain.errors import Transient
from engine.domain.ids import TableId
from engine.domain.runs.requests import RunRequest
from engine.services.access.idempotency import AnswerRecord
from engine.services.catalogs.table_access import TableAccess
from engine.services.runs.submission import RunSubmission
from engine.stores.access.idempotency import IdempotencyStore
from tests.integration.api.access import make_key
from tests.integration.api.conftest import ADDRESS, Api
from tests.support.world import NAME, Lake

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


@pytest.mark.parametrize("path", ["/v1/catalogs", "/v1/runs"])
async def test_four_at_once_are_done_once_and_get_one_answer(api: Api, table_id: str, path: str) -> None:
    run = {"table_id": table_id, "operation": "rewrite", "allow_duplicate": True}
    body = BODY | {"name": "pond"} if path == "/v1/catalogs" else run
    answers = await asyncio.gather(*(api.client.post(path, json=body, headers=KEY) for _ in range(4)))
    assert {answer.status_code for answer in answers} == {201 if path == "/v1/catalogs" else 202}
    assert len({answer.content for answer in answers}) == 1
    made = [each for each in await api.items(path) if each.get("name") != "lake"]
    assert len(made) == 1


async def test_other_runs_of_the_batch_of_a_repeat_are_stored(api: Api, table_id: str) -> None:
    body, keys = {"table_id": table_id, "operation": "rewrite", "allow_duplicate": True}, ["a", "a", "b", "c"]
    calls = [api.client.post("/v1/runs", json=body, headers={"Idempotency-Key": key}) for key in keys]
    answers = [answer.json()["id"] for answer in await asyncio.gather(*calls)]
    assert answers[0] == answers[1]
    assert {each["id"] for each in await api.items("/v1/runs")} == set(answers)
    assert len(set(answers)) == 3


async def test_a_batch_stores_all_runs_but_that_of_a_request_which_another_process_answered(
    api: Api, table_id: str
) -> None:
    def submit(key: str) -> Awaitable[Any]:
        answered = AnswerRecord[Any](lambda _: StoredAnswer(202, {}, b""), replace(request, key=key))
        return api.container.runs.submit(SYSTEM, TableId(table_id), RunRequest(), allow_duplicate=True, record=answered)

    request = KeyedRequest("key:admin", "POST /v1/runs", "b", "hash")
    async with api.container.database.begin() as unit:
        await unit.idempotency.insert_many([(request, StoredAnswer(202, {}, b""))])
    results = await asyncio.gather(*map(submit, "abc"), return_exceptions=True)
    assert [type(each) for each in results] == [tuple, Superseded, tuple]
    assert {each["id"] for each in await api.items("/v1/runs")} == {results[0][0].id, results[2][0].id}


async def test_an_equal_run_that_was_answered_is_answered_again_after_its_end(api: Api, table_id: str) -> None:
    live = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    first = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=200, headers=KEY)
    await api.container.worker.advance(live["id"])
    assert await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=200, headers=KEY) == first


async def test_an_answer_that_can_not_be_stored_leaves_no_change(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object, **__: object) -> None:
        raise Transient("the database went away")

    with monkeypatch.context() as broken:
        broken.setattr(IdempotencyStore, "insert_many", away)
        await api.call("POST", "/v1/catalogs", status=503, json=BODY, headers=KEY)
    await api.get("/v1/catalogs/lake", status=404)
    await api.call("POST", "/v1/catalogs", status=201, json=BODY, headers=KEY)


async def test_a_change_whose_answer_failed_after_it_is_answered_again(
    api: Api, table_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(*_: object) -> None:
        raise RuntimeError("after the commit")

    body = {"table_id": table_id, "operation": "rewrite", "allow_duplicate": True}
    with monkeypatch.context() as patched:
        patched.setattr(RunSubmission, "_announce", broken)
        await api.call("POST", "/v1/runs", status=500, json=body, headers=KEY)
    [run] = await api.items("/v1/runs")
    assert (await api.post("/v1/runs", body, status=202, headers=KEY))["id"] == run["id"]


async def test_a_request_that_is_overtaken_by_the_refusal_of_its_repeat_changes_nothing(
    api: Api, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    opening, opened = asyncio.Event(), asyncio.Event()
    original = TableAccess.open_table

    async def slow(*given: Any) -> Any:
        if not opening.is_set():
            opening.set()
            await opened.wait()
        return await original(*given)

    monkeypatch.setattr(TableAccess, "open_table", slow)
    first = asyncio.create_task(api.client.post("/v1/tables", json=ADDRESS, headers=KEY))
    await opening.wait()
    lake.catalog.rename_table(NAME, (NAME[0], "away"))
    await api.call("POST", "/v1/tables", status=422, json=ADDRESS, headers=KEY)
    lake.catalog.rename_table((NAME[0], "away"), NAME)
    opened.set()
    answer = await first
    assert (answer.status_code, answer.json()["details"]) == (409, {"constraint": "superseded"})
    assert await api.items("/v1/tables") == []
    await api.call("POST", "/v1/tables", status=201, json=ADDRESS, headers=KEY)


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
