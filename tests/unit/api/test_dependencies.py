"""No dependency and no handler of the app runs in a thread: a hop costs more than all that a dependency does."""

import inspect
from collections.abc import Iterator

from fastapi.dependencies.models import Dependant
from starlette.routing import BaseRoute

from api.app import create_app
from tests.support.apps import never


def _dependants(routes: list[BaseRoute]) -> Iterator[Dependant]:
    for route in routes:
        if (dependant := getattr(route, "dependant", None)) is not None:
            yield dependant
        if (router := getattr(route, "original_router", None)) is not None:
            yield from _dependants(router.routes)


def _calls(dependant: Dependant) -> Iterator[object]:
    yield dependant.call
    for each in dependant.dependencies:
        yield from _calls(each)


def _is_async(call: object) -> bool:
    return inspect.iscoroutinefunction(call) or inspect.iscoroutinefunction(getattr(call, "__call__", None))  # noqa: B004


def test_nothing_that_serves_a_request_runs_in_a_thread() -> None:
    app = create_app(never)
    found = list(_dependants(app.routes))
    assert len(found) > 20
    sync = {str(call) for dependant in found for call in _calls(dependant) if call is not None and not _is_async(call)}
    assert not sync
