"""What is sent again, with which key, and how long the client waits."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from packhouse_client import AsyncPackhouse, NoAnswer, Packhouse, Retries
from packhouse_client.errors import PreconditionFailed, RateLimited, ServerError, StateConflict, Unavailable
from packhouse_client.models import RunState
from packhouse_client.senders import Sender
from packhouse_client.testing import MockPackhouse

POLICY = {"enabled": False}


@pytest.fixture
def mock() -> MockPackhouse:
    return MockPackhouse(runs_end_as=None)


@pytest.fixture
def table(mock: MockPackhouse) -> str:
    return mock.add_table("lake.shop.orders")


def put_policy(client: Packhouse, table: str) -> Any:
    return client.table_policies.replace(table, body=POLICY, if_none_match="*")


def submit(client: Packhouse, table: str) -> Any:
    return client.runs.submit(body={"table_id": table, "operation": "rewrite"})


def read(client: Packhouse, table: str) -> Any:
    return client.tables.get(table)


@pytest.mark.parametrize("call", [read, put_policy, submit])
@pytest.mark.parametrize("fault", [503, 502, httpx.ReadError("reset"), httpx.ReadTimeout("slow")])
def test_what_cannot_be_done_twice_is_sent_again(
    mock: MockPackhouse, table: str, call: Callable[[Packhouse, str], Any], fault: int | Exception
) -> None:
    mock.fail_next(fault, times=2)
    assert call(mock.client(), table)
    assert len(mock.requests) == 3


def test_a_created_run_keeps_its_key_over_all_attempts_and_the_next_has_another(
    mock: MockPackhouse, table: str
) -> None:
    mock.fail_next(503, times=2)
    client = mock.client()
    submit(client, table)
    submit(client, table)
    keys = [request.headers["idempotency-key"] for request in mock.requests]
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_a_key_that_is_given_is_used(mock: MockPackhouse, table: str) -> None:
    mock.client().runs.submit(body={"table_id": table, "operation": "rewrite"}, idempotency_key="nightly-2026-11-01")
    assert mock.requests[0].headers["idempotency-key"] == "nightly-2026-11-01"


@pytest.mark.parametrize("fault", [503, httpx.ReadError("reset")])
def test_what_may_have_been_done_is_not_sent_again(mock: MockPackhouse, table: str, fault: int | Exception) -> None:
    run = submit(mock.client(), table)
    mock.fail_next(fault)
    with pytest.raises((Unavailable, NoAnswer)):
        mock.client().runs.cancel(run.id)
    assert len(mock.requests) == 2


@pytest.mark.parametrize("fault", [429, httpx.ConnectError("refused")])
def test_what_surely_was_not_done_is_sent_again(mock: MockPackhouse, table: str, fault: int | Exception) -> None:
    run = submit(mock.client(), table)
    mock.fail_next(fault)
    assert mock.client().runs.cancel(run.id).state is RunState.CANCELLED


def test_a_refusal_is_not_sent_again(mock: MockPackhouse, table: str) -> None:
    client = mock.client()
    put_policy(client, table)
    with pytest.raises(PreconditionFailed):
        put_policy(client, table)
    mock.fail_next(500)
    with pytest.raises(ServerError):
        read(client, table)
    assert len(mock.requests) == 3


@pytest.mark.parametrize(("details", "sent"), [({"constraint": "superseded"}, 2), ({"constraint": "pk_catalogs"}, 1)])
def test_only_a_request_that_its_own_refused_attempt_superseded_is_sent_again(details: Any, sent: int) -> None:
    requests = []

    def answer(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        problem = {"code": "state_conflict", "title": "t", "detail": "d", "status": 409, "details": details}
        return httpx.Response(409, json=problem, headers={"content-type": "application/problem+json"})

    http = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://packhouse.test")
    sender = Sender(http, retries=Retries(attempts=2), sleep=lambda _: None)
    with pytest.raises(StateConflict):
        sender.send({"method": "POST", "url": "/v1/runs", "headers": {"Idempotency-Key": "k"}})
    assert len(requests) == sent


def test_attempts_are_bounded(mock: MockPackhouse, table: str) -> None:
    mock.fail_next(503, times=100)
    with pytest.raises(Unavailable):
        read(mock.client(), table)
    assert len(mock.requests) == Retries().attempts


def waits_of(mock: MockPackhouse, table: str) -> list[float]:
    waits: list[float] = []
    with Packhouse("http://mock", "pkh_mock", transport=mock.transport, sleep=waits.append) as client:
        read(client, table)
    return waits


def test_the_server_says_how_long_to_wait_or_waits_grow(mock: MockPackhouse, table: str) -> None:
    mock.fail_next(429, retry_after=7)
    assert waits_of(mock, table) == [7.0]
    mock.fail_next(503, times=4)
    waits = waits_of(mock, table)
    assert all(0.25 * 2**n <= wait <= 0.5 * 2**n for n, wait in enumerate(waits))
    assert len(waits) == 4


def test_a_server_that_asks_for_more_patience_than_there_is_is_believed_at_once(
    mock: MockPackhouse, table: str
) -> None:
    mock.fail_next(429, retry_after=3600)
    with pytest.raises(RateLimited) as caught:
        waits_of(mock, table)
    assert (caught.value.retry_after, len(mock.requests)) == (3600.0, 1)


async def test_the_async_client_retries_in_the_same_way(mock: MockPackhouse, table: str) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    mock.fail_next(503, retry_after=3)
    async with AsyncPackhouse("http://mock", "pkh_mock", transport=mock.transport, sleep=sleep) as client:
        assert (await client.runs.submit(body={"table_id": table, "operation": "rewrite"})).state is RunState.QUEUED
    assert waits == [3.0]
