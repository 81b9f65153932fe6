"""Send one HTTP request and return the whole answer, within limits; nothing is followed, repeated or decompressed."""

import ssl
from base64 import b64encode
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from ipaddress import ip_address, ip_network
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from engine.outgoing.bounds import Bounded, CallLimits, CheckPeer, TooLarge, any_peer, connected
from engine.outgoing.tls import trust_bundles

_CHUNK_BYTES: Final = 64 * 1024
_USER_AGENT: Final = "packhouse"
"""Firewalls of web applications refuse requests without one, as AWS WAF's common rules do."""


class CallFailed(OSError):
    """A call has no usable answer; the text names the server and the reason."""


class NotSent(CallFailed):
    """The server could not be connected to: nothing was sent."""


class NoAnswer(CallFailed):
    """The request was sent, but no complete answer came within the limits: it may have taken effect."""


class Unacceptable(NoAnswer):
    """The answer is larger than its limit, or compressed although it was asked not to be."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer with any status. `headers`: by name in lower case; the last one of equal names."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def redirect(self) -> str | None:
        """The address that the server wants asked instead, None without a redirect."""
        return self.headers.get("location", "") if 300 <= self.status < 400 else None  # noqa: PLR2004


class _Http(Bounded, HTTPConnection):
    pass


class _Https(Bounded, HTTPSConnection):
    pass


def send(
    method: str,
    url: str,
    *,
    limits: CallLimits,
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    check_peer: CheckPeer = any_peer,
    by_proxy: bool = False,
    proxy: str | None = None,
    certificates: bytes | None = None,
    tls: ssl.SSLContext | None = None,
) -> HttpAnswer:
    """Send a request over a connection of its own.

    Args:
        method: of HTTP.
        url: `http://` or `https://`; a user and a password in it are sent as Basic authentication.
        limits: of the whole call.
        headers: in addition to those of this module.
        body: None for none.
        check_peer: raises for an address that must not be connected to; not asked about the proxy of the environment.
        by_proxy: use the proxy that the environment names for the server (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`,
            `NO_PROXY`).
        proxy: the address of the proxy to use instead; `check_peer` is asked about it.
        certificates: further certificate authorities that are trusted, in PEM.
        tls: the settings of TLS, in place of the machine's authorities and of `certificates`.

    Raises:
        NotSent: no connection.
        NoAnswer: no complete answer within the limits; `Unacceptable` for one that is too large or compressed.
        Exception: of `check_peer`; nothing was sent.
    """
    connection, path, more, server = _opened(
        url, limits, check_peer=check_peer, by_proxy=by_proxy, proxy=proxy, tls=lambda: tls or _tls(certificates)
    )
    try:
        try:
            connection.connect()
        except (OSError, ValueError) as error:
            raise NotSent(f"{server} did not answer: no connection: {_text(error)}") from error
        try:
            own = {"Accept-Encoding": "identity", "Connection": "close", "User-Agent": _USER_AGENT}
            asked = {**own, **_basic("Authorization", urlsplit(url)), **more, **(headers or {})}
            connection.request(method, path, body, asked)
            with closing(connection.getresponse()) as response:
                told = {name.lower(): value for name, value in response.headers.items()}
                return HttpAnswer(response.status, told, _body(response, limits))
        except TooLarge as error:
            raise Unacceptable(f"{server}: {error}") from error
        except (OSError, HTTPException, ValueError) as error:
            raise NoAnswer(f"{server} did not answer: {_text(error)}") from error
    finally:
        connection.close()


def origin(url: str) -> str:
    """Return scheme, host and port of an address, without anything that may be a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _opened(
    url: str,
    limits: CallLimits,
    *,
    check_peer: CheckPeer,
    by_proxy: bool,
    proxy: str | None,
    tls: Callable[[], ssl.SSLContext],
) -> tuple[Bounded, str, Mapping[str, str], str]:
    """Return a connection that is not open yet, the target of the request, headers for a proxy, and the server."""
    try:
        parts = urlsplit(url)
        host, port, scheme = parts.hostname or "", parts.port, parts.scheme
    except ValueError as error:
        raise NotSent(f"the address of a server is malformed: {error}") from None
    if scheme not in ("http", "https") or not host:
        raise NotSent("the address of a server is neither http:// nor https://")
    path = f"{parts.path or '/'}{f'?{parts.query}' if parts.query else ''}"
    through = _proxy_at(proxy, "named for the server") if proxy else _proxy_for(parts) if by_proxy else None
    first = (host, port) if through is None else (through.hostname or "", through.port or 80)
    connection: _Http | _Https = (
        _Https(*first, timeout=limits.connect_seconds, context=tls())
        if scheme == "https"
        else _Http(*first, timeout=limits.connect_seconds)
    )
    connection.limits = limits
    check = check_peer if through is None or proxy else any_peer

    def create(address: tuple[str, int], *_: Any) -> Any:
        return connected(*address, limits.connect_seconds, check)

    connection._create_connection = create  # type: ignore[union-attr] # noqa: SLF001 - as its constructor sets it
    if through is None:
        return connection, path, {}, origin(url)
    told, named = _basic("Proxy-Authorization", through), f"{origin(url)} (through the proxy {first[0]}:{first[1]})"
    if scheme == "http":
        return connection, f"{origin(url)}{path}", told, named
    connection.set_tunnel(host, port or 443, told)
    return connection, path, {}, named


def _proxy_for(parts: SplitResult) -> SplitResult | None:
    """Return the proxy that the environment names for a server, as `requests` finds it. Raises NotSent."""
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all")
    if not proxy or proxy_bypass(parts.netloc.rpartition("@")[2]) or _is_among(parts.hostname, named.get("no", "")):
        return None
    return _proxy_at(proxy, "that the environment names")


def _proxy_at(proxy: str, which: str) -> SplitResult:
    """Return the address of a proxy. Raises NotSent."""
    try:
        found = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
        is_usable = found.scheme == "http" and bool(found.hostname) and found.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise NotSent(f"the proxy {which} is not of the form http://host:port: correct it")
    return found


def _is_among(host: str | None, networks: str) -> bool:
    """Return whether an IP address is in one of the networks of a list such as that of `NO_PROXY`."""
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    for each in networks.split(","):
        with suppress(ValueError):  # a name
            if address in ip_network(each.strip(), strict=False):
                return True
    return False


def _basic(name: str, parts: SplitResult) -> dict[str, str]:
    """Return a header of Basic authentication for the user of an address; none without one."""
    user = unquote(parts.netloc.rpartition("@")[0])
    return {name: f"Basic {b64encode(user.encode()).decode()}"} if user else {}


@cache
def _tls(further: bytes | None) -> ssl.SSLContext:
    """Return the settings of TLS with further certificate authorities. Raises NotSent: they can't be read."""
    context = ssl.create_default_context()
    try:
        trust_bundles(context)
    except OSError as error:
        raise NotSent(str(error)) from error
    if further:
        try:
            context.load_verify_locations(cadata=further.decode("ascii", "ignore"))
        except OSError as error:
            raise NotSent(f"the certificates for a server can't be read: {_text(error)}") from error
    return context


def _body(response: HTTPResponse, limits: CallLimits) -> bytes:
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise TooLarge(f"its answer is compressed ({encoding[:40]}), although it was asked not to be")
    body = bytearray()
    while part := response.read(_CHUNK_BYTES):
        body += part
        if len(body) > limits.body_bytes:
            raise TooLarge(f"its answer is longer than {limits.body_bytes} bytes")
    if response.length:
        raise IncompleteRead(bytes(body), response.length)
    return bytes(body)


def _text(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0][:200] or type(error).__name__
