"""Limits of the whole fleet: read and written as one document."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from engine.domain.access.callers import Caller
from engine.domain.errors import FieldProblem, InvalidInput
from engine.domain.fleet.budgets import Budget
from engine.domain.fleet.limits import FleetLimits, FleetRow
from engine.domain.values.hints import did_you_mean
from engine.services.access.visibility import visible_catalogs
from engine.services.runs.wakes import MOST_SENT, Wakes
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

_ALL_CATALOGS: Final = 100_000


class LimitService:
    """Shows and writes the limits."""

    def __init__(self, *, database: Database, wakes: Wakes) -> None:
        self._database = database
        self._wakes = wakes

    async def get(self, caller: Caller) -> FleetRow:
        """Return the fleet with its limits, and those of the catalogs that exist for the caller."""
        async with self._database.read() as unit:
            fleet = await unit.fleet.get()
            visible = await visible_catalogs(unit, caller)
        return replace(fleet, limits=fleet.limits.of_catalogs(visible))

    async def replace(self, caller: Caller, limits: FleetLimits, *, version: int) -> FleetRow:
        """Replace all limits. Rates reach running runs within seconds.

        `parallel_runs` applies from the next claim, `parallel_groups` from the next task.

        Raises:
            PreconditionFailed: another version than this is stored.
            InvalidInput: a rate without `parallel_runs`, which can't be divided into shares; an unknown catalog.
        """
        if problems := tuple(_without_runs(limits)):
            raise InvalidInput("a rate needs parallel_runs", problems=problems)
        async with self._database.begin() as unit:
            await _check_catalogs(unit, limits)
            before = await unit.fleet.get()
            fleet = await unit.fleet.replace_limits(limits, by=caller.subject, version=version)
            documents = {"before": before.limits.document(), "after": limits.document()}
            await unit.audit.append(caller, "limits.replace", "fleet", **documents)
            ready = [run.id for run in await unit.runs.list_ready(MOST_SENT)]
        await self._wakes.workers(ready)
        return fleet


def _without_runs(limits: FleetLimits) -> Iterator[FieldProblem]:
    """Yield a problem for each rate without `parallel_runs`, the number of equal shares when nothing else is known."""
    dealt = [limits.rates, *(own.rates for own in limits.catalogs.values() if own.parallel_runs is None)]
    if limits.parallel_runs is None and any(rates != Budget() for rates in dealt):
        yield FieldProblem(
            "/parallel_runs",
            "required with bandwidth or requests, including those of a catalog without its own parallel_runs",
            None,
            "a run that can't reach the pace channel gets an equal share of the rate, divided by parallel_runs: "
            "set it too",
        )


async def _check_catalogs(unit: UnitOfWork, limits: FleetLimits) -> None:
    if not limits.catalogs:
        return
    known = [catalog.name for catalog in await unit.catalogs.list(limit=_ALL_CATALOGS)]
    problems = tuple(
        FieldProblem(f"/catalogs/{name}", f"no catalog {name!r}", name, did_you_mean(name, known))
        for name in sorted(limits.catalogs.keys() - set(known))
    )
    if problems:
        raise InvalidInput("limits for catalogs that do not exist", problems=problems)
