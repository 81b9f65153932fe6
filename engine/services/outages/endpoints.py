"""Probes of Spark endpoints, one process at a time: whether they answer, and whether their executors can run tasks.

Each endpoint is asked for its version every minute, or every ten seconds while it does not answer. A task reports on an
executor when the endpoint was written, answers again, or was unsuitable: it may have other executors by then. An
endpoint that is the only one is not probed: runs that find it away report that (`outages.probes`).
"""

import asyncio
import platform
from contextlib import suppress
from typing import Final

import structlog

from engine.domain.errors import Away, Interrupted, PackhouseError
from engine.domain.fleet.endpoints import AWAY_PROBE_SECONDS, PROBE_SECONDS, EndpointState, SparkEndpoint
from engine.services.operations.tasks.executors import TASK_SECONDS, Executor
from engine.services.operations.tasks.servers import EndpointServers
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

NEEDED: Final = ("pyarrow", "numpy")
"""Packages that every task imports."""


class EndpointProbes:
    """The probes of one worker process. `turn` is called about once a second; one endpoint is probed at a time."""

    def __init__(self, *, database: Database, servers: EndpointServers) -> None:
        self._database = database
        self._servers = servers
        self._probing: asyncio.Task[None] | None = None

    async def turn(self) -> bool:
        """Begin the next probe that is due; return whether one began.

        Raises:
            Away: the database does not answer.
        """
        if self._probing is not None and not self._probing.done():
            return False
        async with self._database.read() as unit:
            if not await unit.endpoints.has_due_probe():
                return False
        async with self._database.begin() as unit:
            claimed = await unit.endpoints.claim_probe()
        if claimed is None:
            return False
        self._probing = asyncio.create_task(self._probe_safely(claimed), name=f"probe of endpoint {claimed.name}")
        return True

    async def probe(self, endpoint: SparkEndpoint) -> EndpointState:
        """Probe a claimed endpoint and store the result; return the state that was found.

        Raises:
            Away: the database does not answer.
        """
        version = None
        try:
            server = await self._servers.open(endpoint)
            version = await asyncio.to_thread(server.version)
            if endpoint.state is EndpointState.OK:
                state, detail = EndpointState.OK, endpoint.detail
            else:
                state, detail = _judged(await asyncio.to_thread(server.executor))
        except Interrupted:
            state, detail = EndpointState.UNKNOWN, f"no executor reported on itself within {TASK_SECONDS:.0f} s"
        except Away as error:
            state, detail = EndpointState.AWAY, error.message
        except PackhouseError as error:
            state, detail = EndpointState.UNSUITABLE, error.message
        seconds = AWAY_PROBE_SECONDS if state is EndpointState.AWAY else PROBE_SECONDS
        async with self._database.begin() as unit:
            await unit.endpoints.note_probe(endpoint, state, detail, version=version, seconds=seconds)
        if state is not endpoint.state:
            _log.info("spark_endpoint_probed", endpoint=endpoint.name, state=state.value, detail=detail)
        return state

    async def close(self) -> None:
        """End the probe that is under way; another process repeats it when its claim has expired."""
        if self._probing is not None:
            self._probing.cancel()
            with suppress(asyncio.CancelledError):
                await self._probing

    async def _probe_safely(self, endpoint: SparkEndpoint) -> None:
        try:
            await self.probe(endpoint)
        except PackhouseError as error:
            _log.warning("probe_waits", endpoint=endpoint.name, error=error.message)
        except Exception:  # noqa: BLE001 - one bad probe must not end the others; logged with its trace
            _log.exception("probe_failed", endpoint=endpoint.name)


def _judged(found: Executor) -> tuple[EndpointState, str]:
    """Return whether an executor can run the tasks, which are pickled by this process's Python."""
    ours, theirs = (".".join(each.split(".")[:2]) for each in (platform.python_version(), found.python))
    if ours != theirs:
        return EndpointState.UNSUITABLE, f"its executors have Python {theirs}, and workers {ours}: use the same"
    missing = [name for name in NEEDED if name not in found.packages]
    if missing:
        return EndpointState.UNSUITABLE, f"its executors lack {', '.join(missing)}: install them for their Python"
    reached = found.answer is None or found.answer[0] is not None
    lone = "" if reached else "; they do not reach PACKHOUSE_PACE_URL, so changed limits hold from the next task on"
    return EndpointState.OK, f"executors with Python {found.python}{lone}"
