"""Every list of the API has pages, and filters of one vocabulary."""

from collections import defaultdict
from typing import Any, Final

import pytest

from tests.support.apps import described_app

VOCABULARY: Final = {
    *("page_size", "page_token", "sort", "include", "since", "until", "table_id", "catalog", "namespace", "name"),
    *("owner_team", "label", "paused", "frozen", "state", "operation", "kind", "caller", "action", "object"),
    *("verdict", "hold", "due", "last_run_state", "scope_team", "scope_label", "search"),
}
UNPAGED: Final = {"/v1/presets", "/v1/formats", "/v1/catalog-types", "/v1/operations"}
OWN_VALUES: Final = {"state", "sort", "include"}
"""Filters with values of their own in each list: states of runs and groups, keys and parts of runs and partitions."""


@pytest.fixture(scope="module")
def lists() -> dict[str, dict[str, Any]]:
    """Return the query parameters of each list by path and name."""
    document = described_app()
    found = {}
    for path, item in document["paths"].items():
        operation = item.get("get", {})
        if operation.get("operationId", "").startswith("list_"):
            given = [one for one in operation.get("parameters", ()) if one["in"] == "query"]
            found[path] = {one["name"]: one for one in given}
    return found


def test_every_list_has_pages(lists: dict[str, dict[str, Any]]) -> None:
    assert len(lists) > 10
    for path, parameters in lists.items():
        assert path in UNPAGED or {"page_size", "page_token"} <= parameters.keys(), path


def test_every_filter_has_one_name_type_and_description(lists: dict[str, dict[str, Any]]) -> None:
    seen = defaultdict(list)
    for path, parameters in lists.items():
        assert parameters.keys() <= VOCABULARY, path
        for name, parameter in parameters.items():
            assert parameter["description"], (path, name)
            if name not in OWN_VALUES:
                seen[name].append((parameter["schema"], parameter["description"]))
    for name, forms in seen.items():
        assert all(form == forms[0] for form in forms), name


def test_filters_that_take_several_values_say_so(lists: dict[str, dict[str, Any]]) -> None:
    for path, parameters in lists.items():
        for name, parameter in parameters.items():
            if parameter["schema"].get("type") == "array" and name not in {"namespace", "label"}:
                assert "accepts several" in parameter["description"], (path, name)
