"""Hosts that the properties of a catalog name, and whether they resolve to a refused address.

A host is found wherever a property can carry one: in each address of the value, in lists of servers, in the `host` and
`hostaddr` parameters of a database address, in connection strings, and without a scheme in the properties that name a
host or an endpoint.

Covered: a name is resolved when the properties are written and at most `FRESH_SECONDS` before a connection of the
catalog is used; the address of a REST catalog's server is checked again on the open connection, before anything is sent
(`formats.intake.connections`), so a name that resolves differently each time (DNS rebinding) is refused too.

Not covered: a name that changes its address between the check and the connect of a database driver or of an
object store (their libraries resolve names themselves); REST requests that go through an HTTP proxy. Restrict egress of
the network for these.
"""

import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import parse_qsl, unquote

FRESH_SECONDS: Final = 30.0
_MOST_KEPT: Final = 1024

Lookup = Callable[[str], Sequence[str]]
"""Returns the addresses of a host name; empty when it can't be resolved."""

_AUTHORITY: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://([^/?#\\]*)")
_BETWEEN: Final = re.compile(r",\s*(?=[A-Za-z][A-Za-z0-9+.-]{0,30}://)")
_HOST_NAMES: Final = (".host", ".endpoint", "-host", "-authority", ".proxy-uri", ".uri")
_HOST_PROPERTIES: Final = frozenset({"uri", "oauth2-server-uri"})
_HOST_PARAMETERS: Final = frozenset({"host", "hostaddr"})
_BUCKETS: Final = frozenset({"s3", "s3a", "s3n", "gs", "gcs", "oss", "cosn", "obs"})


def hosts_of(name: str, value: str) -> Iterator[str]:
    """Yield the hosts in the value of a property, without ports. A local socket is yielded as its path."""
    if ";" in value and "=" in value:  # a connection string
        for part in value.split(";"):
            key, _, inner = part.partition("=")
            is_host = key.strip().lower().endswith(("endpoint", "server", "host"))
            yield from hosts_of("uri" if is_host else "", inner.strip())
        return
    for part in _BETWEEN.split(value.strip()):
        match = _AUTHORITY.match(part)
        if match is not None and part.partition(":")[0].lower() not in _BUCKETS:
            yield from _hosts(match[1])
        elif match is None and "://" not in part and _names_host(name):
            yield from _hosts(re.split(r"[/?#\\]", part.removeprefix("//"), maxsplit=1)[0])
        query = part.partition("?")[2].partition("#")[0]
        for key, given in parse_qsl(query):
            if key.lower() in _HOST_PARAMETERS:
                yield from _hosts(given)


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


def _hosts(authority: str) -> Iterator[str]:
    """Yield the hosts of an authority, which may list several servers."""
    for server in authority.rpartition("@")[2].split(","):
        text = unquote(server.strip())
        bare = text if text.count(":") > 1 and "]" not in text else re.sub(r":\d*$", "", text)
        if host := bare.strip("[]"):
            yield host
