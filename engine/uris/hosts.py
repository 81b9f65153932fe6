"""The canonical form of host names and addresses."""

import ipaddress
import re
import socket
from typing import Final

IPAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAME: Final = re.compile(r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*")
_LONGEST: Final = 253
_NAT64: Final = ipaddress.IPv6Network("64:ff9b::/96")
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")


def canonical_host(host: str) -> str | None:
    """Return the canonical form of a host: lower case, without a trailing dot, addresses in their shortest notation.

    IPv6 addresses are in brackets, before and after. None for a text that is not a host of ASCII letters, such as one
    that is percent-encoded or has a zone; an internationalized name is written as `xn--…`.
    """
    if host.startswith("[") and host.endswith("]"):
        try:
            address = ipaddress.IPv6Address(host[1:-1])
        except ValueError:
            return None
        if address.scope_id is not None:
            return None
        return str(address.ipv4_mapped) if address.ipv4_mapped else f"[{address}]"
    name = host.lower().removesuffix(".")
    if not host.isascii() or len(name) > _LONGEST or _NAME.fullmatch(name) is None:
        return None
    found = ip_address(name)
    return name if found is None else str(found)


def canonical_server(server: str, *, without: str) -> str | None:
    """Return the canonical form of a host with a port; None for a text that is none.

    Args:
        server: `host` or `host:port`, with IPv6 addresses in brackets.
        without: the port that is left out.
    """
    match = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]+)(?::([0-9]{0,5}))?", server)
    host = None if match is None else canonical_host(match[1])
    if match is None or host is None:
        return None
    port = (match[2] or "").lstrip("0")
    return host if port in ("", without) else f"{host}:{port}"


def inner_address(address: IPAddress) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that a network translates an address of IPv6 to, or that a deprecated form holds."""
    if isinstance(address, ipaddress.IPv4Address):
        return None
    found = address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1]
    if found is None and (address in _NAT64 or (address in _COMPATIBLE and int(address) > 1)):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return found


def ip_address(name: str) -> IPAddress | None:
    """Return the address that a text without brackets is, in any notation that resolvers accept; None for a name."""
    try:
        return ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.IPv4Address(socket.inet_aton(name))  # also 2130706433, 0x7f.1 and 0177.0.0.1
    except (OSError, UnicodeError, ValueError):
        return None
