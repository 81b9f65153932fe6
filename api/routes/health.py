"""State of the process and its figures, outside `/v1` and without a key."""

from fastapi import APIRouter, Request, Response

from api.deps import ServicesDep
from api.metrics import MEDIA_TYPE
from api.schemas.health import Liveness, Readiness

router = APIRouter(tags=["operations"])


@router.get("/healthz", summary="Say that the process answers")
async def get_liveness() -> Liveness:
    """Answer without asking anybody."""
    return Liveness()


@router.get(
    "/readyz",
    summary="Show the state of each dependency",
    responses={503: {"model": Readiness, "description": "The database does not answer."}},
)
async def get_readiness(response: Response, services: ServicesDep) -> Readiness:
    """Ask database, Redis and Spark. Without Redis or Spark requests are served and runs wait: degraded."""
    readiness = Readiness.from_domain(await services.health.dependencies())
    response.status_code = 503 if readiness.status == "unavailable" else 200
    return readiness


@router.get(
    "/metrics",
    summary="Show figures for Prometheus",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def get_metrics(request: Request, services: ServicesDep) -> Response:
    """Show requests, runs, queue and dependencies in the Prometheus text format."""
    dependencies, figures = await services.health.dependencies(), await services.health.figures()
    shown = request.app.state.metrics.render(dependencies, figures)
    return Response(shown + services.work.render(), media_type=MEDIA_TYPE)
