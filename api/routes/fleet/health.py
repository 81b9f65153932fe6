"""State of the process and its figures, outside `/v1`: readable without a key, metrics in part."""

from typing import Any, Final

from fastapi import APIRouter, Request, Response

from api.deps import OptionalCaller, ServicesDep
from api.http.metrics import MEDIA_TYPE
from api.http.process_figures import ProcessFigures
from api.problems.responses import add
from api.schemas.fleet.health import Liveness, Readiness
from engine.domain.access.callers import require_every_team

router = APIRouter(tags=["operations"])
_SHOWN: Final = """# HELP packhouse_http_requests_total Answered requests.
# TYPE packhouse_http_requests_total counter
packhouse_http_requests_total{method="GET",route="/v1/runs/{run_id}",status="200"} 1.0
"""
_METRICS: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "Metrics.", "content": {"text/plain": {"schema": {"type": "string"}, "example": _SHOWN}}}
}
for _code in ("unauthenticated", "forbidden", "rate_limited", "unavailable"):
    add(_METRICS, _code)


@router.get("/healthz", summary="Check that the process answers")
async def get_liveness() -> Liveness:
    """Answer without asking anybody."""
    return Liveness()


@router.get(
    "/readyz",
    summary="Show the state of each dependency",
    responses={503: {"model": Readiness, "description": "The database does not answer."}},
)
async def get_readiness(response: Response, services: ServicesDep) -> Readiness:
    """Ask database, Redis and Spark, and count live workers and coordinators.

    Without Redis, Spark, a worker or a coordinator requests are served and runs wait: `degraded`, with status 200.
    """
    health = services.health
    readiness = Readiness.from_domain(await health.dependencies(), await health.workforce())
    response.status_code = 503 if readiness.status == "unavailable" else 200
    return readiness


@router.get(
    "/metrics",
    summary="Show figures for Prometheus",
    response_class=Response,
    responses=_METRICS,
)
async def get_metrics(request: Request, services: ServicesDep, caller: OptionalCaller) -> Response:
    """Show requests, runs, queue and dependencies in the Prometheus text format.

    Series that name catalogs and teams need a key or token of every team; without a credential they are left out.
    """
    if caller is not None:
        require_every_team(caller, "metrics with the names of catalogs and teams")
    dependencies, figures = await services.health.dependencies(), await services.health.figures()
    shown = request.app.state.metrics.render(dependencies, figures, with_names=caller is not None)
    process: ProcessFigures = request.app.state.process
    return Response(process.render() + shown + services.metrics.render(), media_type=MEDIA_TYPE)
