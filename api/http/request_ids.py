"""The outermost middleware: request ids, one log line per request, and no exception beyond this point."""

import re
import secrets
import time
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.errors import answer

HEADER: Final = "X-Request-Id"
_ACCEPTABLE: Final = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_CHATTY: Final = ("/internal/", "/healthz", "/readyz", "/metrics")
_log = structlog.get_logger(__name__)


class RequestIds:
    """Uses the caller's `X-Request-Id` if valid, otherwise a new one; adds it to the log and to the answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get(HEADER, "")
        request_id = given if _ACCEPTABLE.fullmatch(given) else f"req_{secrets.token_hex(8)}"
        scope.setdefault("state", {})["request_id"] = request_id
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            await self._serve(scope, receive, send, request_id)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, request_id: str) -> None:
        started = time.monotonic()
        status = 0

        async def tagged(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[HEADER] = request_id
            await send(message)

        try:
            await self._app(scope, receive, tagged)
        except Exception as error:
            if status:  # the answer has begun: only the connection can be aborted
                raise
            await answer(Request(scope), error)(scope, receive, tagged)
        finally:
            seconds = round(time.monotonic() - started, 4)
            log = _log.debug if scope["path"].startswith(_CHATTY) else _log.info
            log("request", method=scope["method"], path=scope["path"], status=status, seconds=seconds)
