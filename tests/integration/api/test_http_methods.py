"""HEAD, OPTIONS, conditional reads and compression, each for every described path."""

import asyncio
from typing import Any

import pytest

from engine.domain.ids import RunId
from tests.integration.api.conftest import Api

GZIP = {"Accept-Encoding": "gzip"}
PLAIN = {"Accept-Encoding": "identity"}
STREAM = {"Accept": "text/event-stream"}
POLICY = {"enabled": False}


async def paths(api: Api, table_id: str) -> dict[str, list[str]]:
    """Return every described path, with values for its parameters, and its methods."""
    described: dict[str, Any] = (await api.get("/openapi.json"))["paths"]
    values = {"{table_id}": table_id, "{name}": "lake", "{version}": "1", "{code}": "not_found"}
    filled = {}
    for path, item in described.items():
        for parameter, value in values.items():
            path = path.replace(parameter, value)  # noqa: PLW2901
        filled[path.replace("{run_id}", "run_x").replace("{key_id}", "key_x")] = sorted(map(str.upper, item))
    return filled


async def test_head_is_answered_like_get_without_a_body(api: Api, table_id: str) -> None:
    for path, methods in (await paths(api, table_id)).items():
        head = await api.client.head(path)
        assert head.content == b""
        if "GET" not in methods:
            is_read_as_id = path == "/v1/runs/preview"  # as that of a run, which there is not
            assert head.status_code == (404 if is_read_as_id else 405), path
            continue
        get = await api.client.get(path)
        assert head.status_code == get.status_code, path
        assert head.headers["content-type"] == get.headers["content-type"], path
    assert (await api.client.head("/v1/nothing")).status_code == 404


async def test_head_has_the_length_and_the_etag_of_get_and_is_counted_as_head(api: Api, table_id: str) -> None:
    path = f"/v1/tables/{table_id}"
    for encoding in (GZIP, PLAIN):
        head, get = await api.client.head(path, headers=encoding), await api.client.get(path, headers=encoding)
        for name in ("content-length", "etag"):
            assert head.headers[name] == get.headers[name]
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202)
    async with asyncio.timeout(30):  # a stream ends, too
        head = await api.client.head(f"/v1/runs/{run['id']}/events", headers=STREAM)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["content-type"].startswith("text/event-stream")
    await api.client.head("/v1/runs")
    text = (await api.anonymous.get("/metrics")).text
    assert 'packhouse_http_requests_total{method="HEAD",route="/v1/runs",status="200"} 1.0' in text


async def test_options_and_a_refused_method_name_the_methods_of_every_path(api: Api, table_id: str) -> None:
    for path, methods in (await paths(api, table_id)).items():
        answer, refused = await api.client.options(path), await api.client.request("TRACE", path)
        derived = {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
        assert answer.status_code == 204, path
        assert answer.headers["allow"] == ", ".join(sorted({*methods, *derived})), path
        assert (refused.status_code, refused.headers["allow"]) == (405, answer.headers["allow"]), path
        assert refused.json()["code"] == "method_not_allowed"
        assert ("accept-patch" in answer.headers) == ("PATCH" in methods)
    assert (await api.client.options("/v1/nothing")).status_code == 404
    assert (await api.anonymous.options("/v1/tables")).status_code == 401


async def test_a_read_that_would_be_the_same_again_is_not_sent_again(api: Api, table_id: str) -> None:
    for path in (f"/v1/tables/{table_id}", "/v1/tables", "/v1/limits", "/v1/catalogs/lake", "/openapi.json"):
        first = await api.call("GET", path, status=200)
        etag = first.headers["etag"]
        for condition in (etag, f'"other", {etag}', f"W/{etag.removeprefix('W/')}", "*"):
            again = await api.call("GET", path, status=304, headers={"If-None-Match": condition})
            assert (again.content, again.headers["etag"]) == (b"", etag)
            assert "content-type" not in again.headers
        other = await api.call("GET", path, status=200, headers={"If-None-Match": '"other"'})
        assert other.content == first.content


async def test_a_change_outside_of_the_version_is_sent_and_writes_go_by_the_version(api: Api, table_id: str) -> None:
    path = f"/v1/tables/{table_id}"
    before = await api.call("GET", path, status=200)
    await api.post(f"{path}/pause", {"reason": "a move"}, status=200)
    after = await api.call("GET", path, status=200, headers={"If-None-Match": before.headers["etag"]})
    assert after.json()["pause"]["reason"] == "a move"
    assert after.json()["version"] == before.json()["version"]
    change = {"labels": {"tier": "gold"}}
    await api.call("PATCH", path, json=change, headers={"If-Match": before.headers["etag"]}, status=200)
    await api.call("PATCH", path, json={"labels": None}, headers={"If-Match": after.headers["etag"]}, status=412)


async def test_a_stream_and_an_error_have_no_etag_and_a_stream_is_not_compressed(api: Api, table_id: str) -> None:
    run = await api.rewrite(table_id)
    stream = await api.client.get(f"/v1/runs/{run.id}/events", headers=STREAM | GZIP)
    missing = await api.client.get(f"/v1/runs/{RunId('run_x')}", headers={"If-None-Match": "*"})
    assert (stream.status_code, missing.status_code) == (200, 404)
    assert "etag" not in stream.headers
    assert "etag" not in missing.headers
    assert len(stream.content) > 1024
    assert "content-encoding" not in stream.headers


@pytest.mark.parametrize(
    ("accepted", "is_compressed"),
    [("gzip", True), ("br, *;q=0.1", True), ("", False), ("gzip;q=0", False), ("identity, gzip;q=0.0, *", False)],
)
async def test_answers_are_compressed_for_callers_that_accept_it(
    api: Api, accepted: str, *, is_compressed: bool
) -> None:
    answer = await api.client.get("/v1/presets", headers={"Accept-Encoding": accepted})
    assert (answer.headers.get("content-encoding") == "gzip") == is_compressed
    assert answer.headers["vary"] == "Accept-Encoding"
    assert int(answer.headers["content-length"]) < len(answer.content) or not is_compressed


async def test_an_answer_with_a_new_secret_is_not_compressed(api: Api) -> None:
    body = {"name": "etl", "role": "viewer", "teams": [f"team_{number:04}" for number in range(100)]}
    made = await api.call("POST", "/v1/keys", json=body, status=201, headers=GZIP)
    assert len(made.content) > 1024
    assert "content-encoding" not in made.headers
    listed = await api.call("GET", "/v1/keys", status=200, headers=GZIP)
    assert listed.headers["content-encoding"] == "gzip"


async def test_the_first_policy_of_a_table_is_created_and_later_ones_replace_it(api: Api, table_id: str) -> None:
    path = f"/v1/tables/{table_id}/policy"
    first = await api.call("PUT", path, json=POLICY, headers={"If-None-Match": "*"}, status=201)
    assert first.headers["location"] == path
    read = await api.call("GET", path, status=200)
    second = await api.call("PUT", path, json={}, headers={"If-Match": read.headers["etag"]}, status=200)
    assert "location" not in second.headers
