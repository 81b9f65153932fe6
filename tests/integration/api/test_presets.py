"""Presets and the published schema of a policy, over HTTP."""

from typing import get_args

from engine.domain.policies.documents.document import PresetName
from tests.integration.api.conftest import Api


async def test_every_preset_says_where_its_figures_come_from(api: Api) -> None:
    items = (await api.get("/v1/presets"))["items"]
    assert {item["name"] for item in items} == {*get_args(PresetName)}
    assert all(item["source"] and item["summary"] for item in items)
    assert [await api.get(f"/v1/presets/{item['name']}") for item in items] == items


async def test_an_unknown_preset_is_not_found_and_the_nearest_is_named(api: Api) -> None:
    assert "did you mean 'balanced'?" in (await api.get("/v1/presets/balance", status=404))["detail"]


async def test_the_schema_of_a_policy_is_json_schema(api: Api) -> None:
    schema = await api.get("/v1/policy-schema")
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert "rewrite" in schema["properties"]
