"""Webhooks, for owners. Their making takes no Idempotency-Key: a kept answer would keep the secret in clear."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from api.deps import OwnerDep, ServicesDep
from api.http.preconditions import VersionRead, set_etag
from api.http.representations import NOT_COMPRESSED
from api.listing.pagination import PageQuery
from api.problems.responses import WITH_BODY, problems
from api.schemas.fleet.webhooks import (
    RepeatRequest,
    Repetition,
    Webhook,
    WebhookDeliveryList,
    WebhookList,
    WebhookTest,
    WebhookWithSecret,
    WebhookWrite,
)
from engine.domain.ids import EventId, WebhookId
from engine.domain.webhooks.webhook import DeliveryState

router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"])

WebhookPath = Annotated[
    WebhookId,
    Path(
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
        description="Id of the webhook.",
        examples=["whk_01jd2m6v8n4q0x7y3k5r9t1wbz"],
    ),
]
EventPath = Annotated[
    EventId,
    Path(
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
        description="Id of the event.",
        examples=["evt_01jd2m6v8n4q0x7y3k5r9t1wbz"],
    ),
]
_CHANGED = ("not_found", "precondition_failed", "precondition_required")


@router.post("", status_code=201, summary="Create a webhook", responses=problems(*WITH_BODY, "state_conflict"))
async def create_webhook(
    body: WebhookWrite, request: Request, response: Response, services: ServicesDep, caller: OwnerDep
) -> WebhookWithSecret:
    """Create a webhook and show its secret. After a lost answer: list the webhooks, and rotate the secret."""
    made, secret = await services.webhooks.create(caller, body.to_domain())
    response.headers["Location"] = f"{request.url.path}/{made.id}"
    response.headers["Cache-Control"] = NOT_COMPRESSED
    set_etag(response, made.version)
    return WebhookWithSecret.of(made, secret)


@router.get("", summary="List webhooks", responses=problems("invalid_input"))
async def list_webhooks(services: ServicesDep, caller: OwnerDep, pages: PageQuery) -> WebhookList:
    """List the webhooks that the caller sees: those for teams of its own, all for callers of every team."""
    page = await pages.collect(
        lambda after, limit: services.webhooks.list(caller, after=after, limit=limit),
        key=lambda webhook: webhook.id,
        of=WebhookId,
    )
    return WebhookList.of(page)


@router.get("/{webhook_id}", summary="Show a webhook", responses=problems("not_found", "invalid_input"))
async def get_webhook(webhook_id: WebhookPath, response: Response, services: ServicesDep, caller: OwnerDep) -> Webhook:
    """Show a webhook without its secret; its ETag is needed to replace or delete it."""
    found = await services.webhooks.get(caller, webhook_id)
    set_etag(response, found.version)
    return Webhook.from_domain(found)


@router.put("/{webhook_id}", summary="Replace a webhook", responses=problems(*WITH_BODY, *_CHANGED, "state_conflict"))
async def replace_webhook(
    *,
    webhook_id: WebhookPath,
    body: WebhookWrite,
    response: Response,
    services: ServicesDep,
    caller: OwnerDep,
    conditions: VersionRead,
) -> Webhook:
    """Write a webhook as a whole; its secret stays. Needs If-Match."""
    written = await services.webhooks.replace(caller, webhook_id, body.to_domain(), conditions.version())
    set_etag(response, written.version)
    return Webhook.from_domain(written)


@router.delete(
    "/{webhook_id}",
    status_code=204,
    summary="Delete a webhook",
    responses=problems("invalid_input", *_CHANGED),
)
async def delete_webhook(
    webhook_id: WebhookPath, services: ServicesDep, caller: OwnerDep, conditions: VersionRead
) -> None:
    """Delete a webhook with its deliveries; events that wait for it are not sent. Needs If-Match."""
    await services.webhooks.delete(caller, webhook_id, conditions.version())


@router.post(
    "/{webhook_id}/rotate",
    summary="Rotate the secret of a webhook",
    responses=problems("not_found", "invalid_input"),
)
async def rotate_webhook_secret(
    webhook_id: WebhookPath, response: Response, services: ServicesDep, caller: OwnerDep
) -> WebhookWithSecret:
    """Begin a new secret and show it. For a day requests are signed with the one before as well."""
    rotated, secret = await services.webhooks.rotate(caller, webhook_id)
    response.headers["Cache-Control"] = NOT_COMPRESSED
    return WebhookWithSecret.of(rotated, secret)


@router.post("/{webhook_id}/test", summary="Test a webhook", responses=problems("not_found", "invalid_input"))
async def test_webhook(webhook_id: WebhookPath, services: ServicesDep, caller: OwnerDep) -> WebhookTest:
    """Send an event of the type `webhook.test` now and show the answer, within 15 seconds. It is not repeated."""
    return WebhookTest.from_domain(await services.webhooks.test(caller, webhook_id))


@router.get(
    "/{webhook_id}/deliveries",
    summary="List the deliveries of a webhook",
    responses=problems("not_found", "invalid_input"),
)
async def list_webhook_deliveries(
    *,
    webhook_id: WebhookPath,
    services: ServicesDep,
    caller: OwnerDep,
    pages: PageQuery,
    state: Annotated[DeliveryState | None, Query(description="Only deliveries in this state.")] = None,
) -> WebhookDeliveryList:
    """List what was sent, what waits and what was given up in the last 30 days, the newest events first."""
    page = await pages.collect(
        lambda before, limit: services.webhooks.deliveries(caller, webhook_id, state, before=before, limit=limit),
        key=lambda delivery: delivery.event.sequence,
        of=int,
    )
    return WebhookDeliveryList.of(page)


@router.post(
    "/{webhook_id}/deliveries/{event_id}/repeat",
    status_code=204,
    summary="Send an event again",
    responses=problems("not_found", "invalid_input"),
)
async def repeat_webhook_delivery(
    webhook_id: WebhookPath, event_id: EventPath, services: ServicesDep, caller: OwnerDep
) -> None:
    """Send one event again that was delivered or given up, with the same id. Has no effect on one that waits."""
    await services.webhooks.repeat(caller, webhook_id, event_id)


@router.post(
    "/{webhook_id}/repeat",
    summary="Send the events of a time again",
    responses=problems(*WITH_BODY, "not_found"),
)
async def repeat_webhook_events(
    webhook_id: WebhookPath, body: RepeatRequest, services: ServicesDep, caller: OwnerDep
) -> Repetition:
    """Send events again that the filters let pass, with the same ids: also those from before the webhook was made."""
    repeated = await services.webhooks.repeat_since(caller, webhook_id, since=body.since, until=body.until)
    return Repetition.from_domain(repeated)
