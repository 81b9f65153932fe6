"""Metastores that must know, or prove, who asks them."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hive_metastore.ttypes import Database

from engine.domain.errors import Away, InvalidInput, StateConflict
from engine.formats.hive import HiveFormat
from engine.formats.hive.connection import HiveConnection
from engine.formats.intake.catalogs.metastores import sockets
from engine.formats.intake.catalogs.metastores.properties import KERBEROS_SERVICE
from engine.formats.intake.catalogs.metastores.sessions import servers_of
from engine.formats.intake.catalogs.metastores.tls import SSL_ENABLED, SSL_KEY, SSL_PASSWORD, SSL_TRUST
from tests.support.hive.certificates import PASSWORD, Authority
from tests.support.hive.lakes import HiveLake
from tests.support.hive.metastore import Metastore, open_metastore
from tests.support.hive.stated_metastore import StatedMetastore
from tests.support.hostile.behaviours import silent
from tests.support.hostile.servers import HostileServer

OURS, OTHER = Authority("ours"), Authority("other")
TLS = {SSL_ENABLED: "true", SSL_TRUST: OURS.pem, SSL_KEY: OURS.client("secret"), SSL_PASSWORD: "secret"}


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """A Metastore that speaks TLS with clients that have a certificate of our authority."""
    folder = tmp_path_factory.mktemp("tls")
    stores = {"keystore": OURS.keystore(folder / "key"), "truststore": OURS.truststore(folder / "trust")}
    with open_metastore(folder, {**stores, "password": PASSWORD}) as opened:
        yield opened


@pytest.mark.parametrize(
    ("ugi", "user"), [({}, []), ({"ugi": "etl"}, [("etl", [])]), ({"ugi": "etl:a,b"}, [("etl", ["a", "b"])])]
)
def test_calls_are_made_for_the_stated_user(ugi: dict[str, str], user: list[tuple[str, list[str]]]) -> None:
    with StatedMetastore().running() as server:
        _connect(server.port, ugi, "127.0.0.1").ping()
    assert server.users == user


def test_a_call_that_release_4_lacks_is_sent_once(other_lake: HiveLake) -> None:
    """And the later call is made for the stated user, who owns the database that it makes."""
    other_lake.create_table()
    servers = servers_of({"uri": other_lake.metastore.uri, "ugi": "etl"})
    for _ in range(2):
        with servers.session() as client:
            assert client.get_table("lake", "events").tableName == "events"
    with servers.session() as client:
        client.create_database(Database("owned", "", f"file:{other_lake.root}/owned", {}))
        owner = client.get_database("owned").ownerName
        client.drop_database("owned", True, True)
        is_of_3 = client.getVersion().startswith("3")
    assert (owner, servers.unknown) == ((None, set()) if is_of_3 else ("etl", {"get_table"}))


def test_a_metastore_is_reached_by_tls(tls: Metastore) -> None:
    assert all(step.ok for step in _connect(tls.port, TLS).check())
    _connect(tls.port, {**TLS, SSL_KEY: OURS.client(), SSL_PASSWORD: ""}).ping()


@pytest.mark.parametrize(
    ("changed", "host", "words"),
    [
        (
            {SSL_TRUST: OTHER.pem},
            "localhost",
            f"not of a trusted authority.*; give .* as `{SSL_TRUST}`",
        ),
        ({SSL_TRUST: ""}, "localhost", "not of a trusted authority"),
        ({}, "127.0.0.1", r"for another name .*not valid for '127\.0\.0\.1'\); write the host in `uri` as it is"),
        ({SSL_KEY: "", SSL_PASSWORD: ""}, "localhost", f"refused the TLS connection .*bad certificate.*`{SSL_KEY}`"),
        ({SSL_KEY: OTHER.client()}, "localhost", "refused the TLS connection .*certificate unknown"),
        ({SSL_PASSWORD: "wrong"}, "localhost", f"`{SSL_KEY}` has no certificate with its key"),
        ({SSL_PASSWORD: ""}, "localhost", f"`{SSL_KEY}` has no certificate with its key"),
        ({SSL_TRUST: OURS.pem.replace("M", "?")}, "localhost", f"`{SSL_TRUST}` has no certificates in PEM"),
        (dict.fromkeys(TLS, ""), "localhost", f"requires TLS; set `{SSL_ENABLED}` to true"),
    ],
)
def test_a_refusal_of_tls_has_a_sentence_of_its_own(
    tls: Metastore, changed: dict[str, str], host: str, words: str
) -> None:
    [step] = _connect(tls.port, {**TLS, **changed}, host).check()
    assert not step.ok
    with pytest.raises(StateConflict, match=words):
        _connect(tls.port, {**TLS, **changed}, host).ping()


def test_an_expired_certificate_is_named(tmp_path: Path) -> None:
    context = OURS.context(tmp_path, valid_for=timedelta(days=-1))
    with HostileServer(silent, tls=context).running() as server, pytest.raises(StateConflict, match="not valid now"):
        _connect(server.port, TLS).ping()


def test_tls_to_a_metastore_without_it_ends_in_time(metastore: Metastore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "CONNECT_SECONDS", 0.5)
    with pytest.raises(Away, match="ended the handshake of TLS, or did not finish it in"):
        _connect(metastore.port, TLS).ping()


@pytest.mark.parametrize(
    ("properties", "wrong"),
    [
        ({SSL_ENABLED: "yes"}, [SSL_ENABLED]),
        ({SSL_TRUST: OURS.pem, SSL_KEY: "file:/x"}, [SSL_TRUST, SSL_KEY]),
        ({KERBEROS_SERVICE: "hive"}, [KERBEROS_SERVICE]),
        ({**TLS, SSL_TRUST: "/etc/ca.pem", SSL_KEY: OURS.pem}, [SSL_TRUST, SSL_KEY]),
    ],
)
def test_each_wrong_property_of_access_is_named(properties: dict[str, str], wrong: list[str]) -> None:
    with pytest.raises(InvalidInput) as raised:
        HiveFormat().validate({"type": "metastore", "uri": "thrift://lake:9083", **properties})
    assert [problem.pointer for problem in raised.value.problems] == [f"/properties/{name}" for name in wrong]


def _connect(port: int, access: dict[str, str], host: str = "localhost") -> HiveConnection:
    properties = {"type": "metastore", "uri": f"thrift://{host}:{port}", **access}
    return HiveFormat(pause=0).connect("lake", {name: value for name, value in properties.items() if value})
