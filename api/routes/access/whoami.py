"""The caller, as Packhouse sees it."""

from fastapi import APIRouter

from api.deps import ViewerDep
from api.problems.responses import problems
from api.schemas.access.keys import Whoami

router = APIRouter(prefix="/v1/whoami", tags=["access"])


@router.get("", summary="Show the caller", responses=problems())
async def get_whoami(caller: ViewerDep) -> Whoami:
    """Show the name, role and teams of the key or token that the request was sent with."""
    return Whoami.from_domain(caller)
