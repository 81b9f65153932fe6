"""CloudEvents in binary mode: attributes in headers `ce-…`, the data as the body, as the HTTP binding 1.0 has it."""

import json
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import unquote

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.types import Message

from api.http.bodies import parse_json

_PREFIX: Final = "ce-"
_MARK: Final = "ce-specversion"


class EventRoute(APIRoute):
    """A route whose events can be sent in binary mode: its handler gets them as in structured mode."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        """Wrap the handler."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Any:
            return await handler(await _structured(request) if _MARK in request.headers else request)

        return handle


async def _structured(request: Request) -> Request:
    """Return the request with the event that headers and body make up; the body is within the limits of all bodies."""
    body = await request.body()
    event = {
        name.removeprefix(_PREFIX): unquote(value)
        for name, value in request.headers.items()
        if name.startswith(_PREFIX)
    }
    text = json.dumps(event | ({"data": parse_json(body)} if body else {})).encode()

    async def receive() -> Message:
        return {"type": "http.request", "body": text, "more_body": False}

    return Request(request.scope, receive)
