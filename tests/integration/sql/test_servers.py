"""F46: the servers of databases are checked when drivers connect, and drivers connect to the checked address only."""

import socket
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from typing import Any

import pytest
from pyiceberg.catalog.sql import SqlCatalog

from engine.domain.errors import InvalidInput, PackhouseError
from engine.formats.iceberg.catalog.catalogs import load
from engine.formats.iceberg.connection import IcebergFormat
from engine.formats.paimon.catalog.database import CatalogDatabase
from engine.outgoing.bounds import CheckPeer
from engine.services.catalogs.locations import ANYWHERE, LocationRules
from engine.sql.addresses import DatabaseServer, servers_of, with_options

PRODUCTION = LocationRules(allows_local=False)
NAME = "catalog.invalid"


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    """A server that accepts connections, and closes each at once."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        yield server


def was_reached(listener: socket.socket) -> bool:
    """Return whether a connection was made."""
    try:
        connection, _ = listener.accept()
    except BlockingIOError:
        return False
    connection.close()
    return True


def open_iceberg(uri: str, check: CheckPeer) -> Any:
    """Open a SQL catalog of Iceberg."""
    return load("lake", {"type": "sql", "uri": uri}, check_peer=check)


def open_paimon(uri: str, check: CheckPeer) -> Any:
    """Ask a JDBC catalog of Paimon."""
    return CatalogDatabase({"uri": uri}, check_peer=check).databases()


@pytest.fixture
def rebound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a name, which resolved to an allowed address when it was checked, resolve to this machine."""
    real = socket.getaddrinfo

    def resolve(host: Any, *args: Any, **options: Any) -> Any:
        return real("127.0.0.1" if host == NAME else host, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@pytest.mark.usefixtures("rebound")
@pytest.mark.parametrize("connect", [open_iceberg, open_paimon])
def test_f46_a_name_that_resolves_to_this_machine_at_the_connect_is_refused(
    listener: socket.socket, connect: Callable[[str, CheckPeer], Any]
) -> None:
    uri = f"postgresql+psycopg://u:p@{NAME}:{listener.getsockname()[1]}/lake?connect_timeout=2"
    with pytest.raises(InvalidInput, match="names a forbidden address"):
        connect(uri, PRODUCTION.check_peer)
    assert not was_reached(listener)


@pytest.mark.usefixtures("rebound")
@pytest.mark.parametrize("connect", [open_iceberg, open_paimon])
def test_f46_the_driver_connects_to_the_checked_address(
    listener: socket.socket, connect: Callable[[str, CheckPeer], Any]
) -> None:
    """Its own question for the name would have another answer: there is no such name."""
    listener.setblocking(True)
    listener.settimeout(5)
    checked = list[str]()
    uri = f"postgresql+psycopg://u:p@{NAME}:{listener.getsockname()[1]}/lake?connect_timeout=1"
    with suppress(PackhouseError, Exception):
        connect(uri, checked.append)
    assert was_reached(listener)
    assert checked[0] == "127.0.0.1"


@pytest.mark.usefixtures("rebound")
def test_f46_a_name_that_resolves_to_this_machine_at_the_connect_is_refused_by_mysql_too(
    listener: socket.socket,
) -> None:
    uri = f"mysql://u:p@{NAME}:{listener.getsockname()[1]}/lake"
    with pytest.raises(InvalidInput, match="names a forbidden address"):
        open_paimon(uri, PRODUCTION.check_peer)
    assert not was_reached(listener)


@pytest.mark.parametrize("uri", ["postgresql:///lake", "postgresql:///lake?host=/run/postgresql"])
def test_f46_a_socket_of_this_machine_is_refused_at_the_connect(uri: str) -> None:
    with pytest.raises(InvalidInput, match="names a forbidden address"):
        open_paimon(uri, PRODUCTION.check_peer)


@pytest.mark.parametrize("connect", [open_iceberg, open_paimon])
def test_f46_a_parameter_that_may_name_another_server_is_refused_at_the_connect(
    listener: socket.socket, connect: Callable[[str, CheckPeer], Any]
) -> None:
    """`conninfo` is an argument of psycopg with parameters of its own."""
    port = listener.getsockname()[1]
    uri = f"postgresql+psycopg://u:p@192.0.2.1:{port}/lake?conninfo=hostaddr%3D127.0.0.1"
    with pytest.raises(Exception, match="not known"):
        connect(uri, ANYWHERE.check_peer)
    assert not was_reached(listener)


def test_f46_a_real_database_is_reached_where_it_is_allowed(postgres_url: str) -> None:
    with pytest.raises(PackhouseError, match="has no Paimon catalog"):
        open_paimon(postgres_url.replace("+psycopg", ""), ANYWHERE.check_peer)


@pytest.mark.parametrize("driver", ["postgresql", "postgresql+psycopg", "postgresql+psycopg2"])
def test_f62_answers_are_limited_whatever_driver_an_address_names(postgres_url: str, driver: str) -> None:
    """PyIceberg's documentation names psycopg2 in its addresses."""
    with closing(SqlCatalog("lake", uri=postgres_url, warehouse="file:/lake")) as catalog:
        catalog.create_namespace("sales")
    uri = postgres_url.replace("postgresql+psycopg", driver)
    with closing(IcebergFormat().connect("lake", {"type": "sql", "uri": uri})) as connection:
        assert not connection.list_tables(1).identifiers


def test_f46_options_are_added_to_the_address_that_the_driver_reads() -> None:
    """A `?` in a password is none before a query for SQLAlchemy."""
    changed = with_options(
        "postgresql://u:p?a@db.example/lake?sslmode=require", {"postgresql": {"connect_timeout": "5"}}
    )
    assert servers_of(changed) == [DatabaseServer("db.example", "", "")]
    assert changed == "postgresql+psycopg://u:p%3Fa@db.example/lake?connect_timeout=5&sslmode=require"
    assert (
        with_options("sqlite:////srv/x.db?timeout=1", {"sqlite": {"timeout": "5"}}) == "sqlite:////srv/x.db?timeout=1"
    )
