"""Authentication: paths under `/v1` need `Authorization: Bearer …`, checked before the body is read.

`/v1/sign-in` needs none: it tells a browser which credentials there are.

`/metrics` accepts an API key or token, and shows less without one. An invalid credential is refused there too.

The credential is an API key (`pkh_…`) or, where an identity provider is configured, one of its tokens. The caller is
stored in the request's state; handlers get it through `api.deps`. Tasks have a listener of their own (`api.task_app`).

A client address with many failures gets 429 until the minute ends, before its credential is looked up or verified.
Credentials that were recently valid pass even then, since several clients may share an address.
"""

import ipaddress
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.errors import EdgeProblem, answer
from api.http.rate_limits import too_many
from engine.domain.access.callers import Caller
from engine.domain.errors import PackhouseError, Unauthenticated
from engine.queue.rate_limits import Kind

PROTECTED: Final = "/v1"
SIGN_IN: Final = "/v1/sign-in"
OPTIONAL: Final = "/metrics"
_SUBSCRIBER_BITS: Final = 64


class Authentication:
    """Maps the bearer credential to a caller, or answers 401, 403 (a token without a role) or 429."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http":
            try:
                if needs_credential(scope["path"]) or _is_offered(scope):
                    scope["state"]["caller"] = await _caller_of(scope)
            except (PackhouseError, EdgeProblem) as error:
                await answer(Request(scope), error)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def bearer_of(headers: Headers) -> str:
    """Return the bearer credential of a request, or raise `Unauthenticated`."""
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise Unauthenticated("no key: send 'Authorization: Bearer pkh_…' with an API key of this installation")
    return credential.strip()


def subscriber_of(address: str) -> str:
    """Return the key under which failures of a client address are counted: an IPv4 address, or the /64 of an IPv6 one.

    One IPv6 subscriber has 2⁶⁴ addresses, so a count for each of them would limit nothing.
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "unknown"
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((int(parsed), _SUBSCRIBER_BITS), strict=False))


def needs_credential(path: str) -> bool:
    """Return whether a path needs the credential of a caller."""
    return _is_below(PROTECTED, path) and path != SIGN_IN


def _is_below(prefix: str, path: str) -> bool:
    return f"{path}/".startswith(f"{prefix}/")


def _is_offered(scope: Scope) -> bool:
    """Return whether a request has a credential on a path that needs none."""
    return scope["path"] == OPTIONAL and "authorization" in Headers(scope=scope)


async def _caller_of(scope: Scope) -> Caller:
    services = scope["app"].state.services
    credential = bearer_of(Headers(scope=scope))
    address = subscriber_of(scope["client"][0] if scope.get("client") else "")
    standing = services.rate_limits.look(Kind.FAILED_AUTHENTICATIONS, address)
    if not standing.is_allowed and not services.access.is_known(credential):
        raise too_many(f"{address} has failed to authenticate {standing.limit} times in this minute", standing)
    try:
        caller: Caller = await services.access.authenticate(credential, request_id=scope["state"].get("request_id"))
    except Unauthenticated:
        services.rate_limits.hit(Kind.FAILED_AUTHENTICATIONS, address)
        raise
    return caller
