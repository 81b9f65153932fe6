"""State of the process's dependencies and the figures of the queue, for readiness and metrics.

Probes run concurrently, each with its own time limit, so that one dead server does not hide the others. Readiness and
metrics need no key, so their answers are cached for a second, and requests that come while one is being computed wait
for it: each dependency is asked about once a second, independent of the number of requests.

A dependency with an outage is not asked: the workers' probe (`services.outages`) decides for all processes when it is
back, so that readiness turns green when the runs that waited are released, not before.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

from engine.domain.clock import Clock
from engine.domain.errors import Away, PackhouseError
from engine.domain.fleet.endpoints import SparkEndpoint
from engine.domain.fleet.figures import LabelledTable, LiveRate, OwnerFigures, Stoppages
from engine.domain.fleet.outages import Outage
from engine.domain.fleet.processes import Workforce
from engine.domain.runs.run import EndedRuns, RunState
from engine.domain.tables.watches import Verdict
from engine.services.fleet.service import FleetService
from engine.stores.database import Database
from engine.stores.unit_of_work import UnitOfWork

Probe = Callable[[], Awaitable[str]]
"""Asks one dependency and returns its description (such as a version); raises when it does not answer."""

PATIENCE_SECONDS: Final = 3.0
KEEP_SECONDS: Final = 1.0
RECORD_SECONDS: Final = 1.0
"""Longest wait for the record before a dependency is asked without it: a dead database must not hide the others."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Dependency:
    """One dependency: `required` means that no request can be answered without it."""

    name: str
    ok: bool
    required: bool
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures for metrics: live runs by state, totals of ended ones, tables by their last verdict, the queue.

    `breakers`: open ones, by `catalog` and `table`. `outages`: by kind of dependency. Figures that can't be read are
    empty; the queue's entries, the workforce, the totals of ended runs and what is stopped are None then.
    """

    runs: Mapping[RunState, int] = field(default_factory=dict)
    ended: Sequence[EndedRuns] | None = None
    queue_depth: Mapping[str, int] | None = None
    watches: Mapping[Verdict, int] = field(default_factory=dict)
    rates: Sequence[LiveRate] = ()
    breakers: Mapping[str, int] = field(default_factory=dict)
    owners: Sequence[OwnerFigures] = ()
    outages: Mapping[str, int] = field(default_factory=dict)
    workforce: Workforce | None = None
    stopped: Stoppages | None = None
    labelled: Sequence[LabelledTable] = ()
    endpoints: Sequence[SparkEndpoint] = ()


class _AnswerCache(Generic[_T]):
    """Cache of one answer for a second; asks once at a time."""

    def __init__(self, *, ask: Callable[[], Awaitable[_T]], clock: Clock) -> None:
        self._ask = ask
        self._clock = clock
        self._lock = asyncio.Lock()
        self._last: tuple[float, _T] | None = None

    async def get(self) -> _T:
        """Return the cached answer, or ask."""
        async with self._lock:
            if self._last is None or self._clock.monotonic() - self._last[0] >= KEEP_SECONDS:
                answer = await self._ask()
                self._last = self._clock.monotonic(), answer
            return self._last[1]


class HealthService:
    """Asks the dependencies. `probes` are those other than the database; none of them is needed to answer requests."""

    def __init__(
        self,
        *,
        database: Database,
        probes: Mapping[str, Probe],
        clock: Clock,
        queue_depth: Callable[[], Awaitable[Mapping[str, int]]] | None = None,
        fleet: FleetService | None = None,
    ) -> None:
        self._database = database
        self._probes = probes
        self._clock = clock
        self._queue_depth = queue_depth
        self._fleet = fleet
        self._dependencies = _AnswerCache(ask=self._ask_all, clock=clock)
        self._figures = _AnswerCache(ask=self._count, clock=clock)
        self._workforce = _AnswerCache(ask=self._count_workforce, clock=clock)

    async def dependencies(self) -> Sequence[Dependency]:
        """Return the state of every dependency, at most a second old, the database first."""
        return await self._dependencies.get()

    async def workforce(self) -> Workforce | None:
        """Return live processes and waits of runs, at most a second old; None without an answer of the database."""
        return await self._workforce.get()

    async def figures(self) -> Figures:
        """Return live runs and queue entries, at most a second old; figures that can't be read are left out."""
        return await self._figures.get()

    async def _ask_all(self) -> Sequence[Dependency]:
        asked = [self._ask("database", self._ping, required=True)]
        asked += [
            self._ask(name, self._unless_away(name, probe), required=False) for name, probe in self._probes.items()
        ]
        return await asyncio.gather(*asked)

    def _unless_away(self, name: str, probe: Probe) -> Probe:
        """Return a probe that raises `Away` while an outage of this key stands, without asking the dependency."""

        async def asked() -> str:
            outage: Outage | None = None
            with suppress(PackhouseError, TimeoutError):  # without the database nothing is known of outages
                async with asyncio.timeout(RECORD_SECONDS), self._database.read() as unit:
                    outage = await unit.outages.get(name)
            if outage is not None:
                raise Away(outage.dependency, outage.describe())
            return await probe()

        return asked

    async def _count(self) -> Figures:
        runs: Mapping[RunState, int] = {}
        ended: Sequence[EndedRuns] | None = None
        watches: Mapping[Verdict, int] = {}
        breakers: Mapping[str, int] = {}
        outages: Mapping[str, int] = {}
        stopped: Stoppages | None = None
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self._database.read() as unit:
                runs, ended = await unit.runs.metrics(), await unit.runs.totals()
                watches = await unit.watches.standing()
                breakers = {"catalog": len(await unit.breakers.list_open()), "table": await unit.watches.resting()}
                outages = await unit.outages.counts()
                stopped, endpoints = await _stopped(unit), await unit.endpoints.list()
        except (PackhouseError, TimeoutError):
            runs, ended, watches, breakers, outages, stopped, endpoints = {}, None, {}, {}, {}, None, []
        depth = await _answer_of(self._queue_depth)
        rates, owners, labelled = None, None, None
        if (fleet := self._fleet) is not None:
            rates, owners = await _answer_of(fleet.rates), await _answer_of(fleet.owners)
            labelled = await _answer_of(fleet.labelled)
        workforce = await self.workforce()
        return Figures(
            runs=runs,
            ended=ended,
            queue_depth=depth,
            watches=watches,
            rates=rates or (),
            breakers=breakers,
            owners=owners or (),
            outages=outages,
            workforce=workforce,
            stopped=stopped,
            labelled=labelled or (),
            endpoints=endpoints,
        )

    async def _count_workforce(self) -> Workforce | None:
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), self._database.read() as unit:
                now, live = await unit.now(), await unit.processes.count_live()
                since, waits = await unit.runs.oldest_startable(), await unit.runs.longest_waits()
                silent_since = await unit.runs.oldest_event_at_work()
        except (PackhouseError, TimeoutError):
            return None
        seconds = {reason: max(0.0, (now - at).total_seconds()) for reason, at in waits.items()}
        startable, silent = (max(0.0, (now - (at or now)).total_seconds()) for at in (since, silent_since))
        return Workforce(live, startable, silent, seconds)

    async def _ping(self) -> str:
        await self._database.ping()
        return "answers"

    async def _ask(self, name: str, probe: Probe, *, required: bool) -> Dependency:
        started = self._clock.monotonic()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                detail = await probe()
            ok = True
        except PackhouseError as error:
            ok, detail = False, error.message
        except TimeoutError:
            ok, detail = False, f"no answer within {PATIENCE_SECONDS:g} seconds"
        return Dependency(name, ok, required, detail, self._clock.monotonic() - started)


async def _stopped(unit: UnitOfWork) -> Stoppages:
    unsent, since = await unit.outbox.standing()
    deliveries, first = await unit.deliveries.standing()
    now = await unit.now()
    waited, delayed = (0.0 if at is None else max(0.0, (now - at).total_seconds()) for at in (since, first))
    return Stoppages(await unit.freezes.count(), await unit.pauses.counts(), unsent, waited, deliveries, delayed)


async def _answer_of(ask: Callable[[], Awaitable[_T]] | None) -> _T | None:
    """Return the answer; None when there is nothing to ask, or no answer within the time limit."""
    if ask is None:
        return None
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await ask()
    except (PackhouseError, TimeoutError):
        return None
