"""HTTP endpoints of a coordinator or worker that runs without the API: liveness and metrics."""

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from api.http.answer_headers import AnswerHeaders
from api.http.metrics import MEDIA_TYPE
from api.http.process_figures import ProcessFigures
from engine.metrics import WorkMetrics


def work_app(metrics: WorkMetrics, process: ProcessFigures) -> Starlette:
    """Return the app of `/healthz` and `/metrics`."""

    async def healthz(_request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def figures(_request: Request) -> Response:
        return Response(process.render() + metrics.render(), media_type=MEDIA_TYPE)

    routes = [Route("/healthz", healthz), Route("/metrics", figures)]
    return Starlette(routes=routes, middleware=[Middleware(AnswerHeaders)])
