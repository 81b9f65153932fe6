"""Why tables did or did not run."""

from fastapi import APIRouter

from api.deps import ServicesDep, TableIdPath, ViewerDep
from api.responses import problems
from api.schemas.explain import Explanation

router = APIRouter(prefix="/v1/tables", tags=["tables"])


@router.get(
    "/{table_id}/explain",
    summary="Explain why a table did or did not run",
    responses=problems("not_found", "invalid_input"),
)
async def explain_table(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> Explanation:
    """Say whether the table is due, what holds it back, when it could run, and what a run would do now.

    Every setting comes with its origin, every rule with each measured condition. Works also while the catalog is away,
    and for a table that is gone or was made anew: then with less, and saying so.
    """
    return Explanation.from_domain(await services.explain.explain(caller, table_id))
