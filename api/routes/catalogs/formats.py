"""Routes for the operations that each table format supports."""

from fastapi import APIRouter

from api.deps import ServicesDep, ViewerDep
from api.problems.responses import problems
from api.schemas.catalogs.formats import FormatList

router = APIRouter(prefix="/v1/formats", tags=["formats"])


@router.get("", summary="Show the operations that each table format supports", responses=problems("invalid_input"))
async def list_formats(services: ServicesDep, caller: ViewerDep) -> FormatList:
    """Show format by operation, strategy and engine, with the reason for each no."""
    return FormatList.of(services.capabilities.list(caller))
