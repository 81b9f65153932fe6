"""The application of the listener for Spark tasks: `/internal` only, with the tokens of running attempts.

It has a port of its own (`PACKHOUSE_TASKS_PORT`): executors need not reach the public API, nor its callers this.
"""

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http import errors
from api.http.answer_headers import AnswerHeaders
from api.http.auth import bearer_of
from api.http.bodies import BodyLimits
from api.http.metrics import Metrics, RequestMetrics
from api.http.request_ids import RequestIds
from api.http.request_traces import NO_TELEMETRY
from api.routes.runs import pace
from engine.domain.errors import PackhouseError
from engine.factory.services import Services

MAX_BODY_BYTES = 16 * 2**10


class TaskAuthentication:
    """Reads the token of a task before the body of the request, or answers 401."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        if scope["type"] == "http":
            services: Services = scope["app"].state.services
            try:
                token = services.pace_tokens.read(bearer_of(Headers(scope=scope)))
                await services.renewals.admit(token)
            except PackhouseError as error:
                await errors.answer(Request(scope), error)(scope, receive, send)
                return
            scope["state"]["task_token"] = token
        await self._app(scope, receive, send)


def create_task_app(services: Services, metrics: Metrics) -> FastAPI:
    """Return the application over open services; its requests are counted in the metrics of the public one."""
    app = FastAPI(title="Packhouse: tasks", openapi_url=None, redirect_slashes=False, telemetry=NO_TELEMETRY)
    app.state.services = services
    app.add_middleware(BodyLimits, most_bytes=MAX_BODY_BYTES)  # the last one added is the outermost
    app.add_middleware(TaskAuthentication)
    app.add_middleware(RequestMetrics, metrics=metrics)
    app.add_middleware(RequestIds)
    app.add_middleware(AnswerHeaders)
    errors.register(app)
    app.include_router(pace.router)
    return app
