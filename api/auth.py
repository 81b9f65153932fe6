"""Who calls: every path under `/v1` needs `Authorization: Bearer …`, judged before the body is read.

The credential is an API key (`pkh_…`) or, where an identity provider is configured, one of its tokens. The caller is
put into the request's state; handlers take it from there through `api.deps`. A client address with many failures gets
429 for a while without being looked up; keys that lately proved good pass even then, since addresses are shared.
"""

from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.errors import EdgeProblem, answer
from api.rate_limits import too_many
from engine.domain.access import Caller
from engine.domain.errors import PackhouseError, Unauthenticated
from engine.queue.rate_limits import Kind

PROTECTED: Final = "/v1"


class Authentication:
    """Turns the bearer credential into a caller, or answers 401, 403 (a token without a role) or 429."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and (scope["path"] + "/").startswith(f"{PROTECTED}/"):
            try:
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


async def _caller_of(scope: Scope) -> Caller:
    services = scope["app"].state.services
    credential = bearer_of(Headers(scope=scope))
    address = scope["client"][0] if scope.get("client") else "unknown"
    standing = services.rate_limits.look(Kind.FAILED_AUTHENTICATIONS, address)
    if not standing.is_allowed and not services.access.is_known(credential):
        raise too_many(f"{address} has failed to authenticate {standing.limit} times in this minute", standing)
    try:
        caller: Caller = await services.access.authenticate(credential, request_id=scope["state"].get("request_id"))
    except Unauthenticated:
        services.rate_limits.hit(Kind.FAILED_AUTHENTICATIONS, address)
        raise
    return caller
