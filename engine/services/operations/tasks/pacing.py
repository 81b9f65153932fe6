"""The rates of a run while it runs: what its tasks may move together, re-dealt as runs and tasks come and go.

Three levels by one arithmetic (`queue/budgets.lua`). The run reports to the ledger of the fleet, and to that of its
catalog if it has limits, what its tasks moved and may hold, and gets its share of each. Its own budget is the least of
these and of its table's, and is dealt to its tasks by the run's own ledger. Policy and limits are read again every two
seconds, so that a change reaches running tasks in about three.

Without a pace channel, or without Redis, tasks keep the share that they began with: an equal part of what the run may
move whatever the others do. A budget that is not renewed for three seconds lapses: tasks of a holder that is gone slow
down to almost nothing before its share is dealt to others, two seconds later.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import Clock
from engine.domain.errors import PackhouseError, Transient
from engine.domain.fleet.budgets import Budget
from engine.queue.budgets import LiveProgress, PaceLedger
from engine.queue.shared_budgets import FLEET, RunReport, SharedLedgers, SharedLimit, catalog_ledger
from engine.rewriting.kernel.contract import Pace
from engine.services.catalogs.registered import read_registered
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.services.operations.tasks.pace_use import RunUse
from engine.services.policies.effective import PolicyReader
from engine.services.runs.attempts import Attempt
from engine.services.runs.budgets import RunLimits, run_limits
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

REFRESH_SECONDS: Final = 0.5
SLOWEST_REFRESH_SECONDS: Final = 2.0
RUNS_FOR_EACH_SECOND: Final = 100
"""With more runs at work each reports less often: the cost of a report grows with their number."""

LIMITS_SECONDS: Final = 2.0
LAPSE_SECONDS: Final = 3.0
LEAST_SLOWDOWN: Final = 0.01

IDLE_SECONDS: Final = 3.0
IDLE_PART: Final = 0.1
"""A run whose tasks all wait for Spark for so long asks for this part of its fixed share; others get the rest."""

MEASURED_SECONDS: Final = 3.0
"""Only a rate that was measured for so long says how fast a run without any limit is."""

_NOTHING_MOVED: Final = LiveProgress(0, 0, 0.0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class PaceTools:
    """What every run is paced with. `url`: how tasks reach the pace channel, None without one."""

    database: Database
    ledger: PaceLedger
    shared: SharedLedgers
    tokens: PaceTokens
    clock: Clock
    url: str | None


class RunPacing:
    """The pace of one attempt. `at_work` keeps it while groups run; the other methods are its parts."""

    def __init__(
        self, *, tools: PaceTools, attempt: Attempt, limits: RunLimits, properties: Mapping[str, Any], lanes: int
    ) -> None:
        self._tools = tools
        self._attempt = attempt
        self._limits = limits
        self._properties = properties
        self._lanes = lanes
        self._dealt: Budget | None = None  # what the run's own ledger was told last
        self._unslowed: Budget | None = None  # what the run had when queries became slow
        self._levels: dict[str, Budget] = {}
        self._use_of_share = RunUse()
        self._runs = 0
        self._is_over = False
        self._busy_at = self._began_at = tools.clock.monotonic()

    @property
    def _has_channel(self) -> bool:
        return self._tools.url is not None

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Hold the run to its rates while the body runs; at its end give the share back and stop what still runs."""
        self._busy_at = self._began_at = self._tools.clock.monotonic()
        duties = [asyncio.create_task(self._repeat(self.reread, lambda: LIMITS_SECONDS), name="limits")]
        if self._has_channel:
            with suppress(Transient):  # without Redis the tasks keep the shares that they begin with
                await self.refresh()
            duties.append(asyncio.create_task(self._repeat(self.refresh, self._seconds), name="pace"))
        try:
            yield
        finally:
            self._is_over = True  # redis-py loses a cancel that comes while it connects
            for duty in duties:
                duty.cancel()
            await asyncio.gather(*duties, return_exceptions=True)
            if self._has_channel:
                with suppress(Transient):
                    await self.refresh()  # what was moved since the last one counts too
                    await self.leave()

    def of_task(self) -> Pace:
        """Return the share that a task begins with, and where it gets its next one."""
        share = self._wanted(0.0).at_most(self._limits.fixed).share(self._lanes)
        url = self._tools.url
        token = self._tools.tokens.issue(self._attempt.run.id, self._attempt.number) if url else None
        return Pace(share.bytes_per_second, share.requests_per_second, url, token)

    async def stop(self) -> bool:
        """Tell the tasks to stop by themselves; False when they can't hear it."""
        if not self._has_channel:
            return False
        try:
            await self._tools.ledger.stop(self._attempt.run.id, self._attempt.number)
        except Transient:
            return False
        return True

    async def reread(self) -> None:
        """Read policy and limits again. Raises Transient when the database does not answer."""
        async with self._tools.database.read() as unit:
            table, _ = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
            policy = await PolicyReader.effective(unit, table, self._properties)
            self._limits = await run_limits(unit, table.ref.catalog, policy)

    async def refresh(self) -> None:
        """Report what the run moved, take its shares, and deal what it may move. Raises Transient without Redis."""
        run_id, number = self._attempt.run.id, self._attempt.number
        live = _NOTHING_MOVED if self._dealt is None else await self._tools.ledger.progress(run_id)
        wanted = self._wanted(live.bytes_per_second)
        budget = await self._with_shares(live, wanted)
        await self._tools.ledger.open(run_id, number, budget, self._lanes, seconds=LAPSE_SECONDS)
        self._dealt = budget

    async def leave(self) -> None:
        """Stop what still runs and give the shares back. Raises Transient without Redis."""
        run_id, number = self._attempt.run.id, self._attempt.number
        await self._tools.ledger.close(run_id, number)
        for ledger in self._levels:
            await self._tools.shared.leave(ledger, run_id, number)

    async def _with_shares(self, live: LiveProgress, wanted: Budget) -> Budget:
        """Return what the run may move: what is wanted, as far as its shares go.

        Each ledger is told what the run can use of it: what it wants, as far as the other ledger would let it.
        """
        budget, useful = wanted, wanted.at_most(self._use(live))
        for ledger, limit in self._shared().items():
            cap = useful
            for other in self._levels.keys() - {ledger}:
                cap = cap.at_most(self._levels[other])
            report = RunReport(
                bytes_read=live.bytes_read,
                bytes_written=live.bytes_written,
                requests=live.requests,
                throttled_seconds=live.throttled_seconds,
                held=live.held if self._dealt is None else live.held.at_least(self._dealt),
                cap=cap,
                is_returning=self._dealt is not None,
            )
            share = await self._tools.shared.share(ledger, self._attempt.run.id, self._attempt.number, limit, report)
            if share is not None:  # else a later attempt is at work: the heartbeat will say that the lease is lost
                self._levels[ledger], self._runs = share.level, share.runs
                budget = budget.at_most(share.budget)
        return budget

    def _shared(self) -> Mapping[str, SharedLimit]:
        """Return the ledgers to report to: the catalog's if it is limited, and always that of the fleet."""
        fleet, catalog = self._limits.fleet, self._limits.catalog
        version = self._limits.version
        limits = {FLEET: SharedLimit(fleet.rates, fleet.parallel_runs or 1, version)}
        if (rates := fleet.of_catalog(catalog).rates) != Budget():
            limits = {catalog_ledger(catalog): SharedLimit(rates, fleet.runs_of(catalog) or 1, version)} | limits
        self._levels = {name: level for name, level in self._levels.items() if name in limits}
        return limits

    def _use(self, live: LiveProgress) -> Budget:
        """Return what the run can use while there are others: little when all its tasks wait for Spark."""
        now = self._tools.clock.monotonic()
        usable = self._use_of_share.note(now, live, self._dealt or Budget())
        least = self._limits.fleet.share(self._limits.catalog).scaled(IDLE_PART)
        if live.members:
            self._busy_at = now
        if self._runs <= 1:
            return Budget()
        return usable.at_least(least) if now - self._busy_at < IDLE_SECONDS else least

    def _wanted(self, rate: float) -> Budget:
        """Return the table's budget; while queries are slow a part of what the run had before, given its rate now."""
        factor = max(self._attempt.slowdown, LEAST_SLOWDOWN)
        if factor >= 1:
            self._unslowed = None
            return self._limits.table
        if self._unslowed is None and self._dealt is not None:
            is_measured = self._tools.clock.monotonic() - self._began_at >= MEASURED_SECONDS
            measured = rate if is_measured and rate > 0 else None
            before = Budget(self._dealt.bytes_per_second or measured, self._dealt.requests_per_second)
            self._unslowed = None if before.bytes_per_second is None else before
        return self._limits.table.at_most(self._unslowed or Budget()).scaled(factor)

    def _seconds(self) -> float:
        return min(max(REFRESH_SECONDS, self._runs / RUNS_FOR_EACH_SECOND), SLOWEST_REFRESH_SECONDS)

    async def _repeat(self, duty: Callable[[], Awaitable[None]], seconds: Callable[[], float]) -> None:
        while not self._is_over:
            await self._tools.clock.sleep(seconds())
            try:
                await duty()
            except PackhouseError as error:  # what held last goes on; without Redis it lapses
                _log.debug("pacing_waits", duty=duty.__name__, error=error.message)
