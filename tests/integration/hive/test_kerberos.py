"""Metastores that ask for Kerberos, with a KDC of MIT: each failure has a sentence of its own."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hive_metastore.ttypes import HiveObjectPrivilege, HiveObjectRef, PrivilegeBag, PrivilegeGrantInfo

from engine.domain.errors import Away, InvalidInput, PackhouseError, StateConflict
from engine.formats.hive import HiveFormat
from engine.formats.hive.connection import HiveConnection
from engine.formats.intake.catalogs.metastores import sockets
from engine.formats.intake.catalogs.metastores.kerberos import KERBEROS_ENABLED
from engine.formats.intake.catalogs.metastores.properties import KERBEROS_SERVICE, UGI
from engine.formats.intake.catalogs.metastores.sessions import servers_of
from engine.formats.intake.catalogs.metastores.tls import SSL_ENABLED, SSL_TRUST
from tests.support.hive.certificates import PASSWORD, Authority
from tests.support.hive.metastore import Metastore, open_metastore
from tests.support.hive.stated_metastore import StatedMetastore, stated_table
from tests.support.hostile.behaviours import once
from tests.support.hostile.servers import HostileServer
from tests.support.kdc import REALM, Kdc, free_port, running_kdc

KERBEROS = {KERBEROS_ENABLED: "true"}
REFUSED = r"refused the authentication by Kerberos \(GSS initiate failed\); compare the clocks"


@dataclass
class Realm:
    """A KDC, the keytab of a client, and a Metastore that asks for tickets and grants."""

    kdc: Kdc
    keytab: str
    security: dict[str, str]
    metastore: Metastore


@pytest.fixture(scope="module")
def kdc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kdc]:
    with running_kdc(tmp_path_factory.mktemp("kdc")) as kdc:
        yield kdc


@pytest.fixture(scope="module")
def realm(kdc: Kdc, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Realm]:
    security = {"principal": f"hive/localhost@{REALM}", "keytab": kdc.keytab("hive/localhost")}
    security |= {"krb5_conf": kdc.config, "protection": "privacy"}
    with open_metastore(tmp_path_factory.mktemp("secured"), {**security, "authorization": "grants"}) as metastore:
        yield Realm(kdc, kdc.keytab("packhouse"), security, metastore)


@pytest.fixture(autouse=True)
def _environment(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KRB5_CONFIG", realm.kdc.config)
    monkeypatch.setenv("KRB5_CLIENT_KTNAME", realm.keytab)
    monkeypatch.setenv("KRB5CCNAME", f"FILE:{tmp_path}/tickets")


@pytest.mark.parametrize(
    ("release", "protection"),
    [("2", "authentication"), ("4", "integrity"), pytest.param("3", "privacy", marks=pytest.mark.deep)],
)
def test_a_metastore_is_reached_with_each_protection_and_by_tls(
    release: str, protection: str, realm: Realm, tmp_path: Path
) -> None:
    authority = Authority("ours")
    tls = {"keystore": authority.keystore(tmp_path / "key"), "password": PASSWORD}
    with open_metastore(tmp_path, realm.security | tls | {"release": release, "protection": protection}) as metastore:
        by_tls = {**KERBEROS, SSL_ENABLED: "true", SSL_TRUST: authority.pem}
        assert all(step.ok for step in _connect(metastore.port, by_tls).check())


def test_long_requests_and_answers_are_encrypted_too(realm: Realm, tmp_path: Path) -> None:
    """Requests are sent in frames of at most 64 KiB, which a server of Java states."""
    wide = stated_table(f"file:{tmp_path}/wide", keys=(), columns=5000)
    wide.tableName = "wide"
    with _servers(realm).session() as client:
        client.grant_privileges(_may("packhouse", "default", "ALL"))
        wide.dbName = "default"
        client.create_table(wide)
        assert len(client.get_table("default", "wide").sd.cols) == 5000
        client.drop_table("default", "wide", False)
        client.revoke_privileges(_may("packhouse", "default", "ALL"))


def test_a_missing_right_is_named(realm: Realm, tmp_path: Path) -> None:
    table = stated_table(f"file:{tmp_path}/events")
    table.dbName = "default"
    with _servers(realm).session() as client:
        client.grant_privileges(_may("packhouse", "default", "CREATE"))
        client.create_table(table)
    *_, step = _connect(realm.metastore.port).check()
    assert (step.name, step.ok) == ("read_table", False)
    assert "No privilege 'Select' found for inputs" in step.detail
    assert step.detail.endswith("; grant the catalog's user this right in the Metastore")


def test_missing_tickets_and_unknown_names_are_named(realm: Realm, monkeypatch: pytest.MonkeyPatch) -> None:
    _refused(realm, r"the KDC does not know the service \(Server other/localhost.*; write the host", service="other")
    monkeypatch.setenv("KRB5CCNAME", "MEMORY:empty")
    monkeypatch.setenv("KRB5_CLIENT_KTNAME", "/missing")
    _refused(realm, "there is no ticket .*; set KRB5_CLIENT_KTNAME to a keytab, or KRB5CCNAME")
    monkeypatch.setenv("KRB5_CONFIG", "/dev/null")
    _refused(realm, "there is no ticket")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (["delprinc -force {}"], "does not know the principal of the keytab .*; create it"),
        (["cpw -randkey {}"], "another key than the keytab .*; export the keytab again"),
        (
            ["modprinc +requires_preauth {}", "cpw -randkey {}"],
            "refuses the key of the keytab .*; export",
        ),
    ],
)
def test_an_old_keytab_is_named(realm: Realm, changes: list[str], words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"old-{len(words)}"
    monkeypatch.setenv("KRB5_CLIENT_KTNAME", realm.kdc.keytab(name))
    for each in changes:
        realm.kdc.administer(each.format(name))
    _refused(realm, words)


def test_an_expired_ticket_and_differing_clocks_are_named(
    realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tickets = f"FILE:{tmp_path}/tickets"
    with realm.kdc.with_other_clock("-3h") as other:
        other.run("faketime", "-f", "-3h", "kinit", "-k", "-t", realm.keytab, "-c", tickets, "packhouse")
        monkeypatch.delenv("KRB5_CLIENT_KTNAME")
        _refused(realm, "the ticket has expired .*; renew it, or set KRB5_CLIENT_KTNAME to a keytab")
        monkeypatch.setenv("KRB5_CLIENT_KTNAME", realm.keytab)
        monkeypatch.setenv("KRB5CCNAME", f"{tickets}-of-other")
        monkeypatch.setenv("KRB5_CONFIG", other.config)
        _refused(realm, REFUSED)  # the client takes the time of its KDC; the Metastore does not
        exact = Path(other.config).read_text().replace("[libdefaults]", "[libdefaults]\n kdc_timesync = 0")
        (tmp_path / "exact.conf").write_text(exact)
        monkeypatch.setenv("KRB5_CONFIG", str(tmp_path / "exact.conf"))
        monkeypatch.setenv("KRB5CCNAME", f"{tickets}-exact")
        _refused(realm, "the clocks differ .*; correct the clock of this machine, of the KDC or of the Metastore")


def test_a_kdc_that_is_away_is_a_wait(realm: Realm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(realm.kdc.config).read_text().replace(f":{realm.kdc.port}", f":{free_port()}")
    (tmp_path / "dead.conf").write_text(text)
    monkeypatch.setenv("KRB5_CONFIG", str(tmp_path / "dead.conf"))
    _refused(realm, r"no KDC answers \(Cannot contact any KDC for realm", Away)


def test_kerberos_on_one_side_only_is_named(realm: Realm, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Away, match=f"if it requires Kerberos, set `{KERBEROS_ENABLED}` to true"):
        _connect(realm.metastore.port, {}).ping()
    monkeypatch.setattr(sockets, "CONNECT_SECONDS", 0.5)
    with StatedMetastore().running() as server, pytest.raises(Away, match="in the handshake of SASL"):
        _connect(server.port).ping()


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (b"\2\0\1\0\1", "does not answer with SASL"),
        (b"\x15\3\1\0\2\2\x50", "requires TLS"),
        (b"HTTP/1.1 400 Bad Request", "does not answer with SASL"),
        (b"\2\0\0\0\2no", "Kerberos for hive@localhost at"),
        (b"\5\0\0\0\0", "ended the authentication too early"),
        (b"\4\0\0\0\4none", r"refused the authentication by Kerberos \(none\)"),
    ],
)
def test_f59_a_server_that_is_no_metastore_is_left_in_time(answers: bytes, words: str) -> None:
    with HostileServer(once(answers), waits_for=b"GSSAPI").running() as server:
        with pytest.raises(StateConflict, match=words):
            _connect(server.port).ping()
        assert all(b"get_all_databases" not in each for each in server.received)


def test_a_stated_user_and_a_wrong_service_are_refused() -> None:
    wrong = {**KERBEROS, UGI: "etl", KERBEROS_SERVICE: "hive/lake"}
    with pytest.raises(InvalidInput) as raised:
        HiveFormat().validate({"type": "metastore", "uri": "thrift://lake:9083", **wrong})
    assert [each.pointer for each in raised.value.problems] == [f"/properties/{UGI}", f"/properties/{KERBEROS_SERVICE}"]


def _refused(realm: Realm, words: str, kind: type[PackhouseError] = StateConflict, service: str = "hive") -> None:
    connection = _connect(realm.metastore.port, {**KERBEROS, KERBEROS_SERVICE: service})
    with pytest.raises(kind, match=words):
        connection.ping()
    [step] = connection.check()
    assert not step.ok


def _connect(port: int, access: dict[str, str] = KERBEROS) -> HiveConnection:
    return HiveFormat(pause=0).connect("lake", {"type": "metastore", "uri": f"thrift://localhost:{port}", **access})


def _servers(realm: Realm):
    return servers_of({"uri": f"thrift://localhost:{realm.metastore.port}", **KERBEROS})


def _may(user: str, database: str, right: str) -> PrivilegeBag:
    grant = PrivilegeGrantInfo(right, 0, "admin", 1, False)
    return PrivilegeBag([HiveObjectPrivilege(HiveObjectRef(1, database, None, None, None), user, 1, grant)])
