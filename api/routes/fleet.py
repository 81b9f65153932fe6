"""All tables together: sums, and which are worth a rewrite first."""

from fastapi import APIRouter

from api.deps import ServicesDep, ViewerDep
from api.pagination import PageQuery
from api.responses import problems
from api.schemas.fleet import Fleet, FleetTableList
from engine.domain.fleet_figures import RankedTable
from engine.domain.ids import TableId

router = APIRouter(prefix="/v1/fleet", tags=["fleet"])


@router.get("", summary="Show sums and rates over all tables", responses=problems("invalid_input"))
async def get_fleet(services: ServicesDep, caller: ViewerDep) -> Fleet:
    """Show what the tables that the caller sees come to, what happened in the last 24 hours, and the backlog."""
    return Fleet.from_domain(await services.fleet.figures(caller))


@router.get("/tables", summary="List tables by benefit per cost", responses=problems("invalid_input"))
async def list_fleet_tables(services: ServicesDep, caller: ViewerDep, pages: PageQuery) -> FleetTableList:
    """List measured tables, the most worthwhile to rewrite first."""
    page = await pages.collect(
        lambda after, limit: services.fleet.ranked(caller, after=after, limit=limit), key=_key, of=_after
    )
    return FleetTableList.of(page)


def _key(table: RankedTable) -> str:
    return f"{table.benefit_per_cost.hex()} {table.table_id}"


def _after(key: str) -> tuple[float, TableId]:
    benefit, _, table_id = key.partition(" ")
    return float.fromhex(benefit), TableId(table_id)
