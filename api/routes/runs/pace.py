"""The pace channel: running tasks report what they moved and get their share. Not part of the public API."""

from fastapi import APIRouter

from api.deps import PaceSubject, ServicesDep
from api.schemas.runs.pace import PaceReport, PaceShare

router = APIRouter(prefix="/internal", include_in_schema=False)


@router.post("/pace")
async def report_pace(subject: PaceSubject, body: PaceReport, services: ServicesDep) -> PaceShare:
    """Count what a task moved; answer its new share, or the order to stop."""
    run_id, attempt = subject
    return PaceShare.from_domain(await services.pace.report(run_id, attempt, body.to_domain()))
