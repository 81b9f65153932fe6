"""Kill switches: of one table, of one catalog, and of the whole fleet. Both ways may be asked for twice."""

from fastapi import APIRouter

from api.deps import AdminDep, CatalogName, OperatorDep, ServicesDep, TableIdPath
from api.problems.responses import WITH_BODY, problems
from api.schemas.fleet.limits import Pause, PauseMode, PauseRequest

router = APIRouter(prefix="/v1")


@router.post(
    "/tables/{table_id}/pause",
    tags=["tables"],
    summary="Pause a table",
    responses=problems(*WITH_BODY, "not_found"),
)
async def pause_table(table_id: TableIdPath, body: PauseRequest, services: ServicesDep, caller: OperatorDep) -> Pause:
    """Start nothing new on a table; what runs drains or stops, then waits. Pausing again changes reason and mode."""
    stops = body.mode is PauseMode.STOP
    return Pause.from_domain(await services.pauses.pause_table(caller, table_id, reason=body.reason, stops=stops))


@router.post(
    "/tables/{table_id}/resume",
    status_code=204,
    tags=["tables"],
    summary="Resume a table",
    responses=problems("not_found", "invalid_input"),
)
async def resume_table(table_id: TableIdPath, services: ServicesDep, caller: OperatorDep) -> None:
    """End the pause of a table: its waiting runs continue and keep the file groups that were committed.

    Its rest after runs without effect and the cool-down of its partitions end as well.
    """
    await services.pauses.resume_table(caller, table_id)


@router.post(
    "/catalogs/{name}/pause",
    tags=["catalogs"],
    summary="Pause a catalog's tables",
    responses=problems(*WITH_BODY, "not_found"),
)
async def pause_catalog(name: CatalogName, body: PauseRequest, services: ServicesDep, caller: AdminDep) -> Pause:
    """Start nothing new on any table of a catalog; what runs drains or stops, then waits."""
    stops = body.mode is PauseMode.STOP
    return Pause.from_domain(await services.pauses.pause_catalog(caller, name, reason=body.reason, stops=stops))


@router.post(
    "/catalogs/{name}/resume",
    status_code=204,
    tags=["catalogs"],
    summary="Resume a catalog's tables",
    responses=problems("not_found", "invalid_input"),
)
async def resume_catalog(name: CatalogName, services: ServicesDep, caller: AdminDep) -> None:
    """End the pause of a catalog and close its breaker; tables that were paused themselves stay so."""
    await services.pauses.resume_catalog(caller, name)


@router.post("/fleet/pause", tags=["fleet"], summary="Pause the fleet", responses=problems(*WITH_BODY))
async def pause_fleet(body: PauseRequest, services: ServicesDep, caller: AdminDep) -> Pause:
    """Start nothing new on any table; what runs drains or stops, then waits."""
    stops = body.mode is PauseMode.STOP
    return Pause.from_domain(await services.pauses.pause_fleet(caller, reason=body.reason, stops=stops))


@router.post("/fleet/resume", status_code=204, tags=["fleet"], summary="Resume the fleet", responses=problems())
async def resume_fleet(services: ServicesDep, caller: AdminDep) -> None:
    """End the pause of the fleet; tables that were paused themselves stay so."""
    await services.pauses.resume_fleet(caller)
