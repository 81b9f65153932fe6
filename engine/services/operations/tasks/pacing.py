"""Rate limits of a run while it runs: the budget of its tasks, divided again as runs and tasks come and go.

There are three levels with the same algorithm (`queue/budgets.lua`). The run reports what its tasks moved and may hold
to the ledger of the fleet, and to that of its catalog if it has limits, and gets its share of each. Its own budget is
the least of these and of its table's, and the run's own ledger divides it among its tasks. Policy and limits are read
again every two seconds, so that a change reaches running tasks in about three.

Without a pace channel, or without Redis, tasks keep the share that they began with: an equal part of the rate that the
run may use regardless of other runs. A budget that is not renewed for three seconds lapses: tasks of a holder that is
gone slow down to almost zero before its share is given to others, two seconds later.
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
"""Running runs for each second of the report interval: with more runs each reports less often, to limit the cost."""

LIMITS_SECONDS: Final = 2.0
LAPSE_SECONDS: Final = 3.0
LEAST_SLOWDOWN: Final = 0.01

IDLE_SECONDS: Final = 3.0
IDLE_PART: Final = 0.1
"""Part of its fixed share that a run requests once all its tasks waited `IDLE_SECONDS` for Spark."""

MEASURED_SECONDS: Final = 3.0
"""Shortest measurement, in seconds, that is used as the rate of a run without limits."""

STALL_SECONDS: Final = 900.0
"""Seconds without a byte, a request or a wait for the budget after which the tasks of a run are stopped."""

_NOTHING_MOVED: Final = LiveProgress(0, 0, 0.0, 0, 0.0)


@dataclass(frozen=True, slots=True)
class PaceTools:
    """Dependencies for the pacing of all runs. `url`: address of the pace channel for tasks, None without one."""

    database: Database
    ledger: PaceLedger
    shared: SharedLedgers
    tokens: PaceTokens
    clock: Clock
    url: str | None


@dataclass(slots=True)
class StallWatch:
    """Notices that the tasks of a run move nothing: they compute for ever, or hang in a library.

    Tasks of the kernel report once a second what they moved and for how long their budget held them back, from a thread
    of their own. A task that Spark has not started reports nothing, and is not a stall. Sorting a group moves nothing
    for a minute or two. Tasks of a format's library report bytes at their end only, so they can't be watched.
    """

    clock: Clock
    _moved: tuple[float, ...] = ()
    _moved_at: float = 0.0

    def is_stalled(self, live: LiveProgress) -> bool:
        """Return whether tasks are at work and have moved nothing for `STALL_SECONDS`, given the newest report."""
        now, moved = (
            self.clock.monotonic(),
            (live.bytes_read, live.bytes_written, live.requests, live.throttled_seconds),
        )
        if moved != self._moved or not live.members:
            self._moved, self._moved_at = moved, now
        return now - self._moved_at >= STALL_SECONDS


class RunPacing:
    """The pace of one attempt. `at_work` keeps it while groups run; the other methods are its parts.

    `has_channel`: whether tasks report what they move; by default those that have the address of the pace channel.
    `on_stall` is called at each report while the tasks have moved nothing for too long (`StallWatch`), `on_limits` each
    time policy and limits were read again.
    """

    def __init__(
        self,
        *,
        tools: PaceTools,
        attempt: Attempt,
        limits: RunLimits,
        properties: Mapping[str, Any],
        lanes: int,
        has_channel: bool | None = None,
        on_stall: Callable[[], Awaitable[None]] | None = None,
        on_limits: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._tools = tools
        self._attempt = attempt
        self._limits = limits
        self._properties = properties
        self._lanes = lanes
        self._has_channel = tools.url is not None if has_channel is None else has_channel
        self._dealt: Budget | None = None  # the last budget sent to the run's own ledger
        self._unslowed: Budget | None = None  # the run's budget when queries became slow
        self._levels: dict[str, Budget] = {}
        self._use_of_share = RunUse()
        self._runs = 0
        self._is_over = False
        self._on_stall = on_stall
        self._on_limits = on_limits
        self._stalls = StallWatch(tools.clock)
        self._busy_at = self._began_at = tools.clock.monotonic()

    @property
    def limits(self) -> RunLimits:
        """The limits as last read."""
        return self._limits

    @asynccontextmanager
    async def at_work(self) -> AsyncIterator[None]:
        """Apply the run's rates while the body runs; at its end stop tasks that still run and give the share back."""
        self._busy_at = self._began_at = self._tools.clock.monotonic()
        duties = [asyncio.create_task(self._repeat(self.reread, lambda: LIMITS_SECONDS), name="limits")]
        if self._has_channel:
            with suppress(Transient):  # without Redis the tasks keep the shares that they begin with
                await self.refresh()
            duties.append(asyncio.create_task(self._repeat(self.refresh, self._seconds), name="pace"))
        try:
            yield
        finally:
            self._is_over = True  # redis-py loses a cancel that arrives while it connects
            for duty in duties:
                duty.cancel()
            await asyncio.gather(*duties, return_exceptions=True)
            if self._has_channel:
                with suppress(Transient):
                    await self.refresh()  # bytes moved since the last refresh count too
                    await self.leave()

    def of_task(self) -> Pace:
        """Return the initial share of a task, and the address for the next one."""
        share = self._wanted(0.0).at_most(self._limits.fixed).share(self._lanes)
        url = self._tools.url
        token = self._tools.tokens.issue(self._attempt.run.id, self._attempt.number) if url else None
        return Pace(share.bytes_per_second, share.requests_per_second, url, token)

    async def stop(self) -> bool:
        """Ask the tasks to stop; return False when the request can't reach them."""
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
            endpoint = self._attempt.run.intent.endpoint
            self._limits = await run_limits(unit, table.ref.catalog, policy, endpoint=endpoint)
        if self._on_limits is not None:
            await self._on_limits()

    async def refresh(self) -> None:
        """Report what the run moved, get its shares, divide its budget among tasks. Raises Transient without Redis."""
        run_id, number = self._attempt.run.id, self._attempt.number
        live = _NOTHING_MOVED if self._dealt is None else await self._tools.ledger.progress(run_id)
        if self._on_stall is not None and self._stalls.is_stalled(live):
            await self._on_stall()
        wanted = self._wanted(live.bytes_per_second)
        budget = await self._with_shares(live, wanted)
        await self._tools.ledger.open(run_id, number, budget, self._lanes, seconds=LAPSE_SECONDS)
        self._dealt = budget

    async def leave(self) -> None:
        """Stop tasks that still run and give the shares back. Raises Transient without Redis."""
        run_id, number = self._attempt.run.id, self._attempt.number
        await self._tools.ledger.close(run_id, number)
        for ledger in self._levels:
            await self._tools.shared.leave(ledger, run_id, number)

    async def _with_shares(self, live: LiveProgress, wanted: Budget) -> Budget:
        """Return the run's budget: the wanted one, limited by its shares.

        Each ledger receives what the run can use of it: the wanted budget, limited by the share of the other ledger.
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
            if share is not None:  # otherwise a later attempt is at work: the heartbeat will report the lost lease
                self._levels[ledger], self._runs = share.level, share.runs
                budget = budget.at_most(share.budget)
        return budget

    def _shared(self) -> Mapping[str, SharedLimit]:
        """Return the ledgers to report to: that of the fleet, and the catalog's if it is limited."""
        fleet, catalog = self._limits.fleet, self._limits.catalog
        version = self._limits.version
        limits = {FLEET: SharedLimit(fleet.rates, fleet.parallel_runs or 1, version)}
        if (rates := fleet.of_catalog(catalog).rates) != Budget():
            limits = {catalog_ledger(catalog): SharedLimit(rates, fleet.runs_of(catalog) or 1, version)} | limits
        self._levels = {name: level for name, level in self._levels.items() if name in limits}
        return limits

    def _use(self, live: LiveProgress) -> Budget:
        """Return the rate that the run can use; a small part of its share while all its tasks wait for Spark."""
        now = self._tools.clock.monotonic()
        usable = self._use_of_share.note(now, live, self._dealt or Budget())
        least = self._limits.fleet.share(self._limits.catalog).scaled(IDLE_PART)
        if live.members:
            self._busy_at = now
        if self._runs <= 1:
            return Budget()
        return usable.at_least(least) if now - self._busy_at < IDLE_SECONDS else least

    def _wanted(self, rate: float) -> Budget:
        """Return the table's budget; while queries are slow a part of the run's earlier one, given its present rate."""
        factor = max(self._attempt.pace_factor, LEAST_SLOWDOWN)
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
            except PackhouseError as error:  # the last budget stays valid; without Redis it lapses
                _log.debug("pacing_waits", duty=duty.__name__, error=error.message)
