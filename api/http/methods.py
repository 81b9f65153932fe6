"""HEAD and OPTIONS for every path, from the methods that its routes declare.

`HEAD` is served as `GET` without its body, so its headers are those of `GET`, `Content-Length` included. `OPTIONS` is
answered 204 with `Allow`; under `/v1` it needs a key like every other method.
"""

from typing import Final

from fastapi import FastAPI
from fastapi.routing import iter_route_contexts
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

ACCEPT_PATCH: Final = "application/merge-patch+json, application/json"
EVENTS: Final = "/v1/signals/events"
"""The path whose senders, such as Azure's Event Grid, first ask whether they may send (CloudEvents' web hooks 1.0)."""
_WAS_HEAD: Final = "is_head"


def allowed_methods(app: FastAPI, path: str) -> frozenset[str]:
    """Return the methods of every route with this path, and those that follow from them; empty for an unknown path.

    Where a route has the very path, such as `/v1/runs/preview`, those with a parameter in its place do not count.
    """
    matching = [route for route in iter_route_contexts(app.routes) if route.path_regex.match(path)]
    routes = [route for route in matching if route.path_format == path] or matching
    declared = {method for route in routes for method in route.methods or ()}
    if not declared:
        return frozenset()
    return frozenset(declared | {"OPTIONS"} | ({"HEAD"} if "GET" in declared else set()))


def allow_header(methods: frozenset[str]) -> str:
    """Return the value of the `Allow` header."""
    return ", ".join(sorted(methods))


def is_head(scope: Scope) -> bool:
    """Return whether the request was sent as HEAD."""
    return bool(scope.get("state", {}).get(_WAS_HEAD))


class Heads:
    """Serve HEAD as GET, and send the headers only. Outside of all layers that work on bodies."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            is_body = message["type"] == "http.response.body"
            await send({**message, "body": b""} if is_body else message)

        scope["method"] = "GET"  # in place: the router notes the route in the same scope, for metrics
        scope.setdefault("state", {})[_WAS_HEAD] = True
        try:
            await self._app(scope, receive, without_body)
        finally:
            scope["method"] = "HEAD"


class Options:
    """Answer OPTIONS with the methods of the path. Inside of authentication; unknown paths are left to the router."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        is_asked = scope["type"] == "http" and scope["method"] == "OPTIONS"
        methods = allowed_methods(scope["app"], scope["path"]) if is_asked else frozenset()
        if not methods:
            await self._app(scope, receive, send)
            return
        headers = {"Allow": allow_header(methods)}
        if scope["path"] == EVENTS and (origin := Headers(scope=scope).get("webhook-request-origin")):
            headers |= {"WebHook-Allowed-Origin": origin, "WebHook-Allowed-Rate": "*"}
        if "PATCH" in methods:
            headers["Accept-Patch"] = ACCEPT_PATCH
        await Response(status_code=204, headers=headers)(scope, receive, send)
