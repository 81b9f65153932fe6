"""Wire the services of one process, each declared once, from settings and dependencies. Starts and connects nothing."""

import asyncio
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta

from engine.domain.clock import Clock
from engine.domain.fleet.processes import ProcessKind
from engine.domain.fleet.retention import Retention
from engine.domain.runs.run import Operation
from engine.factory.dependencies import Dependencies
from engine.factory.led_duties import audit_export, event_queue, latency_polls, webhook_sending
from engine.factory.secret_keys import secret_keys
from engine.factory.services import Services
from engine.metrics import WorkMetrics
from engine.queue.shared_budgets import SharedLedgers
from engine.queue.streams import RunQueue
from engine.rewriting.entry import run_task
from engine.services.access.audit import AuditService
from engine.services.access.authentication import AccessService
from engine.services.access.idempotency import IdempotencyService
from engine.services.access.keys import KeyService
from engine.services.catalogs.bulkheads.compartments import ThreadLimits
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.locations import LocationRules, loopback_hosts
from engine.services.catalogs.service import CatalogService
from engine.services.catalogs.table_access import TableAccess
from engine.services.explain.reader import FactReader
from engine.services.explain.service import ExplainService
from engine.services.fleet.endpoints import EndpointService
from engine.services.fleet.health import HealthService
from engine.services.fleet.history import FleetHistoryService
from engine.services.fleet.limits import LimitService
from engine.services.fleet.service import FleetService
from engine.services.fleet.spark_catalogs import SparkCatalogChecks
from engine.services.fleet.system import SystemService
from engine.services.operations.metadata.attempts import MetadataContext
from engine.services.operations.metadata.expiry import ExpiryAttempt
from engine.services.operations.metadata.old_compactions import OldCompactionsAttempt
from engine.services.operations.metadata.orphans import OrphanAttempt
from engine.services.operations.metadata.purge import PurgeAttempt
from engine.services.operations.metadata.reclaim import ReclaimAttempt
from engine.services.operations.metadata.snapshots import DeleteAttempt, ManifestAttempt
from engine.services.operations.rewrite.context import RewriteContext
from engine.services.operations.rewrite.steps import RewriteAttempt
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.services.operations.tasks.pacing import PaceTools
from engine.services.operations.tasks.renewals import RenewalService
from engine.services.operations.tasks.servers import EndpointServers
from engine.services.outages.endpoints import EndpointProbes
from engine.services.outages.probes import OutageProbes
from engine.services.policies.acknowledgements import Acknowledgements
from engine.services.policies.checks import PolicyChecks
from engine.services.policies.of_tables import PolicyService
from engine.services.policies.scoped import ScopedPolicyService
from engine.services.policies.windows import WindowService
from engine.services.retention.pruning import PruningService
from engine.services.runs.claims import ClaimService
from engine.services.runs.deletion_requests import DeletionRequests
from engine.services.runs.deletions import DeletionService
from engine.services.runs.execution import RunExecution
from engine.services.runs.service import RunService
from engine.services.runs.submission import RunSubmission
from engine.services.runs.wakes import Wakes
from engine.services.tables.advice import AdviceService
from engine.services.tables.backpressure import BackpressureService
from engine.services.tables.deletion_forecasts import UpkeepForecasts
from engine.services.tables.discovery import DiscoveryService
from engine.services.tables.events import EventService
from engine.services.tables.freezes import FreezeService
from engine.services.tables.observations import ObservationService
from engine.services.tables.partitions import PartitionService
from engine.services.tables.pauses import PauseService
from engine.services.tables.scans import ScanService
from engine.services.tables.service import TableService
from engine.services.tables.signals import SignalService
from engine.services.tables.upkeep import UpkeepService
from engine.services.tables.write_locations import WriteLocationService
from engine.services.watching.leadership import Leadership
from engine.services.watching.service import WatchService
from engine.services.webhooks.receivers import ReceiverRules, Receivers, WebhookSecrets
from engine.services.webhooks.service import WebhookService
from engine.settings.model import Settings
from engine.spark.sessions import SparkSessions
from engine.stores.database import Database
from engine.stores.watching.leadership import WATCH
from engine.workers.coordinator import Coordinator
from engine.workers.presence import ProcessEntry
from engine.workers.worker import Worker


@dataclass(frozen=True, slots=True)
class Container(Services):
    """All services of one process, with the parts that do its work. Valid while `open_container` is open."""

    settings: Settings
    clock: Clock
    database: Database
    formats: TableAccess
    queue: RunQueue
    shared: SharedLedgers
    spark: SparkSessions
    servers: EndpointServers
    worker: Worker
    coordinator: Coordinator
    watching: WatchService


def wire(settings: Settings, around: Dependencies) -> Container:
    """Return the services of one process, wired to its external dependencies. Nothing is started or connected."""
    clock, ids, database, holder, step = around.clock, around.ids, around.database, around.holder, around.step
    queue, hints, pace, shared = around.redis.queue, around.redis.hints, around.redis.pace, around.redis.shared
    access = AccessService(database=database, ids=ids, clock=clock, tokens=around.tokens)
    keys = secret_keys(settings)
    audit = AuditService(database=database)
    tokens = PaceTokens(secret_keys=keys)
    locations = LocationRules(not settings.is_production, loopback_hosts(settings.loopback_hosts))
    served = around.formats(locations)
    formats = TableAccess(
        formats=served,
        environ=os.environ,
        locations=locations,
        own_folder=settings.data_dir,
        limits=_thread_limits(settings),
    )
    capabilities = CapabilityService(served={name: each.capabilities() for name, each in served.items()})
    forecasts = UpkeepForecasts(database=database, formats=formats)
    acknowledgements = Acknowledgements(secret_keys=keys, forecasts=forecasts)
    checks = PolicyChecks(
        database=database, formats=formats, capabilities=capabilities, acknowledgements=acknowledgements
    )
    observations = ObservationService(database=database, formats=formats, clock=clock)
    pacing = PaceTools(database=database, ledger=pace, shared=shared, tokens=tokens, clock=clock, url=settings.pace_url)
    context = RewriteContext(
        database=database,
        formats=formats,
        capabilities=capabilities,
        observations=observations,
        servers=around.servers,
        function=run_task,
        pace=pace,
        pacing=pacing,
        clock=clock,
        commit_batch_bytes=settings.commit_batch_bytes,
        commit_batch_seconds=settings.commit_batch_seconds,
    )
    metadata = MetadataContext(database, formats, clock, pacing)
    execution = RunExecution(
        executors={
            Operation.REWRITE: lambda attempt: RewriteAttempt(context=context, attempt=attempt, step=step),
            Operation.REWRITE_DELETES: lambda attempt: DeleteAttempt(context=metadata, attempt=attempt, step=step),
            Operation.REWRITE_MANIFESTS: lambda attempt: ManifestAttempt(context=metadata, attempt=attempt, step=step),
            Operation.EXPIRE_SNAPSHOTS: lambda attempt: ExpiryAttempt(context=metadata, attempt=attempt, step=step),
            Operation.RECLAIM: lambda attempt: ReclaimAttempt(context=metadata, attempt=attempt, step=step),
            Operation.PURGE: lambda attempt: PurgeAttempt(context=metadata, attempt=attempt, step=step),
            Operation.REMOVE_ORPHANS: lambda attempt: OrphanAttempt(context=metadata, attempt=attempt, step=step),
            Operation.DELETE_OLD_COMPACTIONS: lambda attempt: OldCompactionsAttempt(
                context=metadata, attempt=attempt, step=step
            ),
        },
        after_success=observations.measure_again,
        database=database,
        clock=clock,
        max_failures=settings.max_failures,
    )
    metrics = WorkMetrics()
    metrics.stuck_seconds.set_function(formats.stuck_seconds)
    claims = ClaimService(
        database=database,
        operations=execution.operations,
        holder=holder,
        lease_seconds=settings.lease_seconds,
        metrics=metrics,
    )
    wakes = Wakes(queue=queue, hints=hints)
    requests = DeletionRequests(database=database, formats=formats, acknowledgements=acknowledgements)
    submission = RunSubmission(
        database=database, formats=formats, capabilities=capabilities, deletions=requests, queue=queue, ids=ids
    )
    runs = RunService(database=database, submission=submission, wakes=wakes, pace=pace)
    facts = FactReader(database=database, formats=formats, capabilities=capabilities, observations=observations)
    leadership = Leadership(database=database, clock=clock, name=WATCH, holder=holder)
    metrics.leads.labels(WATCH).set_function(lambda: float(leadership.token is not None))
    watching = WatchService(
        database=database,
        formats=formats,
        facts=facts,
        submission=submission,
        leadership=leadership,
        clock=clock,
        metrics=metrics,
        step=step,
        requests_per_second=settings.catalog_requests_per_second,
    )
    receivers = Receivers(rules=ReceiverRules.of(settings.webhook_allow))
    secrets = WebhookSecrets(secret_keys=keys)
    export = audit_export(settings, around, metrics)
    events = EventService(database=database, metrics=metrics)
    history = FleetHistoryService(database=database)
    fleet = FleetService(database=database, shared=shared, clock=clock)
    health = _health(around, fleet)
    catalogs = CatalogService(
        database=database,
        formats=formats,
        clock=clock,
        in_spark=SparkCatalogChecks(database=database, formats=formats, servers=around.servers),
    )
    tables = TableService(
        database=database,
        formats=formats,
        observations=observations,
        capabilities=capabilities,
        acknowledgements=acknowledgements,
        ids=ids,
        clock=clock,
        grace_seconds=settings.first_run_grace_seconds,
    )
    discovery = DiscoveryService(
        database=database, formats=formats, catalogs=catalogs, tables=tables, acknowledgements=acknowledgements
    )
    return Container(
        settings=settings,
        clock=clock,
        database=database,
        formats=formats,
        queue=queue,
        hints=hints,
        pace=pace,
        shared=shared,
        pace_tokens=tokens,
        renewals=RenewalService(database=database, formats=formats, clock=clock),
        spark=around.spark,
        servers=around.servers,
        access=access,
        keys=KeyService(database=database, access=access, ids=ids, clock=clock),
        webhooks=WebhookService(database=database, receivers=receivers, secrets=secrets, ids=ids, clock=clock),
        audit=audit,
        rate_limits=around.redis.rates,
        catalogs=catalogs,
        tables=tables,
        observations=observations,
        partitions=PartitionService(database=database, formats=formats, observations=observations),
        write_locations=WriteLocationService(database=database, formats=formats),
        upkeep=UpkeepService(database=database, formats=formats, observations=observations),
        explain=ExplainService(facts=facts),
        discovery=discovery,
        advice=AdviceService(database=database, formats=formats, observations=observations, checks=checks),
        signals=SignalService(database=database, metrics=metrics),
        events=events,
        scans=ScanService(database=database),
        backpressure=BackpressureService(database=database),
        endpoints=EndpointService(database=database, rules=locations, own_folder=settings.data_dir),
        fleet=fleet,
        fleet_history=history,
        idempotency=IdempotencyService(database=database),
        health=health,
        system=SystemService(database=database, health=health),
        policies=PolicyService(database=database, formats=formats, checks=checks),
        windows=WindowService(database=database, clock=clock),
        scoped_policies=ScopedPolicyService(database=database, checks=checks),
        capabilities=capabilities,
        runs=runs,
        deletions=DeletionService(database=database, runs=runs, wakes=wakes),
        pauses=PauseService(database=database, wakes=wakes),
        freezes=FreezeService(database=database, wakes=wakes),
        limits=LimitService(database=database, wakes=wakes),
        worker=Worker(
            database=database,
            queue=queue,
            hints=hints,
            claims=claims,
            execution=execution,
            clock=clock,
            slots=settings.worker_slots,
            lease_seconds=settings.lease_seconds,
            warm_up=around.warm_up,
            keep_session=around.keep_sessions,
            drain_seconds=settings.drain_seconds,
            metrics=metrics,
            probes=OutageProbes(database=database, formats=formats, servers=around.servers, queue=queue, holder=holder),
            endpoints=EndpointProbes(database=database, servers=around.servers),
            presence=ProcessEntry(database=database, kind=ProcessKind.WORKER, holder=holder),
        ),
        coordinator=Coordinator(
            database=database,
            claims=claims,
            audit=audit,
            queue=queue,
            ledger=pace,
            clock=clock,
            reclaim_idle_seconds=settings.lease_seconds * 4,
            watching=watching if settings.watch else None,
            latency=latency_polls(settings, around, metrics),
            webhooks=webhook_sending(around, receivers, secrets, metrics),
            export=export,
            events=event_queue(settings, around, events, metrics),
            history=history,
            pruning=PruningService(
                database=database,
                retention=retention_of(settings),
                export_folder=None if export is None else export.folder,
            ),
            metrics=metrics,
            presence=ProcessEntry(database=database, kind=ProcessKind.COORDINATOR, holder=holder),
        ),
        watching=watching,
        metrics=metrics,
        secret_keys=keys,
    )


def _health(around: Dependencies, fleet: FleetService) -> HealthService:
    queue, spark = around.redis.queue, around.spark

    async def queue_depth() -> Mapping[str, int]:
        return asdict(await queue.depth())

    async def of_redis() -> str:
        depth = await queue.depth()
        return f"{depth.waiting} runs waiting, {depth.dead} dead letters"

    async def of_spark() -> str:
        return f"Spark {await asyncio.to_thread(spark.version)}"

    return HealthService(
        database=around.database,
        fleet=fleet,
        probes={"redis": of_redis, "spark": of_spark},
        clock=around.clock,
        queue_depth=queue_depth,
    )


def retention_of(settings: Settings) -> Retention:
    """Return how long ended runs and audit entries are kept."""
    runs, audit = settings.run_retention_seconds, settings.audit_retention_seconds
    return Retention(timedelta(seconds=runs) if runs else None, timedelta(seconds=audit) if audit else None)


def _thread_limits(settings: Settings) -> ThreadLimits:
    return ThreadLimits(
        per_table=settings.threads_per_table,
        per_catalog=settings.threads_per_catalog,
        total=settings.threads,
        read_seconds=settings.read_seconds,
        work_seconds=settings.work_seconds,
        compute_seconds=settings.compute_seconds,
    )
