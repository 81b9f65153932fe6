"""REST catalogs with an authority and a client certificate of their own, and calls through the deployment's proxy."""

import gc
import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from engine.domain.errors import Away, InvalidInput, StateConflict
from engine.formats.iceberg.catalog.file_access import own_properties
from engine.formats.iceberg.catalog.rest.tls import CLIENT, CLIENT_KEY, TRUSTED
from engine.formats.iceberg.connection import IcebergConnection, IcebergFormat
from engine.outgoing.bounds import CallLimits, anywhere
from engine.outgoing.relay import Relay
from tests.support.hive.certificates import Authority
from tests.support.hostile.behaviours import answer, once
from tests.support.hostile.servers import HostileServer

OURS, OTHER = Authority("ours"), Authority("other")
BOTH = OURS.client()
CERTIFICATE, KEY = BOTH[: BOTH.index("-----BEGIN PRIVATE")], BOTH[BOTH.index("-----BEGIN PRIVATE") :]
SECURED = {TRUSTED: OURS.pem, CLIENT: CERTIFICATE, CLIENT_KEY: KEY}
CUT = f"(refused the TLS connection .*(certificate required|unknown ca)|ended the conn|EOF occ|reset by).*`{CLIENT}`"
"""In TLS 1.3 a request that was sent before the refusal arrives can lose it."""
GRANT = {"access_token": "granted", "token_type": "bearer", "expires_in": 3600}


@contextmanager
def catalog(
    folder: Path, valid_for: timedelta = timedelta(days=1), *, is_plain: bool = False
) -> Iterator[HostileServer]:
    """Run a catalog without namespaces that gives tokens, to clients with a certificate of our authority."""

    def send(connection: socket.socket) -> None:
        asked = server.received[-1]
        if asked.startswith(b"POST") and b"grant_type" not in asked:
            connection.recv(1000)
        config = {"defaults": {}, "overrides": {}} if b"/v1/config" in asked else {"namespaces": []}
        connection.sendall(answer(json.dumps(GRANT if asked.startswith(b"POST") else config).encode()))

    tls = None if is_plain else OURS.context(folder, valid_for, asks_clients=True)
    with HostileServer(send, tls=tls).running() as server:
        yield server


def connect(server: HostileServer, host: str = "localhost", **properties: str) -> IcebergConnection:
    url = f"https://{host}:{server.port}"
    tokens = {"oauth2-server-uri": f"{url}/tokens"} if properties.get("credential") else {}
    given = {"type": "rest", "uri": url, **SECURED, **tokens, **properties}
    return IcebergFormat().connect("lake", {name: value for name, value in given.items() if value})


@pytest.mark.parametrize("given", [{}, {CLIENT: BOTH, CLIENT_KEY: ""}])
def test_the_catalog_and_its_token_server_are_reached(tmp_path: Path, given: dict[str, str]) -> None:
    with catalog(tmp_path) as server:
        assert connect(server, credential="me:secret", **given).list_tables(1).identifiers == ()
        assert {each.split()[0] for each in server.received} == {b"POST", b"GET"}
        assert b"Bearer granted" in server.received[-1]


def test_no_store_gets_certificates_or_keys() -> None:
    assert own_properties({"type": "rest", **SECURED, "s3.region": "eu"}) == {"s3.region": "eu"}


@pytest.mark.parametrize("credential", ["", "me:secret"])
@pytest.mark.parametrize(
    ("changed", "host", "words"),
    [
        ({TRUSTED: OTHER.pem}, "localhost", f"not of a trusted authority .*; give .* as `{TRUSTED}`"),
        ({TRUSTED: ""}, "localhost", f"not of a trusted authority .*`{TRUSTED}`"),
        ({}, "127.0.0.1", r"for another name .*; write the host in `uri` or `oauth2-server-uri` as it is"),
        ({CLIENT: "", CLIENT_KEY: ""}, "localhost", CUT),
        (
            {CLIENT: OTHER.client(), CLIENT_KEY: ""},
            "localhost",
            CUT,
        ),
    ],
)
def test_a_refusal_of_tls_has_a_sentence_of_its_own(
    tmp_path: Path, changed: dict[str, str], host: str, words: str, credential: str
) -> None:
    with catalog(tmp_path) as server:
        connection = connect(server, host, credential=credential, **changed)
        with pytest.raises((StateConflict, Away) if words == CUT else StateConflict, match=words):
            connection.list_tables(1)
        *_, last = connection.check()
        assert (last.name, last.ok, server.received) == ("open_catalog", False, [])


def test_an_expired_certificate_and_a_server_without_tls_are_named(tmp_path: Path) -> None:
    for server_of, words in (
        (catalog(tmp_path, timedelta(days=-1)), r"not valid now .*; renew"),
        (catalog(tmp_path, is_plain=True), r"not answer with TLS .*`uri`"),
    ):
        with server_of as server:
            server.waits_for = b"" if server.tls is None else server.waits_for
            with pytest.raises(StateConflict, match=words):
                connect(server).list_tables(1)


def test_a_catalog_of_a_new_certificate_is_reached_again(tmp_path: Path) -> None:
    """Each value of the properties has its own settings of TLS, so that a renewed certificate is used at once."""
    with catalog(tmp_path) as server:
        for changed, is_ok in (
            ({TRUSTED: OTHER.pem}, False),
            ({}, True),
            ({CLIENT: OURS.client(), CLIENT_KEY: ""}, True),
        ):
            assert connect(server, **changed).check()[1].ok is is_ok


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({TRUSTED: OURS.pem.replace("M", "?")}, f"`{TRUSTED}` has no certificates in PEM"),
        ({CLIENT: OURS.client(), CLIENT_KEY: KEY}, None),
        ({CLIENT: OTHER.pem, CLIENT_KEY: KEY}, f"`{CLIENT}` has no certificate with its private key .*`{CLIENT_KEY}`"),
        ({CLIENT_KEY: ""}, f"`{CLIENT}` has no certificate with its private key"),
        ({CLIENT: OURS.client("hidden"), CLIENT_KEY: ""}, "without a password"),
    ],
)
def test_a_text_that_can_not_be_used_is_named(tmp_path: Path, changed: dict[str, str], words: str | None) -> None:
    with catalog(tmp_path) as server:
        step = connect(server, **changed).check()[1]
        assert step.ok is (words is None), step.detail
        if words is not None:
            with pytest.raises(StateConflict, match=words):
                connect(server, **changed).list_tables(1)


@pytest.mark.parametrize(
    ("properties", "wrong"),
    [
        ({"uri": "http://lake", TRUSTED: "file:/x", CLIENT: "env:X"}, [TRUSTED, CLIENT]),
        ({CLIENT_KEY: "file:/x"}, [CLIENT]),
        ({TRUSTED: "/etc/ca.pem", CLIENT: "client.pem", CLIENT_KEY: CERTIFICATE}, [TRUSTED, CLIENT, CLIENT_KEY]),
        ({"type": "sql", "uri": "sqlite:///x", TRUSTED: "file:/x"}, [TRUSTED]),
    ],
)
def test_each_wrong_property_is_named(properties: dict[str, str], wrong: list[str]) -> None:
    with pytest.raises(InvalidInput) as raised:
        IcebergFormat().validate({"type": "rest", "uri": "https://lake", **properties})
    assert [each.pointer for each in raised.value.problems] == [f"/properties/{name}" for name in wrong]
    assert all(each.hint and each.value is None for each in raised.value.problems)


@pytest.fixture
def _proxies(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("no_proxy", "http_proxy", "https_proxy", "all_proxy", "NO_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield
    gc.collect()  # early releases of Python 3.11 leave the answer of a proxy open


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.usefixtures("_proxies")
def test_calls_and_tokens_go_through_the_proxy_unless_it_is_excluded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The certificates are those of the server behind the tunnel."""
    with catalog(tmp_path) as server, HostileServer(once(answer(b"", status="407 Proxy"))).running() as wall:
        origin = f"https://localhost:{server.port}"
        monkeypatch.setenv("HTTPS_PROXY", Relay(check_peer=anywhere).address_for(origin, CallLimits(5, 10_000)))
        connect(server, credential="me:secret").list_tables(1)
        assert len(server.received) == 3
        monkeypatch.setenv("HTTPS_PROXY", wall.url)
        for credential in ("", "me:x"):
            with pytest.raises(Away, match=rf"\(through the proxy 127\.0\.0\.1:{wall.port}\).*407"):
                connect(server, credential=credential).list_tables(1)
        assert [each.split()[:2] for each in wall.received] == [[b"CONNECT", origin[8:].encode()]] * 2
        monkeypatch.setenv("NO_PROXY", "localhost")
        connect(server, credential="me:secret").list_tables(1)


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
@pytest.mark.usefixtures("_proxies")
@pytest.mark.parametrize("credential", ["", "me:secret"])
def test_a_proxy_that_cuts_is_an_outage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, credential: str) -> None:
    with catalog(tmp_path) as server, HostileServer(lambda connection: connection.close()).running() as cut:
        monkeypatch.setenv("HTTPS_PROXY", cut.url)
        with pytest.raises(Away, match=rf"https://localhost:{server.port} \(through the proxy"):
            connect(server, credential=credential).list_tables(1)
