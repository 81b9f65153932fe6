"""`Idempotency-Key` on POSTs that create: a repeated request is executed once and gets the same answer twice.

Only successful answers are stored. A refused request leaves no entry, so it may be corrected and sent again with the
same key. The scope of a key is the caller (with its role and teams) and the path; another body with it is an error.

Limit: the answer is stored after the change is committed. If storing it fails, or the process dies in between, and the
answer to the client is lost too, a repeated request is executed again from two minutes later on.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Annotated, Any, Final

import structlog
from fastapi import Header
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput, PackhouseError

_log = structlog.get_logger(__name__)

Handler = Callable[[Request], Awaitable[Response]]
_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")
_KEPT_HEADERS: Final = ("location", "etag", "content-type")


async def idempotency_key(
    idempotency_key: Annotated[
        str | None,
        Header(
            description="Makes a retry safe: the same key and body within 24 hours gets the same answer.",
            max_length=255,
            json_schema_extra={"minLength": 1, "pattern": f"^{_KEY.pattern}$"},
            examples=["2f1c4f4e-6f0e-4f6e-9a0b-0f8b5f0c9d11"],
        ),
    ] = None,
) -> None:
    """Declare the header for a router of creating routes."""


class IdempotentRoute(APIRoute):
    """A route whose POSTs honour `Idempotency-Key`."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Wrap the handler: first look for a stored answer, afterwards store the new one."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            key = request.headers.get("idempotency-key")
            if request.method != "POST" or key is None:
                return await handler(request)
            return await _once(request, _checked(key), handler)

        return handle


async def _once(request: Request, key: str, handler: Handler) -> Response:
    entries = request.app.state.services.idempotency
    route = f"{request.method} {request.url.path}"
    if request.url.query:  # a dry run is another request than the write
        route += f"?{request.url.query}"
    scope = (_who(request.state.caller), route, key)
    kept = await entries.begin(*scope, hashlib.sha256(await request.body()).hexdigest())
    if kept is not None:
        return Response(kept.body, kept.status, headers={**kept.headers, "Idempotent-Replayed": "true"})
    try:
        response = await handler(request)
    except BaseException:
        with suppress(PackhouseError):  # otherwise the entry expires
            await entries.forget(*scope)
        raise
    headers = {name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers}
    try:
        await entries.finish(*scope, status=response.status_code, headers=headers, body=bytes(response.body))
    except PackhouseError as error:  # the change is made: an error would make the caller repeat it
        _log.warning("answer_not_kept", route=route, error=error.message)
    return response


def _who(caller: Caller) -> str:
    """Return the caller's name with its rights: a reused name with other teams must not get earlier answers."""
    teams = "*" if caller.visible_teams is None else ",".join(sorted(caller.visible_teams))
    return f"{caller.subject} {caller.role} {teams}"


def _checked(key: str) -> str:
    if not _KEY.fullmatch(key):
        message = "an idempotency key is 1 to 255 visible ASCII characters"
        problem = FieldProblem("header:Idempotency-Key", message, None, "a UUID is a good key")
        raise InvalidInput("the idempotency key can't be used", problems=(problem,))
    return key
