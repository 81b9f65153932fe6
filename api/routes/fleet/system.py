"""State of Packhouse and of what it depends on, for people and programs with a key."""

from fastapi import APIRouter, Request

from api.deps import ServicesDep, ViewerDep
from api.problems.responses import problems
from api.schemas.fleet.system import System

router = APIRouter(tags=["operations"])


@router.get("/v1/system", summary="Show what works and what does not", responses=problems("invalid_input"))
async def get_system(request: Request, services: ServicesDep, caller: ViewerDep) -> System:
    """Show the state of each part of Packhouse and each dependency: since when it is away, and what waits for it.

    Catalogs and storages are not asked: a run that gets no answer reports the outage, and probes look for its end.
    """
    return System.from_domain(await services.system.status(caller), request.app.state.process.build)
