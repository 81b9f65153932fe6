"""How an attempt ends, as a value: the run ends, or it is parked and another attempt continues."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from engine.domain.fleet.breakers import Fault
from engine.domain.runs.run import RunState, WaitingFor
from engine.services.runs.attempts import AttemptStop


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


AttemptOutcome: TypeAlias = Ended | Parked


def cancelled(stop: AttemptStop | None) -> Ended:
    """Return the end of a run that was cancelled."""
    return Ended(RunState.CANCELLED, "cancelled", f"cancelled by {stop and stop.cancelled_by}")


def left_to_another() -> Parked:
    """Return the outcome of an attempt that ends because its worker stops."""
    return Parked(WaitingFor.RETRY, "worker_stopped", "the worker was stopped; another goes on")
