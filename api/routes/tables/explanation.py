"""Routes that explain why a table did or did not run."""

from fastapi import APIRouter

from api.deps import ServicesDep, TableIdPath, ViewerDep
from api.problems.responses import problems
from api.schemas.tables.explanation import Explanation

router = APIRouter(prefix="/v1/tables", tags=["tables"])


@router.get(
    "/{table_id}/explain",
    summary="Explain why a table did or did not run",
    responses=problems("not_found", "invalid_input"),
)
async def explain_table(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> Explanation:
    """Explain whether the table is due, what holds it back, when a run could start, and what it would do now.

    Every setting comes with its origin, every rule with each measured condition. The answer is shorter, with
    the reason, while the catalog does not answer or after the table was dropped or created again.
    """
    return Explanation.from_domain(await services.explain.explain(caller, table_id))
