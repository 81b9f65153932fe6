"""The coordinator: relays the outbox, reaps expired leases, resends lost queue entries, seals, prunes, watches.

Every maintenance duty is one guarded statement or can be repeated without harm, so several coordinators may run. Only
the leader looks at tables and starts runs (`services.watching.service`).
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import Away, PackhouseError, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.processes import REPORT_SECONDS
from engine.domain.ids import RunId, TableId
from engine.domain.runs.run import RunState
from engine.domain.tables.scans import SCANS_KEPT_FOR
from engine.domain.webhooks.events import EVENTS_KEPT_FOR
from engine.metrics import WorkMetrics
from engine.queue.budgets import PaceLedger
from engine.queue.streams import RunQueue
from engine.services.access.audit import AuditService
from engine.services.access.idempotency import KEPT_FOR
from engine.services.exports.audit import AuditExport
from engine.services.fleet.history import KEPT_FOR as HISTORY_KEPT_FOR
from engine.services.fleet.history import FleetHistoryService
from engine.services.retention.pruning import PruningService
from engine.services.runs.claims import ClaimService
from engine.services.watching.event_queue import EventQueueReader
from engine.services.watching.latency_polls import LatencyPolls
from engine.services.watching.service import WatchService
from engine.services.webhooks.sending import WebhookSending
from engine.stores.database import Database
from engine.stores.tables.hot_partitions import KEPT as HOT_KEPT_FOR
from engine.stores.tables.received_events import KEPT_FOR as RECEIVED_KEPT_FOR
from engine.workers.presence import ProcessEntry

_log = structlog.get_logger(__name__)

BATCH = 200
EXTEND_SECONDS = 5.0
"""Time in which every live holder extends its lease after the database answers again."""

RELAY_SECONDS = 1.0
REAP_SECONDS = 2.0
SWEEP_SECONDS = 3.0
RECLAIM_SECONDS = 30.0
REVIEW_SECONDS = 20.0
SEAL_SECONDS = 1.0
PRUNE_SECONDS = 300.0
PRUNE_RECORD_SECONDS = 3600.0
PRUNED_AT_ONCE = 2_000
SAMPLE_SECONDS = 60.0
BYTES_KEPT_FOR = timedelta(days=2)
RESEND_SECONDS = 60.0
FORGET_SECONDS = 3600.0
LEAD_SECONDS = 5.0
WATCH_SECONDS = 1.0
POLL_SECONDS = 1.0
SEND_SECONDS = 1.0
EXPORT_SECONDS = 30.0
INDEX_SECONDS = 60.0
READ_SECONDS = 1.0


class Coordinator:
    """Runs the duties, each at its own interval, until `stop`."""

    def __init__(
        self,
        *,
        database: Database,
        claims: ClaimService,
        audit: AuditService,
        queue: RunQueue,
        ledger: PaceLedger,
        clock: Clock,
        reclaim_idle_seconds: float,
        watching: WatchService | None,
        latency: LatencyPolls | None = None,
        webhooks: WebhookSending | None = None,
        export: AuditExport | None = None,
        events: EventQueueReader | None = None,
        pruning: PruningService | None = None,
        history: FleetHistoryService | None = None,
        metrics: WorkMetrics | None = None,
        presence: ProcessEntry | None = None,
    ) -> None:
        self._database = database
        self._claims = claims
        self._audit = audit
        self._queue = queue
        self._ledger = ledger
        self._clock = clock
        self._reclaim_idle_seconds = reclaim_idle_seconds
        self._watching = watching
        self._latency, self._webhooks, self._events = latency, webhooks, events
        self._export = export
        self._pruning = pruning
        self._history = history
        self._metrics = metrics or WorkMetrics()
        self._presence = presence
        self._swept: dict[RunId, float] = {}
        self._indexed_up_to: TableId | None = TableId("")
        self._database_lost_at: float | None = None
        self._database_found_at: float | None = None
        self._stopping = asyncio.Event()

    async def run(self) -> None:
        """Run the duties until `stop` is called."""
        async with asyncio.TaskGroup() as group:
            for duty, seconds in (
                (self.relay, RELAY_SECONDS),
                (self.reap, REAP_SECONDS),
                (self.sweep, SWEEP_SECONDS),
                (self.reclaim, RECLAIM_SECONDS),
                (self.review, REVIEW_SECONDS),
                (self.seal, SEAL_SECONDS),
                (self.prune, PRUNE_SECONDS),
                (self.prune_record, PRUNE_RECORD_SECONDS),
                (self.sample, SAMPLE_SECONDS),
                (self.report, REPORT_SECONDS),
                (self.export, EXPORT_SECONDS),
                (self.index_locations, INDEX_SECONDS),
                *(((self.read_events, READ_SECONDS),) if self._events is not None else ()),
                *self._led_duties(),
            ):
                group.create_task(self._repeat(duty, seconds))
        if self._presence is not None:
            await self._presence.end()
        if self._watching is not None:
            await self._watching.close()
        for part in (self._latency, self._webhooks, self._events):
            if part is not None:
                await part.close()

    def stop(self) -> None:
        """End after the present duties."""
        self._stopping.set()

    async def relay(self) -> int:
        """Send the outbox's entries, then delete them: delivery is at least once."""
        async with self._database.read() as unit:
            due = await unit.outbox.list_due(BATCH)
        for _, run_id in due:
            await self._queue.enqueue(run_id)
        if due:
            async with self._database.begin() as unit:
                await unit.outbox.delete([entry for entry, _ in due])
        return len(due)

    async def reap(self) -> int:
        """Take back the runs of dead holders and stop their tasks; the sweep sends the runs again.

        Such a run may wait long for its next claim, and until then no other process would end its tasks. Tasks that
        can't be reached, because Redis is unavailable, slow down on their own.
        """
        async with self._database.begin() as unit:
            reaped = await unit.runs.reap(BATCH, unreachable=self._unreachable(await unit.now()))
        for run in reaped:
            _log.warning("lease_reaped", **run.log_fields, attempt=run.attempt)
            self._metrics.leases_lost.labels("reaper").inc()
            with contextlib.suppress(Transient):
                await self._ledger.stop(run.id, run.attempt)
            if run.state is RunState.QUEUED:
                await self._queue.enqueue(run.id)
        return len(reaped)

    async def sweep(self) -> int:
        """Send ready runs again that have no queue entry: after a loss of Redis, or when their waiting time is over.

        While entries wait, a ready run most likely has one among them; it is sent again only after a minute.
        """
        is_backlog = bool((await self._queue.depth()).waiting)
        async with self._database.read() as unit:
            ready = [run.id for run in await unit.runs.list_ready(BATCH)]
        now = self._clock.monotonic()
        known = {run_id: self._swept.get(run_id, now if is_backlog else 0.0) for run_id in ready}
        due = [run_id for run_id, at in known.items() if not is_backlog or now - at >= RESEND_SECONDS]
        for run_id in due:
            await self._queue.enqueue(run_id)
        self._swept = known | dict.fromkeys(due, now)
        return len(due)

    async def seal(self) -> int:
        """Chain new entries of the audit log."""
        return await self._audit.seal()

    async def prune(self) -> int:
        """Delete expired stored answers, counted bytes, lost races, hours, events and scans, a few at a time.

        Daily budgets and figures look back over one day of counted bytes.
        """
        pruned = 0
        while True:
            async with self._database.begin() as unit:
                now = await unit.now()
                answers = await unit.idempotency.prune(now - KEPT_FOR, PRUNED_AT_ONCE)
                counted = await unit.groups.prune_bytes(now - BYTES_KEPT_FOR, PRUNED_AT_ONCE)
                cooled = await unit.hot_partitions.prune(now - HOT_KEPT_FOR, PRUNED_AT_ONCE)
                hours = await unit.fleet_hours.prune(now - HISTORY_KEPT_FOR, PRUNED_AT_ONCE)
                events = await unit.fleet_events.prune(now - EVENTS_KEPT_FOR, PRUNED_AT_ONCE)
                scans = await unit.scans.prune(now - SCANS_KEPT_FOR, PRUNED_AT_ONCE)
                received = await unit.received_events.prune(now - RECEIVED_KEPT_FOR, PRUNED_AT_ONCE)
            counts = (answers, counted, cooled, hours, events, scans, received)
            pruned += sum(counts)
            if max(counts) < PRUNED_AT_ONCE:
                return pruned

    async def sample(self) -> int:
        """Store the present backlog of the fleet for its history, every five minutes for all coordinators together."""
        return 0 if self._history is None else await self._history.sample()

    async def report(self) -> int:
        """Report that this coordinator is alive."""
        return 0 if self._presence is None else await self._presence.report()

    async def export(self) -> int:
        """Export sealed entries of the audit log."""
        return 0 if self._export is None else await self._export.export()

    async def index_locations(self) -> int:
        """Index the locations of tables that an earlier version registered: one pass after the start."""
        indexed = 0
        while self._indexed_up_to is not None:
            async with self._database.begin() as unit:
                found = await unit.locations.insert_missing(self._indexed_up_to, BATCH)
            self._indexed_up_to = found.last
            indexed += found.count
        return indexed

    async def read_events(self) -> int:
        """Read events of stores from their queue, while there are any."""
        return 0 if self._events is None else await self._events.read(is_stopping=self._stopping.is_set)

    async def prune_record(self) -> int:
        """Delete ended runs, audit entries and versions of policies past their retention time."""
        if self._pruning is None:
            return 0
        pruned = await self._pruning.prune(is_stopping=self._stopping.is_set)
        for kind, count in pruned.items():
            self._metrics.pruned.labels(kind).inc(count)
        return sum(pruned.values())

    async def review(self) -> int:
        """Release runs that were held for quiet hours or a blackout which their policies no longer have."""
        freed = await self._claims.review(BATCH)
        for run_id in freed:
            await self._queue.enqueue(run_id)
        return len(freed)

    def _led_duties(self) -> tuple[tuple[Callable[[], Awaitable[int]], float], ...]:
        """Return the duties of a leader: watching unless disabled, latency polling if configured, webhooks."""
        watching, latency, webhooks = self._watching, self._latency, self._webhooks
        watched = () if watching is None else ((watching.lead, LEAD_SECONDS), (watching.turn, WATCH_SECONDS))
        polled = () if latency is None else ((latency.lead_polls, LEAD_SECONDS), (latency.poll, POLL_SECONDS))
        sent = (
            () if webhooks is None else ((webhooks.lead_webhooks, LEAD_SECONDS), (webhooks.send_events, SEND_SECONDS))
        )
        return (*watched, *polled, *sent)

    async def reclaim(self) -> int:
        """Acknowledge entries of dead workers: their runs return through lease expiry, not through the queue."""
        deliveries = await self._queue.reclaim(idle_seconds=self._reclaim_idle_seconds, limit=BATCH)
        for delivery in deliveries:
            async with self._database.read() as unit:
                run = await unit.runs.get(delivery.run_id)
            if run is not None and run.state is RunState.QUEUED:
                await self._queue.enqueue(delivery.run_id)
            await self._queue.acknowledge(delivery)
        await self._queue.forget_consumers(idle_seconds=FORGET_SECONDS)
        return len(deliveries)

    async def _repeat(self, duty: Callable[[], Awaitable[int]], seconds: float) -> None:
        while not self._stopping.is_set():
            outcome, begun = "done", self._clock.monotonic()
            try:
                await duty()
            except PackhouseError as error:
                outcome = "waits"
                self._note_lost(error, begun)
                _log.warning("duty_waits", duty=duty.__name__, error=error.message)
            except Exception:  # noqa: BLE001 - one bad round must not end the duty; logged with its trace
                outcome = "failed"
                _log.exception("duty_failed", duty=duty.__name__)
            self._metrics.duties.labels(duty.__name__, outcome).inc()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), seconds)

    def _note_lost(self, error: PackhouseError, at: float) -> None:
        """Record since when the database does not answer."""
        if not isinstance(error, Away) or error.dependency is not DependencyKind.DATABASE:
            return
        if self._database_lost_at is None or self._database_found_at is not None:
            self._database_lost_at = at
        self._database_found_at = None

    def _unreachable(self, now: datetime) -> tuple[datetime, datetime] | None:
        """Return the last time in which the database did not answer and leases could not be extended; None for never.

        Args:
            now: the database's time.
        """
        if self._database_lost_at is None:
            return None
        monotonic = self._clock.monotonic()
        if self._database_found_at is None:
            self._database_found_at = monotonic
        lost = timedelta(seconds=monotonic - self._database_lost_at + EXTEND_SECONDS)
        found = timedelta(seconds=monotonic - self._database_found_at - EXTEND_SECONDS)
        return now - lost, now - found
