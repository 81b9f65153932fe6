"""Deletions: what will be deleted and when, what was, how to stop it, and how to acknowledge it."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, Query

from api.deps import OwnerDep, RunIdPath, ServicesDep, ViewerDep
from api.listing.filters import CatalogFilter, Commas, OwnerTeamFilter, Since, TableIdFilter, Until
from api.listing.pagination import PageQuery
from api.problems.responses import problems
from api.schemas.runs.deletions import RUN_STATES, Deletion, DeletionList, DeletionState
from engine.domain.ids import RunId, first_run_id
from engine.domain.runs.run import Run, RunFilter

router = APIRouter(prefix="/v1/deletions", tags=["deletions"])


@router.get("", summary="List deletions, newest first", responses=problems("not_found", "invalid_input"))
async def list_deletions(
    *,
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    table_id: TableIdFilter,
    state: Annotated[
        list[DeletionState] | None,
        Commas,
        Query(max_length=5, description="Only those in one of these states; accepts several."),
    ] = None,
    catalog: CatalogFilter = None,
    owner_team: OwnerTeamFilter = None,
    since: Since = None,
    until: Until = None,
) -> DeletionList:
    """List runs that delete files or history: announced, at work, and ended; `since` and `until`: when announced."""
    wanted = RunFilter(
        table_id=table_id,
        states=frozenset().union(*(RUN_STATES[each] for each in state)) if state else None,
        catalog=catalog,
        teams=frozenset({owner_team}) if owner_team else None,
        since=first_run_id(since) if since else None,
        until=first_run_id(until) if until else None,
    )

    async def fetch(before: RunId | None, limit: int) -> tuple[Sequence[Run], RunId | None]:
        page = await services.deletions.list(caller, wanted, before=before, limit=limit)
        return page.runs, page.walked_to

    return DeletionList.of(await pages.collect_walked(fetch, key=lambda run: run.id, of=RunId))


@router.get("/{run_id}", summary="Show a deletion", responses=problems("not_found", "invalid_input"))
async def get_deletion(run_id: RunIdPath, services: ServicesDep, caller: ViewerDep) -> Deletion:
    """Show one deletion: what it deletes, from when on, and until when it can be undone."""
    return Deletion.from_domain(await services.deletions.get(caller, run_id))


@router.post(
    "/{run_id}/undo",
    status_code=202,
    summary="Undo a deletion",
    responses=problems("not_found", "state_conflict", "invalid_input"),
)
async def undo_deletion(run_id: RunIdPath, services: ServicesDep, caller: OwnerDep) -> Deletion:
    """End a deletion before it starts, or stop it at work; what it has deleted by then can't be brought back.

    Of an automatic one, the setting is then `off` in the table's own policy.
    """
    return Deletion.from_domain(await services.deletions.undo(caller, run_id))


@router.post(
    "/{run_id}/acknowledge",
    status_code=202,
    summary="Acknowledge a deletion that waits for it",
    responses=problems("not_found", "state_conflict", "invalid_input"),
)
async def acknowledge_deletion(run_id: RunIdPath, services: ServicesDep, caller: OwnerDep) -> Deletion:
    """Let a deletion that waits for an acknowledgement delete its `acknowledgement.amounts`.

    If by the time it starts it would delete over 10 % more than that, it waits again.
    """
    return Deletion.from_domain(await services.deletions.acknowledge(caller, run_id))
