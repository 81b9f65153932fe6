"""A span for each request, as a child of the caller's span if it sent a `traceparent`."""

from typing import Final

from fastapi.telemetry import TelemetryConfig
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.http.metrics import METHODS, template_of
from engine.tracing import spans

NO_TELEMETRY: Final[TelemetryConfig] = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""For each app: FastAPI's own telemetry would export the texts and stacks of errors, which may contain secrets."""

_LEFT_OUT: Final = ("/healthz", "/readyz", "/metrics", "/console")


class RequestTraces:
    """Begins the span of a request, so that its log lines and what it submits belong to it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] != "http" or scope["path"].startswith(_LEFT_OUT):
            await self._app(scope, receive, send)
            return
        status = 0

        async def watched(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        method = scope["method"] if scope["method"] in METHODS else "other"
        with spans.request(method, Headers(scope=scope).get("traceparent")) as span:
            await self._app(scope, receive, watched)
            span.answer(template_of(scope), status)
