"""Joined conditions of triggers over HTTP: hostile nests are refused with the place and the limit."""

from typing import Any

import pytest

from tests.integration.api.conftest import Api

PREVIEW = "/v1/policies/fleet/preview"
FILES = {"metric": "file_count", "at_least": 60}


def nested(levels: int) -> Any:
    node: Any = FILES
    for level in range(levels):
        node = {"not": node} if level % 2 else {"any": [node]}
    return node


def body(condition: Any) -> Any:
    triggers = [{"name": "deep", "all": [condition]}]
    return {"name": "fleet", "scope": {"kind": "fleet"}, "policy": {"triggers": triggers}}


def change(body: Any) -> Any:
    return {"change": "create", "scope": body["scope"], "policy": body["policy"]}


@pytest.mark.parametrize("levels", [4, 8, 12])
async def test_a_deep_nest_is_refused_with_its_place_and_the_limit(api: Api, levels: int) -> None:
    (error,) = (await api.post("/v1/policies", body(nested(levels)), status=422))["errors"]
    assert error["pointer"] == "/policy/triggers/0"
    assert error["message"].startswith("conditions are nested at most 4 levels deep; /all/0/")


async def test_a_bottomless_nest_is_refused(api: Api) -> None:
    levels = 20_000
    deep = '{"not":' * levels + '{"metric":"file_count","at_least":1}' + "}" * levels
    text = '{"name":"fleet","scope":{"kind":"fleet"},"policy":{"triggers":[{"name":"deep","all":[' + deep + "]}]}}"
    headers = {"Content-Type": "application/json"}
    answer = await api.client.post("/v1/policies", content=text, headers=headers)
    assert answer.status_code == 413, "a body has at most 20,000 values"
    assert (await api.get("/v1/policies"))["items"] == []


async def test_a_wrong_condition_deep_inside_is_named_by_its_pointer(api: Api) -> None:
    wrong = {"any": [FILES, {"not": {"metric": "file_cuont", "at_least": 5}}]}
    (error,) = (await api.post("/v1/policies", body(wrong), status=422))["errors"]
    assert error["pointer"] == "/policy/triggers/0/all/0/any/1/not/metric"
    assert error["hint"] == "did you mean 'file_count'?"


async def test_a_preview_tells_what_joined_rules_would_make_due(api: Api, table_id: str) -> None:
    await api.get(f"/v1/tables/{table_id}/health")
    wanted = body({"any": [FILES, {"not": {"metric": "file_count", "above": 50}}]})
    found = (await api.post(PREVIEW, change(wanted), status=200))["due"]
    assert (found["count"], found["untold_count"]) == (1, 0)
    aged = body({"any": [FILES, {"not": {"metric": "newest_file_age", "above": "2d"}}]})
    found = (await api.post(PREVIEW, change(aged), status=200))["due"]
    assert (found["count"], found["untold_count"]) == (0, 1)
