"""Execute one attempt at a claimed run under its lease, whatever its operation: settle, work, record how it ended.

An operation plans, works and ends its runs (`OperationAttempt`); what is true of all of them is here: the heartbeat,
waits for unavailable dependencies, retries and their limit, errors. Every write is guarded by the lease. Nothing here
decides by time alone: an operation resolves a lost answer by reading the table, before anything else is done.
"""

import contextlib
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime, timedelta
from typing import Final, Protocol

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import (
    Away,
    CredentialsExpired,
    Fatal,
    LeaseLost,
    OutcomeUnknown,
    PackhouseError,
    Rejected,
    Transient,
)
from engine.domain.fleet.breakers import Fault
from engine.domain.fleet.dependencies import Dependency
from engine.domain.fleet.outages import CREDENTIALS, MOST_FRUITLESS_OUTAGES, outage_key, parks
from engine.domain.ids import TableId
from engine.domain.runs.run import LEASED_STATES, Operation, Run, RunState, WaitingFor
from engine.services.runs.attempts import Attempt, Stop
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

FIRST_RETRY_SECONDS: Final = 2.0
LONGEST_RETRY_SECONDS: Final = 300.0
DATABASE_SECONDS: Final = 1.0
_REMEDY: Final = "which may take too much memory: lower rewrite.max_group_bytes or limits.parallel_groups"


class OperationAttempt(Protocol):
    """One attempt at a run of one operation. Every method but `stop_tasks` writes to the record under the lease."""

    async def settle(self) -> None:
        """Resolve what earlier attempts may have left open, such as a commit whose answer was lost."""

    async def run(self) -> None:
        """Advance the run from `planning` to its end, or park it. Raises the error that prevents both."""

    async def cancel(self) -> None:
        """End the run as cancelled: what was committed stays, all other output is removed."""

    async def fail(self, *, reason: str, detail: str, fault: Fault = Fault.OTHER) -> None:
        """End the run as failed: what was committed stays, all other output is removed."""

    async def stop_tasks(self) -> bool:
        """Stop every task of this attempt; return whether all are certainly gone."""


OperationExecutor = Callable[[Attempt], OperationAttempt]
"""Begins an attempt at a run of one operation; called after the claim, before anything is read."""


class RunExecution:
    """Executes claimed runs of the operations that have an executor; `after_success` is called with the table."""

    def __init__(
        self,
        *,
        executors: Mapping[Operation, OperationExecutor],
        after_success: Callable[[TableId], Awaitable[None]],
        database: Database,
        clock: Clock,
        max_failures: int,
    ) -> None:
        self._executors = executors
        self._after_success = after_success
        self._database = database
        self._clock = clock
        self._max_failures = max_failures

    @property
    def operations(self) -> Collection[Operation]:
        """The operations that have an executor."""
        return self._executors.keys()

    async def execute(self, attempt: Attempt) -> None:
        """Advance the run to a terminal state, or park it. Errors are recorded, not raised.

        Raises:
            KeyError: its operation has no executor; claims leave such runs in the queue.
        """
        work = self._executors[attempt.run.operation](attempt)
        with structlog.contextvars.bound_contextvars(**await self._log_fields(attempt.run), attempt=attempt.number):
            _log.info("run_claimed")
            try:
                async with attempt.heartbeat():
                    await self._guarded(work, attempt)
            except LeaseLost:
                _log.warning("attempt_dropped", reason="lease lost")
                with contextlib.suppress(PackhouseError):
                    await work.stop_tasks()
            if attempt.run.state is RunState.SUCCEEDED:
                await self._after_success(attempt.run.table_id)

    async def _log_fields(self, run: Run) -> dict[str, str]:
        """Return the log fields of an attempt; the table's address is left out while the database is unavailable."""
        with contextlib.suppress(PackhouseError):
            async with self._database.read() as unit:
                table = await unit.tables.get(run.table_id)
            if table is not None:
                return {**run.log_fields, "table": str(table.ref)}
        return run.log_fields

    async def _guarded(self, work: OperationAttempt, attempt: Attempt) -> None:
        try:
            await work.settle()
            failures = attempt.run.failures
            if failures >= self._max_failures:
                await work.fail(reason="gave_up", detail=f"{failures} attempts failed or died")
            else:
                await work.run()
        except LeaseLost:
            raise
        except Exception as error:  # noqa: BLE001 - a bug must not strand the run; logged with its trace
            await self._record_end(attempt, work, error)

    async def _record_end(self, attempt: Attempt, work: OperationAttempt, error: Exception) -> None:
        """Record how the attempt ended; while the database is unavailable, retry until it answers or the process stops.

        Raises:
            LeaseLost: the lease expired before the database answered.
        """
        while True:
            try:
                await self._end_by(attempt, work, error)
            except Away as away:
                if away.dependency is not Dependency.DATABASE or attempt.stop_reason is Stop.SHUTDOWN:
                    raise
                _log.warning("attempt_waits", waiting_for="database", error=away.message)
                await self._clock.sleep(DATABASE_SECONDS)
            else:
                return

    async def _end_by(self, attempt: Attempt, work: OperationAttempt, error: Exception) -> None:
        match error:
            case Transient() | OutcomeUnknown():
                await self._stopped_or(attempt, work, error)
            case Rejected():
                await work.fail(reason=error.code, detail=error.message)
            case Fatal():
                _log.error("invariant_broken", error=error.message)
                await work.fail(reason=error.code, detail=error.message)
            case _:
                _log.error("attempt_crashed", exc_info=error)
                await self._crashed(attempt, work, f"internal error ({type(error).__name__}); see the worker's log")

    async def _stopped_or(self, attempt: Attempt, work: OperationAttempt, error: PackhouseError) -> None:
        is_known = not isinstance(error, OutcomeUnknown) and not attempt.run.unsettled
        if attempt.stop_reason is Stop.CANCELLED and is_known:
            await work.cancel()
            return
        match error:
            case Away() if parks(error.dependency):
                await self._park_on_outage(attempt, work, error)
            case Away():
                await self._wait(attempt, error.message, seconds=FIRST_RETRY_SECONDS)
            case CredentialsExpired() if attempt.run.waits_on != CREDENTIALS:
                await self._wait(attempt, error.message, seconds=FIRST_RETRY_SECONDS, waits_on=CREDENTIALS)
            case CredentialsExpired():  # new ones were refused as well
                await self._retry_later(attempt, work, error.message, Fault.of(error), waits_on=CREDENTIALS)
            case _:
                await self._retry_later(attempt, work, error.message, Fault.of(error))

    async def _crashed(self, attempt: Attempt, work: OperationAttempt, detail: str) -> None:
        """End a run whose commit can't be built: the next attempt would build the same one from the written files."""
        if attempt.run.state is RunState.COMMITTING and not attempt.run.unsettled:
            await work.fail(reason="internal_error", detail=f"{detail}; nothing of it was sent to the catalog")
        else:
            await self._retry_later(attempt, work, detail, Fault.OTHER)

    async def _park_on_outage(self, attempt: Attempt, work: OperationAttempt, away: Away) -> None:
        """Park the run until the dependency answers.

        The attempt does not count as failed. If the same dependency ended the previous attempt and then answered the
        first probe, the run waits longer each time. After `MOST_FRUITLESS_OUTAGES` such attempts without a committed
        file group, further ones count as failed, because the run may be the cause.
        """
        run, message = attempt.run, away.message
        key = outage_key(away.dependency, catalog=run.catalog, table_id=run.table_id)
        fruitless = await self._fruitless_outages(run, away)
        if fruitless < MOST_FRUITLESS_OUTAGES:
            _log.warning("attempt_parked", waiting_for=away.dependency.value, detail=message)
            not_before = await self._retry_at(fruitless) if run.waits_on == key else None
            await attempt.park_on_outage(away, not_before=not_before)
            return
        if away.dependency is Dependency.SPARK:
            message += f" (more than {MOST_FRUITLESS_OUTAGES} times while this run rewrote files, {_REMEDY})"
        if not await self._gave_up(attempt, work, message, Fault.of(away)):
            await attempt.park_on_outage(away, failed=True, not_before=await self._retry_at(run.failures + 1))

    async def _fruitless_outages(self, run: Run, away: Away) -> int:
        """Return how often this dependency ended an attempt of the run since its last committed file group.

        Of Spark only outages while tasks ran count: they may crash it, such as by the memory that they need.
        """
        states = (RunState.REWRITING,) if away.dependency is Dependency.SPARK else tuple(LEASED_STATES)
        async with self._database.read() as unit:
            waiting_for = WaitingFor(away.dependency.value)
            return await unit.rewrite_histories.fruitless_outages(run.id, waiting_for, states)

    async def _retry_later(
        self, attempt: Attempt, work: OperationAttempt, detail: str, fault: Fault, *, waits_on: str | None = None
    ) -> None:
        """Count the attempt as failed and park the run, or end the run after its last permitted failure."""
        if not await self._gave_up(attempt, work, detail, fault):
            seconds = _retry_seconds(attempt.run.failures + 1)
            await self._wait(attempt, detail, seconds=seconds, failed=True, fault=fault, waits_on=waits_on)

    async def _gave_up(self, attempt: Attempt, work: OperationAttempt, detail: str, fault: Fault) -> bool:
        failures = attempt.run.failures + 1
        is_sent = attempt.run.state is RunState.COMMITTING and attempt.run.unsettled
        if failures < self._max_failures or is_sent:
            return False
        detail = f"attempt {attempt.number} was the last of {failures} without a commit between them: {detail}"
        await work.fail(reason="gave_up", detail=detail, fault=fault)
        return True

    async def _wait(
        self,
        attempt: Attempt,
        detail: str,
        *,
        seconds: float,
        failed: bool = False,
        fault: Fault = Fault.OTHER,
        waits_on: str | None = None,
    ) -> None:
        async with self._database.read() as unit:
            now = await unit.now()
        _log.warning("attempt_failed" if failed else "attempt_parked", detail=detail, retry_in_seconds=seconds)
        await attempt.park(
            waiting_for=WaitingFor.RETRY,
            not_before=now + timedelta(seconds=seconds),
            reason="retry",
            detail=detail,
            failed=failed,
            fault=fault,
            waits_on=waits_on,
        )

    async def _retry_at(self, failures: int) -> datetime:
        async with self._database.read() as unit:
            return await unit.now() + timedelta(seconds=_retry_seconds(failures))


def _retry_seconds(failures: int) -> float:
    return float(min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (failures - 1)))
