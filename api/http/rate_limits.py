"""Limits on the reads and writes of each caller per minute, shown in `RateLimit` headers and refused with 429.

The headers are those of draft-ietf-httpapi-ratelimit-headers-10. Failed authentications are limited for each client
address in `auth`.
"""

from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import EdgeProblem, answer
from engine.queue.rate_limits import WINDOW_SECONDS, Kind, RateLimits, Standing

_READING: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class RequestRates:
    """Counts authenticated requests; placed inside of `auth`, which determines the caller."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        caller = scope.get("state", {}).get("caller") if scope["type"] == "http" else None
        if caller is None:
            await self._app(scope, receive, send)
            return
        limits: RateLimits = scope["app"].state.services.rate_limits
        standing = limits.hit(Kind.READS if scope["method"] in _READING else Kind.WRITES, caller.subject)
        headers = headers_of(standing)
        if not standing.is_allowed:
            detail = f"{caller.subject} has sent its {standing.limit} {standing.kind} of this minute"
            await answer(Request(scope), too_many(detail, standing))(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        await self._app(scope, receive, with_headers)


def too_many(detail: str, standing: Standing) -> EdgeProblem:
    """Return the 429 for a reached limit, with the time to retry."""
    headers = headers_of(standing) | {"Retry-After": str(standing.reset_seconds)}
    return EdgeProblem("rate_limited", f"{detail}; the next begins in {standing.reset_seconds} s", headers=headers)


def headers_of(standing: Standing) -> dict[str, str]:
    """Return the headers with a caller's limit and remaining requests."""
    return {
        "RateLimit-Policy": f'"{standing.kind}";q={standing.limit};w={WINDOW_SECONDS}',
        "RateLimit": f'"{standing.kind}";r={standing.remaining};t={standing.reset_seconds}',
    }
