"""Limits of the whole fleet."""

from fastapi import APIRouter, Response

from api.deps import AdminDep, ServicesDep, ViewerDep
from api.http.preconditions import VersionRead, set_etag
from api.problems.responses import WITH_BODY, problems
from api.schemas.fleet.limits import Limits, LimitsReplace

router = APIRouter(prefix="/v1/limits", tags=["fleet"])


@router.get("", summary="Show the fleet's limits", responses=problems())
async def get_limits(response: Response, services: ServicesDep, caller: ViewerDep) -> Limits:
    """Show what holds for all tables together; the ETag is needed to replace it."""
    fleet = await services.limits.get(caller)
    set_etag(response, fleet.version)
    return Limits.from_domain(fleet)


@router.put(
    "",
    summary="Write the fleet's limits",
    responses=problems(*WITH_BODY, "precondition_failed", "precondition_required"),
)
async def replace_limits(
    body: LimitsReplace, response: Response, services: ServicesDep, caller: AdminDep, conditions: VersionRead
) -> Limits:
    """Write the limits as a whole.

    `parallel_runs` holds for new starts, `parallel_groups` for new tasks, rates in seconds for running rewrites too.
    """
    fleet = await services.limits.replace(caller, body.to_domain(), version=conditions.version())
    set_etag(response, fleet.version)
    return Limits.from_domain(fleet)
