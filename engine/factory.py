"""The composition root: settings in, wired services out. Nothing else reads settings or starts embedded parts.

Parts without a URL in the settings are embedded: SQLite and Redis in the data directory, Spark Connect on this machine.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import structlog

from engine.domain.clock import Clock, SystemClock
from engine.domain.errors import Away, InvalidInput
from engine.domain.fleet.retention import Retention
from engine.domain.ids import IdSource
from engine.domain.runs.run import Operation
from engine.domain.tables.table import TableFormatName
from engine.embedded.redis import EmbeddedRedis
from engine.embedded.spark import EmbeddedSpark
from engine.embedded.supervision import Server, Supervisor
from engine.formats.base import TableFormat
from engine.formats.iceberg.connection import IcebergFormat
from engine.metrics import WorkMetrics
from engine.queue.budgets import PaceLedger
from engine.queue.connection import connect_redis
from engine.queue.hints import Hints
from engine.queue.rate_limits import Kind, RateLimits
from engine.queue.shared_budgets import SharedLedgers
from engine.queue.streams import RunQueue
from engine.rewriting.kernel.entry import run_group
from engine.services.access.audit import AuditService
from engine.services.access.authentication import AccessService
from engine.services.access.keys import KeyService
from engine.services.access.oidc import OidcSettings, OidcTokens
from engine.services.catalogs.bulkheads.compartments import ThreadLimits
from engine.services.catalogs.capabilities import CapabilityService
from engine.services.catalogs.formats import FormatRegistry
from engine.services.catalogs.locations import LocationRules
from engine.services.catalogs.service import CatalogService
from engine.services.explain.reader import FactReader
from engine.services.explain.service import ExplainService
from engine.services.fleet.limits import LimitService
from engine.services.fleet.service import FleetService
from engine.services.operations.expire.attempts import ExpiryAttempt, ExpiryContext
from engine.services.operations.rewrite.context import RewriteContext
from engine.services.operations.rewrite.procedures import Procedures
from engine.services.operations.rewrite.steps import RewriteFlow
from engine.services.operations.tasks.lanes import Dispatcher
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.services.operations.tasks.pacing import PaceTools
from engine.services.outages.probes import OutageProbes
from engine.services.policies.checks import PolicyChecks
from engine.services.policies.of_tables import PolicyService
from engine.services.policies.scoped import ScopedPolicyService
from engine.services.retention.pruning import PruningService
from engine.services.runs.claims import ClaimService
from engine.services.runs.execution import RunExecution
from engine.services.runs.service import RunService
from engine.services.runs.submission import RunSubmission
from engine.services.runs.wakes import Wakes
from engine.services.tables.advice import AdviceService
from engine.services.tables.backpressure import BackpressureService
from engine.services.tables.discovery import DiscoveryService
from engine.services.tables.freezes import FreezeService
from engine.services.tables.observations import ObservationService
from engine.services.tables.pauses import PauseService
from engine.services.tables.service import TableService
from engine.services.tables.signals import SignalService
from engine.services.watching.latency_polls import LatencyPolls
from engine.services.watching.latency_sources import LatencySource
from engine.services.watching.leadership import Leadership
from engine.services.watching.service import WatchService
from engine.settings import Settings
from engine.spark.connection import machine_of
from engine.spark.dispatch import SparkDispatcher
from engine.spark.native import SparkProcedures
from engine.spark.sessions import SparkSessions
from engine.stores.database import Database, own_database
from engine.stores.watching.leadership import LATENCY, WATCH
from engine.workers.coordinator import Coordinator
from engine.workers.worker import Worker

_log = structlog.get_logger(__name__)

_SHORTEST_KEY = 32
FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0
THREADS = 256
"""The most blocking calls at once: every lane of every run holds one thread while its Spark task runs."""


@dataclass(frozen=True, slots=True)
class Container:
    """All wired services. Valid while `open_container` is open."""

    settings: Settings
    clock: Clock
    database: Database
    queue: RunQueue
    hints: Hints
    pace: PaceLedger
    shared: SharedLedgers
    pace_tokens: PaceTokens
    spark: SparkSessions
    access: AccessService
    keys: KeyService
    audit: AuditService
    rate_limits: RateLimits
    catalogs: CatalogService
    tables: TableService
    observations: ObservationService
    explain: ExplainService
    discovery: DiscoveryService
    advice: AdviceService
    signals: SignalService
    backpressure: BackpressureService
    fleet: FleetService
    policies: PolicyService
    scoped_policies: ScopedPolicyService
    capabilities: CapabilityService
    runs: RunService
    pauses: PauseService
    freezes: FreezeService
    limits: LimitService
    worker: Worker
    coordinator: Coordinator
    watching: WatchService
    metrics: WorkMetrics
    secret_key: str


@dataclass(frozen=True, slots=True)
class RedisParts:
    """The parts that use Redis."""

    queue: RunQueue
    hints: Hints
    pace: PaceLedger
    shared: SharedLedgers
    rates: RateLimits


@dataclass(frozen=True, slots=True)
class Surroundings:
    """External dependencies of one process: clock, randomness, the record, Redis, Spark and the table formats.

    `open_container` provides the real ones; the simulator (`tests/simulation`) passes its own to the same wiring.
    `holder` names the process, `formats` are made with the rules for locations of tables, `step` is called at each
    labelled step.
    """

    holder: str
    clock: Clock
    ids: IdSource
    database: Database
    redis: RedisParts
    spark: SparkSessions
    dispatcher: Dispatcher
    procedures: Procedures
    warm_up: Callable[[], None]
    formats: Callable[[LocationRules], Mapping[TableFormatName, TableFormat]]
    tokens: OidcTokens | None = None
    step: Callable[[str], None] = lambda _name: None


@asynccontextmanager
async def open_container(
    settings: Settings,
    *,
    step: Callable[[str], None] = lambda _name: None,
    dispatcher: Dispatcher | None = None,
    procedures: Procedures | None = None,
    migrates: bool = False,
) -> AsyncIterator[Container]:
    """Start the embedded parts, check the record's schema, wire the services; undo everything on exit.

    `migrates`: migrate the record to the newest schema first, as `up` does. `step` is called at each labelled step of
    a rewrite; `dispatcher` and `procedures` replace Spark Connect (for tests of faults).

    Raises:
        Transient: a part does not start.
        SchemaUnsupported: this version can't use the record's schema.
    """
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(THREADS, thread_name_prefix="blocking"))
    async with AsyncExitStack() as stack:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        database = Database(settings.database_url) if settings.database_url else own_database(settings.data_dir)
        stack.push_async_callback(database.close)
        await _when_it_answers(database, database.migrate if migrates else database.check_schema)
        redis_url, spark_url = await _embedded_parts(settings, stack)
        redis = connect_redis(redis_url)
        stack.push_async_callback(redis.aclose)
        spark = SparkSessions(url=spark_url, user_id="packhouse")
        stack.push_async_callback(asyncio.to_thread, spark.close)
        holder = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        clock = SystemClock()
        rates = RateLimits(redis=redis, clock=clock, per_minute=_rates(settings))
        stack.push_async_callback(rates.close)
        queue = RunQueue(redis=redis, consumer=holder)
        pace, shared = PaceLedger(redis=redis), SharedLedgers(redis=redis)
        on_spark = SparkDispatcher(sessions=spark)
        identities = _identities(settings)
        if identities is not None:
            stack.callback(identities.close)
        around = Surroundings(
            holder=holder,
            clock=clock,
            ids=IdSource(clock=clock),
            database=database,
            redis=RedisParts(queue, Hints(redis=redis), pace, shared, rates),
            spark=spark,
            dispatcher=dispatcher or on_spark,
            procedures=procedures or SparkProcedures(sessions=spark, dispatcher=on_spark),
            warm_up=(lambda: None) if dispatcher else (lambda: spark.warm_up(settings.spark_cores)),
            formats=_formats,
            tokens=identities,
            step=step,
        )
        yield wire(settings, around)


async def _when_it_answers(database: Database, begin: Callable[[], Awaitable[object]]) -> None:
    """Call `begin`, waiting for the database server while it does not answer instead of ending the process."""
    seconds = FIRST_WAIT_SECONDS
    while True:
        try:
            await begin()
        except Away as away:
            if database.is_file:  # a path that can't be opened, or a disk that fails
                raise
            _log.warning("start_waits", waiting_for="database", error=away.message, retry_in_seconds=seconds)
            await asyncio.sleep(seconds)
            seconds = min(LONGEST_WAIT_SECONDS, seconds * 2)
        else:
            return


async def _embedded_parts(settings: Settings, stack: AsyncExitStack) -> tuple[str, str]:
    redis_url, spark_url = settings.redis_url, settings.spark_url
    starts = []
    servers: dict[str, Server] = {}
    if redis_url is None:
        redis = EmbeddedRedis(data_dir=settings.data_dir)
        stack.push_async_callback(asyncio.to_thread, redis.stop)
        starts.append(asyncio.to_thread(redis.start))
        servers["Redis"] = redis
    if spark_url is None:
        spark = EmbeddedSpark(data_dir=settings.data_dir, cores=settings.spark_cores)
        stack.push_async_callback(asyncio.to_thread, spark.stop)
        starts.append(asyncio.to_thread(spark.start))
        servers["Spark Connect"] = spark
    urls = list(await asyncio.gather(*starts))
    if servers:
        supervisor = Supervisor(servers=servers, clock=SystemClock())
        supervisor.begin()
        stack.push_async_callback(supervisor.close)
    redis_url = redis_url or urls.pop(0)
    return redis_url, spark_url or urls.pop(0)


def wire(settings: Settings, around: Surroundings) -> Container:
    """Return the services of one process, wired to its external dependencies. Nothing is started or connected."""
    clock, ids, database, holder, step = around.clock, around.ids, around.database, around.holder, around.step
    queue, hints, pace, shared = around.redis.queue, around.redis.hints, around.redis.pace, around.redis.shared
    access = AccessService(database=database, ids=ids, clock=clock, tokens=around.tokens)
    secret_key = _secret_key(settings)
    audit = AuditService(database=database)
    tokens = PaceTokens(secret_key=secret_key)
    locations = LocationRules(allows_local=not settings.is_production)
    served = around.formats(locations)
    formats = FormatRegistry(
        formats=served,
        environ=os.environ,
        locations=locations,
        own_folder=settings.data_dir,
        limits=_thread_limits(settings),
    )
    capabilities = CapabilityService(served={name: each.capabilities() for name, each in served.items()})
    checks = PolicyChecks(database=database, formats=formats, capabilities=capabilities)
    observations = ObservationService(database=database, formats=formats, clock=clock)
    context = RewriteContext(
        database=database,
        formats=formats,
        capabilities=capabilities,
        observations=observations,
        dispatcher=around.dispatcher,
        procedures=around.procedures,
        function=run_group,
        pace=pace,
        pacing=PaceTools(
            database=database, ledger=pace, shared=shared, tokens=tokens, clock=clock, url=settings.pace_url
        ),
        clock=clock,
        machine=machine_of(settings.spark_url),
        commit_batch_bytes=settings.commit_batch_bytes,
        commit_batch_seconds=settings.commit_batch_seconds,
    )
    expiry = ExpiryContext(database, formats, clock)
    execution = RunExecution(
        executors={
            Operation.REWRITE: lambda attempt: RewriteFlow(context=context, attempt=attempt, step=step),
            Operation.EXPIRE_SNAPSHOTS: lambda attempt: ExpiryAttempt(context=expiry, attempt=attempt, step=step),
        },
        after_success=observations.measure_again,
        database=database,
        clock=clock,
        max_failures=settings.max_failures,
    )
    metrics = WorkMetrics()
    claims = ClaimService(
        database=database,
        operations=execution.operations,
        holder=holder,
        lease_seconds=settings.lease_seconds,
        metrics=metrics,
    )
    wakes = Wakes(queue=queue, hints=hints)
    submission = RunSubmission(database=database, formats=formats, capabilities=capabilities, queue=queue, ids=ids)
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
    catalogs = CatalogService(database=database, formats=formats, clock=clock)
    tables = TableService(
        database=database,
        formats=formats,
        observations=observations,
        capabilities=capabilities,
        ids=ids,
        clock=clock,
        grace_seconds=settings.first_run_grace_seconds,
    )
    return Container(
        settings=settings,
        clock=clock,
        database=database,
        queue=queue,
        hints=hints,
        pace=pace,
        shared=shared,
        pace_tokens=tokens,
        spark=around.spark,
        access=access,
        keys=KeyService(database=database, access=access, ids=ids, clock=clock),
        audit=audit,
        rate_limits=around.redis.rates,
        catalogs=catalogs,
        tables=tables,
        observations=observations,
        explain=ExplainService(facts=facts),
        discovery=DiscoveryService(database=database, formats=formats, catalogs=catalogs, tables=tables),
        advice=AdviceService(database=database, formats=formats, observations=observations),
        signals=SignalService(database=database),
        backpressure=BackpressureService(database=database),
        fleet=FleetService(database=database, shared=shared, clock=clock),
        policies=PolicyService(database=database, formats=formats, checks=checks),
        scoped_policies=ScopedPolicyService(database=database, checks=checks),
        capabilities=capabilities,
        runs=RunService(database=database, submission=submission, wakes=wakes, pace=pace),
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
            drain_seconds=settings.drain_seconds,
            metrics=metrics,
            probes=OutageProbes(
                database=database, formats=formats, dispatcher=around.dispatcher, queue=queue, holder=holder
            ),
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
            latency=_latency_polls(settings, around, metrics),
            pruning=PruningService(database=database, retention=_retention(settings)),
            metrics=metrics,
        ),
        watching=watching,
        metrics=metrics,
        secret_key=secret_key,
    )


def _retention(settings: Settings) -> Retention:
    runs, audit = settings.run_retention_seconds, settings.audit_retention_seconds
    return Retention(timedelta(seconds=runs) if runs else None, timedelta(seconds=audit) if audit else None)


def _latency_polls(settings: Settings, around: Surroundings, metrics: WorkMetrics) -> LatencyPolls | None:
    source = LatencySource.of(
        url=settings.prometheus_url,
        query=settings.latency_query,
        token=settings.prometheus_token,
        table_label=settings.latency_table_label,
        seconds=settings.latency_seconds,
    )
    if source is None:
        return None
    leadership = Leadership(database=around.database, clock=around.clock, name=LATENCY, holder=around.holder)
    metrics.leads.labels(LATENCY).set_function(lambda: float(leadership.token is not None))
    return LatencyPolls(
        database=around.database,
        query=source.open_query(environ=os.environ, own_folder=settings.data_dir),
        leadership=leadership,
        clock=around.clock,
        metrics=metrics,
        seconds=source.seconds,
        of_tables=source.table_label is not None,
    )


def _formats(locations: LocationRules) -> Mapping[TableFormatName, TableFormat]:
    return {
        TableFormatName.ICEBERG: IcebergFormat(
            check_location=lambda location: locations.check([location], allowed=()),
            check_peer=locations.check_peer,
            check_addresses=locations.check_addresses,
        )
    }


def _thread_limits(settings: Settings) -> ThreadLimits:
    return ThreadLimits(
        per_table=settings.threads_per_table,
        per_catalog=settings.threads_per_catalog,
        total=settings.threads,
        read_seconds=settings.read_seconds,
        work_seconds=settings.work_seconds,
    )


def _rates(settings: Settings) -> Mapping[Kind, int]:
    return {
        Kind.READS: settings.reads_per_minute,
        Kind.WRITES: settings.writes_per_minute,
        Kind.FAILED_AUTHENTICATIONS: settings.failed_authentications_per_minute,
    }


def _identities(settings: Settings) -> OidcTokens | None:
    if settings.oidc_issuer is None:
        return None
    if not settings.oidc_audience:
        raise InvalidInput("PACKHOUSE_OIDC_AUDIENCE is not set: without it tokens for other services would be accepted")
    wanted = OidcSettings(
        issuer=settings.oidc_issuer,
        audience=settings.oidc_audience,
        algorithms=tuple(filter(None, (name.strip() for name in settings.oidc_algorithms.split(",")))),
        role_claim=settings.oidc_role_claim,
        role_map=settings.oidc_role_map,
        teams_claim=settings.oidc_teams_claim,
        teams_map=settings.oidc_teams_map,
        leeway_seconds=settings.oidc_leeway_seconds,
        max_token_seconds=settings.oidc_max_token_seconds,
    )
    return OidcTokens(settings=wanted, clock=SystemClock())


def _secret_key(settings: Settings) -> str:
    if settings.secret_key is not None:
        key = settings.secret_key.get_secret_value()
        if settings.is_production and len(key) < _SHORTEST_KEY:
            raise InvalidInput(f"PACKHOUSE_SECRET_KEY is shorter than {_SHORTEST_KEY} characters: it could be guessed")
        return key
    if settings.database_url is not None or settings.is_production:
        raise InvalidInput(
            "PACKHOUSE_SECRET_KEY is not set: with a shared database every process needs the same key; "
            "make one with: python3 -c 'import secrets; print(secrets.token_urlsafe(32))'"
        )
    return _own_key(settings.data_dir / "secret.key")


def _own_key(path: Path) -> str:
    """Return the key of an embedded deployment; created once, readable by its owner only."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        key = secrets.token_urlsafe(32)
        file.write(key)
    return key
