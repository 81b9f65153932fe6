"""The list of operations."""

from fastapi import APIRouter

from api.deps import ViewerDep
from api.problems.responses import problems
from api.schemas.runs.operations import OperationList
from engine.domain.runs.operations import OPERATIONS

router = APIRouter(prefix="/v1/operations", tags=["formats"])


@router.get("", summary="Show every operation", responses=problems("invalid_input"))
async def list_operations(_caller: ViewerDep) -> OperationList:
    """Show what each operation does, needs and deletes, the setting that switches it on, and who may request it."""
    return OperationList.of(OPERATIONS.values())
