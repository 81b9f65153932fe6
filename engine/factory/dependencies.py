"""External dependencies of one process: database, Redis, Spark, table formats, clock and randomness.

Parts without a URL in the settings are embedded: SQLite and Redis in the data directory, Spark Connect on this machine.
"""

import asyncio
import os
import secrets
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import structlog

from engine.domain.clock import Clock, SystemClock
from engine.domain.errors import Away, InvalidInput
from engine.domain.ids import IdSource, RunId
from engine.domain.tables.table import FormatName
from engine.embedded.jars import PAIMON, PAIMON_S3, fetch, path_of
from engine.embedded.java import is_whole_spark
from engine.embedded.redis import EmbeddedRedis
from engine.embedded.spark import EmbeddedSpark
from engine.embedded.supervision import EmbeddedServer, Supervisor
from engine.extras import require
from engine.factory.secret_keys import secret_keys
from engine.factory.sessions import SessionPool
from engine.formats.base import TableFormat
from engine.formats.hive import HiveFormat
from engine.formats.iceberg.connection import IcebergFormat
from engine.formats.paimon.connection import PaimonFormat
from engine.formats.paimon.rewrite.core import CoreCalls
from engine.outgoing.relay import Relay
from engine.queue.budgets import PaceLedger
from engine.queue.connection import connect_redis
from engine.queue.hints import Hints
from engine.queue.rate_limits import Kind, RateLimits
from engine.queue.shared_budgets import SharedLedgers
from engine.queue.streams import RunQueue
from engine.rewriting.entry import run_task
from engine.rewriting.kernel.storage.stores import hdfs
from engine.rewriting.kernel.storage.stores.connections import use_relay
from engine.services.catalogs.locations import LocationRules
from engine.services.operations.tasks.dispatching import Dispatcher
from engine.services.operations.tasks.pace_tokens import PaceTokens
from engine.services.operations.tasks.servers import EndpointServers, MakeServer, Procedures
from engine.settings.model import Settings
from engine.settings.values import reveal
from engine.spark.connection import machine_of
from engine.spark.dispatch import SparkDispatcher
from engine.spark.sessions import SparkSessions
from engine.spark.task_runner import SparkTaskRunner
from engine.stores.database import Database, own_database

if TYPE_CHECKING:
    from engine.services.access.oidc import OidcTokens, SeveralIssuers

_log = structlog.get_logger(__name__)

FIRST_WAIT_SECONDS = 1.0
LONGEST_WAIT_SECONDS = 30.0


ServedFormats = Callable[[LocationRules], Mapping[FormatName, TableFormat]]
"""Makes the table formats of an installation, given the rules for locations of tables."""


@dataclass(frozen=True, slots=True)
class RedisParts:
    """The parts that use Redis."""

    queue: RunQueue
    hints: Hints
    pace: PaceLedger
    shared: SharedLedgers
    rates: RateLimits


@dataclass(frozen=True, slots=True)
class Dependencies:
    """External dependencies of one process: clock, randomness, the record, Redis, Spark and the table formats.

    `open_dependencies` provides the real ones; the simulator (`tests/simulation`) passes its own to the same wiring.
    `holder` names the process, `formats` are made with the rules for locations of tables, `step` is called at each
    labelled step.
    """

    holder: str
    clock: Clock
    ids: IdSource
    database: Database
    redis: RedisParts
    spark: SparkSessions
    servers: EndpointServers
    warm_up: Callable[[], None]
    keep_sessions: Callable[[], None]
    formats: ServedFormats
    tokens: "OidcTokens | SeveralIssuers | None" = None
    step: Callable[[str], None] = lambda _name: None


@asynccontextmanager
async def open_dependencies(
    settings: Settings,
    *,
    step: Callable[[str], None],
    dispatcher: Dispatcher | None,
    procedures: Procedures | None,
    make_server: MakeServer | None,
    formats: ServedFormats | None,
    migrates: bool,
) -> AsyncIterator[Dependencies]:
    """Start the embedded parts, connect to the others and check the record's schema; undo everything on exit.

    Raises:
        Transient: a part does not start.
        SchemaUnsupported: this version can't use the record's schema.
    """
    async with AsyncExitStack() as stack:
        settings.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        database_url = reveal(settings.database_url)
        database = Database(database_url) if database_url else own_database(settings.data_dir)
        stack.push_async_callback(database.close)
        await _when_it_answers(database, database.migrate if migrates else database.check_schema)
        redis_url, spark_url = await _embedded_parts(settings, stack)
        redis = connect_redis(redis_url)
        stack.push_async_callback(redis.aclose)
        tokens = PaceTokens(secret_keys=secret_keys(settings))
        token, merges = (lambda: tokens.issue(RunId("probe"), 0)), settings.compiled_pass
        pool = SessionPool(spark_url, settings.pace_url, token, merges=merges)
        stack.push_async_callback(asyncio.to_thread, pool.close)
        spark = pool.default
        holder = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        clock = SystemClock()
        rates = RateLimits(redis=redis, clock=clock, per_minute=_rates(settings))
        stack.push_async_callback(rates.close)
        queue = RunQueue(redis=redis, consumer=holder)
        pace, shared = PaceLedger(redis=redis), SharedLedgers(redis=redis)
        on_spark = SparkDispatcher(sessions=spark)
        jars = settings.data_dir / "jars"
        core = CoreCalls(
            SparkTaskRunner(sessions=spark, dispatcher=on_spark, function=run_task),
            find_jar=partial(_found_jar, "PACKHOUSE_PAIMON_JAR", settings.paimon_jar, PAIMON, jars),
            find_store_jar=partial(_found_jar, "PACKHOUSE_PAIMON_S3_JAR", settings.paimon_s3_jar, PAIMON_S3, jars),
            heap_limit_bytes=settings.paimon_heap_bytes,
        )
        identities = identities_of(settings)
        if identities is not None:
            stack.callback(identities.close)
        yield Dependencies(
            holder=holder,
            clock=clock,
            ids=IdSource(clock=clock),
            database=database,
            redis=RedisParts(queue, Hints(redis=redis), pace, shared, rates),
            spark=spark,
            servers=EndpointServers(
                default=pool.server(spark, machine_of(reveal(settings.spark_url)), dispatcher, procedures),
                make=make_server or pool.make,
                database=database,
                environ=os.environ,
                own_folder=settings.data_dir,
            ),
            keep_sessions=pool.keep,
            warm_up=(lambda: None) if dispatcher else (lambda: spark.warm_up(settings.spark_cores)),
            formats=formats or partial(_formats, core),
            tokens=identities,
            step=step,
        )


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
    redis_url, spark_url = reveal(settings.redis_url), reveal(settings.spark_url)
    starts = []
    servers: dict[str, EmbeddedServer] = {}
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


def _name_nodes() -> frozenset[str]:
    try:
        return hdfs.configured_name_nodes(os.environ)
    except (ValueError, OSError) as error:
        raise InvalidInput(f"HADOOP_CONF_DIR names a configuration that can't be used: {error}") from error


def _formats(core: CoreCalls, locations: LocationRules) -> Mapping[FormatName, TableFormat]:
    use_relay(Relay(check_peer=locations.check_peer))
    hdfs.use_name_nodes(None if locations.allows_local else _name_nodes())
    return {
        FormatName.ICEBERG: IcebergFormat(
            check_location=lambda location: locations.check([location], allowed=()),
            check_peer=locations.check_peer,
            check_addresses=locations.check_addresses,
        ),
        FormatName.PAIMON: PaimonFormat(
            check_location=lambda location: locations.check([location], allowed=()),
            check_peer=locations.check_peer,
            core=core,
        ),
        FormatName.HIVE: HiveFormat(
            check_location=lambda location: locations.check([location], allowed=()), check_peer=locations.check_peer
        ),
    }


def _found_jar(name: str, given: Path | None, coordinate: str, folder: Path) -> Path:
    """Return the path of a jar; download it to the folder at its first use unless the setting of this name has one.

    Raises:
        InvalidInput: the setting names no file, or there is none and this environment can't download it.
    """
    if given is None:
        if (there := path_of(coordinate, folder)).is_file() or is_whole_spark():
            return fetch(coordinate, folder)
        raise InvalidInput(
            f"{name} is not set, and only installations with the extra `embedded` download {coordinate}: put "
            f"{there.name} from your Maven repository on this worker and set {name} to its path"
        )
    if not given.is_file():
        raise InvalidInput(f"{name} is {given}, where there is no file")
    return given


def _rates(settings: Settings) -> Mapping[Kind, int]:
    return {
        Kind.READS: settings.reads_per_minute,
        Kind.WRITES: settings.writes_per_minute,
        Kind.FAILED_AUTHENTICATIONS: settings.failed_authentications_per_minute,
    }


def identities_of(settings: Settings) -> "OidcTokens | SeveralIssuers | None":
    """Return the check of identity providers' tokens; None without a provider. Raises `InvalidInput`."""
    if settings.oidc_issuer is None:
        given = {"CONSOLE_CLIENT_ID": settings.oidc_console_client_id, "MORE_ISSUERS": settings.oidc_more_issuers}
        for name in (name for name, value in given.items() if value):
            raise InvalidInput(f"PACKHOUSE_OIDC_{name} needs an identity provider: set PACKHOUSE_OIDC_ISSUER")
        return None
    if not settings.oidc_audience:
        raise InvalidInput("PACKHOUSE_OIDC_AUDIENCE is not set: without it tokens for other services would be accepted")
    require("jwt", purpose="PACKHOUSE_OIDC_ISSUER", install="'packhouse-server[oidc]'")
    from engine.services.access.oidc import OidcSettings, OidcTokens, SeveralIssuers  # noqa: PLC0415 - an extra

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
        console_client_id=settings.oidc_console_client_id,
        console_scopes=tuple(settings.oidc_console_scopes.split()),
    )
    more = [
        replace(wanted, name=name, **{**dict(each), "audience": each.audience or wanted.audience})
        for name, each in settings.oidc_more_issuers.items()
    ]
    if len({each.issuer for each in (wanted, *more)}) <= len(more):
        raise InvalidInput("PACKHOUSE_OIDC_MORE_ISSUERS: each issuer is named once, that of PACKHOUSE_OIDC_ISSUER too")
    first, *others = (OidcTokens(settings=each, clock=SystemClock()) for each in (wanted, *more))
    if not others:
        return first
    return SeveralIssuers(first=first, others=dict(zip((each.issuer for each in more), others, strict=True)))
