"""The HTTP application: routes, error answers and the layers around them. Nothing is opened before the lifespan."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute

from api.console.files import Console
from api.http import errors
from api.http.answer_headers import AnswerHeaders
from api.http.auth import Authentication
from api.http.bodies import BodyLimits
from api.http.methods import Heads, Options
from api.http.metrics import Metrics, RequestMetrics
from api.http.process_figures import ProcessFigures
from api.http.rate_limits import RequestRates
from api.http.representations import Compression, ConditionalReads
from api.http.request_ids import RequestIds
from api.http.request_traces import NO_TELEMETRY, RequestTraces
from api.http.streaming import StreamSlots
from api.listing.pagination import PageTokens
from api.openapi.description import describe
from api.problems.validation import refuse_unknown_parameters
from api.routes import console, docs, problems
from api.routes.access import audit, keys, sign_in, whoami
from api.routes.catalogs import catalog, discoveries, formats
from api.routes.fleet import endpoints, figures, health, history, limits, pauses, system, webhooks, windows
from api.routes.policies import of_tables, presets, previews, scoped
from api.routes.runs import deletions, operations, run
from api.routes.tables import events, explanation, freezes, partitions, reports, signals, table
from engine.factory.services import Services

_KNOWN_PARAMETERS: Final = [Depends(refuse_unknown_parameters)]

DESCRIPTION: Final = """Times are RFC 3339 in UTC, sizes are bytes, rates are per second. Errors are RFC 9457 problems.

Every `GET` can be sent as `HEAD`, and every path answers `OPTIONS` with its methods in `Allow`. Reads have an `ETag`;
sent back as `If-None-Match` it gets 304 while the answer would be the same. Answers are compressed with gzip for
callers that accept it, except event streams and answers with a new secret."""

INNER_LAYERS: Final = (Options, BodyLimits, RequestRates, Authentication, ConditionalReads, Compression, Heads)
OUTER_LAYERS: Final = (RequestIds, RequestTraces, AnswerHeaders)

TAGS: Final[list[dict[str, Any]]] = [
    {"name": "catalogs", "description": "Connections to catalogs of tables, and what teams may do with them."},
    {"name": "tables", "description": "Registered tables: health, plans, explanations, history."},
    {"name": "policies", "description": "Settings of tables and wider scopes, and the settings that result."},
    {"name": "formats", "description": "Operations, and which of them and which settings each table format supports."},
    {"name": "runs", "description": "Executions of operations on tables."},
    {"name": "deletions", "description": "Announced, present and past deletions of files and history."},
    {"name": "signals", "description": "Commits, query latency and back-pressure that other systems report."},
    {"name": "fleet", "description": "Sums, ranking, limits and pauses over all tables."},
    {"name": "webhooks", "description": "Receivers of events: failed runs, frozen tables, outages and others."},
    {"name": "access", "description": "API keys, the caller, and the audit log of changes."},
    {"name": "operations", "description": "State of the process, of the system and its dependencies, and metrics."},
]


def create_app(
    open_services: Callable[[], AbstractAsyncContextManager[Services]],
    *,
    console_dir: Path | None = None,
    process: ProcessFigures | None = None,
) -> FastAPI:
    """Return the application; `open_services` is entered at its start and exited at its stop.

    `console_dir` has the built files of the web console; None: the usual places. `process` has the figures of the
    process; None: those of an api.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_services() as services:
            app.state.services = services
            app.state.page_tokens = PageTokens(secret_keys=services.secret_keys)
            yield

    app = FastAPI(
        title="Packhouse",
        summary="The compaction control plane for a lakehouse.",
        description=DESCRIPTION,
        version=version("packhouse-server"),
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        contact={"name": "Packhouse"},
        openapi_tags=TAGS,
        lifespan=lifespan,
        redirect_slashes=False,
        openapi_url=None,  # served by `api.routes.docs`
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=_handler_name,
        telemetry=NO_TELEMETRY,
    )
    app.state.metrics, app.state.process = Metrics(), process or ProcessFigures("api")
    app.state.stream_slots, app.state.console = StreamSlots(), Console(console_dir)
    for layer in INNER_LAYERS:  # the last one added is the outermost
        app.add_middleware(layer)
    app.add_middleware(RequestMetrics, metrics=app.state.metrics)
    for outer in OUTER_LAYERS:
        app.add_middleware(outer)
    errors.register(app)
    _include(app)
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]
    return app


def _include(app: FastAPI) -> None:
    for module in (catalog, table, signals, scoped, run):
        app.include_router(module.creating, dependencies=_KNOWN_PARAMETERS)
        app.include_router(module.router, dependencies=_KNOWN_PARAMETERS)
    for module in (
        explanation,
        partitions,
        figures,
        history,
        windows,
        of_tables,
        presets,
        previews,
        discoveries,
        formats,
        operations,
        keys,
        audit,
        whoami,
        sign_in,
        pauses,
        freezes,
        limits,
        docs,
        health,
        system,
        problems,
        deletions,
        webhooks,
        endpoints,
        reports,
        events,
    ):
        app.include_router(module.router, dependencies=_KNOWN_PARAMETERS)
    app.include_router(console.router)


def _handler_name(route: APIRoute) -> str:
    return route.name
