"""The share of a run's request budget that the worker itself uses, for requests that no Spark task sends.

The worker is the only member of the run's ledger: it reports the requests that it sent about once a second, and gets
the rate that it may use from then on. Without Redis it keeps the share that it began with.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import Transient
from engine.domain.fleet.budgets import TaskReport
from engine.domain.policies import EffectivePolicy
from engine.formats.base import OpenTable
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.services.catalogs.registered import read_registered
from engine.services.operations.tasks.pacing import PaceTools, RunPacing
from engine.services.runs.attempts import Attempt
from engine.services.runs.budgets import run_limits

REPORT_SECONDS: Final = 1.0
_ONLY: Final = 0
"""Number of the worker among the members of the run's ledger."""


class WorkerRequests:
    """The requests of one attempt: `take` waits for a number of them, in the thread that sends them."""

    def __init__(self, *, tools: PaceTools, attempt: Attempt, bucket: Bucket) -> None:
        self._tools = tools
        self._attempt = attempt
        self._bucket = bucket
        self._lock = threading.Lock()
        self._sent = 0
        self._is_over = False

    def take(self, requests: int) -> None:
        """Wait until the budget has room for requests. Raises the kernel's `Stopped` if the attempt is interrupted."""
        if requests:
            self._bucket.take(0, requests)
            with self._lock:
                self._sent += requests

    async def report(self, *, finished: bool = False) -> None:
        """Report the requests so far and apply the answer. Raises Transient without Redis."""
        with self._lock:
            sent = self._sent
        waited = self._bucket.throttled_seconds
        told = TaskReport(_ONLY, 0, 0, sent, waited, finished)
        answer = await self._tools.ledger.report(self._attempt.run.id, self._attempt.number, told)
        if finished:
            return
        self._bucket.set_share(answer.budget.bytes_per_second, answer.budget.requests_per_second)
        if answer.stop:
            self._bucket.stop()

    async def keep(self) -> None:
        """Report at this interval until `close`; stop the waiting thread when the attempt is interrupted."""
        while not self._is_over:
            with suppress(Transient):
                await self.report()
            if not self._is_over and await _is_set_within(self._attempt.interrupted, REPORT_SECONDS):
                self._bucket.stop()
                return

    def close(self) -> None:
        """End `keep` after its present report, for redis-py loses a cancel that comes while it connects."""
        self._is_over = True


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        async with asyncio.timeout(seconds):
            return await event.wait()
    except TimeoutError:
        return False


@asynccontextmanager
async def paced_requests(
    *, tools: PaceTools, attempt: Attempt, table: OpenTable, policy: EffectivePolicy
) -> AsyncIterator[Callable[[int], None]]:
    """Apply the request limits of table, catalog and fleet while the body runs.

    Yields a function that waits until a number of requests may be sent; call it in the thread that sends them. It
    raises `rewriting.kernel.errors.Stopped` when the attempt is interrupted while it waits.
    """
    async with tools.database.read() as unit:
        registered, _ = await read_registered(unit, attempt.run.table_id, SYSTEM)
        limits = await run_limits(unit, registered.ref.catalog, policy)
    pacing = RunPacing(
        tools=tools,
        attempt=attempt,
        limits=limits,
        properties=table.policy_properties(),
        lanes=1,
        has_channel=True,  # the worker reports to the ledger itself
    )
    share = pacing.of_task()
    requests = WorkerRequests(
        tools=tools, attempt=attempt, bucket=Bucket(requests_per_second=share.requests_per_second)
    )
    async with pacing.at_work():
        keeping = asyncio.create_task(requests.keep(), name="requests of the worker")
        try:
            yield requests.take
        finally:
            requests.close()
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)
            with suppress(Transient):
                await requests.report(finished=True)
