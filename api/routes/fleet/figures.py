"""All tables together: sums, and which are worth a rewrite first."""

import json
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query

from api.deps import ServicesDep, ViewerDep
from api.listing.filters import Commas
from api.listing.pagination import PageQuery
from api.listing.query_values import TextFlag
from api.listing.tables import TableFilterQuery
from api.problems.responses import problems
from api.schemas.fleet.figures import Fleet, FleetTableList
from engine.domain.fleet.tables import FleetKey, FleetPosition, FleetSort, FleetTable, FleetTableFilter
from engine.domain.ids import TableId
from engine.domain.runs.run import RunState
from engine.domain.tables.watches import Verdict

router = APIRouter(prefix="/v1/fleet", tags=["fleet"])
_Code = Annotated[str, Query(max_length=64, pattern=r"^[a-z_]+$")]
FleetSortText = Literal[
    "avoidable_file_count",
    "-avoidable_file_count",
    "benefit_per_cost",
    "-benefit_per_cost",
    "due_since",
    "-due_since",
    "history_bytes",
    "-history_bytes",
    "hold",
    "-hold",
    "last_run",
    "-last_run",
    "next_look_at",
    "-next_look_at",
    "score",
    "-score",
    "verdict",
    "-verdict",
]


@router.get("", summary="Show sums and rates over all tables", responses=problems("invalid_input"))
async def get_fleet(services: ServicesDep, caller: ViewerDep) -> Fleet:
    """Show totals over the tables that the caller sees, the activity of the last 24 hours, and the backlog."""
    return Fleet.from_domain(await services.fleet.figures(caller))


async def fleet_table_filter(
    tables: TableFilterQuery,
    verdict: Annotated[
        list[Verdict] | None,
        Commas,
        Query(max_length=8, description="Only tables with one of these verdicts; accepts several."),
    ] = None,
    hold: Annotated[
        list[_Code] | None,
        Commas,
        Query(
            max_length=16,
            description="Only tables held back by one of these codes; accepts several.",
            examples=[["quiet_hours"]],
        ),
    ] = None,
    last_run_state: Annotated[
        list[RunState] | None,
        Commas,
        Query(max_length=8, description="Only tables whose newest run is in one of these states; accepts several."),
    ] = None,
    *,
    due: Annotated[TextFlag | None, Query(description="Only tables that a rule makes due, or only others.")] = None,
) -> FleetTableFilter:
    """Read which tables a request asks for."""
    return FleetTableFilter(
        tables=tables,
        verdicts=frozenset(verdict) if verdict else None,
        holds=frozenset(hold) if hold else None,
        is_due=due,
        last_run_states=frozenset(last_run_state) if last_run_state else None,
    )


async def fleet_sort(
    sort: Annotated[
        FleetSortText,
        Query(description="Key to sort by; with `-` in front: descending. Tables without a value are always last."),
    ] = "-avoidable_file_count",
) -> FleetSort:
    """Read the order of the list."""
    return FleetSort(FleetKey(sort.removeprefix("-")), descending=sort.startswith("-"))


@router.get("/tables", summary="List tables with their state", responses=problems("invalid_input"))
async def list_fleet_tables(
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    wanted: Annotated[FleetTableFilter, Depends(fleet_table_filter)],
    sort: Annotated[FleetSort, Depends(fleet_sort)],
) -> FleetTableList:
    """List every table that the caller sees with its verdict, hold, next look and last run, without reading any table.

    Tables of which a rewrite would save the most files come first, unless `sort` is given.
    """
    page = await pages.collect(
        lambda after, limit: services.fleet.tables(caller, wanted, sort, after=after, limit=limit),
        key=_written_position,
        of=lambda text: _position(text, sort.key),
    )
    return FleetTableList.of(page)


def _written_position(table: FleetTable) -> str:
    value = table.sort_value.isoformat() if isinstance(table.sort_value, datetime) else table.sort_value
    return json.dumps([value, table.table_id])


def _position(text: str, key: FleetKey) -> FleetPosition:
    value, table_id = json.loads(text)
    is_instant = key in (FleetKey.DUE_SINCE, FleetKey.NEXT_LOOK_AT) and value is not None
    return datetime.fromisoformat(value) if is_instant else value, TableId(table_id)
