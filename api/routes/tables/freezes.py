"""Frozen tables: what a failed proof leaves behind, and its end."""

from fastapi import APIRouter

from api.deps import OwnerDep, ServicesDep, TableIdPath
from api.problems.responses import WITH_BODY, problems
from api.schemas.tables.table import UnfreezeRequest

router = APIRouter(prefix="/v1")


@router.post(
    "/tables/{table_id}/unfreeze",
    status_code=204,
    tags=["tables"],
    summary="Unfreeze a table",
    responses=problems(*WITH_BODY, "not_found"),
)
async def unfreeze_table(table_id: TableIdPath, body: UnfreezeRequest, services: ServicesDep, caller: OwnerDep) -> None:
    """Unfreeze a table after a failed proof, so that runs can start. Inspect the snapshots in `freeze` first.

    The table is not changed; the next run releases its protected parent snapshot. Has no effect on a table that is not
    frozen.
    """
    await services.freezes.unfreeze(caller, table_id, reason=body.reason)
