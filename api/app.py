"""The HTTP application: routes, error answers and the layers around them. Nothing is opened before the lifespan."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute

from api import errors
from api.answer_headers import AnswerHeaders
from api.auth import Authentication
from api.deps import Services
from api.limits import BodyLimits
from api.metrics import Metrics, RequestMetrics
from api.openapi import describe
from api.pagination import PageTokens
from api.rate_limits import RequestRates
from api.request_ids import RequestIds
from api.routes import (
    audit,
    catalogs,
    docs,
    explain,
    fleet,
    formats,
    freezes,
    health,
    keys,
    limits,
    pace,
    pauses,
    policies,
    presets,
    problems,
    runs,
    scoped_policies,
    signals,
    tables,
    whoami,
)
from api.streaming import StreamSlots
from api.validation import refuse_unknown_parameters

_KNOWN_PARAMETERS: Final = [Depends(refuse_unknown_parameters)]

TAGS: Final[list[dict[str, Any]]] = [
    {"name": "catalogs", "description": "Connections through which tables are reached."},
    {"name": "tables", "description": "Registered tables and what can be said of them."},
    {"name": "policies", "description": "What is wished for a table, and what holds."},
    {"name": "formats", "description": "What can be done to tables of each format."},
    {"name": "runs", "description": "Executions of operations on tables."},
    {"name": "signals", "description": "What other systems tell, and what writers may ask."},
    {"name": "fleet", "description": "What holds for all tables together."},
    {"name": "access", "description": "API keys, the caller, and what was changed by whom."},
    {"name": "operations", "description": "State and figures of the process."},
]


def create_app(open_services: Callable[[], AbstractAsyncContextManager[Services]]) -> FastAPI:
    """Return the application; `open_services` is entered when it starts and left when it stops."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_services() as services:
            app.state.services = services
            app.state.page_tokens = PageTokens(secret_key=services.secret_key)
            yield

    app = FastAPI(
        title="Packhouse",
        summary="The compaction control plane for a lakehouse.",
        description="Times are RFC 3339 in UTC, sizes are bytes, rates are per second. Errors are RFC 9457 problems.",
        version=version("packhouse-server"),
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_tags=TAGS,
        lifespan=lifespan,
        redirect_slashes=False,
        openapi_url=None,  # served by `api.routes.docs`
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_handler_name,
    )
    app.state.metrics = Metrics()
    app.state.stream_slots = StreamSlots()
    for layer in (BodyLimits, RequestRates, Authentication):  # the last one added is the outermost
        app.add_middleware(layer)
    app.add_middleware(RequestMetrics, metrics=app.state.metrics)
    app.add_middleware(RequestIds)
    app.add_middleware(AnswerHeaders)
    errors.register(app)
    _include(app)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    return app


def _include(app: FastAPI) -> None:
    for module in (catalogs, tables, signals, scoped_policies, runs):
        app.include_router(module.creating, dependencies=_KNOWN_PARAMETERS)
        app.include_router(module.router, dependencies=_KNOWN_PARAMETERS)
    for module in (
        explain,
        fleet,
        policies,
        presets,
        formats,
        keys,
        audit,
        whoami,
        pauses,
        freezes,
        limits,
        docs,
        health,
        pace,
        problems,
    ):
        app.include_router(module.router, dependencies=_KNOWN_PARAMETERS)


def _handler_name(route: APIRoute) -> str:
    return route.name
