"""Requests that can't be understood: each is answered with a problem that names the field, the value and the remedy."""

import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.integration.api.conftest import Api

CATALOG = {"name": "lake", "format": "iceberg", "properties": {}}
JSON = {"Content-Type": "application/json"}


async def errors_of(api: Api, path: str, body: Any, *, method: str = "POST") -> list[dict[str, Any]]:
    response = await api.call(method, path, status=422, json=body)
    assert response.headers["content-type"] == "application/problem+json"
    document = response.json()
    assert document["code"] == "invalid_input"
    assert document["type"] == "/problems/invalid_input"
    assert document["instance"] == path
    errors: list[dict[str, Any]] = document["errors"]
    return errors


async def test_an_unknown_field_is_named_with_the_nearest_known_one(api: Api) -> None:
    errors = await errors_of(api, "/v1/catalogs", CATALOG | {"propertys": {}})
    assert errors == [
        {
            "pointer": "/propertys",
            "message": "unknown field",
            "value": None,
            "hint": "did you mean 'properties'?",
            "remedy": None,
        }
    ]
    deep = {"policy": {"rewrite": {"target_file_size": "128MiB"}}}
    [error] = await errors_of(api, "/v1/tables/tbl_x/plan", deep)
    assert error["pointer"] == "/policy/rewrite/target_file_size"
    assert error["hint"] == "did you mean 'target_file_bytes'?"


async def test_what_each_member_of_a_union_says_is_one_problem(api: Api) -> None:
    [error] = await errors_of(api, "/v1/tables/tbl_x/plan", {"policy": {"limits": {"bandwidth": "fast"}}})
    assert error["pointer"] == "/policy/limits/bandwidth"
    assert "unlimited" in error["message"]
    assert "is not a size" in error["message"]


async def test_a_missing_field_or_body_is_named(api: Api) -> None:
    errors = await errors_of(api, "/v1/catalogs", {"name": "lake", "properties": {}})
    assert [(e["pointer"], e["message"]) for e in errors] == [("/format", "this field is required")]
    [error] = (await api.call("POST", "/v1/catalogs", status=422)).json()["errors"]
    assert error["pointer"] == ""


@pytest.mark.parametrize("content", [b"{", b"{'a': 1}", b"\xff\xfe", b'{"a": 1}x', b"9" * 5000])
async def test_a_body_that_is_not_json_is_unreadable(api: Api, content: bytes) -> None:
    response = await api.client.post("/v1/catalogs", content=content, headers=JSON)
    assert response.status_code in (400, 422)
    assert response.json()["code"] in ("unreadable", "invalid_input")


async def test_a_nested_bomb_is_refused_before_it_is_parsed(api: Api) -> None:
    bomb = b"[" * 15_000 + b"]" * 15_000
    response = await api.call("POST", "/v1/catalogs", status=400, content=bomb, headers=JSON)
    assert response.json()["code"] == "unreadable"
    assert "32 levels" in response.json()["detail"]


async def test_a_body_that_is_too_large_is_refused_by_its_length_or_as_it_arrives(api: Api) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b" " * 65536

    response = await api.call("POST", "/v1/catalogs", status=413, content=b"x" * (2**20 + 1), headers=JSON)
    assert response.json()["code"] == "body_too_large"
    await api.call("POST", "/v1/catalogs", status=413, content=chunks(), headers=JSON)


@pytest.mark.parametrize("media_type", ["text/plain", "application/xml", "multipart/form-data", ""])
async def test_a_body_that_is_not_sent_as_json_is_refused(api: Api, media_type: str) -> None:
    await api.call("POST", "/v1/catalogs", status=415, content=b"{}", headers={"Content-Type": media_type})


async def test_half_a_surrogate_pair_and_infinite_numbers_are_answered_not_crashed_on(api: Api) -> None:
    half = b'{"name": "\\ud800", "format": "iceberg", "properties": {}}'
    await api.call("POST", "/v1/catalogs", status=422, content=half, headers=JSON)
    infinite = b'{"policy": {"rewrite": {"deletes": {"ratio": Infinity}}}}'
    await api.call("POST", "/v1/tables/tbl_x/plan", status=422, content=infinite, headers=JSON)


async def test_what_is_not_there_is_a_problem(api: Api) -> None:
    for path in ("/v1/runs/run_nope", "/v1/tables/tbl_nope", "/v1/tables/tbl_nope/health", "/v1/nope", "/no"):
        response = await api.call("GET", path, status=404)
        assert response.headers["content-type"] == "application/problem+json"
    await api.call("GET", "/v1/tables/tbl%00x", status=422)  # never reaches the database
    assert (await api.get("/problems/unheard_of", status=404))["code"] == "not_found"


async def test_an_unexpected_error_shows_its_request_id_and_nothing_else(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        message = "secret internals"
        raise RuntimeError(message)

    monkeypatch.setattr(type(api.container.runs), "list", fail)
    response = await api.call("GET", "/v1/runs", status=500, headers={"X-Request-Id": "mine-1"})
    assert response.json()["request_id"] == "mine-1"
    assert "secret" not in response.text


async def test_a_request_id_is_taken_over_or_made(api: Api) -> None:
    taken = await api.client.get("/healthz", headers={"X-Request-Id": "abc-123"})
    assert taken.headers["x-request-id"] == "abc-123"
    made = await api.client.get("/healthz", headers={"X-Request-Id": "no spaces allowed"})
    assert made.headers["x-request-id"].startswith("req_")


async def test_every_problem_type_is_explained(api: Api) -> None:
    problem = (await api.call("GET", "/v1/runs/run_nope", status=404)).json()
    text = (await api.client.get(problem["type"])).text
    assert problem["title"] in text


@pytest.mark.parametrize(
    ("query", "hint"),
    [("stat=failed", "did you mean 'state'? accepted: catalog, include, "), ("limit=1", "accepted: catalog, ")],
)
async def test_a_misspelt_filter_is_refused_with_the_nearest_name(api: Api, query: str, hint: str) -> None:
    response = await api.call("GET", f"/v1/runs?{query}", status=422)
    (problem,) = response.json()["errors"]
    assert problem["pointer"] == f"query:{query.partition('=')[0]}"
    assert hint in problem["hint"]


def _unknown_fields(count: int) -> str:
    return "{" + ",".join(f'"field_{number:x}": 1' for number in range(count)) + "}"


async def test_f34_a_body_of_more_values_than_any_request_has_is_refused_before_it_is_parsed(api: Api) -> None:
    for body in (_unknown_fields(20_000), "[" + "{}," * 20_000 + "{}]", f'"{"," * 20_001}"'):
        response = await api.client.post("/v1/runs", content=body, headers=JSON)
        assert response.status_code == 413
        assert "at most 20,000 values" in response.json()["detail"]
    catalogs = {f"c{number}": {"parallel_runs": 1, "bandwidth": "1MB", "requests": 5} for number in range(10_000)}
    response = await api.client.put("/v1/limits", json={"parallel_runs": 4, "catalogs": catalogs})
    assert response.status_code not in (400, 413), "all limits of ten thousand catalogs are one request"


@pytest.mark.parametrize("path", ["/v1/runs", "/v1/catalogs"])
async def test_f34_a_body_of_thousands_of_wrong_fields_costs_no_more_than_it_reports(api: Api, path: str) -> None:
    began = time.process_time()
    await api.post(path, json.loads(_unknown_fields(15_000)), status=422)
    assert time.process_time() - began < 3, "a hint for each of them took minutes of the event loop"
