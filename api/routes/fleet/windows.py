"""Quiet hours and blackouts to come, of all tables and of one."""

from typing import Annotated, Final

from fastapi import APIRouter, Query

from api.deps import ServicesDep, TableIdPath, ViewerDep
from api.listing.query_values import TextWhole
from api.problems.responses import problems
from api.schemas.fleet.windows import FleetWindows, TableWindows

router = APIRouter()
_WEEK: Final = 168
Hours = Annotated[TextWhole, Query(ge=1, le=_WEEK, description="Hours from now on, at most a week.")]


@router.get(
    "/v1/fleet/windows",
    tags=["fleet"],
    summary="List quiet hours and blackouts to come of all tables",
    responses=problems("invalid_input"),
)
async def get_fleet_windows(services: ServicesDep, caller: ViewerDep, hours: Hours = 24) -> FleetWindows:
    """List every window in the policies of the tables that the caller sees, equal windows of several tables once.

    Changes of policies show after ten seconds.
    """
    return FleetWindows.of_fleet(await services.windows.of_fleet(caller, hours))


@router.get(
    "/v1/tables/{table_id}/windows",
    tags=["tables"],
    summary="List a table's quiet hours and blackouts to come",
    responses=problems("not_found", "invalid_input"),
)
async def get_table_windows(
    table_id: TableIdPath, services: ServicesDep, caller: ViewerDep, hours: Hours = _WEEK
) -> TableWindows:
    """List the windows of the table's effective policy as instants, across changes of local time."""
    return TableWindows.of_table(await services.windows.of_table(caller, table_id, hours))
