"""The audit log, for admins. Nothing can be written here: changes write it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from api.deps import AdminDep, ServicesDep
from api.listing.filters import Since, Until
from api.listing.pagination import PageQuery
from api.problems.responses import problems
from api.schemas.access.audit import AuditList
from engine.domain.access.audit import AuditFilter

router = APIRouter(prefix="/v1/audit", tags=["access"])


async def audit_filter(
    caller: Annotated[
        str | None, Query(max_length=300, description="Changed by this caller.", examples=["key:etl"])
    ] = None,
    action: Annotated[
        str | None, Query(max_length=100, description="Of this kind of change.", examples=["run.submit"])
    ] = None,
    object: Annotated[  # noqa: A002 - the name on the wire
        str | None, Query(max_length=300, description="Id or name of the changed object.")
    ] = None,
    since: Since = None,
    until: Until = None,
) -> AuditFilter:
    """Read what to list."""
    return AuditFilter(caller, action, object, since, until)


@router.get("", summary="List audit entries, newest first", responses=problems("invalid_input"))
async def list_audit(
    services: ServicesDep, caller: AdminDep, pages: PageQuery, wanted: Annotated[AuditFilter, Depends(audit_filter)]
) -> AuditList:
    """List who changed what, when and how, with the hash of each entry and the head of the chain."""
    head, anchor = await services.audit.head(caller), await services.audit.anchor(caller)
    page = await pages.collect(
        lambda before, limit: services.audit.list(caller, wanted, before=before, limit=limit),
        key=lambda found: found[0].id,
        of=int,
    )
    return AuditList.of(page, head, anchor)
