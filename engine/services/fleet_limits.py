"""Limits of the whole fleet: read and written as one document."""

from typing import Final

from engine.domain.access import Caller
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.fleet import Fleet, FleetLimits
from engine.services.wakes import Wakes
from engine.stores.database import Database

_MOST_SENT: Final = 200


class LimitService:
    """Shows and writes the limits."""

    def __init__(self, *, database: Database, wakes: Wakes) -> None:
        self._database = database
        self._wakes = wakes

    async def get(self, _caller: Caller) -> Fleet:
        """Return the fleet with its limits."""
        async with self._database.read() as unit:
            return await unit.fleet.get()

    async def replace(self, caller: Caller, limits: FleetLimits, *, version: int) -> Fleet:
        """Write the limits as a whole. `parallel_runs` holds from the next claim; rates reach a run at its next start.

        Raises:
            PreconditionFailed: another version than this is stored.
            InvalidInput: a rate without `parallel_runs`, whose shares nobody could deal out.
        """
        _check(limits)
        async with self._database.begin() as unit:
            before = await unit.fleet.get()
            fleet = await unit.fleet.replace_limits(limits, by=caller.subject, version=version)
            documents = {"before": before.limits.document(), "after": limits.document()}
            await unit.audit.append(caller, "limits.replace", "fleet", **documents)
            ready = [run.id for run in await unit.runs.list_ready(_MOST_SENT)]
        await self._wakes.workers(ready)
        return fleet


def _check(limits: FleetLimits) -> None:
    if limits.parallel_runs is not None or (limits.bandwidth is None and limits.requests is None):
        return
    hint = "bandwidth and requests are dealt out in equal shares over parallel_runs: set it too"
    problem = FieldProblem("/parallel_runs", "needed with bandwidth or requests", None, hint)
    raise InvalidInput("a rate for the fleet needs parallel_runs", problems=(problem,))
