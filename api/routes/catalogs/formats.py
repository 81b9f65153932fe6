"""Routes for the operations that each table format supports, and for the types of its catalogs."""

from fastapi import APIRouter

from api.deps import ServicesDep, ViewerDep
from api.problems.responses import problems
from api.schemas.catalogs.formats import CatalogTypeList, FormatList

router = APIRouter(prefix="/v1", tags=["formats"])
_PROBLEMS = problems("invalid_input")


@router.get("/formats", summary="Show the operations that each table format supports", responses=_PROBLEMS)
async def list_formats(services: ServicesDep, caller: ViewerDep) -> FormatList:
    """Show format by operation, strategy and engine, with the reason for each no."""
    return FormatList.of(services.capabilities.list(caller))


@router.get("/catalog-types", summary="Show the types of catalogs", responses=_PROBLEMS)
async def list_catalog_types(services: ServicesDep, caller: ViewerDep) -> CatalogTypeList:
    """Show the types of catalogs of each served format with their properties; for unsupported types the reason."""
    return CatalogTypeList.of(services.capabilities.list(caller))
