"""The clients' surface: addresses, bodies, pages, answers as they came."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from packhouse_client import NoAnswer, Packhouse
from packhouse_client.errors import InvalidInput, ListExpired, NotFound, UnreadableAnswer
from packhouse_client.models import (
    Comparison,
    PolicyDocument,
    QuietHours,
    QuietHoursDaysItem,
    RewriteSubmission,
    RunState,
    Table,
    TablePlan,
    TableUpdate,
)
from packhouse_client.operations import ListCall, Recipe
from packhouse_client.testing import MockPackhouse


@pytest.fixture
def mock() -> MockPackhouse:
    return MockPackhouse(runs_end_as=None)


def recorded(response: httpx.Response) -> tuple[Packhouse, list[httpx.Request]]:
    """Return a client that always gets one response, and what it sends."""
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return response

    transport = httpx.MockTransport(answer)
    return Packhouse("http://server", "pkh_x", transport=transport, sleep=lambda _: None), sent


@pytest.mark.parametrize("url", ["server:8080", "ftp://server", ""])
def test_what_is_no_address_or_key_is_refused_without_showing_a_key(url: str) -> None:
    with pytest.raises(ValueError, match="http://host:port"):
        Packhouse(url)
    with pytest.raises(ValueError, match="characters") as caught:
        Packhouse(api_key="schlüssel")
    assert "schlüssel" not in str(caught.value)


def test_environment_names_server_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PACKHOUSE_URL", "https://packhouse.example/v1")
    monkeypatch.setenv("PACKHOUSE_API_KEY", "pkh_secret")
    with Packhouse.from_environment() as client:
        sender = client.tables._sender
        assert str(sender.http.base_url) == "https://packhouse.example"
        assert sender.http.headers["authorization"] == "Bearer pkh_secret"


def test_a_body_may_be_a_model_or_a_dictionary(mock: MockPackhouse) -> None:
    table = mock.add_table("lake.shop.orders")
    client = mock.client()
    by_model = client.runs.submit(body=RewriteSubmission(operation="rewrite", table_id=table))
    assert client.runs.submit(body={"table_id": table, "operation": "rewrite"}).id == by_model.id


def test_a_dictionary_is_sent_as_it_is_also_where_a_body_may_be_left_out() -> None:
    client, sent = recorded(httpx.Response(200, json={}))
    client.tables.plan.raw("tbl_1", body={"policy": {"colour": "blue"}})
    client.tables.plan.raw("tbl_1")
    assert json.loads(sent[0].content) == {"policy": {"colour": "blue"}}
    assert sent[1].content == b""


def test_of_a_model_the_given_fields_are_sent() -> None:
    client, sent = recorded(httpx.Response(200, json={}))
    body = TableUpdate(owner_team=None)
    body.labels = {"tier": "gold"}
    client.tables.update.raw("tbl_1", body=body, if_match='"1"')
    hours = QuietHours(from_="08:00", to="18:00", days=[QuietHoursDaysItem.MON])
    client.table_policies.replace.raw("tbl_1", body=PolicyDocument(quiet_hours=[hours]))
    assert json.loads(sent[0].content) == {"owner_team": None, "labels": {"tier": "gold"}}
    assert json.loads(sent[1].content) == {"quiet_hours": [{"from": "08:00", "to": "18:00", "days": ["mon"]}]}


def test_of_fields_the_given_ones_are_sent() -> None:
    client, sent = recorded(httpx.Response(200, json={}))
    client.tables.update.raw("tbl_1", owner_team=None, if_match='"1"')
    client.runs.submit.raw(
        table_id="t", operation="rewrite", partitions=Comparison(column="day", op="in", values=["a"])
    )
    hours = QuietHours(from_="08:00", to="18:00", days=[QuietHoursDaysItem.MON])
    client.table_policies.replace.raw("tbl_1", quiet_hours=[hours], preset=None)
    read_at = datetime(2026, 11, 1, tzinfo=UTC)
    client.signals.send.raw(table_id="t", signal={"kind": "oldest_reader", "opened_at": read_at})
    client.tables.plan.raw("tbl_1", force_full=True)
    assert [json.loads(each.content) for each in sent] == [
        {"owner_team": None},
        {"table_id": "t", "operation": "rewrite", "partitions": {"column": "day", "op": "in", "values": ["a"]}},
        {"quiet_hours": [{"from": "08:00", "to": "18:00", "days": ["mon"]}], "preset": None},
        {"table_id": "t", "signal": {"kind": "oldest_reader", "opened_at": "2026-11-01T00:00:00+00:00"}},
        {"force_full": True},
    ]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("lake.shop.orders", "lake.shop.orders"),
        ('lake."shop.eu".orders', "lake.%22shop.eu%22.orders"),
        ("a/b", "a%2Fb"),
        ("%2F?#", "%252F%3F%23"),
        ("größe", "gr%C3%B6%C3%9Fe"),
        ("a b+c&d", "a%20b%2Bc%26d"),
    ],
)
def test_a_part_of_the_address_stays_one_part(given: str, path: str) -> None:
    client, sent = recorded(httpx.Response(204))
    client.tables.delete(given)
    assert sent[0].url.raw_path.decode() == f"/v1/tables/{path}"


@pytest.mark.parametrize("as_model", [False, True])
def test_a_preview_submits_nothing(mock: MockPackhouse, as_model: bool) -> None:
    asked = {"table_id": mock.add_table("lake.shop.orders"), "operation": "rewrite"}
    body = RewriteSubmission.model_validate(asked) if as_model else asked
    assert isinstance(mock.client().runs.preview(body=body), TablePlan)
    assert mock.records.runs == {}


def test_a_table_is_found_by_its_address(mock: MockPackhouse) -> None:
    mock.add_table("lake.shop.eu.orders")
    table = mock.add_table("lake.shop.orders")
    assert mock.client().find_table("lake.shop.orders").id == table
    with pytest.raises(NotFound, match=r"lake\.shop\.order$"):
        mock.client().find_table("lake.shop.order")
    with pytest.raises(ValueError, match=r"catalog\.namespace\.name"):
        mock.client().find_table("orders")


MISUSES: list[tuple[Callable[[Packhouse], object], str]] = [
    (
        lambda c: c.runs.submit({"table_id": "t"}),
        "Runs.submit: too many .* Runs.submit\\(body=…, acknowledge=…, idempotency_key=…\\)",
    ),
    (lambda c: c.tables.get(), "missing .*'table_id'; call it as Tables.get\\(table_id\\)"),
    (lambda c: c.tables.get(""), "table_id is part of the address, not ''"),
    (lambda c: c.tables.get({"id": "t"}), "table_id is part of the address, not {'id': 't'}"),
    (lambda c: c.table_policies.get(None), "TablePolicies.get: table_id is part of the address, not None"),
    (lambda c: c.runs.submit(), "Runs.submit: it needs a body, or fields of it: table_id, .*; call it as Runs.submit"),
    (
        lambda c: c.runs.submit(tabel="t"),
        "unexpected keyword argument 'tabel'; fields of its body are table_id, .*, confirm;",
    ),
    (
        lambda c: c.runs.submit(body={"table_id": "t"}, operation="rewrite"),
        "give a body or fields of it \\(operation\\), not both",
    ),
    (lambda c: c.runs.submit(body="tbl_1"), "body is a dictionary or a model, not str"),
    (lambda c: c.tables.list.page(catalogue="lake"), "unexpected .*'catalogue'; call it as Tables.list\\(page_size=…"),
]


@pytest.mark.parametrize(("call", "message"), MISUSES)
def test_a_wrong_call_is_told_how_it_is_made(
    mock: MockPackhouse, call: Callable[[Packhouse], object], message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        call(mock.client())
    assert mock.requests == []


def test_fields_and_values_that_the_models_do_not_know_reach_the_server(mock: MockPackhouse) -> None:
    table = mock.add_table("lake.shop.orders")
    with pytest.raises(InvalidInput) as caught:
        mock.client().table_policies.replace(table, body={"rewrite": {"target": 1}}, if_none_match="*")
    assert caught.value.fields[0].pointer == "/rewrite/target"
    with pytest.raises(InvalidInput) as caught:
        mock.client().runs.submit(body={"table_id": table, "operation": "mow"})
    assert caught.value.fields[0].pointer == "/operation"


def request(*, page_token: str | None = None) -> dict[str, Any]:
    return {"method": "GET", "url": "/v1/list", "params": {"page_token": page_token} if page_token else {}}


def page_of(document: dict[str, Any]) -> Any:
    return SimpleNamespace(**document | {"items": [SimpleNamespace(name=name) for name in document["items"]]})


def expiring(pages: list[list[str] | None]) -> tuple[ListCall[..., Any], list[str | None]]:
    """Return a list whose pages have items of these names, None: it has expired; and the tokens that are sent."""
    tokens: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        tokens.append(request.url.params.get("page_token"))
        names = pages[(len(tokens) - 1) % len(pages)]
        if names is None:
            return httpx.Response(410, json={"code": "list_expired", "title": "t", "detail": "d", "status": 410})
        return httpx.Response(
            200, json={"items": names, "next_page_token": None if names == ["a", "d"] else str(len(tokens))}
        )

    client = Packhouse("http://server", "pkh_x", transport=httpx.MockTransport(answer), sleep=lambda _: None)
    return ListCall(Recipe(request, page_of, "list", key=("name",)), client.tables._sender), tokens


def test_a_list_that_expired_begins_again_and_gives_no_item_twice() -> None:
    listing, tokens = expiring([["a", "b"], None, ["b", "c"], ["a", "d"]])
    assert [each.name for each in listing()] == ["a", "b", "c", "d"]
    assert tokens == [None, "1", None, "3"]


def test_a_list_expires_for_good_after_many_beginnings_and_when_it_was_continued_by_hand() -> None:
    listing, tokens = expiring([["a"], None])
    with pytest.raises(ListExpired):
        list(listing())
    assert len(tokens) == 22
    listing, tokens = expiring([None])
    with pytest.raises(ListExpired):
        list(listing(page_token="kept"))
    assert tokens == ["kept"]


async def test_a_list_goes_on_over_all_pages(mock: MockPackhouse) -> None:
    ids = [mock.add_table(f"lake.shop.t{number}") for number in range(7)]
    found = mock.client().tables.list(page_size=3)
    assert mock.requests == []
    assert [table.id for table in found] == ids[::-1]
    assert [request.url.params.get("page_token") for request in mock.requests] == [None, "3", "6"]
    async with mock.async_client() as client:
        assert [table.id async for table in client.tables.list(page_size=2)] == ids[::-1]
        assert len((await client.tables.list.page(page_size=2)).items) == 2


def test_an_answer_can_be_had_as_it_came_and_what_has_no_method_be_requested(mock: MockPackhouse) -> None:
    table = mock.add_table("lake.shop.orders")
    client = mock.client()
    written = client.table_policies.replace.raw(table, body={"enabled": True}, if_none_match="*")
    assert (written.status, written.etag, written.document["policy"]) == (201, '"1"', {"enabled": True})
    assert client.request("GET", f"/v1/tables/{table}").document["id"] == table


def test_fields_and_values_of_a_newer_server_are_kept(mock: MockPackhouse) -> None:
    table = mock.add_table("lake.shop.orders")
    mock.records.tables[table]["colour"] = "blue"
    shown = mock.client().tables.get(table)
    assert isinstance(shown, Table)
    assert shown.model_extra == {"colour": "blue"}
    run = mock.client().runs.submit(body={"table_id": table, "operation": "rewrite"})
    mock.records.runs[run.id]["state"] = "resting"
    found = mock.client().runs.get(run.id)
    assert (found.state, str(found.state), found.state.is_known) == ("resting", "resting", False)
    assert isinstance(found.state, RunState)
    assert found.to_document()["state"] == "resting"


def test_an_unreadable_answer_names_its_first_wrong_field(mock: MockPackhouse) -> None:
    table = mock.add_table("lake.shop.orders")
    mock.records.tables[table]["created_at"] = "yesterday"
    with pytest.raises(UnreadableAnswer, match="Table, created_at: Input should be a valid datetime"):
        mock.client().tables.get(table)


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, json={"not": "a table"}),
        httpx.Response(200, text="<html>hello</html>"),
        httpx.Response(200, content=b"{", headers={"content-type": "application/json"}),
        httpx.Response(302, headers={"location": "http://elsewhere"}),
    ],
)
def test_an_answer_of_something_else_is_said_to_be_unreadable(response: httpx.Response) -> None:
    with pytest.raises(UnreadableAnswer):
        recorded(response)[0].tables.get("tbl_1")


def test_a_server_that_is_away_is_named() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    transport = httpx.MockTransport(refuse)
    with (
        Packhouse("http://server:1", transport=transport, sleep=lambda _: None) as client,
        pytest.raises(NoAnswer, match="http://server:1: connection refused"),
    ):
        client.tables.get("tbl_1")
