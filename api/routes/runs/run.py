"""Runs: submit, follow, cancel."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import Field

from api.deps import OperatorDep, PlannerDep, RunIdPath, ServicesDep, ViewerDep
from api.http.acknowledgements import DELETING, Acknowledge
from api.http.downloads import CSV_OF_FILES, csv_of_files
from api.http.idempotency import IdempotentRoute, KeyedRequestDep, answer_of, idempotency_key, response_of
from api.http.streaming import EVENT_STREAM, event_stream, wants_stream
from api.listing.filters import CatalogFilter, Commas, OwnerTeamFilter, Since, TableIdFilter, Until
from api.listing.pagination import PageQuery
from api.problems.responses import WITH_BODY, problems
from api.schemas.runs.run import (
    FileGroupList,
    Run,
    RunAccepted,
    RunDetail,
    RunDocument,
    RunEventList,
    RunList,
)
from api.schemas.runs.submissions import RunSubmission, RunToPreview
from api.schemas.runs.upkeep import UpkeepPlan
from api.schemas.tables.table import TablePlan
from engine.domain.access.keyed_requests import StoredAnswer
from engine.domain.ids import RunId, first_run_id
from engine.domain.runs.run import GroupState, Operation, RunFilter, RunState
from engine.domain.runs.run import Run as DomainRun
from engine.services.access.idempotency import AnswerRecord

creating = APIRouter(
    prefix="/v1/runs", tags=["runs"], route_class=IdempotentRoute, dependencies=[Depends(idempotency_key)]
)
router = APIRouter(prefix="/v1/runs", tags=["runs"])
_FRAMES: Final = 'id: 3\nevent: event\ndata: {"run_id":"run_01j…","sequence":3,"kind":"transition"}\n\n'
_EVENTS: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Events as a page, or as a stream of `event` and (without id) `progress` frames.",
        "content": {EVENT_STREAM: {"schema": {"type": "string"}, "example": _FRAMES}},
    },
    204: {"description": "Stream only: the run has ended and everything after Last-Event-ID was sent."},
}
_ALREADY: Final[dict[int | str, dict[str, Any]]] = {
    200: {"model": RunAccepted, "description": "An equal run is live; it is answered, with `deduplicated: true`."}
}
RunPreview = Annotated[TablePlan | UpkeepPlan, Field(discriminator="operation")]


async def run_filter(
    *,
    table_id: TableIdFilter,
    state: Annotated[
        list[RunState] | None,
        Commas,
        Query(max_length=8, description="Only those in one of these states; accepts several."),
    ] = None,
    operation: Annotated[
        list[Operation] | None,
        Commas,
        Query(max_length=16, description="Only those of one of these kinds; accepts several."),
    ] = None,
    catalog: CatalogFilter = None,
    owner_team: OwnerTeamFilter = None,
    since: Since = None,
    until: Until = None,
) -> RunFilter:
    """Read which runs a request asks for; `since` and `until` are of their submission."""
    return RunFilter(
        table_id=table_id,
        states=frozenset(state) if state else None,
        operations=frozenset(operation) if operation else None,
        catalog=catalog,
        teams=frozenset({owner_team}) if owner_team else None,
        since=first_run_id(since) if since else None,
        until=first_run_id(until) if until else None,
    )


RunQuery = Annotated[RunFilter, Depends(run_filter)]


@creating.post(
    "",
    status_code=202,
    summary="Submit a run",
    response_model=RunAccepted,
    responses=_ALREADY
    | problems(*WITH_BODY, "not_found", "state_conflict", "table_replaced", "table_unreadable", *DELETING),
)
async def submit_run(
    *,
    body: RunSubmission,
    request: Request,
    services: ServicesDep,
    caller: OperatorDep,
    keyed: KeyedRequestDep,
    acknowledge: Acknowledge = None,
) -> Response:
    """Accept a run durably and answer at once; follow it under Location. A double click is one run.

    A run of an operation that deletes, other than `purge`, needs the acknowledgement of its preview.
    """
    table_id = await services.tables.resolve(caller, body.table_id)

    def accepted(submitted: tuple[DomainRun, bool]) -> StoredAnswer:
        run, is_duplicate = submitted
        shown, location = RunAccepted.of(run, deduplicated=is_duplicate), f"{request.url.path}/{run.id}"
        return answer_of(shown, 200 if is_duplicate else 202, location=location)

    record = AnswerRecord(accepted, keyed)
    await services.runs.submit(
        caller,
        table_id,
        body.request(),
        priority=body.priority,
        allow_duplicate=body.allow_duplicate,
        grace=body.grace_given(),
        acknowledge=acknowledge,
        record=record,
    )
    return response_of(record.answer)


@router.post(
    "/preview",
    summary="Preview a run",
    response_model=RunPreview,
    responses=problems(*WITH_BODY, "not_found", "state_conflict", "table_replaced", "table_unreadable"),
)
async def preview_run(body: RunToPreview, services: ServicesDep, caller: PlannerDep) -> TablePlan | UpkeepPlan:
    """Plan the run that would start now, and show what it would delete. Refused as the run would be."""
    table_id, request = await services.tables.resolve(caller, body.table_id), body.request()
    await services.runs.check(caller, table_id, request)
    if request.operation is Operation.REWRITE:
        return TablePlan.from_domain(await services.tables.plan(caller, table_id, policy=None, request=request))
    plan = await services.upkeep.plan(caller, table_id, request.operation)
    deletions = await services.runs.preview_deletions(caller, table_id, request, grace=body.grace_given())
    return UpkeepPlan.from_domain(plan, deletions)


@router.get(
    "",
    summary="List runs, newest first",
    responses=problems("not_found", "invalid_input"),
)
async def list_runs(
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    wanted: RunQuery,
    include: Annotated[
        list[RunDocument] | None,
        Commas,
        Query(max_length=8, description="Parts of each run to add to its summary; accepts several."),
    ] = None,
) -> RunList:
    """List runs that fit every filter that is given. A page may hold few or none and still have a next one."""
    documents = frozenset(include or ())

    async def fetch(before: RunId | None, limit: int) -> tuple[Sequence[DomainRun], RunId | None]:
        page = await services.runs.list(caller, wanted, before=before, limit=limit, documents=documents)
        return page.runs, page.walked_to

    page = await pages.collect_walked(fetch, key=lambda run: run.id, of=RunId)
    return await RunList.of(page, documents, retained_since=await services.runs.retained_since())


@router.get("/{run_id}", summary="Show a run", responses=problems("not_found", "invalid_input"))
async def get_run(run_id: RunIdPath, services: ServicesDep, caller: ViewerDep) -> RunDetail:
    """Show a run: state, progress, use of its time, and figures measured so far."""
    run = await services.runs.get(caller, run_id)
    progress, pauses = await services.runs.progress(run), await services.runs.pauses(run)
    return RunDetail.of(run, progress, pauses, await services.runs.timeline(run))


@router.get("/{run_id}/groups", summary="List a run's file groups", responses=problems("not_found", "invalid_input"))
async def list_run_groups(
    run_id: RunIdPath,
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    state: Annotated[
        list[GroupState] | None,
        Commas,
        Query(max_length=5, description="Only those in one of these states; accepts several."),
    ] = None,
) -> FileGroupList:
    """List file groups by ordinal, in some states if they are given."""
    states = frozenset(state) if state else None
    page = await pages.collect(
        lambda after, limit: services.runs.groups(caller, run_id, states=states, after_ordinal=after, limit=limit),
        key=lambda group: group.ordinal,
        of=int,
    )
    return FileGroupList.of(page)


@router.get(
    "/{run_id}/events",
    summary="List or stream a run's events",
    responses=_EVENTS | problems("not_found", "invalid_input", "not_acceptable", "too_many_streams"),
    response_model=RunEventList,
)
async def list_run_events(
    *,
    run_id: RunIdPath,
    request: Request,
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    accept: Annotated[str | None, Header(include_in_schema=False)] = None,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID", description="Stream: resume after it.")] = None,  # noqa: ARG001
) -> Response | RunEventList:
    """Show events, oldest first. With `Accept: text/event-stream` they come as they happen, until the run has ended."""
    if wants_stream(accept):
        return await event_stream(request, services, caller, run_id)
    page = await pages.collect(
        lambda after, limit: services.runs.events(caller, run_id, after_sequence=after or 0, limit=limit),
        key=lambda event: event.sequence,
        of=int,
    )
    return RunEventList.of(page)


@router.get(
    "/{run_id}/deleted-files",
    summary="Download the files that a run deleted",
    responses=CSV_OF_FILES | problems("not_found", "state_conflict", "table_replaced", "invalid_input"),
    response_class=Response,
)
async def get_deleted_files(run_id: RunIdPath, services: ServicesDep, caller: ViewerDep) -> Response:
    """Send the list that the run stored before it deleted its first file, as CSV. Files that were needed again stay.

    The list is in the table's storage, and can be read as long as it is there and the table is registered.
    """
    return csv_of_files(await services.upkeep.deleted_files(caller, run_id), name=run_id)


@router.post(
    "/{run_id}/cancel",
    status_code=202,
    summary="Cancel a run",
    responses=problems("not_found", "state_conflict", "invalid_input"),
)
async def cancel_run(run_id: RunIdPath, services: ServicesDep, caller: OperatorDep) -> Run:
    """Cancel a waiting run, or ask the worker to stop. Committed groups stay. Asking twice is one request."""
    return Run.from_domain(await services.runs.cancel(caller, run_id))
