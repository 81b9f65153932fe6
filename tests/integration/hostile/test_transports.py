"""Calls through the deployment's proxy, and by adapters of other libraries, keep the limits of calls (F59)."""

import ssl
from functools import partial
from pathlib import Path

import pytest
import requests
from requests.adapters import HTTPAdapter

from engine.formats.iceberg.catalog import sessions
from engine.formats.intake.permissions import anywhere
from engine.outgoing import calls
from engine.outgoing.bounds import Limits
from engine.outgoing.calls import NoAnswer, send
from engine.outgoing.relay import Relay
from tests.support.hostile.behaviours import Behaviour, answer, http_ways, once
from tests.support.hostile.budgets import error_within
from tests.support.hostile.certificates import self_signed
from tests.support.hostile.clients import MOST_SECONDS
from tests.support.hostile.servers import HostileServer

LIMITS = Limits(seconds=0.5, body_bytes=1000)


@pytest.fixture(autouse=True)
def _no_other_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "NO_PROXY", "http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_a_call_goes_through_the_proxy_of_the_environment_if_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    with HostileServer(once(answer(b"{}"))).running() as proxy:
        monkeypatch.setenv("http_proxy", f"http://me:hidden@127.0.0.1:{proxy.port}")
        assert send("GET", "http://id.example/keys?a=b", limits=LIMITS, by_proxy=True).body == b"{}"
        [asked] = [each.decode() for each in proxy.received]
    assert asked.startswith("GET http://id.example/keys?a=b HTTP/1.1\r\nHost: id.example\r\n")
    assert "Proxy-Authorization: Basic bWU6aGlkZGVu\r\n" in asked
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with HostileServer(once(answer(b"direct"))).running() as server:
        assert send("GET", server.url, limits=LIMITS, by_proxy=True).body == b"direct"


def test_a_call_by_tls_goes_through_a_tunnel_of_the_proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context, trusted = self_signed(tmp_path)
    monkeypatch.setattr(calls, "_tls", lambda: ssl.create_default_context(cafile=trusted))
    with HostileServer(once(answer(b"{}")), tls=context).running() as server:
        proxy = Relay(check_peer=anywhere).address_for(server.url, Limits(5, 10_000))
        monkeypatch.setenv("https_proxy", proxy)
        assert send("GET", f"{server.url}/keys", limits=Limits(5, 1000), by_proxy=True).body == b"{}"
        assert server.received[0].startswith(b"GET /keys HTTP/1.1\r\n")
        assert b"Proxy-Authorization" not in server.received[0]


@pytest.mark.parametrize("way", ["interim", "headers"])
def test_f59_a_proxy_that_never_opens_its_tunnel_is_given_up(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with HostileServer(http_ways("")[Behaviour.ENDLESS][way]).running() as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        error = error_within(MOST_SECONDS, partial(send, "GET", "https://id.example/", limits=LIMITS, by_proxy=True))
    assert isinstance(error, calls.CallFailed), repr(error)
    assert "https://id.example" in str(error)


def test_f59_an_adapter_of_another_library_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """PyIceberg mounts one of its own for requests that are signed with SigV4."""
    monkeypatch.setattr(sessions, "WHOLE_SECONDS", 0.5)
    with HostileServer(http_ways("")[Behaviour.DRIP]["header"]).running() as server, requests.Session() as session:
        session.mount(server.url, HTTPAdapter(max_retries=3))
        sessions.guard(session, anywhere)
        error = error_within(MOST_SECONDS, partial(session.get, server.url))
    assert isinstance(error, requests.RequestException), repr(error)
    assert len(server.received) == 1


@pytest.mark.parametrize("way", ["body", "chunks", "trailers"])
def test_f59_an_answer_larger_than_its_limit_names_the_server_and_the_limit(way: str) -> None:
    with (
        HostileServer(http_ways("")[Behaviour.ENDLESS][way]).running() as server,
        pytest.raises(NoAnswer, match=rf"{server.url}: its answer is longer than 1000 bytes"),
    ):
        send("GET", server.url, limits=LIMITS)
