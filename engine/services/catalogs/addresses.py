"""Hosts that the properties of a catalog name, and whether they resolve to a refused address.

An address is read as the library that connects reads it: that of a database by SQLAlchemy (`engine.sql.addresses`), any
other only if all parsers read it alike: `scheme://host:port/path` with a plain host, and nothing encoded before the
path. Values that become a part of an address, such as a region or an account, must be names.

A host is found wherever a property can carry one: in each address of the value, in lists of servers, in the `host` and
`hostaddr` parameters of a database address, in connection strings, and without a scheme in the properties that name a
host or an endpoint.

Covered: a name is resolved when the properties are written and at most `FRESH_SECONDS` before a connection of the
catalog is used. The addresses of REST catalogs, token servers, Metastores, databases and stores are checked again at
each connection, before anything is sent, so a name that resolves differently each time (DNS rebinding) is refused too.

Not covered: S3 by Arrow's client; tasks of Spark; requests through an HTTP proxy. Restrict egress of the network for
these.
"""

import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from engine.services.catalogs.secrets import is_reference
from engine.sql.addresses import servers_of
from engine.uris.hosts import canonical_host, ip_address
from engine.uris.locations import Location, split_uri
from engine.uris.schemes import HDFS, SCHEMES

FRESH_SECONDS: Final = 30.0
_MOST_KEPT: Final = 1024

Lookup = Callable[[str], Sequence[str]]
"""Returns the addresses of a host name; empty when it can't be resolved."""

_ADDRESS: Final = re.compile(
    r"(?:(?P<scheme>[A-Za-z][A-Za-z0-9+.-]{0,30})://)?(?:[A-Za-z0-9._~!$&'()*+=:%-]*@)?"
    r"(?P<host>\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::[0-9]{0,5})?(?:[/?].*)?"
)
_SCHEME: Final = re.compile(r"[\s\x00-\x20]*([A-Za-z][A-Za-z0-9+.-]{0,30}):(?=[/\\])")
_BETWEEN: Final = re.compile(r",\s*(?=[A-Za-z][A-Za-z0-9+.-]{0,30}:[/\\])")
_DATABASE: Final = re.compile(r"(?:postgres(?:ql)?|mysql|mariadb)(?:\+\w+)?:", re.IGNORECASE)
_HOST_NAMES: Final = (".host", ".endpoint", "-host", "-authority", ".proxy-uri", ".uri")
_HOST_PROPERTIES: Final = frozenset({"uri", "oauth2-server-uri"})
_CONNECTION_STRING: Final = "connection-string"
_SECRETS: Final = ("credential", "token", "secret", "password", "key")
"""Suffixes of the names of properties with a secret: random text, in which `id:/…` is not an address."""
_NAMES: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(
        (
            "s3.region",
            "client.region",
            "client.assume-role.region",
            "glue.region",
            "rest.region",
            "rest.signing-region",
        ),
        re.compile(r"[A-Za-z0-9-]{1,64}"),
    ),
    **dict.fromkeys(
        ("adls.account-name", "adls.auth.shared-key.account.name", "accountname"), re.compile(r"[a-z0-9]{1,24}")
    ),
    **dict.fromkeys(("gcs.project-id", "gcs.user-project"), re.compile(r"[A-Za-z0-9.:-]{1,100}")),
    "adls.tenant-id": re.compile(r"[A-Za-z0-9.-]{1,253}"),
    **dict.fromkeys(
        ("adls.blob-storage-scheme", "adls.dfs-storage-scheme", "defaultendpointsprotocol"), re.compile(r"https?")
    ),
    "hdfs.port": re.compile(r"[0-9]{1,5}"),
    "endpointsuffix": re.compile(r"[A-Za-z0-9.-]{1,253}"),
}
"""Properties, and parts of connection strings, that become a part of an address, with what they may be."""


def problem_of_name(name: str, value: str) -> str | None:
    """Return why a value that becomes a part of an address is not a name; None if it is one, or of another property."""
    if name.lower().endswith(_CONNECTION_STRING):
        found = (problem_of_name(key, inner) for key, inner in _parts(value) if key in _NAMES)
        return next((problem for problem in found if problem is not None), None)
    pattern = _NAMES.get(name.lower())
    if pattern is None or not value or is_reference(value) or pattern.fullmatch(value):
        return None
    return "it is not a name: it becomes a part of an address, so it has letters, digits and hyphens only"


def hosts_of(name: str, value: str) -> Sequence[str]:
    """Return the hosts in the value of a property, without ports. A local socket is returned as its path.

    Raises:
        ValueError: it is an address that libraries may read differently; the message is for the user, without a value.
    """
    if is_reference(value) or name.lower().endswith(_SECRETS):
        return []
    if name.lower().endswith(_CONNECTION_STRING):
        ends = ("endpoint", "server", "host")
        return [host for key, inner in _parts(value) if key.endswith(ends) for host in hosts_of("uri", inner)]
    if _DATABASE.match(value.strip()):
        servers = servers_of(value)
        return [host for each in servers for host in (each.host, each.address) if host]
    found = list[str]()
    for part in _BETWEEN.split(value.strip()):
        if _SCHEME.match(part) is not None or _names_host(name):
            found += _host_of(part)
    return found


def _host_of(text: str) -> Sequence[str]:
    scheme, authority, _ = split_uri(text)
    if scheme in SCHEMES:  # a location
        found = Location.of(text)
        if found is None:
            raise ValueError("it is not a plain location, such as s3://bucket/folder")
        server = (authority or "").rpartition("@")[2]
        is_server = found.scheme == HDFS or "@" in (authority or "")
        return [re.sub(r":[0-9]*$", "", server).strip("[]")] if server and is_server else []
    bare = text.removeprefix("//")
    if ip_address(bare) is not None and bare.count(":") > 1:
        return [bare]
    matched = _ADDRESS.fullmatch(bare)
    host = "" if matched is None else matched["host"].removeprefix(".")
    if matched is None or (_SCHEME.match(bare) and matched["scheme"] is None) or canonical_host(host) is None:
        raise ValueError(
            "libraries may read this address differently: write scheme://host:port/path with a host of ASCII letters, "
            "digits, '.' and '-', or an IPv6 address in brackets"
        )
    return [host.strip("[]")]


def _parts(value: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of a connection string: names in lower case, and values."""
    for part in value.split(";"):
        key, _, inner = part.partition("=")
        yield key.strip().lower(), inner.strip()


class HostNames:
    """Resolves host names and caches the addresses for `FRESH_SECONDS`."""

    def __init__(self, *, lookup: Lookup | None = None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._lookup = lookup or look_up
        self._monotonic = monotonic
        self._kept: dict[str, tuple[float, Sequence[str]]] = {}

    def resolved(self, properties: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield each property with each address that a host in it resolves to. Blocks: call in a thread."""
        for name, value in properties.items():
            for host in hosts_of(name, value):
                for address in self._addresses(host):
                    yield name, address

    def _addresses(self, host: str) -> Sequence[str]:
        now = self._monotonic()
        found = self._kept.get(host)
        if found is None or now - found[0] > FRESH_SECONDS:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = self._kept[host] = (now, self._lookup(host))
        return found[1]


def look_up(host: str) -> Sequence[str]:
    """Return all addresses of a host; empty when it can't be resolved, which the connection will report."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return ()
    return sorted({str(address[0]) for *_, address in found})


def _names_host(name: str) -> bool:
    return name.lower() in _HOST_PROPERTIES or name.lower().endswith(_HOST_NAMES)
