"""Base of operations that commit metadata and run no Spark task; they send few requests to the catalog.

Before each request the intent is stored, and the attempt is asked whether it has to stop: a request that was permitted
is the only step whose outcome can be unknown.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.clock import Clock, jittered
from engine.domain.errors import OutcomeUnknown, PackhouseError, Transient
from engine.domain.policies import EffectivePolicy
from engine.domain.runs.deletions import AcknowledgementRequest
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import RunState, WaitingFor
from engine.domain.runs.timelines import run_timeline
from engine.formats.base import OpenTable
from engine.services.catalogs.registered import read_registered
from engine.services.catalogs.table_access import TableAccess
from engine.services.operations.attempt_tools import AttemptTools, wait_for_record
from engine.services.operations.tasks.pacing import PaceTools
from engine.services.planning.upkeep.operations import is_on
from engine.services.policies.effective import PolicyReader
from engine.services.runs.announcements import is_wider
from engine.services.runs.attempts import Attempt, Stop
from engine.services.runs.ending import AttemptOutcome, AttemptReport, Ended, Parked, cancelled, left_to_another
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

OUTCOME_PAUSES: Final = (0.1, 0.5, 1.0, 2.0, 4.0)
"""Seconds before each try to read the table after a commit without an answer."""


RECHECK: Final = timedelta(days=1)
"""Time after which a run that waits for an acknowledgement plans again, to show what it would delete by then."""


class AttemptStopped(PackhouseError):
    """The attempt has to stop before anything more is sent."""

    def __init__(self) -> None:
        super().__init__("the attempt was stopped before anything was sent")


class NotAcknowledged(PackhouseError):
    """The run would delete more than it may without an acknowledgement; nothing was deleted."""

    def __init__(self, asked: AcknowledgementRequest) -> None:
        super().__init__(asked.words)
        self.asked = asked


@dataclass(frozen=True, slots=True)
class MetadataContext:
    """Services that all attempts share."""

    database: Database
    formats: TableAccess
    clock: Clock
    pacing: PaceTools


class MetadataAttempt(ABC):
    """One attempt at an operation on metadata, an `OperationAttempt`. Subclasses have the operation."""

    _recheck = RECHECK

    def __init__(self, *, context: MetadataContext, attempt: Attempt, step: Callable[[str], None]) -> None:
        self._context = context
        self._attempt = attempt
        self._step = step
        self._tools = AttemptTools(context.database, context.formats, context.clock, attempt, step)
        self._loop = asyncio.get_running_loop()
        self._table: OpenTable

    async def settle(self) -> None:
        """Open the table, and count what an earlier attempt sent and the table has."""
        self._step("claimed")
        self._table = await self._tools.open_table()
        await self._settle()

    async def run(self) -> AttemptOutcome:
        """Work, unless the run is cancelled or its setting is off; return how it ends. Call `settle` first."""
        await self._attempt.check()
        if self._attempt.stop_reason is Stop.CANCELLED:
            return cancelled(self._attempt.stop)
        policy = await self._policy()
        operation = self._attempt.run.operation
        if not policy.enabled or not is_on(policy, operation):
            why = f"{OPERATIONS[operation].setting}: off" if policy.enabled else "enabled: false"
            return Ended(self._state(), "disabled", f"the table's policy has {why}")
        if is_wider(self._attempt.run, policy):
            detail = f"{OPERATIONS[operation].setting} now deletes more than this run was announced with"
            return Ended(self._state(), "wider_rule", detail)
        try:
            return await self._work(policy)
        except AttemptStopped:
            return self._outcome_of_stop()
        except NotAcknowledged as missing:
            return await self._wait_for_acknowledgement(missing.asked)

    async def close(self, outcome: AttemptOutcome) -> AttemptReport:
        """Measure a run that ends; what was committed stays."""
        if not isinstance(outcome, Ended):
            return AttemptReport()
        async with self._context.database.read() as unit:
            timeline = run_timeline(await unit.events.list_bounds(self._attempt.run.id), now=await unit.now())
        spent = {"seconds": timeline.working_seconds, "time": timeline.document()}
        result = self._attempt.run.result.updated(**self._figures(), **outcome.figures, **spent)
        self._step("before_end")
        return AttemptReport(result)

    async def release(self) -> None:  # noqa: B027 - the same for all subclasses
        """Do nothing: these operations hold nothing that outlives their requests."""

    @abstractmethod
    async def _settle(self) -> None:
        """Count what an earlier attempt sent and the table has."""

    @abstractmethod
    async def _work(self, policy: EffectivePolicy) -> AttemptOutcome:
        """Plan and send; return how the attempt ends.

        Raises:
            AttemptStopped: the attempt has to stop before all is done.
            NotAcknowledged: the run has to wait for an acknowledgement before it deletes.
        """

    @abstractmethod
    def _figures(self) -> dict[str, Any]:
        """Return the figures for the run's result."""

    @abstractmethod
    def _state(self) -> RunState:
        """Return the state in which the run ends if nothing more is done."""

    async def stop_tasks(self) -> bool:
        """Return True: these operations have no tasks."""
        return True

    def _check_may_continue(self) -> None:
        """Raise `AttemptStopped` if no more work may begin."""
        if not self._attempt.may_begin():
            raise AttemptStopped

    def _prove_lease(self) -> None:
        """Prove the lease and apply requests to stop; called before each request, in the thread that sends it.

        Raises:
            AttemptStopped: the attempt has to stop.
            LeaseLost: another holder advances the run: it may delete what this attempt wrote.
            Transient: the record does not answer.
        """
        wait_for_record(self._attempt.check(), self._loop)
        if self._attempt.stop_reason is not None:
            raise AttemptStopped

    async def _read_outcome(self, unknown: OutcomeUnknown, took_effect: Callable[[], Awaitable[bool]]) -> None:
        """Read the table after a commit without an answer; return if it took effect, which is then no failure.

        Args:
            unknown: the error of the commit.
            took_effect: reads the table, stores what the commit did, and returns whether it did anything.

        Raises:
            OutcomeUnknown: the table is as before, and the commit may still arrive: another attempt looks again.
            Transient: the table can't be read; `Away` parks the run until the dependency answers.
        """
        await self._attempt.record("commit_unknown", {"error": unknown.message})
        error: PackhouseError = unknown
        for pause in OUTCOME_PAUSES:
            await self._context.clock.sleep(jittered(pause))
            try:
                if await took_effect():
                    return
            except Transient as away:
                error = away
            else:
                raise unknown
        raise error

    def _outcome_of_stop(self) -> AttemptOutcome:
        """Return the cancel, the wait for the end of the hold, or that another worker continues."""
        stop = self._attempt.stop
        if stop is not None and stop.reason is Stop.CANCELLED:
            return cancelled(stop)
        if stop is not None and stop.hold is not None:
            return Parked(stop.hold.waiting_for, stop.hold.reason, stop.hold.detail, until=stop.hold.until)
        return left_to_another()

    async def _wait_for_acknowledgement(self, asked: AcknowledgementRequest) -> Parked:
        """Wait until a person acknowledges what the run would delete; it looks again from time to time."""
        result = self._attempt.run.result.updated(acknowledgement=asked.document())
        await self._attempt.record("acknowledgement_asked", asked.document(), result=result)
        waits, detail = WaitingFor.ACKNOWLEDGEMENT, f"{asked.words}; it deletes that once it is acknowledged"
        return Parked(waits, waits.value, detail, wait=self._recheck)

    async def _policy(self) -> EffectivePolicy:
        async with self._context.database.read() as unit:
            registered, _ = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
            return await PolicyReader.effective(unit, registered, self._table.policy_properties())

    async def _begin(self, policy: EffectivePolicy, plan: Mapping[str, Any], details: Mapping[str, Any]) -> None:
        """Store the plan and the policy, and begin to work."""
        await self._attempt.transition(
            RunState.REWRITING,
            plan=dict(plan),
            policy={"values": dict(policy.values), "origins": dict(policy.origins)},
            details=dict(details),
        )
