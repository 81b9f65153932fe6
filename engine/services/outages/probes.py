"""Probe dependencies that do not answer, one process at a time, and release the runs that wait for them.

Every worker looks once a second for outages whose probe is due and claims them in SQL. A probe sends a minimal request:
Spark's version, a catalog's namespaces, the first byte of the metadata of the table that reported a storage. Any answer
ends the outage, even a refusal: the runs that need the dependency then report the refusal themselves.
"""

import asyncio
from contextlib import suppress
from typing import Final, assert_never

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Away, PackhouseError, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.outages import Outage
from engine.queue.streams import RunQueue
from engine.services.catalogs.registered import open_registered, read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.operations.tasks.servers import EndpointServers
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

MOST_AT_ONCE: Final = 8
"""Concurrent probes of one process: a storage that never answers takes up one of them."""

_MOST_WOKEN: Final = 64
"""Most queue entries sent at the end of an outage; each wakes a worker, which then takes all runs that are ready."""


class OutageProbes:
    """The probes of one worker process. `turn` is called about once a second."""

    def __init__(
        self, *, database: Database, formats: TableAccess, servers: EndpointServers, queue: RunQueue, holder: str
    ) -> None:
        self._database = database
        self._formats = formats
        self._servers = servers
        self._queue = queue
        self._holder = holder
        self._probing: set[asyncio.Task[None]] = set()

    async def turn(self) -> int:
        """Begin the probes that are due and return their number.

        Raises:
            Away: the database does not answer.
        """
        room = MOST_AT_ONCE - len(self._probing)
        if room <= 0:
            return 0
        async with self._database.read() as unit:
            if not await unit.outages.has_due():
                return 0
        async with self._database.begin() as unit:
            claimed = await unit.outages.claim_probes(room)
        for outage in claimed:
            task = asyncio.create_task(self._probe_safely(outage), name=f"probe {outage.key}")
            self._probing.add(task)
            task.add_done_callback(self._probing.discard)
        return len(claimed)

    async def probe(self, outage: Outage) -> bool:
        """Probe a claimed outage and record the result; return whether the dependency answered.

        Raises:
            Away: the database does not answer; another process probes when this claim has expired.
        """
        try:
            await self._ask(outage)
        except Away as error:
            if error.dependency is DependencyKind.DATABASE:
                raise
            _log.info("outage_goes_on", outage=outage.key, probes=outage.probes + 1, error=error.message)
            async with self._database.begin() as unit:
                await unit.outages.note_no_answer(outage, error.message)
            return False
        except PackhouseError as error:
            _log.info("outage_answered", outage=outage.key, answer=error.message)
        await self._end(outage)
        return True

    async def close(self) -> None:
        """End the probes that are under way, and leave them to other processes at once."""
        for task in self._probing:
            task.cancel()
        await asyncio.gather(*self._probing, return_exceptions=True)

    async def _probe_safely(self, outage: Outage) -> None:
        try:
            await self.probe(outage)
        except asyncio.CancelledError:
            with suppress(PackhouseError):  # without the database the claim expires
                async with self._database.begin() as unit:
                    await unit.outages.give_back(outage)
            raise
        except PackhouseError as error:
            _log.warning("probe_waits", outage=outage.key, error=error.message)
        except Exception:  # noqa: BLE001 - one bad probe must not end the others; logged with its trace
            _log.exception("probe_failed", outage=outage.key)

    async def _ask(self, outage: Outage) -> None:
        match outage.dependency:
            case DependencyKind.SPARK:
                server = await self._servers.open_named(outage.endpoint)
                await asyncio.to_thread(server.dispatcher.ping)
            case DependencyKind.CATALOG:
                async with self._database.read() as unit:
                    catalog = await unit.catalogs.get(outage.catalog)
                if catalog is not None:
                    connection = await self._formats.connect(catalog)
                    await self._formats.read(outage.catalog, connection.ping)
            case DependencyKind.STORAGE:
                async with self._database.read() as unit:
                    table, catalog = await read_registered(unit, outage.table_id, SYSTEM)
                opened = await open_registered(self._formats, catalog, table)
                await self._formats.read(table.ref, opened.read_storage)
            case DependencyKind.DATABASE | DependencyKind.REDIS:  # never reported: no run is parked for these
                return
            case _:
                assert_never(outage.dependency)

    async def _end(self, outage: Outage) -> None:
        """Delete the outage; if it was confirmed, forget that it ended attempts of the runs that wait for it."""
        async with self._database.begin() as unit:
            if not await unit.outages.end(outage):
                return
            freed = await unit.runs.release_waiting(outage.key, by=self._holder) if outage.is_confirmed else []
        _log.info("outage_ended", outage=outage.key, runs=len(freed), since=outage.away_since.isoformat())
        with suppress(Transient):  # without Redis workers poll
            for run_id in freed[:_MOST_WOKEN]:
                await self._queue.enqueue(run_id)
