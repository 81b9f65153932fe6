"""Traces of requests: a caller's context reaches the run that it submits, and a hostile one reaches nothing."""

import io
import json
from collections.abc import Iterator

import pytest

from tests.integration.api.conftest import Api
from tests.support.logs import own_lines
from tests.support.traces import kept_spans

TRACE, SPAN = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
VALID = f"00-{TRACE}-{SPAN}-01"


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    with own_lines() as written:
        yield written


@pytest.mark.parametrize(
    ("header", "kept"),
    [
        (VALID, VALID),
        ("", None),
        (f"{VALID}; DROP TABLE runs", None),
        (f"00-{TRACE}-{SPAN}-01\x1b[31m", None),
        ("00-" + "f" * 8000, None),
    ],
)
async def test_a_run_keeps_the_context_of_its_caller(api: Api, table_id: str, header: str, kept: str | None) -> None:
    """Also while this process records nothing: a worker may."""
    given = {"traceparent": header.encode()}
    run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202, headers=given)
    assert run["request"].get("traceparent") == kept
    assert (await api.get(f"/v1/runs/{run['id']}"))["request"].get("traceparent") == kept


async def test_the_span_of_a_request_has_its_route_and_its_log_lines(
    api: Api, table_id: str, lines: io.StringIO
) -> None:
    with kept_spans() as kept:
        headers = {"traceparent": VALID}
        run = await api.post("/v1/runs", {"table_id": table_id, "operation": "rewrite"}, status=202, headers=headers)
        await api.call("GET", "/v1/runs/run_unknown?secret=1", status=422, headers=headers)
        await api.get("/healthz", headers=headers)
    submitted, read = (each for each in kept.all if each.parent == SPAN)
    assert (submitted.name, read.name) == ("POST /v1/runs", "GET /v1/runs/{run_id}")
    assert read.attributes == {
        "http.request.method": "GET",
        "http.route": "/v1/runs/{run_id}",
        "http.response.status_code": 422,
    }
    [submit] = kept.named("run.submit")
    assert (submit.trace, submit.parent) == submitted.key
    assert submit.attributes == {"packhouse.run_id": run["id"], "packhouse.table_id": table_id}
    assert run["request"]["traceparent"] == f"00-{submit.trace}-{submit.id}-01"
    found = [json.loads(line) for line in lines.getvalue().splitlines()]
    requests = [(each.get("trace_id"), each.get("span_id")) for each in found if each["event"] == "request"]
    assert requests == [submitted.key, read.key, (None, None)][: len(requests)]
