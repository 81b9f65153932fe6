"""Signals: what other systems tell about tables, and what writers may ask."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from api.deps import OperatorDep, ServicesDep, TableIdPath, ViewerDep
from api.http.idempotency import IdempotentRoute, KeyedRequestDep, answer_of, idempotency_key, response_of
from api.listing.filters import PeriodFilter, TableIdFilter
from api.listing.pagination import PageQuery
from api.problems.responses import WITH_BODY, problems
from api.schemas.tables.signals import Signal, SignalList, SignalSend, TableBackpressure
from engine.domain.tables import signals as domain
from engine.services.access.idempotency import AnswerRecord

creating = APIRouter(
    prefix="/v1/signals", tags=["signals"], route_class=IdempotentRoute, dependencies=[Depends(idempotency_key)]
)
router = APIRouter(tags=["signals"])


@creating.post(
    "",
    status_code=202,
    summary="Send a signal about a table or the fleet",
    response_model=Signal,
    responses=problems(*WITH_BODY, "not_found"),
)
async def send_signal(body: SignalSend, services: ServicesDep, caller: OperatorDep, keyed: KeyedRequestDep) -> Response:
    """Store a commit, query latency, back-pressure or the filters of queries, of one table or of the fleet."""
    table_id = None if body.table_id is None else await services.tables.resolve(caller, body.table_id)
    record = AnswerRecord[domain.Signal](lambda signal: answer_of(Signal.from_domain(signal), 202), keyed)
    await services.signals.send(caller, table_id, body.signal, record=record)
    return response_of(record.answer)


@router.get(
    "/v1/signals", summary="List signals of a kind, newest first", responses=problems("not_found", "invalid_input")
)
async def list_signals(
    *,
    services: ServicesDep,
    caller: ViewerDep,
    pages: PageQuery,
    kind: Annotated[domain.SignalKind, Query(description="Kind of the signals.")],
    table_id: TableIdFilter,
    period: PeriodFilter,
) -> SignalList:
    """List signals about a table or, without `table_id`, about the fleet."""
    page = await pages.collect(
        lambda before, limit: services.signals.list(caller, table_id, kind, period, before=before, limit=limit),
        key=lambda signal: signal.id,
        of=int,
    )
    return SignalList.of(page)


@router.get(
    "/v1/tables/{table_id}/backpressure",
    summary="Ask whether writers should slow down",
    responses=problems("not_found", "invalid_input"),
)
async def get_table_backpressure(table_id: TableIdPath, services: ServicesDep, caller: ViewerDep) -> TableBackpressure:
    """Show whether writers of a table should slow down: by a signal, or as a bucket has too many sorted runs."""
    return TableBackpressure.from_domain(table_id, await services.backpressure.advise(caller, table_id))
