"""Registered tables, and what can be said of them without changing anything."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response

from api.deps import OwnerDep, ServicesDep, TableIdPath, ViewerDep
from api.idempotency import IdempotentRoute, idempotency_key
from api.pagination import PageQuery
from api.responses import WITH_BODY, problems
from api.schemas.tables import (
    PlanRequest,
    Table,
    TableHealth,
    TableHistory,
    TableList,
    TablePlan,
    TableRegister,
)
from engine.domain.ids import RunId, TableId

creating = APIRouter(
    prefix="/v1/tables", tags=["tables"], route_class=IdempotentRoute, dependencies=[Depends(idempotency_key)]
)
router = APIRouter(prefix="/v1/tables", tags=["tables"])
_OBSERVED = ("not_found", "state_conflict", "table_replaced", "invalid_input")


@creating.post("", status_code=201, summary="Register a table", responses=problems(*WITH_BODY, "state_conflict"))
async def register_table(
    body: TableRegister, request: Request, response: Response, services: ServicesDep, caller: OwnerDep
) -> Table:
    """Load the table from its catalog and register it under its own uuid."""
    table = await services.tables.register(caller, body.ref(), owner_team=body.owner_team, labels=body.labels)
    response.headers["Location"] = f"{request.url.path}/{table.id}"
    return Table.from_domain(table)


@router.get("", summary="List tables, newest first", responses=problems("invalid_input"))
async def list_tables(
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    catalog: Annotated[str | None, Query(max_length=64, pattern=r"^[A-Za-z0-9_-]+$")] = None,
) -> TableList:
    """List registered tables, of one catalog if it is given."""
    page = await pages.collect(
        lambda after, limit: services.tables.list(caller, catalog=catalog, after=after, limit=limit),
        key=lambda table: table.id,
        of=TableId,
    )
    return TableList.of(page)


@router.get("/{table_id}", summary="Show a table", responses=problems("not_found", "invalid_input"))
async def get_table(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> Table:
    """Show a registered table."""
    return Table.from_domain(await services.tables.get(caller, table_id))


@router.delete(
    "/{table_id}",
    status_code=204,
    summary="Delete a registration",
    responses=problems("not_found", "state_conflict", "invalid_input"),
)
async def delete_table(table_id: TableIdPath, services: ServicesDep, caller: OwnerDep) -> None:
    """Forget a table and its policy; its runs stay. The table itself is not touched."""
    await services.tables.delete(caller, table_id)


@router.get("/{table_id}/health", summary="Measure a table's files", responses=problems(*_OBSERVED))
async def get_table_health(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> TableHealth:
    """Measure the present data files: sums, size classes, score and its parts, worst partitions."""
    return TableHealth.from_domain(await services.tables.health(caller, table_id))


@router.post("/{table_id}/plan", summary="Plan without doing", responses=problems(*WITH_BODY, *_OBSERVED))
async def plan_table(
    table_id: TableIdPath, services: ServicesDep, caller: ViewerDep, body: PlanRequest | None = None
) -> TablePlan:
    """Say what a run would do now: groups, bytes, files, seconds. A policy can be tried instead of the stored one."""
    policy = body.policy if body is not None else None
    return TablePlan.from_domain(await services.tables.plan(caller, table_id, policy=policy))


@router.get(
    "/{table_id}/history",
    summary="List runs that changed a table, newest first",
    responses=problems("not_found", "invalid_input"),
)
async def list_table_history(
    table_id: TableIdPath, services: ServicesDep, caller: ViewerDep, pages: PageQuery
) -> TableHistory:
    """List ended runs with snapshots of theirs in the table: what they measured beside what was predicted."""
    page = await pages.collect(
        lambda before, limit: services.tables.history(caller, table_id, before=before, limit=limit),
        key=lambda run: run.id,
        of=RunId,
    )
    return TableHistory.of(page)
