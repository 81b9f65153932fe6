"""Activity and backlog of all tables over time."""

from typing import Annotated

from fastapi import APIRouter, Query

from api.deps import ServicesDep, ViewerDep
from api.listing.filters import PeriodFilter
from api.problems.responses import problems
from api.schemas.fleet.history import FleetHistory
from engine.domain.fleet.history import HistoryStep

router = APIRouter(prefix="/v1/fleet", tags=["fleet"])


@router.get("/history", summary="Show the activity of all tables over time", responses=problems("invalid_input"))
async def get_fleet_history(
    services: ServicesDep,
    caller: ViewerDep,
    period: PeriodFilter,
    step: Annotated[
        HistoryStep, Query(description="Length of the intervals: an hour, or a day from midnight UTC.")
    ] = HistoryStep.HOUR,
) -> FleetHistory:
    """Show the activity of the tables that the caller's teams owned at the time, and their backlog, by hour or day.

    The period has at most 31 days and is extended to whole intervals. Without `until` it ends now; without `since` it
    has the last 24 hours, or 31 days if `step` is `1d`. Backlogs are sampled every five minutes.
    """
    return FleetHistory.from_domain(await services.fleet_history.history(caller, period, step))
