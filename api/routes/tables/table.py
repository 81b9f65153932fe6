"""Registered tables, and what can be said of them without changing anything."""

from contextlib import nullcontext
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Request, Response

from api.deps import OwnerDep, PlannerDep, ServicesDep, TableIdPath, ViewerDep
from api.http.acknowledgements import DELETING, Acknowledge
from api.http.downloads import CSV_OF_FILES, csv_of_files
from api.http.idempotency import IdempotentRoute, KeyedRequestDep, answer_of, idempotency_key, response_of
from api.http.preconditions import VersionRead, set_etag
from api.listing.filters import PeriodFilter
from api.listing.pagination import PageQuery
from api.listing.tables import TableFilterQuery
from api.problems.pointers import in_policy_field
from api.problems.responses import WITH_BODY, problems
from api.schemas.tables.advice import TableAdvice
from api.schemas.tables.health import HealthHistory, TableHealth
from api.schemas.tables.table import (
    PlanRequest,
    Table,
    TableHistory,
    TableList,
    TablePlan,
    TableRegister,
    TableUpdate,
)
from api.schemas.tables.upkeep import TableUpkeep
from engine.domain.access.keyed_requests import StoredAnswer
from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import Operation
from engine.domain.tables import table as domain
from engine.services.access.idempotency import AnswerRecord

creating = APIRouter(
    prefix="/v1/tables", tags=["tables"], route_class=IdempotentRoute, dependencies=[Depends(idempotency_key)]
)
router = APIRouter(prefix="/v1/tables", tags=["tables"])
_OBSERVED = ("not_found", "state_conflict", "table_replaced", "table_unreadable", "invalid_input")


@creating.post(
    "",
    status_code=201,
    summary="Register a table",
    response_model=Table,
    responses=problems(*WITH_BODY, "state_conflict", "table_unreadable", *DELETING),
)
async def register_table(
    *,
    body: TableRegister,
    request: Request,
    services: ServicesDep,
    caller: OwnerDep,
    keyed: KeyedRequestDep,
    acknowledge: Acknowledge = None,
) -> Response:
    """Load the table from its catalog and register it under its own uuid.

    If policies that cover it delete files or history, it has to be acknowledged what they would delete.

    Its first automatic run waits for a grace (15 minutes unless set otherwise), which explain shows as `new_table`; a
    policy of its own, a run that is requested and a resume end the grace.
    """

    def registered(table: domain.Table) -> StoredAnswer:
        location = f"{request.url.path}/{table.id}"
        return answer_of(Table.from_domain(table), 201, location=location, version=table.version)

    record = AnswerRecord(registered, keyed)
    await services.tables.register(
        caller,
        body.ref(),
        owner_team=body.owner_team,
        labels=body.labels,
        paused=body.paused,
        acknowledge=acknowledge,
        record=record,
    )
    return response_of(record.answer)


@router.get("", summary="List tables, newest first", responses=problems("invalid_input"))
async def list_tables(
    services: ServicesDep, caller: ViewerDep, pages: PageQuery, wanted: TableFilterQuery
) -> TableList:
    """List registered tables that fit every filter given."""
    page = await pages.collect(
        lambda after, limit: services.tables.list(caller, wanted, after=after, limit=limit),
        key=lambda table: table.id,
        of=TableId,
    )
    return TableList.of(page)


@router.get("/{table_id}", summary="Show a table", responses=problems("not_found", "invalid_input"))
async def get_table(table_id: TableIdPath, response: Response, services: ServicesDep, caller: ViewerDep) -> Table:
    """Show a registered table; send its ETag as If-Match to change exactly this version."""
    table = await services.tables.get(caller, table_id)
    set_etag(response, table.version)
    return Table.from_domain(table)


@router.patch(
    "/{table_id}",
    summary="Change a table's team and labels",
    responses=problems(*WITH_BODY, "not_found", "state_conflict", "precondition_failed", *DELETING),
)
async def update_table(
    *,
    table_id: TableIdPath,
    body: TableUpdate,
    response: Response,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: VersionRead,
    acknowledge: Acknowledge = None,
) -> Table:
    """Change the given fields, as a JSON merge patch (RFC 7396). If-Match is optional."""
    table = await services.tables.update(
        caller, table_id, body.to_domain(), if_match=conditions.if_match, acknowledge=acknowledge
    )
    set_etag(response, table.version)
    return Table.from_domain(table)


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
    return TableHealth.from_domain(await services.observations.health(caller, table_id))


@router.get(
    "/{table_id}/health/history",
    summary="List the measurements of a table, newest first",
    responses=problems("not_found", "invalid_input"),
)
async def list_table_measurements(
    table_id: TableIdPath, services: ServicesDep, caller: ViewerDep, pages: PageQuery, period: PeriodFilter
) -> HealthHistory:
    """List measurements: one for each snapshot that was looked at by health, plan, explain or a run."""
    page = await pages.collect(
        lambda before, limit: services.observations.health_history(
            caller, table_id, period, before=before, limit=limit
        ),
        key=lambda measured: measured.id,
        of=int,
    )
    return HealthHistory.of(page)


@router.get("/{table_id}/upkeep", summary="Show a table's upkeep besides rewriting", responses=problems(*_OBSERVED))
async def get_table_upkeep(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> TableUpkeep:
    """Show every operation besides `rewrite`: whether it is on, its effect now, when it is due, and its last run.

    An operation that is off shows what it would do if it were switched on.
    """
    return TableUpkeep.from_domain(await services.upkeep.overview(caller, table_id))


@router.get(
    "/{table_id}/upkeep/{operation}/files",
    summary="Download the files that an operation would delete",
    responses=CSV_OF_FILES | problems(*_OBSERVED),
    response_class=Response,
)
async def get_removable_files(
    table_id: TableIdPath,
    operation: Annotated[
        Literal["expire_snapshots", "delete_old_compactions", "reclaim", "purge"],
        Path(description="An operation that deletes the files of the snapshots that it removes."),
    ],
    services: ServicesDep,
    caller: PlannerDep,
) -> Response:
    """Send every file that a run of the operation would delete now, as CSV. Nothing is changed.

    The table's policy has to have it switched on, `expire_snapshots` with `delete_files`; `purge` is for admins.
    Orphans are listed by a run only: see its deleted files.
    """
    files = await services.upkeep.removable_files(caller, table_id, Operation(operation))
    return csv_of_files(files, name=operation)


@router.get("/{table_id}/advice", summary="Advise on a table's policy", responses=problems(*_OBSERVED))
async def get_table_advice(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> TableAdvice:
    """Recommend a policy for the table, from the filters of its queries and its recent commits."""
    return TableAdvice.from_domain(table_id, await services.advice.advise(caller, table_id))


@router.post("/{table_id}/plan", summary="Plan without doing", responses=problems(*WITH_BODY, *_OBSERVED))
async def plan_table(
    table_id: TableIdPath, services: ServicesDep, caller: ViewerDep, body: PlanRequest | None = None
) -> TablePlan:
    """Plan a run without starting it: groups, bytes, files, seconds. A policy can replace the stored one."""
    asked = body or PlanRequest()
    with nullcontext() if asked.policy is None else in_policy_field():
        plan = await services.tables.plan(caller, table_id, policy=asked.policy, request=asked.request())
    return TablePlan.from_domain(plan)


@router.get(
    "/{table_id}/history",
    summary="List runs that changed a table, newest first",
    responses=problems("not_found", "invalid_input"),
)
async def list_table_history(
    table_id: TableIdPath, services: ServicesDep, caller: ViewerDep, pages: PageQuery, period: PeriodFilter
) -> TableHistory:
    """List ended runs that have snapshots in the table, with measured and predicted figures."""
    page = await pages.collect(
        lambda before, limit: services.tables.history(caller, table_id, period, before=before, limit=limit),
        key=lambda run: run.id,
        of=RunId,
    )
    return TableHistory.of(page)
