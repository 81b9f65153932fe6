"""What a request body may be: JSON, at most 1 MiB counted as it arrives, at most 32 levels deep.

The depth is found by a scan of the bytes before anything parses them: a parser would spend memory, or its stack, first.
"""

import re
from typing import Final

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.errors import EdgeProblem, answer

MAX_BODY_BYTES: Final = 2**20
MAX_DEPTH: Final = 32
_TOKENS: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_JSON: Final = re.compile(r"application/([a-z0-9.-]+\+)?json", re.IGNORECASE)


class BodyLimits:
    """Reads the body once, judges it, and hands it on in one piece."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["method"] in {"GET", "HEAD", "OPTIONS"}:
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            body = await _read(headers, receive)
            if body:
                _check_media_type(headers)
                check_depth(body)
        except EdgeProblem as error:
            await answer(Request(scope), error)(scope, receive, send)
            return
        await self._app(scope, _replay(body, receive), send)


def check_depth(body: bytes) -> None:
    """Raise `EdgeProblem` when JSON is nested deeper than 32 levels."""
    depth = 0
    for match in _TOKENS.finditer(body):
        match match[0]:
            case b"[" | b"{":
                depth += 1
                if depth > MAX_DEPTH:
                    raise EdgeProblem("unreadable", f"the body is nested deeper than {MAX_DEPTH} levels")
            case b"]" | b"}":
                depth -= 1
            case _:
                pass


async def _read(headers: Headers, receive: Receive) -> bytes:
    too_large = EdgeProblem(
        "body_too_large", f"a body has at most {MAX_BODY_BYTES} bytes", headers={"Connection": "close"}
    )
    declared = headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared) > MAX_BODY_BYTES:
        raise too_large
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise EdgeProblem("unreadable", "the body ended before its time")
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise too_large
        if not message.get("more_body", False):
            return bytes(body)


def _check_media_type(headers: Headers) -> None:
    media_type = headers.get("content-type", "").split(";")[0].strip()
    if not _JSON.fullmatch(media_type):
        raise EdgeProblem(
            "unsupported_media_type", f"the body is {media_type or 'of no stated type'}, not application/json"
        )


def _replay(body: bytes, receive: Receive) -> Receive:
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return pending.pop() if pending else await receive()

    return replayed
