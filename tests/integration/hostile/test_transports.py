"""Calls through the deployment's proxy, and by adapters of other libraries, keep the limits of calls (F59)."""

import gc
import os
import resource
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event
from time import sleep

import pytest
import requests
from requests.adapters import HTTPAdapter

from engine.formats.iceberg.catalog.rest import sessions
from engine.outgoing import calls, relay
from engine.outgoing.bounds import CallLimits, any_peer, anywhere, connected
from engine.outgoing.calls import NoAnswer, send
from engine.outgoing.relay import Relay
from tests.support.hostile.behaviours import Behaviour, answer, http_ways, once
from tests.support.hostile.budgets import error_within
from tests.support.hostile.certificates import self_signed
from tests.support.hostile.clients import MOST_SECONDS
from tests.support.hostile.servers import HostileServer

LIMITS = CallLimits(seconds=0.5, body_bytes=1000)


@pytest.fixture(autouse=True)
def _no_other_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("no_proxy", "http_proxy", "https_proxy", "all_proxy"):
        for each in (name, name.upper()):
            monkeypatch.delenv(each, raising=False)


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
    monkeypatch.setattr(calls, "_tls", lambda _further: ssl.create_default_context(cafile=trusted))
    with HostileServer(once(answer(b"{}")), tls=context).running() as server:
        proxy = Relay(check_peer=anywhere).address_for(server.url, CallLimits(5, 10_000))
        monkeypatch.setenv("https_proxy", proxy)
        assert send("GET", f"{server.url}/keys", limits=CallLimits(5, 1000), by_proxy=True).body == b"{}"
        assert server.received[0].startswith(b"GET /keys HTTP/1.1\r\n")
        assert b"Proxy-Authorization" not in server.received[0]


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.parametrize("way", ["interim", "headers"])
def test_f59_a_proxy_that_never_opens_its_tunnel_is_given_up(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with HostileServer(http_ways("")[Behaviour.ENDLESS][way]).running() as proxy:
        monkeypatch.setenv("https_proxy", proxy.url)
        error = error_within(MOST_SECONDS, partial(send, "GET", "https://id.example/", limits=LIMITS, by_proxy=True))
    assert isinstance(error, calls.CallFailed), repr(error)
    assert "https://id.example" in str(error)
    del error
    gc.collect()  # early releases of Python 3.11 leave the answer of the proxy open: it goes here, not in a later test


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


def test_a_call_has_the_user_of_its_address_and_names_its_program() -> None:
    """Proxies before Prometheus ask for a password; firewalls of web applications refuse requests without a name."""
    with HostileServer(once(answer(b"{}"))).running() as server:
        send("GET", server.url.replace("://", "://me:hid%40den@"), limits=LIMITS)
        [asked] = [each.decode() for each in server.received]
    assert f"Host: 127.0.0.1:{server.port}\r\n" in asked
    assert "Authorization: Basic bWU6aGlkQGRlbg==\r\n" in asked
    assert "User-Agent: packhouse\r\n" in asked


def test_the_proxy_of_a_call_is_the_one_that_requests_would_use(monkeypatch: pytest.MonkeyPatch) -> None:
    with HostileServer(once(answer(b"{}"))).running() as server:
        monkeypatch.setenv("all_proxy", server.url)
        send("GET", "http://id.example/keys", limits=LIMITS, by_proxy=True)
        monkeypatch.setenv("no_proxy", "10.0.0.0/8,127.0.0.0/8,id.example")
        send("GET", f"{server.url}/keys", limits=LIMITS, by_proxy=True)
        assert [each.split()[1] for each in server.received] == [b"http://id.example/keys", b"/keys"]
        for other in ("socks5://127.0.0.1:1080", "https://127.0.0.1:8080", "http://127.0.0.1:port"):
            monkeypatch.setenv("all_proxy", other)
            with pytest.raises(calls.NotSent, match="proxy"):
                send("GET", "http://other.example/keys", limits=LIMITS, by_proxy=True)


def test_a_call_trusts_the_certificates_that_requests_trusts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context, trusted = self_signed(tmp_path)
    monkeypatch.setattr(calls, "_tls", calls._tls.__wrapped__)  # not those of the calls before
    with HostileServer(once(answer(b"{}")), tls=context).running() as server:
        with pytest.raises(calls.NotSent, match="certificate"):
            send("GET", server.url, limits=CallLimits(5, 1000))
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(trusted))
        assert send("GET", server.url, limits=CallLimits(5, 1000)).body == b"{}"
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "missing.pem"))
        with pytest.raises(calls.NotSent, match="REQUESTS_CA_BUNDLE"):
            send("GET", server.url, limits=CallLimits(5, 1000))


def test_f59_an_address_that_does_not_answer_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one of a server that is down, or of IPv6 that leads nowhere."""
    with _silent("127.0.0.2") as silent, socket.create_server(("127.0.0.3", silent)):
        found = [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (f"127.0.0.{end}", silent)) for end in (2, 3)]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_a, **_k: found)
        with connected("two.example", silent, 2.0, any_peer) as made:
            assert made.getpeername()[0] == "127.0.0.3"
        found.pop()
        with pytest.raises(TimeoutError, match=r"no connection within 0\.2 s"):
            connected("one.example", silent, 0.2, any_peer)


@contextmanager
def _silent(address: str) -> Iterator[int]:
    """Yield a port whose queue of connections is full: the system answers no other one."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server((address, 0), backlog=0))
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(listener.getsockname())
        yield listener.getsockname()[1]


def test_f59_the_relay_outlives_a_lack_of_descriptors(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = Event()  # the relay had no descriptor to accept with, and waits
    monkeypatch.setattr(relay, "sleep", lambda seconds: refused.set() or sleep(seconds))
    with HostileServer(once(answer(b"{}"))).running() as server, ExitStack() as stack:
        proxy = Relay(check_peer=anywhere).address_for(server.url, CallLimits(5, 10_000))
        address = "127.0.0.1", int(proxy.rpartition(":")[2])
        early, late = (stack.enter_context(socket.socket()) for _ in range(2))
        with _no_descriptor():
            early.connect(address)
            assert refused.wait(5)
        late.connect(address)
        for each in (early, late):
            each.settimeout(5)
            each.sendall(b"GET http://id.example/ HTTP/1.1\r\n\r\n")
            assert each.recv(100).startswith(b"HTTP/1.1 403")


_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
_KEPT = _OK + b"\r\nab"


@pytest.mark.parametrize(
    ("sent", "connections"),
    [
        ([_KEPT], 1),
        ([_OK + b"Connection: keep-alive\r\n\r\na", b"b"], 1),
        ([b"HTTP/1.1 100 Continue\r\n\r\n" + _KEPT], 1),
        ([_KEPT + _OK + b"\r\nno"], 2),  # an answer to the next request before it was sent
        ([_KEPT, _OK + b"\r\nno"], 2),
        ([_OK + b"Connection: close\r\n\r\nab"], 2),
        ([_OK + b"Content-Length: 2\r\n\r\nab"], 2),
        ([_OK.replace(b"2", b"+2") + b"\r\nab"], 2),
        ([_OK.replace(b"1.1", b"1.0") + b"\r\nab"], 2),
        ([_OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n"], 2),
    ],
)
def test_f59_only_an_answer_that_ends_where_it_says_keeps_its_connection(sent: list[bytes], connections: int) -> None:
    """Two requests are sent by one client; bytes of a server that nobody asked for reach neither."""

    is_sent = Event()

    def way(connection: socket.socket) -> None:
        request = b"first"
        while request:
            for part in sent:
                connection.sendall(part)
                sleep(0.05)  # parts arrive apart, which no other end can tell
            is_sent.set()
            request = connection.recv(1000)

    with HostileServer(way).running() as server, ExitStack() as stack:
        proxy = Relay(check_peer=any_peer).address_for(server.url, CallLimits(5, 10_000))
        pool = stack.enter_context(requests.Session())
        pool.proxies = {"http": proxy}
        bodies = []
        for _ in range(2):
            with suppress(requests.ConnectionError):  # of an answer without an end
                bodies.append(pool.get(f"{server.url}/x", timeout=0.5).content[:2])
            assert is_sent.wait(5)
            is_sent.clear()
        assert (len(server.received), set(bodies) - {b"ab"}) == (connections, set())


def test_a_read_is_sent_again_if_the_server_has_closed_the_connection_that_it_kept() -> None:
    with HostileServer(once(_KEPT)).running() as server, requests.Session() as pool:
        pool.proxies = {"http": Relay(check_peer=any_peer).address_for(server.url, CallLimits(5, 10_000))}
        assert [pool.get(f"{server.url}/x", timeout=5).content for _ in range(20)] == [b"ab"] * 20
        assert len(server.received) == 20


@contextmanager
def _no_descriptor() -> Iterator[None]:
    """Leave this process no free descriptor until the block ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    taken = [os.dup(0)]
    highest = max(int(each.name) for each in Path("/proc/self/fd").iterdir())
    resource.setrlimit(resource.RLIMIT_NOFILE, (highest + 1, hard))
    try:
        with suppress(OSError):
            while True:
                taken.append(os.dup(0))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        for each in taken:
            os.close(each)
