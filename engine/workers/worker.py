"""The worker: on a queue entry it claims the best ready run, executes it, and looks for the next.

An entry is a hint that there is work, without naming a particular run: SQL decides which run is next and who claims it.
An entry is acknowledged after the attempt ended, so that a dead worker's entries can be taken over. A slot that is done
with a run looks for another before it waits again, so that a run that waited for its table, or for room in the fleet,
starts as soon as that is free. While Redis is unavailable slots poll.

On a request to stop it drains: for `drain_seconds` groups in flight may end and written groups are committed; after
that, or on a second request, they are interrupted. In both cases the rest of each run is left to another worker.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from itertools import chain, repeat

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import PackhouseError, Transient
from engine.domain.fleet.processes import REPORT_SECONDS
from engine.domain.ids import RunId
from engine.domain.runs.leases import Lease
from engine.domain.runs.run import Operation, Run
from engine.metrics import WorkMetrics
from engine.queue.hints import Hints
from engine.queue.streams import Delivery, RunQueue
from engine.services.outages.endpoints import EndpointProbes
from engine.services.outages.probes import OutageProbes
from engine.services.runs.attempts import Attempt, AttemptStop, Stop
from engine.services.runs.claims import ClaimService
from engine.services.runs.execution import RunExecution
from engine.stores.database import Database
from engine.workers.presence import ProcessEntry

_log = structlog.get_logger(__name__)

TAKE_SECONDS = 1.0
PAUSE_SECONDS = 1.0
PROBE_SECONDS = 1.0
KEEP_SECONDS = 10 * 60.0


class Worker:
    """Advances up to `slots` runs at once until `stop`."""

    def __init__(
        self,
        *,
        database: Database,
        queue: RunQueue,
        hints: Hints,
        claims: ClaimService,
        execution: RunExecution,
        clock: Clock,
        slots: int,
        lease_seconds: float,
        warm_up: Callable[[], None],
        keep_session: Callable[[], None],
        drain_seconds: float = 0.0,
        metrics: WorkMetrics | None = None,
        probes: OutageProbes,
        endpoints: EndpointProbes,
        presence: ProcessEntry,
    ) -> None:
        self._database = database
        self._queue = queue
        self._hints = hints
        self._claims = claims
        self._execution = execution
        self._probes = probes
        self._endpoints = endpoints
        self._presence = presence
        self._clock = clock
        self._slots = slots
        self._lease_seconds = lease_seconds
        self._warm_up = warm_up
        self._keep_session = keep_session
        self._drain_seconds = drain_seconds
        self._metrics = metrics or WorkMetrics()
        self._stopping = asyncio.Event()
        self._attempts: set[Attempt] = set()

    @property
    def operations(self) -> Collection[Operation]:
        """The operations whose runs it executes."""
        return self._execution.operations

    async def run(self) -> None:
        """Work until `stop` is called; then park running attempts and return."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._keep_warm())
            slots = [group.create_task(self._slot()) for _ in range(self._slots)]
            group.create_task(self._interrupt_late(slots))
            group.create_task(self._probe_until_stopped("probes", self._probes))
            group.create_task(self._probe_until_stopped("endpoints", self._endpoints))
            group.create_task(self._report_until_stopped())

    def stop(self) -> None:
        """Claim no more runs; park running ones after groups in flight have ended, on a second call at once."""
        is_first = not self._stopping.is_set()
        self._stopping.set()
        self._stop_attempts(Stop.LEAVING if is_first and self._drain_seconds > 0 else Stop.SHUTDOWN)

    async def advance(self, run_id: RunId) -> bool:
        """Claim one run and execute one attempt; return False when it can't be claimed now."""
        claimed = await self._claims.claim(run_id)
        if claimed is not None:
            await self._execute(*claimed)
        return claimed is not None

    async def advance_next(self) -> bool:
        """Claim the best ready run and execute one attempt; return False when there is none."""
        claimed = await self._claims.claim_next()
        if claimed is not None:
            await self._execute(*claimed)
        return claimed is not None

    async def _execute(self, run: Run, lease: Lease) -> None:
        attempt = Attempt(
            database=self._database,
            hints=self._hints,
            clock=self._clock,
            run=run,
            lease=lease,
            lease_seconds=self._lease_seconds,
            metrics=self._metrics,
        )
        self._attempts.add(attempt)
        self._metrics.attempts.set(len(self._attempts))
        try:
            if self._stopping.is_set():
                attempt.request_stop(AttemptStop(Stop.SHUTDOWN))
            await self._execution.execute(attempt)
        finally:
            self._attempts.discard(attempt)
            self._metrics.attempts.set(len(self._attempts))

    def _stop_attempts(self, reason: Stop) -> None:
        for attempt in self._attempts:
            _log.info("attempt_stops", **attempt.run.log_fields, attempt=attempt.number, reason=reason.value)
            attempt.request_stop(AttemptStop(reason))

    async def _interrupt_late(self, slots: "Sequence[asyncio.Task[None]]") -> None:
        """Interrupt attempts that have not ended `drain_seconds` after the request to stop."""
        await self._stopping.wait()
        await asyncio.wait(slots, timeout=self._drain_seconds)
        self._stop_attempts(Stop.SHUTDOWN)

    async def _exists(self, run_id: RunId) -> bool:
        async with self._database.read() as unit:
            return await unit.runs.get(run_id) is not None

    async def _keep_warm(self) -> None:
        """Run a first Python task in Spark, so that the first run need not wait for it; then keep the session.

        Failures are ignored: a run that needs Spark reports them.
        """
        calls = chain([self._warm_up], repeat(self._keep_session))
        await self._repeat("spark", lambda: asyncio.to_thread(next(calls)), KEEP_SECONDS)

    async def _probe_until_stopped(self, duty: str, probes: OutageProbes | EndpointProbes) -> None:
        await self._repeat(duty, probes.turn, PROBE_SECONDS)
        await probes.close()

    async def _report_until_stopped(self) -> None:
        """Report that this worker takes runs; a worker that drains takes none."""
        await self._repeat("presence", self._presence.report, REPORT_SECONDS)
        await self._presence.end()

    async def _repeat(self, duty: str, work: Callable[[], Awaitable[object]], seconds: float) -> None:
        """Do work now and after each pause until the worker stops; failures are logged."""
        while not self._stopping.is_set():
            try:
                await work()
            except PackhouseError as error:
                _log.warning(f"{duty}_wait", error=error.message)
            except Exception:  # noqa: BLE001 - one bad round must not end the worker; logged with its trace
                _log.exception(f"{duty}_failed")
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _slot(self) -> None:
        while not self._stopping.is_set():
            try:
                await self._take_one()
            except PackhouseError as error:
                _log.warning("worker_waits", error=error.message)
                await self._clock.sleep(PAUSE_SECONDS)
            except Exception:  # noqa: BLE001 - one bad run must not end the worker; logged with its trace
                _log.exception("worker_failed")
                await self._clock.sleep(PAUSE_SECONDS)

    async def _take_one(self) -> None:
        """Wait for an entry, then execute runs until none is ready."""
        try:
            delivery = await self._queue.take(block_seconds=TAKE_SECONDS)
        except Transient as error:
            _log.warning("queue_unreachable", error=error.message)
            await self._clock.sleep(PAUSE_SECONDS)
            await self._work()
            return
        if delivery is None:
            return
        was_busy = await self.advance_next()
        await self._done_with(delivery)
        if was_busy:
            await self._work()

    async def _work(self) -> None:
        while not self._stopping.is_set() and await self.advance_next():
            pass

    async def _done_with(self, delivery: Delivery) -> None:
        with contextlib.suppress(Transient):  # left pending it is delivered again, which only wakes a worker
            if await self._exists(delivery.run_id):
                await self._queue.acknowledge(delivery)
            else:
                _log.error("dead_letter", run_id=delivery.run_id)
                await self._queue.dead_letter(delivery, "no such run in the record")
