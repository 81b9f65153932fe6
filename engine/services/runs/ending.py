"""The end of an attempt as a value, and the function that ends or parks its run: no other code does.

An operation returns `Ended` or `Parked`; an error that prevents both becomes `Retry` or `OutOfReach`, or ends the run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeAlias, assert_never

import structlog

from engine.domain.errors import Away, Transient
from engine.domain.fleet.breakers import Fault
from engine.domain.runs.results import RunResult
from engine.domain.runs.run import RunState, WaitingFor
from engine.domain.runs.times import RunTime
from engine.services.runs.attempts import Attempt, AttemptStop

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Ended:
    """The run ends.

    Attributes:
        state: the terminal state.
        reason: the code of the reason.
        detail: text for people.
        fault: the cause of a failure, used by breakers.
        plan: the plan to store with the end; None: the stored one stays.
        figures: figures of the result that only this outcome has.
    """

    state: RunState
    reason: str
    detail: str
    fault: Fault = Fault.OTHER
    plan: Mapping[str, Any] | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Parked:
    """The run waits, and another attempt continues.

    Attributes:
        waiting_for: what it waits for; None: for a worker only.
        reason: the code of the reason.
        detail: text for people.
        until: when it may continue; None: see `wait`.
        wait: the time from now on after which it may continue; None: `until` or `waiting_for` decide.
        failed: whether the attempt counts as failed.
    """

    waiting_for: WaitingFor | None
    reason: str
    detail: str
    until: datetime | None = None
    wait: timedelta | None = None
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """An error ended the attempt; the run is tried again.

    Attributes:
        detail: text for people.
        wait: the time from now on after which it is tried again.
        failed: whether the attempt counts as failed.
        fault: the cause of the error, used by breakers.
        waits_on: the key of an outage whose end it also waits for.
    """

    detail: str
    wait: timedelta
    failed: bool = False
    fault: Fault = Fault.OTHER
    waits_on: str | None = None


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """A dependency does not answer; the run waits until it does.

    Attributes:
        away: the error, which names the dependency.
        wait: the least time to wait from now on; None: until the first answer.
        failed: whether the attempt counts as failed, because the run may be the cause.
    """

    away: Away
    wait: timedelta | None = None
    failed: bool = False


AttemptOutcome: TypeAlias = Ended | Parked | Retry | OutOfReach


@dataclass(frozen=True, slots=True)
class AttemptReport:
    """Figures of an attempt, measured before its end is written.

    Attributes:
        result: the result of a run that ends; None for other outcomes.
        seconds: how long the attempt took; None if it was not measured.
        remark: what the detail of the outcome is completed with.
        time: the attempt's duration and size, for predictions; None if it is not evidence.
    """

    result: RunResult | None = None
    seconds: float | None = None
    remark: str = ""
    time: RunTime | None = None


class OperationAttempt(Protocol):
    """One attempt at a run of one operation. It works under the lease and returns how it ends."""

    async def settle(self) -> None:
        """Resolve what earlier attempts may have left open, such as a commit whose answer was lost."""

    async def run(self) -> AttemptOutcome:
        """Advance the run from `planning`; return how the attempt ends. Raises the error that prevents an end."""

    async def close(self, outcome: AttemptOutcome) -> AttemptReport:
        """Stop tasks, give up and remove what the outcome leaves unfinished, and measure; the write follows."""

    async def release(self) -> None:
        """Free what only a live run has. Called after its end was written."""

    async def stop_tasks(self) -> bool:
        """Stop every task of this attempt; return whether all are certainly gone."""


async def end_run(attempt: Attempt, work: OperationAttempt, outcome: AttemptOutcome) -> None:
    """End the run of an attempt or park it, with one write under the lease.

    Raises:
        LeaseLost: another holder advances the run; nothing was written.
        Transient: the database does not answer.
    """
    report = await work.close(outcome)
    match outcome:
        case Ended():
            await _end(attempt, outcome, report)
            await _keep_time(attempt, report.time)
            await work.release()
        case Parked(until=until, wait=wait):
            not_before = until if wait is None else await attempt.now() + wait
            await attempt.park(
                waiting_for=outcome.waiting_for,
                not_before=not_before,
                reason=outcome.reason,
                detail=outcome.detail,
                failed=outcome.failed,
            )
            await _keep_time(attempt, report.time)
        case Retry():
            await _try_again(attempt, outcome)
        case OutOfReach(away=away, wait=wait):
            not_before = None if wait is None else await attempt.now() + wait
            await attempt.park_on_outage(away, failed=outcome.failed, not_before=not_before)
        case _:
            assert_never(outcome)


async def _end(attempt: Attempt, outcome: Ended, report: AttemptReport) -> None:
    detail = f"{outcome.detail}{report.remark}"
    planned = {} if outcome.plan is None else {"plan": dict(outcome.plan)}
    await attempt.transition(
        outcome.state, reason=outcome.reason, detail=detail, result=report.result, fault=outcome.fault, **planned
    )
    attempt.metrics.observe_end(attempt.run)
    measured = {} if report.seconds is None else {"seconds": round(report.seconds, 3)}
    _log.info("run_ended", state=outcome.state.value, reason=outcome.reason, detail=detail, **measured)


async def _try_again(attempt: Attempt, outcome: Retry) -> None:
    not_before, seconds = await attempt.now() + outcome.wait, outcome.wait.total_seconds()
    event = "attempt_failed" if outcome.failed else "attempt_parked"
    _log.warning(event, detail=outcome.detail, retry_in_seconds=seconds)
    await attempt.park(
        waiting_for=WaitingFor.RETRY,
        not_before=not_before,
        reason="retry",
        detail=outcome.detail,
        failed=outcome.failed,
        fault=outcome.fault,
        waits_on=outcome.waits_on,
    )


async def _keep_time(attempt: Attempt, time: RunTime | None) -> None:
    """Store how long the attempt took; without the database it is one measurement less."""
    try:
        if time is not None:
            await attempt.keep_time(time)
    except Transient as error:
        _log.warning("run_time_not_kept", error=error.message)


def cancelled(stop: AttemptStop | None) -> Ended:
    """Return the end of a run that was cancelled."""
    return Ended(RunState.CANCELLED, "cancelled", f"cancelled by {stop and stop.cancelled_by}")


def left_to_another() -> Parked:
    """Return the outcome of an attempt that ends because its worker stops."""
    return Parked(WaitingFor.RETRY, "worker_stopped", "the worker shut down; another continues the run")
