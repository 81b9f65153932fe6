"""Routes for running tasks: their share of the limits, and new credentials. Not part of the public API."""

from fastapi import APIRouter

from api.deps import PaceSubject, ServicesDep
from api.schemas.runs.pace import PaceReport, PaceShare, TaskStorage

router = APIRouter(prefix="/internal", include_in_schema=False)


@router.post("/pace")
async def report_pace(subject: PaceSubject, body: PaceReport, services: ServicesDep) -> PaceShare:
    """Count what a task moved; answer its new share, or the order to stop."""
    run_id, attempt = subject
    return PaceShare.from_domain(await services.pace.report(run_id, attempt, body.to_domain()))


@router.post("/credentials")
async def renew_credentials(subject: PaceSubject, services: ServicesDep) -> TaskStorage:
    """Answer the storage properties of a task's table, with credentials as the catalog gives them now."""
    run_id, attempt = subject
    return TaskStorage(storage=dict(await services.renewals.storage(run_id, attempt)))
