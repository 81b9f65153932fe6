"""Every call ends within its limits of time and memory whatever the server does, and its error names the server (F59).

The cells of clients and behaviours are listed in docs/contributing/hostile-servers.md.
"""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import httpx
import pytest
from packhouse_client import PackhouseError, streams

from engine.services.webhooks import receivers
from tests.support.hostile.behaviours import Behaviour, Way, answer, drip, flood, http_ways, once
from tests.support.hostile.budgets import error_within
from tests.support.hostile.clients import DEADLINE_SECONDS, HTTP_CLIENTS, MOST_SECONDS, STREAMS
from tests.support.hostile.servers import HostileServer

_NAMES_SERVER = re.compile(r"127\.0\.0\.1|check `uri`|check the catalog's properties|this version can't read")
"""The address of the server, or the property that has it; the SDK has one server, and an answer of another form."""
_CELLS = [(behaviour, way) for behaviour, ways in http_ways("").items() for way in ways]
_STREAM = answer(b"", kind="text/event-stream").partition(b"Content-Length")[0] + b"\r\n"
_REFUSAL = answer(b"", status="503 Service Unavailable").partition(b"Content-Length")[0] + b"\r\n"
STREAM_WAYS: dict[str, Way] = {
    "drip, a header": http_ways("")[Behaviour.DRIP]["header"],
    "drip, a refusal": drip(_REFUSAL, b" "),
    "endless, a line": flood(_STREAM + b"data: ", b"x"),
    "endless, an event": flood(_STREAM, b"data: x\n"),
    "endless, a refusal": flood(_REFUSAL, b" "),
    "redirect": http_ways("http://127.0.0.1:9/")[Behaviour.REDIRECT]["307"],
    "lie": http_ways("")[Behaviour.LIE]["html"],
}


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[HostileServer]:
    """The server that redirects lead to."""
    with HostileServer(once(answer(b'{"access_token": "of another"}'))).running() as server:
        yield server


@pytest.mark.parametrize(("behaviour", "way"), _CELLS)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.deep] * client.is_repeated) for name, client in HTTP_CLIENTS.items()]
)
def test_f59_a_call_ends_within_its_limits(
    name: str, behaviour: Behaviour, way: str, elsewhere: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = HTTP_CLIENTS[name]
    client.hurry(monkeypatch)
    with HostileServer(http_ways(f"{elsewhere.url}/v1/config")[behaviour][way]).running() as server:
        error = error_within(MOST_SECONDS, partial(client.call, server.url))
    assert isinstance(error, client.raises), repr(error)
    assert _NAMES_SERVER.search(str(error)), error
    assert elsewhere.received == []


@pytest.mark.parametrize(("behaviour", "way"), [cell for cell in _CELLS if cell[0] is not Behaviour.LIE])
def test_f59_a_webhook_ends_within_its_limits(
    behaviour: Behaviour, way: str, elsewhere: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The receiver of a webhook can be anyone's server."""
    monkeypatch.setattr(receivers, "LIMITS", replace(receivers.LIMITS, seconds=DEADLINE_SECONDS))
    sent_to = receivers.Receivers(rules=receivers.ReceiverRules.of("127.0.0.1"))

    def send(url: str) -> None:
        answer = asyncio.run(sent_to.post(f"{url}/hook", {}, b"{}"))
        assert not answer.is_success, answer
        raise ConnectionError(answer.problem or f"status {answer.status}")

    with HostileServer(http_ways(f"{elsewhere.url}/v1/config")[behaviour][way]).running() as server:
        error = error_within(MOST_SECONDS, partial(send, server.url))
    assert isinstance(error, ConnectionError), repr(error)
    assert str(error).startswith("status 3") is (behaviour is Behaviour.REDIRECT)
    assert elsewhere.received == []


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("way", STREAM_WAYS)
def test_f59_a_stream_of_events_ends_within_its_limits(name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "_TIMEOUT", httpx.Timeout(DEADLINE_SECONDS))
    monkeypatch.setattr(streams, "_FAILURES", 0)
    with HostileServer(STREAM_WAYS[way]).running() as server:
        error = error_within(MOST_SECONDS, partial(STREAMS[name], server.url))
    assert isinstance(error, PackhouseError), repr(error)
    assert _NAMES_SERVER.search(str(error)), error
