"""The Spark endpoint of a run: the choice among those that the record has, and the wait while there is none."""

from datetime import timedelta
from typing import Final

from engine.domain.fleet.endpoints import NoEndpoint, SparkEndpoint, SparkNeeds, choose_endpoint
from engine.domain.policies import OnStart
from engine.domain.runs.run import WaitingFor
from engine.services.runs.holds import StartBlocker
from engine.stores.unit_of_work import UnitOfWork

ENDPOINT_WAIT: Final = timedelta(hours=1)
"""Time after which a run without an endpoint looks again; the coordinator's reviews end its wait before."""

WAITS: Final = frozenset({WaitingFor.NO_ENDPOINT, WaitingFor.SPARK_UNSUITABLE})
"""Waits for an endpoint."""


async def endpoint_of(unit: UnitOfWork, needs: SparkNeeds) -> SparkEndpoint | NoEndpoint:
    """Return the endpoint on which a run would begin now."""
    endpoints = await unit.endpoints.to_choose_from()
    away = await unit.outages.of_spark() if len(endpoints) > 1 else ()
    return choose_endpoint(endpoints, needs, away)


async def endpoint_hold(unit: UnitOfWork, needs: SparkNeeds) -> StartBlocker | None:
    """Return the hold on a run for which there is no endpoint now; None if there is one."""
    found = await endpoint_of(unit, needs)
    if isinstance(found, SparkEndpoint):
        return None
    until = await unit.now() + ENDPOINT_WAIT
    return StartBlocker(WaitingFor(found.code), until, OnStart.FINISH, found.code, found.detail)
