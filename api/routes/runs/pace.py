"""Routes for running tasks, on the listener of their own: their share of the limits, and new credentials."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request

from api.deps import ServicesDep
from api.schemas.runs.pace import PaceReport, PaceShare, TaskStorage
from engine.services.operations.tasks.pace_tokens import TaskToken

router = APIRouter(prefix="/internal", include_in_schema=False)


async def _task_token(request: Request) -> TaskToken:
    """Return the token that `api.task_app` verified."""
    token: TaskToken = request.state.task_token
    return token


TaskTokenDep = Annotated[TaskToken, Depends(_task_token)]


@router.post("/pace")
async def report_pace(token: TaskTokenDep, body: PaceReport, services: ServicesDep) -> PaceShare:
    """Count what a task moved; answer its new share and, in time, its new token, or the order to stop."""
    answer = await services.pace.report(token.run_id, token.attempt, body.to_domain())
    return PaceShare.from_domain(answer, services.pace_tokens.renewed(token))


@router.post("/credentials")
async def renew_credentials(token: TaskTokenDep, services: ServicesDep) -> TaskStorage:
    """Answer the storage properties of a task's table, with credentials as the catalog gives them now."""
    return TaskStorage(storage=dict(await services.renewals.storage(token)))
