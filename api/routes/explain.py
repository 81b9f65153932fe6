"""Why tables did or did not run."""

from fastapi import APIRouter

from api.deps import CallerDep, ServicesDep, TableIdPath
from api.responses import problems
from api.schemas.explain import Explanation

router = APIRouter(prefix="/v1/tables", tags=["tables"])
_OBSERVED = ("not_found", "state_conflict", "table_replaced", "invalid_input")


@router.get("/{table_id}/explain", summary="Explain why a table did or did not run", responses=problems(*_OBSERVED))
async def explain_table(table_id: TableIdPath, services: ServicesDep, caller: CallerDep) -> Explanation:
    """Show every setting with its origin, every condition, the live and the last run, and what a run would do now."""
    return Explanation.from_domain(await services.tables.explain(caller, table_id))
