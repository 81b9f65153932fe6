"""Apps for tests: those of one process share the analysed routes and the description, each worth 0.2 s of CPU.

FastAPI analyses the signature of a route, with all of its dependencies, when the first request of an app looks for it.
Routes keep no state and find the services of a request through its app: everything else is the app's own.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from api.app import create_app
from api.deps import Services
from api.openapi.description import describe


def shared_routes_app(
    open_services: Callable[[], AbstractAsyncContextManager[Services]], *, console_dir: Path | None = None
) -> FastAPI:
    """Return `create_app` of the same arguments, with the routes and the description of the first app."""
    app = create_app(open_services, console_dir=console_dir)
    app.router.routes = _first().router.routes
    app.openapi = lambda: describe(_first())  # type: ignore[method-assign]
    return app


def described_app() -> dict[str, Any]:
    """Return the API's description, made once in this process; callers must not change it."""
    return describe(_first())


def never() -> AbstractAsyncContextManager[Services]:
    """Open no services: for apps that are described and never started."""
    raise AssertionError("never started")


@cache
def _first() -> FastAPI:
    return create_app(never)
