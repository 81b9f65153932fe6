"""Tokens of a REST catalog: one bounded request to the server that its owner named, and to no other (F62)."""

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.parse import parse_qs

import pytest

from engine.domain.errors import Away, InvalidInput, StateConflict
from engine.formats.iceberg.catalog.rest import tokens
from engine.formats.iceberg.connection import IcebergConnection, IcebergFormat
from engine.formats.paimon.connection import PaimonFormat
from engine.services.catalogs.locations import LocationRules
from tests.support.hostile.behaviours import Way, answer, once, silent
from tests.support.hostile.servers import HostileServer

SECRET = "s3cr3t"
CREDENTIAL = f"me:{SECRET}"


def granting(**changes: Any) -> Way:
    """Return the way of an honest token server: it grants `t0`, `t1`, …."""
    given = iter(range(1000))

    def send(connection: socket.socket) -> None:
        granted = {"access_token": f"t{next(given)}", "token_type": "bearer", "expires_in": 3600, **changes}
        connection.sendall(answer(json.dumps(granted).encode()))

    return send


@contextmanager
def catalog(*, refuses: str = "") -> Iterator[HostileServer]:
    """Run an honest catalog without namespaces; it refuses one token, except for its configuration."""

    def send(connection: socket.socket) -> None:
        request = server.received[-1].decode()
        if refuses and f"Bearer {refuses}\r\n" in request and "/v1/config" not in request:
            error = {"error": {"message": "expired", "type": "NotAuthorizedException", "code": 401}}
            return connection.sendall(answer(json.dumps(error).encode(), status="401 Unauthorized"))
        body: dict[str, object] = {"defaults": {}, "overrides": {}} if "/v1/config" in request else {"namespaces": []}
        return connection.sendall(answer(json.dumps(body).encode()))

    with HostileServer(send).running() as server:
        yield server


def test_a_catalog_without_token_and_credential_gets_no_authorization() -> None:
    with catalog() as server:
        assert IcebergFormat().connect("lake", {"type": "rest", "uri": server.url}).list_tables(1).identifiers == ()
    assert not any(b"authorization" in each.lower() for each in server.received)


def test_a_token_server_that_is_not_there_is_named_with_its_property() -> None:
    with catalog() as server:
        given = {
            "type": "rest",
            "uri": server.url,
            "credential": CREDENTIAL,
            "oauth2-server-uri": "http://127.0.0.1:9/t",
        }
        (*_, step) = IcebergFormat().connect("lake", given).check()
    assert "the token server at http://127.0.0.1:9 did not answer" in step.detail
    assert step.detail.endswith("; if that server runs, check `oauth2-server-uri`")


@pytest.fixture
def token_server() -> Iterator[HostileServer]:
    with HostileServer(granting(), waits_for=b"grant_type").running() as server:
        yield server


def connected(catalog: HostileServer, token_server: HostileServer, **properties: str) -> IcebergConnection:
    given = {"type": "rest", "uri": catalog.url, "credential": CREDENTIAL, "oauth2-server-uri": f"{token_server.url}/t"}
    return IcebergFormat().connect("lake", given | properties)


def test_f62_one_token_serves_all_requests_and_the_secret_goes_to_its_server_only(token_server: HostileServer) -> None:
    with catalog() as server:
        connection = connected(server, token_server, scope="PRINCIPAL", **{"header.X-Realm": "lake"})
        connection.list_tables(1)
        connection.list_tables(1)
        requests = [each.decode() for each in server.received]
    [asked] = [each.decode() for each in token_server.received]
    head, _, form = asked.partition("\r\n\r\n")
    assert head.startswith("POST /t HTTP/1.1\r\n")
    assert "X-Realm" not in head
    assert parse_qs(form) == {
        "grant_type": ["client_credentials"], "client_id": ["me"], "client_secret": [SECRET], "scope": ["PRINCIPAL"],
    }  # fmt: skip
    assert all("Authorization: Bearer t0\r\n" in each and SECRET not in each for each in requests)
    assert all("X-Realm: lake" in each for each in requests)


def test_f62_a_token_is_renewed_shortly_before_it_expires_and_after_a_refusal(
    token_server: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with catalog(refuses="t0") as server:
        connected(server, token_server).list_tables(1)  # refused once, then with the next token
    assert len(token_server.received) == 2
    monkeypatch.setattr(tokens, "_SHORTEST_SECONDS", 0.0)
    monkeypatch.setattr(tokens, "_EARLY_SECONDS", 3600.0)
    with catalog() as server:
        connection = connected(server, token_server)
        connection.list_tables(1)
        connection.list_tables(1)
    assert len(token_server.received) > 4


def test_f62_many_threads_ask_for_one_token(token_server: HostileServer) -> None:
    manager = tokens.CatalogTokens(
        url=token_server.url, credential=CREDENTIAL, initial_token=None, parameters={}, headers={},
        check_peer=lambda _address: None,
    )  # fmt: skip
    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(lambda _: manager.auth_header(), range(32))) == {"Bearer t0"}
    assert len(token_server.received) == 1


def test_f62_threads_that_wait_for_a_silent_token_server_share_its_one_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """One after the other they took the threads of the catalog for eight times the limit of the call."""
    monkeypatch.setattr(tokens, "TOKEN_SECONDS", 0.5)
    with HostileServer(silent).running() as server:
        manager = tokens.CatalogTokens(
            url=server.url, credential=CREDENTIAL, initial_token=None, parameters={}, headers={},
            check_peer=lambda _address: None,
        )  # fmt: skip
        with ThreadPoolExecutor(8) as threads:
            asked = [threads.submit(manager.auth_header) for _ in range(8)]
        assert {str(each.exception()) for each in asked} == {str(asked[0].exception())}
        assert isinstance(asked[0].exception(), Away)
        assert len(server.received) == 1


@pytest.mark.parametrize(
    "granted",
    [{"access_token": None}, {"access_token": "a\r\nX-Evil: b"}, {"access_token": ""}, {"access_token": {"a": 1}}],
)
def test_f62_an_answer_without_a_usable_token_is_an_error_of_the_catalog(granted: dict[str, Any]) -> None:
    with catalog() as server, HostileServer(granting(**granted), waits_for=b"grant_type").running() as liar:
        with pytest.raises(StateConflict, match=r"http://127\.0\.0\.1:\d+ gave no access_token: check `oauth2-server-"):
            connected(server, liar).list_tables(1)
        assert server.received == []


def test_f62_a_refusal_shows_the_reason_and_not_the_secret() -> None:
    said = {"error": "invalid_client", "error_description": f"no client with {SECRET}\x1b[2J"}
    refusal = once(answer(json.dumps(said).encode(), status="401 Unauthorized"))
    with (
        catalog() as server,
        HostileServer(refusal).running() as refusing,
        pytest.raises(StateConflict, match="invalid_client") as raised,
    ):
        connected(server, refusing).list_tables(1)
    assert SECRET not in raised.value.message
    assert raised.value.message.isprintable()


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (IcebergFormat, {"token": SECRET}),
        (IcebergFormat, {"credential": CREDENTIAL, "oauth2-server-uri": "http://lake.example:%d/t"}),
        (PaimonFormat, {"token": SECRET, "warehouse": "w"}),
    ],
    ids=["Iceberg", "token server", "Paimon"],
)
def test_f59_a_name_that_resolves_to_another_address_at_the_connect_is_refused(
    kind: type[IcebergFormat | PaimonFormat], given: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rebind: when the properties were checked the name had a public address, at the connect it is this machine's."""
    resolve = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *a, **k: resolve("127.0.0.1" if host == "lake.example" else host, *a, **k)
    )
    rules = LocationRules(allows_local=False)
    with HostileServer(once(answer(b"{}"))).running() as server:
        properties = {name: value.replace("%d", str(server.port)) for name, value in given.items()}
        properties |= {"type": "rest", "uri": f"http://lake.example:{server.port}"}
        connection = kind(check_peer=rules.check_peer).connect("lake", properties)
        with pytest.raises(InvalidInput, match="names a forbidden address"):
            connection.list_tables(1)
        assert server.received == []
