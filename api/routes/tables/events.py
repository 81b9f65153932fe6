"""Events of stores and other systems, in the form of CloudEvents.

They have a path of their own, and not that of single signals: an operation has one body and one answer in the SDKs.
"""

from fastapi import APIRouter

from api.deps import OperatorDep, ServicesDep
from api.http.cloud_events import EventRoute
from api.problems.responses import WITH_BODY, problems
from api.schemas.tables.events import EventsTaken, OneOrBatch
from engine.domain.tables.cloud_events import EventSource

router = APIRouter(prefix="/v1/signals", tags=["signals"], route_class=EventRoute)


@router.post(
    "/events",
    status_code=202,
    summary="Send events about tables, or about objects of stores",
    responses=problems(*WITH_BODY),
)
async def send_events(
    body: OneOrBatch,
    services: ServicesDep,
    caller: OperatorDep,
) -> EventsTaken:
    """Look at the tables that events are about, and store one commit signal for each.

    One CloudEvent as `application/cloudevents+json`, up to 100 as `application/cloudevents-batch+json`, or one in
    binary mode, with its attributes in `ce-` headers. The types: `Object Created` and `Object Deleted` with the
    `detail` of Amazon EventBridge as data, `com.amazonaws.s3.ObjectCreated:…` and `ObjectRemoved:…` with the record of
    a notification, `google.cloud.storage.object.v1.finalized` and `deleted`, `Microsoft.Storage.BlobCreated` and
    `BlobDeleted`, and `io.packhouse.signal.commit.v1`, whose data has a `table_id`. An object belongs to the table
    whose location is nearest around it.
    """
    events = [each.to_domain() for each in (body if isinstance(body, list) else [body])]
    return EventsTaken.from_domain(await services.events.take(caller, events, EventSource.HTTP))
