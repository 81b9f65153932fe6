"""Advances one rewrite under one lease: take over, plan, rewrite, commit, prove, record.

Every write is guarded by the lease. Nothing here decides by time alone: a lost answer is resolved by reading the
table, a dead attempt's work by reading its groups. Output is deleted only when no task of the run can be alive and no
commit of it can be under way.
"""

import contextlib
from collections.abc import Callable
from datetime import timedelta

import structlog

from engine.domain.breakers import Fault
from engine.domain.clock import Clock
from engine.domain.errors import Fatal, LeaseLost, OutcomeUnknown, PackhouseError, Rejected, Transient
from engine.domain.runs import Run, RunState, WaitingFor
from engine.services.attempts import Attempt, Stop
from engine.services.context import RewriteContext
from engine.services.rewriting import RewriteFlow
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

FIRST_RETRY_SECONDS = 2.0
LONGEST_RETRY_SECONDS = 300.0


class RewriteService:
    """Executes claimed rewrites. `step` is told the name of each labelled step, for fault tests."""

    def __init__(
        self,
        *,
        context: RewriteContext,
        database: Database,
        clock: Clock,
        max_failures: int,
        step: Callable[[str], None] = lambda _name: None,
    ) -> None:
        self._context = context
        self._database = database
        self._clock = clock
        self._max_failures = max_failures
        self._step = step

    async def execute(self, attempt: Attempt) -> None:
        """Advance the run as far as it goes: to a terminal state, or back to waiting. Errors end in the record."""
        flow = RewriteFlow(context=self._context, attempt=attempt, step=self._step)
        with structlog.contextvars.bound_contextvars(**await self._log_fields(attempt.run), attempt=attempt.number):
            _log.info("run_claimed")
            try:
                async with attempt.heartbeat():
                    await self._guarded(flow, attempt)
            except LeaseLost:
                _log.warning("attempt_dropped", reason="lease lost")
                with contextlib.suppress(PackhouseError):
                    await flow.ending.stop_tasks()
            if attempt.run.state is RunState.SUCCEEDED:
                await self._context.observations.measure_again(attempt.run.table_id)

    async def _log_fields(self, run: Run) -> dict[str, str]:
        """Return what each line of an attempt carries; the table's address is left out while the record is away."""
        with contextlib.suppress(PackhouseError):
            async with self._database.read() as unit:
                table = await unit.tables.get(run.table_id)
            if table is not None:
                return {**run.log_fields, "table": str(table.ref)}
        return run.log_fields

    async def _guarded(self, flow: RewriteFlow, attempt: Attempt) -> None:
        try:
            await flow.run(most_failures=self._max_failures)
        except LeaseLost:
            raise
        except (Transient, OutcomeUnknown) as error:
            await self._stopped_or(attempt, flow, error)
        except Rejected as error:
            await flow.ending.fail(reason=error.code, detail=error.message)
        except Fatal as error:
            _log.error("invariant_broken", error=error.message)
            await flow.ending.fail(reason=error.code, detail=error.message)
        except Exception as error:  # noqa: BLE001 - a bug must not strand the run; logged with its trace
            _log.exception("attempt_crashed")
            await self._crashed(attempt, flow, f"internal error ({type(error).__name__}); see the worker's log")

    async def _stopped_or(self, attempt: Attempt, flow: RewriteFlow, error: PackhouseError) -> None:
        is_known = not isinstance(error, OutcomeUnknown) and not attempt.run.unsettled
        if attempt.stop_reason is Stop.CANCELLED and is_known:
            await flow.ending.cancel()
        else:
            await self._retry_later(attempt, flow, error.message, Fault.of(error))

    async def _crashed(self, attempt: Attempt, flow: RewriteFlow, detail: str) -> None:
        """End a run whose commit can't be made: the next attempt would make the same one of what is written."""
        if attempt.run.state is RunState.COMMITTING and not attempt.run.unsettled:
            await flow.ending.fail(reason="internal_error", detail=f"{detail}; nothing of it was sent to the catalog")
        else:
            await self._retry_later(attempt, flow, detail, Fault.OTHER)

    async def _retry_later(self, attempt: Attempt, flow: RewriteFlow, detail: str, fault: Fault) -> None:
        failures = attempt.run.failures + 1
        is_sent = attempt.run.state is RunState.COMMITTING and attempt.run.unsettled
        if failures >= self._max_failures and not is_sent:
            await flow.ending.fail(
                reason="gave_up",
                detail=f"attempt {attempt.number} was the last of {failures}: {detail}",
                fault=fault,
            )
            return
        async with self._database.read() as unit:
            now = await unit.now()
        wait = min(LONGEST_RETRY_SECONDS, FIRST_RETRY_SECONDS * 2 ** (failures - 1))
        _log.warning("attempt_failed", detail=detail, retry_in_seconds=wait)
        await attempt.park(
            waiting_for=WaitingFor.RETRY,
            not_before=now + timedelta(seconds=wait),
            reason="retry",
            detail=detail,
            failed=True,
            fault=fault,
        )
