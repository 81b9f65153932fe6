"""What an answer of Prometheus says of query latency, and which settings can't work."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.errors import InvalidInput
from engine.domain.tables.signals import MAX_SECONDS
from engine.outgoing.calls import HttpAnswer
from engine.prometheus.queries import MOST_SERIES, LatencyAnswer, Unreadable, answer_of, result_of
from engine.services.watching.latency_sources import LatencySource
from tests.support.prometheus_server import refusal, scalar, vector

URL = "http://prometheus:9090"
QUERY = "histogram_quantile(0.95, sum by (le) (rate(query_seconds_bucket[2m])))"


def of(**given: Any) -> LatencySource | None:
    values = {"url": URL, "query": QUERY, "token": None, "table_label": None, "seconds": 30.0}
    return LatencySource.of(**(values | given))


def read(document: Any, label: str | None = None) -> LatencyAnswer:
    body = json.dumps(document).encode()
    return answer_of(result_of(URL, HttpAnswer(200, {}, body)), label)


def test_without_settings_nobody_is_asked_and_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    assert of(url=None, query=None) is None
    with pytest.raises(InvalidInput, match="PACKHOUSE_PROMETHEUS_TOKEN") as refused:
        of(url="http://me:s3cret@prometheus")
    assert "s3cret" not in refused.value.message


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"query": None}, "PACKHOUSE_LATENCY_QUERY is not set"),
        ({"query": " "}, "PACKHOUSE_LATENCY_QUERY is empty"),
        ({"url": None}, "PACKHOUSE_LATENCY_QUERY without PACKHOUSE_PROMETHEUS_URL"),
        ({"url": None, "query": None, "token": "env:T"}, "PACKHOUSE_PROMETHEUS_TOKEN without"),
        ({"url": None, "query": None, "table_label": "t"}, "PACKHOUSE_LATENCY_TABLE_LABEL without"),
        ({"url": "prometheus:9090"}, "not a server address"),
        ({"url": "file:///etc/passwd"}, "not a server address"),
        ({"url": "http://prometheus:9090/api/v1/query"}, "without /api/v1/query"),
        ({"url": "http://prometheus:9090?x=1"}, "not a server address"),
        ({"url": "http://[::1"}, "not a server address"),
        ({"url": "http://prometheus:99999"}, "not a server address"),
        ({"token": "s3cret"}, "env:NAME"),
        ({"token": ""}, "env:NAME"),
        ({"table_label": ""}, "PACKHOUSE_LATENCY_TABLE_LABEL"),
        ({"table_label": "a-b"}, "PACKHOUSE_LATENCY_TABLE_LABEL"),
        ({"table_label": "1a"}, "PACKHOUSE_LATENCY_TABLE_LABEL"),
        ({"seconds": 1}, "at least 5"),
        ({"seconds": 300}, "less than 300"),
        ({"seconds": float("nan")}, "at least 5"),
    ],
)
def test_settings_that_can_not_work_are_refused_by_name(given: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match="PACKHOUSE_") as refused:
        of(**given)
    assert said in refused.value.message
    assert "s3cret" not in refused.value.message


@pytest.mark.parametrize("document", [vector(({}, "1.5")), vector(({"job": "trino"}, "1.5")), scalar("1.5")])
def test_one_series_speaks_of_the_fleet(document: Any) -> None:
    assert read(document) == LatencyAnswer({"": 1.5})


def test_results_without_one_number_or_with_more_series_than_are_taken_say_nothing() -> None:
    assert read(vector()) == LatencyAnswer()
    assert read(vector(({"job": "a"}, "1"), ({"job": "b"}, "9"))) == LatencyAnswer({}, {"several": 2})
    series = {"metric": {}, "histogram": [1.0, {"count": "3", "sum": "9"}]}
    document = {"status": "success", "data": {"resultType": "vector", "result": [series]}}
    assert read(document) == LatencyAnswer({}, {"not_a_number": 1})
    with pytest.raises(Unreadable, match=f"at most {MOST_SERIES}"):
        read(vector(*(({"t": f"t{number}"}, "1") for number in range(MOST_SERIES + 1))), "t")


@pytest.mark.parametrize(
    ("values", "counted"),
    [
        (["NaN", "+Inf", "-Inf", "", "fast", "1 2"], "not_a_number"),
        (["-0.1", str(MAX_SECONDS * 2), "1e300"], "out_of_range"),
    ],
)
def test_what_is_no_number_or_can_be_no_latency_is_not_taken(values: list[str], counted: str) -> None:
    for value in values:
        assert read(vector(({}, value))) == LatencyAnswer({}, {counted: 1}), value


def test_the_label_names_the_table_of_each_series_and_what_is_no_number_hides_no_other() -> None:
    found = read(vector(({"t": "lake.a"}, "1"), ({"t": "lake.b"}, "NaN"), ({"t": "lake.c"}, "3"), ({}, "4")), "t")
    assert found == LatencyAnswer({"lake.a": 1.0, "lake.c": 3.0}, {"not_a_number": 1, "unlabelled": 1})
    found = read(vector(({"t": "a", "x": "1"}, "1"), ({"t": "a", "x": "2"}, "2"), ({"t": "b"}, "3")), "t")
    assert found == LatencyAnswer({"b": 3.0}, {"several": 2})
    assert read(vector(({"x": "1"}, "NaN"), ({"x": "2"}, "2"))) == LatencyAnswer({"": 2.0}, {"not_a_number": 1})


@pytest.mark.parametrize(
    "document",
    [
        refusal('invalid parameter "query": 1:1: parse error: unexpected <op:*>'),
        {"status": "success", "data": {"resultType": "matrix", "result": []}},
        {"status": "success", "data": {"resultType": "string", "result": [1, "1"]}},
        {"status": "success", "data": {"resultType": "vector", "result": {}}},
        {"status": "success"},
        {"status": "fine"},
        [],
        None,
        "1.5",
    ],
)
def test_what_is_no_result_says_what_is_wrong(document: Any) -> None:
    with pytest.raises(Unreadable) as refused:
        read(document)
    assert refused.value.outcome == "refused"
    assert "Prometheus" in refused.value.message or "PACKHOUSE_LATENCY_QUERY" in refused.value.message


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=20,
)
_SERIES = st.fixed_dictionaries({}, optional={"metric": _JSON, "value": st.lists(_JSON, max_size=3) | _JSON})


@given(kind=st.sampled_from(["vector", "scalar"]), result=st.lists(_SERIES | _JSON, max_size=5) | _JSON)
def test_whatever_comes_back_gives_numbers_of_seconds_or_one_error(kind: str, result: Any) -> None:
    try:
        found = answer_of({"resultType": kind, "result": result}, "t")
    except Unreadable:
        return
    assert all(0 <= seconds <= MAX_SECONDS for seconds in found.seconds.values())
