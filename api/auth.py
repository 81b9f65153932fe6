"""Who calls: every path under `/v1` needs `Authorization: Bearer pkh_…`, judged before the body is read.

The caller is put into the request's state; handlers take it from there through `api.deps`.
"""

from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.errors import answer
from engine.domain.errors import PackhouseError, Unauthenticated

PROTECTED: Final = "/v1"


class Authentication:
    """Turns the bearer key into a caller, or answers 401."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http" and (scope["path"] + "/").startswith(f"{PROTECTED}/"):
            try:
                secret = bearer_of(Headers(scope=scope))
                scope["state"]["caller"] = await scope["app"].state.services.access.authenticate(secret)
            except PackhouseError as error:
                await answer(Request(scope), error)(scope, receive, send)
                return
        await self._app(scope, receive, send)


def bearer_of(headers: Headers) -> str:
    """Return the bearer credential of a request, or raise `Unauthenticated`."""
    scheme, _, credential = headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise Unauthenticated("no key: send 'Authorization: Bearer pkh_…' with an API key of this installation")
    return credential.strip()
