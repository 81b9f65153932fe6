"""Execute one attempt at a claimed run under its lease, whatever its operation: settle, work, end.

An operation plans, works and returns how the attempt ends (`OperationAttempt`). What is true of all of them is here:
the heartbeat, and what an error makes of the run: a wait for an unavailable dependency, a retry, or its end. Every
write is guarded by the lease. Nothing here decides by time alone: an operation resolves a lost answer by reading the
table, before anything else is done.
"""

import contextlib
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import timedelta
from typing import Final

import structlog

from engine.domain.clock import Clock, doubled
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
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.fleet.outages import CREDENTIALS, MOST_FRUITLESS_OUTAGES, outage_key, parks
from engine.domain.ids import TableId
from engine.domain.runs.run import LEASED_STATES, Operation, Run, RunState, WaitingFor
from engine.services.runs.attempts import Attempt, Stop
from engine.services.runs.ending import AttemptOutcome, Ended, OperationAttempt, OutOfReach, Retry, cancelled, end_run
from engine.stores.database import Database
from engine.tracing import spans

_log = structlog.get_logger(__name__)

FIRST_RETRY_SECONDS: Final = 2.0
LONGEST_RETRY_SECONDS: Final = 300.0
DATABASE_SECONDS: Final = 1.0
_FIRST_RETRY: Final = timedelta(seconds=FIRST_RETRY_SECONDS)
_REFUSALS: Final = frozenset({"invalid_input", "not_eligible", "rejected", "table_unreadable"})
"""Errors of the table, its policy or the request itself: until one of them changes, another run is refused as well."""
_REMEDY: Final = "which may take too much memory: lower rewrite.max_group_bytes or limits.parallel_groups"


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
        work, run = self._executors[attempt.run.operation](attempt), attempt.run
        trace = spans.attempt(
            run.id,
            attempt.number,
            run.request.get("traceparent"),
            operation=run.operation.value,
            table_id=run.table_id,
        )
        with (
            trace as span,
            structlog.contextvars.bound_contextvars(**await self._log_fields(attempt.run), attempt=attempt.number),
        ):
            _log.info("run_claimed")
            try:
                async with attempt.heartbeat():
                    await self._guarded(work, attempt)
            except LeaseLost:
                _log.warning("attempt_dropped", reason="lease lost")
                with contextlib.suppress(PackhouseError):
                    await work.stop_tasks()
            span.note(state=attempt.run.state.value)
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
            await end_run(attempt, work, await self._worked(work, attempt.run))
        except LeaseLost:
            raise
        except Exception as error:  # noqa: BLE001 - a bug must not strand the run; logged with its trace
            await self._record_end(attempt, work, error)

    async def _worked(self, work: OperationAttempt, run: Run) -> AttemptOutcome:
        """Work, unless too many attempts failed; return how the attempt ends."""
        if run.failures >= self._max_failures:
            return Ended(RunState.FAILED, "gave_up", f"{run.failures} attempts failed or died")
        return await work.run()

    async def _record_end(self, attempt: Attempt, work: OperationAttempt, error: Exception) -> None:
        """Record how the attempt ended; while the database is unavailable, retry until it answers or the process stops.

        Raises:
            LeaseLost: the lease expired before the database answered.
        """
        while True:
            try:
                await end_run(attempt, work, await self._outcome_of(error, attempt))
            except Away as away:
                if away.dependency is not DependencyKind.DATABASE or attempt.stop_reason is Stop.SHUTDOWN:
                    raise
                _log.warning("attempt_waits", waiting_for="database", error=away.message)
                await self._clock.sleep(DATABASE_SECONDS)
            else:
                return

    async def _outcome_of(self, error: Exception, attempt: Attempt) -> AttemptOutcome:
        """Return how an attempt ends that an error stopped. Reads the record, and writes nothing."""
        match error:
            case Transient() | OutcomeUnknown():
                return await self._outcome_of_passing(error, attempt)
            case Rejected():
                is_refused = error.code in _REFUSALS and not attempt.run.snapshot_count and not attempt.run.unsettled
                return Ended(RunState.REFUSED if is_refused else RunState.FAILED, error.code, error.message)
            case Fatal():
                _log.error("invariant_broken", error=error.message)
                return Ended(RunState.FAILED, error.code, error.message)
            case _:
                _log.error("attempt_crashed", exc_info=error)
                return self._outcome_of_crash(attempt, f"internal error ({type(error).__name__}); see the worker's log")

    async def _outcome_of_passing(self, error: PackhouseError, attempt: Attempt) -> AttemptOutcome:
        is_known = not isinstance(error, OutcomeUnknown) and not attempt.run.unsettled
        if attempt.stop_reason is Stop.CANCELLED and is_known:
            return cancelled(attempt.stop)
        match error:
            case Away() if parks(error.dependency):
                return await self._outcome_of_outage(attempt, error)
            case Away():
                return Retry(error.message, _FIRST_RETRY)
            case CredentialsExpired() if attempt.run.waits_on != CREDENTIALS:
                return Retry(error.message, _FIRST_RETRY, waits_on=CREDENTIALS)
            case CredentialsExpired():  # new ones were refused as well
                return self._retry_later(attempt, error.message, Fault.of(error), waits_on=CREDENTIALS)
            case _:
                return self._retry_later(attempt, error.message, Fault.of(error))

    def _outcome_of_crash(self, attempt: Attempt, detail: str) -> AttemptOutcome:
        """End a run whose commit can't be built: the next attempt would build the same one from the written files."""
        if attempt.run.state is RunState.COMMITTING and not attempt.run.unsettled:
            return Ended(RunState.FAILED, "internal_error", f"{detail}; nothing of it was sent to the catalog")
        return self._retry_later(attempt, detail, Fault.OTHER)

    async def _outcome_of_outage(self, attempt: Attempt, away: Away) -> AttemptOutcome:
        """Return that the run waits until the dependency answers.

        The attempt does not count as failed. If the same dependency ended the previous attempt and then answered the
        first probe, the run waits longer each time. After `MOST_FRUITLESS_OUTAGES` such attempts without a committed
        file group, further ones count as failed, because the run may be the cause.
        """
        run, message = attempt.run, away.message
        key = outage_key(away.dependency, catalog=run.catalog, table_id=run.table_id, endpoint=away.endpoint)
        fruitless = await self._fruitless_outages(run, away)
        if fruitless < MOST_FRUITLESS_OUTAGES:
            _log.warning("attempt_parked", waiting_for=away.dependency.value, detail=message)
            return OutOfReach(away, _retry_after(fruitless) if run.waits_on == key else None)
        if away.dependency is DependencyKind.SPARK:
            message += f" (more than {MOST_FRUITLESS_OUTAGES} times while this run rewrote files, {_REMEDY})"
        last = self._given_up(attempt, message, Fault.of(away))
        return last or OutOfReach(away, _retry_after(run.failures + 1), failed=True)

    async def _fruitless_outages(self, run: Run, away: Away) -> int:
        """Return how often this dependency ended an attempt of the run since its last committed file group.

        Of Spark only outages while tasks ran count: they may crash it, such as by the memory that they need.
        """
        states = (RunState.REWRITING,) if away.dependency is DependencyKind.SPARK else tuple(LEASED_STATES)
        async with self._database.read() as unit:
            waiting_for = WaitingFor(away.dependency.value)
            return await unit.rewrite_histories.fruitless_outages(run.id, waiting_for, states)

    def _retry_later(
        self, attempt: Attempt, detail: str, fault: Fault, *, waits_on: str | None = None
    ) -> AttemptOutcome:
        """Return a failed attempt and the wait before the next, or the end of the run after its last failure."""
        wait = _retry_after(attempt.run.failures + 1)
        last = self._given_up(attempt, detail, fault)
        return last or Retry(detail, wait, failed=True, fault=fault, waits_on=waits_on)

    def _given_up(self, attempt: Attempt, detail: str, fault: Fault) -> Ended | None:
        """Return the end of a run that failed too often; None if it may go on, or a commit of it may still land."""
        failures = attempt.run.failures + 1
        is_sent = attempt.run.state is RunState.COMMITTING and attempt.run.unsettled
        if failures < self._max_failures or is_sent:
            return None
        detail = f"attempt {attempt.number} was the last of {failures} without a commit between them: {detail}"
        return Ended(RunState.FAILED, "gave_up", detail, fault)


def _retry_after(failures: int) -> timedelta:
    return timedelta(seconds=doubled(FIRST_RETRY_SECONDS, failures - 1, longest=LONGEST_RETRY_SECONDS))
