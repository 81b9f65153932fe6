"""Addresses of databases, read by the library that connects: SQLAlchemy and its drivers, and nothing else.

`postgresql://u:pa/ss@127.0.0.1/db` is a server on this machine for SQLAlchemy, and a host `u` for parsers of URIs. Only
known parameters are passed on: others (`conninfo`, `dsn`, `service`) name a server in another place.
"""

import socket
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, Final, NamedTuple

from sqlalchemy import URL, Engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from engine.outgoing.bounds import CheckPeer

SQLITE: Final = "sqlite"
POSTGRESQL: Final = "postgresql"
MYSQL: Final = ("mysql", "mariadb")
"""Names of one kind of database, which is reached by PyMySQL."""

_PARAMETERS: Final = frozenset(
    {
        *("host", "hostaddr", "port", "dbname", "user", "password", "connect_timeout", "client_encoding", "options"),
        *("application_name", "fallback_application_name", "keepalives", "keepalives_idle", "keepalives_interval"),
        *("keepalives_count", "tcp_user_timeout", "target_session_attrs", "load_balance_hosts", "gssencmode"),
        *("sslmode", "sslnegotiation", "sslcompression", "sslcert", "sslkey", "sslpassword", "sslcertmode"),
        *(
            "sslrootcert",
            "sslcrl",
            "sslcrldir",
            "sslsni",
            "ssl_min_protocol_version",
            "ssl_max_protocol_version",
            "channel_binding",
        ),
        *("krbsrvname", "gsslib", "gssdelegation", "requirepeer", "require_auth"),
    }
)
"""Parameters of libpq that lead to no other server than `host` and `hostaddr` name.

Source: section 32.1.2 of PostgreSQL 17's manual, without `service`, `passfile` and `replication`.
"""


_OF_MYSQL: Final = frozenset({"charset", "ssl_ca", "ssl_cert", "ssl_key", "ssl_check_hostname", "ssl_verify_cert"})
"""Parameters of PyMySQL that lead to no other server, and read no other file than certificates."""


class DatabaseServer(NamedTuple):
    """A server of a database: `host` is a name, an address or the folder of a socket; `address` is used if given."""

    host: str
    address: str
    port: str


def servers_of(uri: str) -> Sequence[DatabaseServer]:
    """Return the servers that a connection may go to; none for a file, or for the default socket of this machine.

    Raises:
        ValueError: it is not an address of a database, or has a parameter that is not known; no value is repeated.
    """
    url = _parsed(uri)
    return [_mysql_server(url)] if url.get_backend_name() in MYSQL else list(_servers(_parameters(url)))


def with_options(uri: str, options: Mapping[str, Mapping[str, str]]) -> str:
    """Return an address with options of its kind of database (`SQLITE`, `POSTGRESQL`), unless it has them already.

    Postgres is reached by psycopg and MySQL by PyMySQL, also where the address names another driver: their answers can
    be limited.

    Raises:
        ValueError: as `servers_of`.
    """
    url = _parsed(uri)
    missing = {k: value for k, value in options.get(url.get_backend_name(), {}).items() if k not in url.query}
    if url.get_backend_name() == POSTGRESQL:
        url = url.set(drivername=f"{POSTGRESQL}+psycopg")
    if url.get_backend_name() in MYSQL:
        _mysql_server(url)
        url = url.set(drivername=f"{MYSQL[0]}+pymysql")
    return url.update_query_dict(missing).render_as_string(hide_password=False)


def check_servers(engine: Engine, check: CheckPeer) -> None:
    """Resolve and check the servers immediately before each connection, and connect to these addresses only.

    A name that resolves to another address at every question (DNS rebinding) reaches nothing. The error of `check` is
    raised by the call that connects. TLS still verifies the name.
    """
    if engine.dialect.name == POSTGRESQL:
        event.listen(engine, "do_connect", partial(_pin, check))


def _pin(check: CheckPeer, dialect: Any, _record: Any, _arguments: Any, parameters: dict[str, Any]) -> None:
    pinned = list[DatabaseServer]()
    try:  # the dialect adds `context`, its adapters of types
        servers = list(_servers({name: value for name, value in parameters.items() if name != "context"}))
    except ValueError as error:
        raise dialect.loaded_dbapi.ProgrammingError(str(error)) from error
    for server in servers:
        if server.host.startswith("/") and not server.address:
            check("localhost")
            pinned.append(server)
            continue
        try:
            addresses = [server.address] if server.address else _resolved(server.host)
        except (OSError, UnicodeError) as error:
            message = f"could not translate host name {server.host[:200]!r} to address"
            raise dialect.loaded_dbapi.OperationalError(message) from error
        for address in addresses:
            check(address)
        pinned += (server._replace(address=address) for address in addresses)
    if not pinned:
        check("localhost")
    elif any(each.address for each in pinned):
        parameters["host"] = ",".join(each.host for each in pinned)
        parameters["hostaddr"] = ",".join(each.address for each in pinned)
        if any(each.port for each in pinned):
            parameters["port"] = ",".join(each.port for each in pinned)


def _resolved(host: str) -> Sequence[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _parsed(uri: str) -> URL:
    try:
        return make_url(uri)
    except (ArgumentError, ValueError) as error:
        raise ValueError("it is not an address of a database that SQLAlchemy reads") from error


def _mysql_server(url: URL) -> DatabaseServer:
    """Return the server of an address of MySQL. Raises ValueError as `servers_of`."""
    if unknown := sorted(url.query.keys() - _OF_MYSQL):
        raise ValueError(f"it has a parameter that is not known and may name another server: {', '.join(unknown)[:80]}")
    if not url.host or not url.host.isprintable():
        raise ValueError("it names no host: write mysql://host:3306/database")
    return DatabaseServer(url.host, "", str(url.port or ""))


def _parameters(url: URL) -> Mapping[str, Any]:
    """Return what the driver would be called with. Raises ValueError as `servers_of`."""
    if url.get_backend_name() != POSTGRESQL:
        return {}
    try:
        _, found = url.get_dialect()().create_connect_args(url)
    except (ArgumentError, NoSuchModuleError, ImportError, TypeError, ValueError) as error:
        raise ValueError("it is not an address of a database that SQLAlchemy reads") from error
    return dict(found)


def _servers(parameters: Mapping[str, Any]) -> Iterator[DatabaseServer]:
    """Yield the servers that libpq takes from parameters. Raises ValueError as `servers_of`."""
    if unknown := sorted(name for name in parameters if name not in _PARAMETERS):
        raise ValueError(f"it has a parameter that is not known and may name another server: {', '.join(unknown)[:80]}")
    texts = [str(parameters.get(name) or "") for name in ("host", "hostaddr", "port")]
    if not all(map(str.isprintable, texts)) or any(isinstance(value, tuple) for value in parameters.values()):
        raise ValueError("its host has control characters, or a parameter is given twice")
    hosts, addresses, ports = (text.split(",") for text in texts)
    if not texts[0] and not texts[1]:
        return
    ports = ports * max(len(hosts), len(addresses)) if len(ports) == 1 else ports
    for host, address, port in zip_longest(hosts, addresses, ports, fillvalue=""):
        if host or address:
            yield DatabaseServer(host, address, port)
