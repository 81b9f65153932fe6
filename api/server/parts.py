"""Run the selected parts of Packhouse in this process, from the socket to the last task.

Signals stop the parts in order: running attempts drain and are parked, then the API stops, then the container closes
its connections. A second signal interrupts groups in flight at once.
"""

import asyncio
import errno
import gc
import resource
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Final

import structlog
import uvicorn
from fastapi import FastAPI
from prometheus_client import disable_created_metrics

from api.app import create_app
from api.console.files import Console
from api.http.process_figures import ProcessFigures
from api.server.connections import ConnectionLimits, LimitedProtocol, protocol_of, proxies_of
from api.server.first_key import FILE_NAME, ensure_first_key
from api.server.health_check import EVERY_ADDRESS
from api.server.work import work_app
from api.task_app import create_task_app
from engine.domain.clock import Clock, SystemClock
from engine.domain.errors import InvalidInput, Transient
from engine.factory.container import open_container
from engine.factory.services import Services
from engine.factory.wiring import Container
from engine.settings.model import Settings
from engine.settings.values import reveal
from engine.spark.task_zip import merging_machines

STUCK_SECONDS: Final = 60.0
"""For how long a read may compute on after it was ended, until the process stops, to be started again."""

_log = structlog.get_logger(__name__)

_STUCK_CHECK_SECONDS: Final = 5.0
_CHECK_TICKS: Final = 5
_OTHER_FILES: Final = 4096
_GOODBYE_SECONDS: Final = 5  # for requests in flight; event streams are cut and resumed elsewhere


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts that run in a process."""

    api: bool = False
    worker: bool = False
    coordinator: bool = False

    @property
    def is_everything(self) -> bool:
        """Whether this is the embedded mode, the only one that may start servers of its own."""
        return self.api and self.worker and self.coordinator

    @property
    def name(self) -> str:
        """The command that starts these parts."""
        return "up" if self.is_everything else "api" if self.api else "worker" if self.worker else "coordinator"


async def serve(settings: Settings, parts: Parts, *, say: Callable[[str], None]) -> None:
    """Run parts until SIGINT or SIGTERM. `say` prints the started parts, the address and the file of the first key.

    Raises:
        InvalidInput: a part runs alone but has no URL of the servers it shares with the others.
        Transient: a server does not start or does not answer, or a read that computes for ever can't be ended.
        SchemaUnsupported: the database has to be migrated first; `up` does it.
        InvalidInput: the address is taken, or is not an address of this machine.
    """
    disable_created_metrics()  # type: ignore[no-untyped-call]  # a second series of each counter, which nothing reads
    if not parts.is_everything:
        _check_shared(settings)
    variable = "PACKHOUSE_PORT" if parts.api else "PACKHOUSE_METRICS_PORT"
    with (
        _listening(settings.host, _port_of(settings, parts), variable) as listener,
        _listening(settings.tasks_host, _tasks_port_of(settings, parts), "PACKHOUSE_TASKS_PORT") as tasks,
    ):
        if parts.is_everything and settings.pace_url is None:
            host = EVERY_ADDRESS.get(settings.tasks_host, settings.tasks_host)
            pace_url = f"http://{_address_of(host, tasks)}/internal/pace"
            settings = settings.model_copy(update={"pace_url": pace_url})
        if started := [name for name, url in _servers(settings).items() if url is None]:
            say(f"Starting {' and '.join(started)} on this machine: about 10 s, longer at the first start")
        async with open_container(settings, migrates=parts.is_everything) as container:
            if parts.api:
                await _announce(container, settings, listener, say)
            elif settings.metrics_port is not None:
                say(f"Figures for Prometheus are at http://{_address_of(settings.host, listener)}/metrics")
            machines = merging_machines() if settings.compiled_pass else ()
            figures = ProcessFigures(parts.name, settings.revision, machines)
            _log.info("process_starts", process=parts.name, **asdict(figures.build))
            await _run(container, parts, figures, _servers_of(container, parts, figures, listener, tasks))


def _servers_of(
    container: Container, parts: Parts, figures: ProcessFigures, listener: socket.socket, tasks: socket.socket
) -> list[tuple["BoundedServer", socket.socket]]:
    """Return the HTTP servers of the process, each with its listener."""
    if not parts.api:
        app = work_app(container.metrics, figures)
        return [] if container.settings.metrics_port is None else [(BoundedServer(app, container.settings), listener)]
    public = _app_of(container, figures)
    found = [(BoundedServer(public, container.settings), listener)]
    if tasks.getsockname()[1]:  # it is bound
        found.append((BoundedServer(create_task_app(container, public.state.metrics), container.settings), tasks))
    return found


async def _run(
    container: Container,
    parts: Parts,
    figures: ProcessFigures,
    servers: Sequence[tuple["BoundedServer", socket.socket]],
) -> None:
    work: list[asyncio.Task[None]] = []

    def stop() -> None:
        container.worker.stop()
        container.coordinator.stop()
        if not work:
            _end(servers)

    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signal_number, stop)
    gc.freeze()  # a full collection would walk all loaded modules: 150 ms without an answer
    watch, lag = loop.create_task(_stop_when_stuck(container, stop)), loop.create_task(figures.watch_loop())
    try:
        async with asyncio.TaskGroup() as group:
            if parts.coordinator:
                work.append(group.create_task(container.coordinator.run()))
            if parts.worker:
                work.append(group.create_task(container.worker.run()))
            for server, listener in servers:
                group.create_task(server.serve(sockets=[listener]))
            if work:
                await asyncio.wait(work)
                _end(servers)
    finally:
        watch.cancel()
        lag.cancel()
    if watch.done() and not watch.cancelled():
        raise Transient("it stopped, as a read of a table computed on after it was ended: start it again")


def _end(servers: Sequence[tuple["BoundedServer", socket.socket]]) -> None:
    for server, _ in servers:
        server.should_exit = True


async def _stop_when_stuck(container: Container, stop: Callable[[], None]) -> None:
    """Stop this process once a read that was ended has computed on for `STUCK_SECONDS`: nothing else ends it."""
    while container.formats.stuck_seconds() < STUCK_SECONDS:
        await container.clock.sleep(_STUCK_CHECK_SECONDS)
    _log.error("process_stops", reason="a read of a table computes on after it was ended")
    stop()


class BoundedServer(uvicorn.Server):
    """uvicorn with limits on connections, without a banner, and without signal handlers of its own.

    Its handlers would send each signal to the process a second time. `limits` replaces those of the settings; `clock`
    measures how long connections make no progress.
    """

    def __init__(
        self, app: Any, settings: Settings, *, limits: ConnectionLimits | None = None, clock: Clock | None = None
    ) -> None:
        proxies = proxies_of(settings.trusted_proxies)
        limits = limits or ConnectionLimits(most=settings.max_connections, proxies=proxies)
        config = uvicorn.Config(
            app,
            http=protocol_of(limits, clock or SystemClock()),
            ws="none",
            log_config=None,
            lifespan="on",
            proxy_headers=bool(proxies),  # unset, uvicorn would trust every client on this machine
            forwarded_allow_ips=[str(network) for network in proxies],
            server_header=False,
            timeout_graceful_shutdown=_GOODBYE_SECONDS,
        )
        super().__init__(config)
        _allow_files(limits.most + _OTHER_FILES)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Install no signal handlers: the process has its own."""
        yield

    async def on_tick(self, counter: int) -> bool:
        """Close connections that make no progress; called ten times a second."""
        if counter % _CHECK_TICKS == 0:
            for connection in list(self.server_state.connections):
                if isinstance(connection, LimitedProtocol):
                    connection.check()
        return await super().on_tick(counter)


def _allow_files(wanted: int) -> None:
    """Raise the soft limit on open files, so that the most connections leave some for databases and logs."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))


def _app_of(container: Container, figures: ProcessFigures) -> FastAPI:
    @asynccontextmanager
    async def services() -> AsyncIterator[Services]:
        yield container

    return create_app(services, console_dir=container.settings.console_dir, process=figures)


async def _announce(
    container: Container, settings: Settings, listener: socket.socket, say: Callable[[str], None]
) -> None:
    url = f"http://{_address_of(settings.host, listener)}"
    say(f"Packhouse is at {url} (description of the API: /docs)")
    path = await ensure_first_key(container.access, settings)
    if path is not None:
        say(f"The first admin key is in {path.absolute()}: export PACKHOUSE_API_KEY=$(cat {path.absolute()})")
    if await Console(settings.console_dir).is_built():
        key = (settings.data_dir / FILE_NAME).absolute()
        hint = f", such as the one in {key}" if await asyncio.to_thread(key.exists) else ""
        say(f"The console is at {url}/console: sign in with an API key{hint}")
    else:
        say("The console is not built: `make console` in a checkout builds it; no restart is needed")


def _address_of(host: str, listener: socket.socket) -> str:
    return f"{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}"


def _port_of(settings: Settings, parts: Parts) -> int | None:
    """Return the port of the process, None when it does not listen; with an API its metrics are served by the API."""
    return settings.port if parts.api else settings.metrics_port


def _tasks_port_of(settings: Settings, parts: Parts) -> int | None:
    """Return the port of the listener for tasks, None without one.

    Raises:
        InvalidInput: tasks are given an address, and this api has no listener for them.
    """
    if not parts.api or settings.tasks_port is not None:
        return settings.tasks_port if parts.api else None
    if settings.pace_url is None:
        return 0 if parts.is_everything else None
    raise InvalidInput(
        "PACKHOUSE_PACE_URL is set and PACKHOUSE_TASKS_PORT is not: tasks report to a listener of their own, so set "
        "its port and let PACKHOUSE_PACE_URL lead there; an api that serves no tasks has neither"
    )


BACKLOG: Final = 2048
"""Connections that wait until the process is ready to answer them, as uvicorn has it."""


def _listening(host: str, port: int | None, variable: str) -> socket.socket:
    """Return a socket, listening if there is a port; `variable` is the setting of the port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio disables Nagle's algorithm; otherwise answers wait 40 ms for an acknowledgement.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if port is not None:
        try:
            listener.bind((host, port))
            listener.listen(BACKLOG)  # now: until then another process could take the port, and uvloop would not say so
        except OSError as error:
            listener.close()
            raise InvalidInput(_not_bound(host, port, variable, error)) from error
    return listener


def _not_bound(host: str, port: int, variable: str, error: OSError) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"port {port} of {host} is in use: end what listens there, or set {variable} (0: a free port)"
        case errno.EACCES:
            return f"port {port} needs more rights than this process has: set {variable} to 1024 or above"
        case _:
            setting = "PACKHOUSE_TASKS_HOST" if variable == "PACKHOUSE_TASKS_PORT" else "PACKHOUSE_HOST"
            return f"can't listen at {host} port {port}: {error.strerror}; set {setting} to an own address"


def _servers(settings: Settings) -> dict[str, str | None]:
    """Return the URLs of the servers that this process starts itself if they have none."""
    return {"Redis": reveal(settings.redis_url), "Spark": reveal(settings.spark_url)}


def _check_shared(settings: Settings) -> None:
    shared = {"Database": reveal(settings.database_url), **_servers(settings)}
    missing = [f"PACKHOUSE_{name.upper()}_URL" for name, url in shared.items() if url is None]
    if missing:
        raise InvalidInput(
            f"{', '.join(missing)} not set: parts that run in processes of their own share these servers; "
            "for everything on one machine use `packhouse-server up`"
        )
