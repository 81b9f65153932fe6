"""Filters of lists, and that methods show their parameters and documentation."""

import inspect
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest
from packhouse_client.models import RunState
from packhouse_client.operations import Recipe
from packhouse_client.resources import Catalogs, Fleet, Policies, Runs, Tables
from packhouse_client.testing import MockPackhouse

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"state": "failed"}, "state=failed"),
        ({"state": RunState.FAILED}, "state=failed"),
        ({"state": ["queued", RunState.FAILED]}, "state=queued&state=failed"),
        ({"state": "queued,failed", "operation": "rewrite"}, "state=queued%2Cfailed&operation=rewrite"),
        ({"since": "2026-11-01T12:00:00Z"}, "since=2026-11-01T12%3A00%3A00Z"),
        (
            {"since": NOON, "until": NOON},
            "since=2026-11-01T12%3A00%3A00%2B00%3A00&until=2026-11-01T12%3A00%3A00%2B00%3A00",
        ),
        ({"include": "plan"}, "include=plan"),
        ({"table_id": "lake.shop.orders", "catalog": None}, "table_id=lake.shop.orders"),
        ({"catalog": "", "owner_team": "é&/="}, "catalog=&owner_team=%C3%A9%26%2F%3D"),
        ({"state": [], "include": ()}, ""),
    ],
)
def test_filters_take_plain_text_as_well_as_enums_and_instants(given: dict[str, Any], sent: str) -> None:
    mock = MockPackhouse()
    with mock.client() as client:
        client.runs.list.raw(**given)
    expected = [*filter(None, sent.split("&")), "page_size=50"]
    assert sorted(mock.requests[-1].url.query.decode().split("&")) == sorted(expected)


def test_methods_show_their_parameters_and_their_documentation() -> None:
    with MockPackhouse().client() as client:
        parameters = inspect.signature(client.runs.list).parameters
        assert list(parameters)[:2] == ["include", "page_size"]
        assert "datetime.datetime | str" in str(parameters["since"].annotation)
        text = inspect.getdoc(client.runs.list) or ""
        assert text.startswith("List runs, newest first.")
        assert "    since: From this instant on." in text
        assert list(inspect.signature(client.tables.get).parameters) == ["table_id"]
        assert "If-None-Match" not in (inspect.getdoc(client.tables.get) or "")


@pytest.mark.parametrize("resource", [Catalogs, Fleet, Policies, Runs, Tables])
def test_no_method_takes_arguments_without_names(resource: type) -> None:
    for name, declared in vars(resource).items():
        recipe = getattr(declared, "_recipe", None)
        if isinstance(recipe, Recipe):
            parameters: Mapping[str, inspect.Parameter] = inspect.signature(recipe.request).parameters
            kinds = {each.kind for each in parameters.values()}
            assert not kinds & {inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL}, name
            assert inspect.getdoc(recipe.request), name


def test_a_table_is_named_by_its_address_everywhere() -> None:
    mock = MockPackhouse()
    table = mock.add_table("lake.shop.orders")
    with mock.client() as client:
        run = client.runs.submit(body={"table_id": "lake.shop.orders", "operation": "rewrite"})
        assert (run.table_id, run.table) == (table, "lake.shop.orders")
        assert client.tables.get("lake.shop.orders").id == client.find_table("lake.shop.orders").id == table
        [listed] = client.runs.list(state="queued")
        assert (listed.id, listed.table) == (run.id, "lake.shop.orders")
