"""Send file groups to Spark: at most `parallel_groups` lanes, each with one Spark task at a time, and a slot for it.

A lane stops taking groups as soon as the attempt is asked to stop. When none may begin before the next window
(`waiting_groups`), the attempt drains.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import Away, NotEligible, PackhouseError, SparkFailed, StateConflict, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.planning.plans.rewrite_limits import GROUP_SETTING
from engine.rewriting.kernel.contract import GroupResult, SentTask
from engine.rewriting.kernel.errors import AccessRefused, StorageCredentialsExpired, StorageFault
from engine.services.operations.tasks.credentials import TaskCredentials
from engine.services.operations.tasks.dispatching import GONE_SECONDS, Dispatcher, stop_operations
from engine.services.operations.tasks.lane_times import LaneTimes
from engine.services.operations.tasks.task_slots import TaskSlots
from engine.services.operations.tasks.task_spans import add_group_spans
from engine.services.operations.tasks.waiting_groups import WaitingGroups
from engine.services.runs.attempts import Attempt
from engine.services.runs.holds import WindowGap
from engine.spark.dispatch import Ticket
from engine.tracing.spans import span

_log = structlog.get_logger(__name__)

TRIES_PER_GROUP = 2
SENDS_WITH_EXPIRY = 3  # of one group: the first may get credentials that are already old
GRACE_SECONDS = 1.5  # time for a stopped task to remove its own output before it is interrupted
LONGEST_SECONDS = 6 * 3600.0
MOST_OF_ESTIMATE = 20.0
"""Tasks are stopped after the longer of six hours and twenty times their estimate: they hold the slot of their run."""


@dataclass(frozen=True, slots=True)
class GroupFailure:
    """The error that a group could not be rewritten because of; `is_of_input`: a file to read is the cause."""

    error: PackhouseError
    is_of_input: bool = False


TryResult: TypeAlias = GroupResult | GroupFailure | Loss | None


@dataclass(frozen=True, slots=True)
class GroupOutcome:
    """The outcome of one try of a group.

    Attributes:
        group: the group.
        result: the result of its task, or why it has none: it failed, or was not sent because another writer made it
            useless. None: this try failed, and another may follow.
        may_leave_files: whether its task failed, so that files of other groups of its bundle may be left.
        is_followed: whether the outcome of another try is already known.
    """

    group: FileGroup
    result: TryResult
    may_leave_files: bool = False
    is_followed: bool = False


class LaneHost(Protocol):
    """Prepares the groups of an attempt for its lanes, and reaches their tasks while they run."""

    async def find_lost(self, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        """Return which of the waiting groups are useless, and why, by ordinal. Called before each bundle is sent."""

    async def mark_sent(self, groups: Sequence[FileGroup]) -> None:
        """Record that tasks of these groups are about to be sent."""

    async def make_task(self, group: FileGroup) -> SentTask:
        """Return a group's task, from the table's metadata. Raises `NotEligible` if the table refuses the group."""

    async def stop_tasks(self) -> bool:
        """Ask running tasks to stop; return whether the request can reach them."""


class Lanes:
    """The lanes of one attempt. Iterate `outcomes` to the end; it yields groups as they finish.

    `count` is the most lanes, `slots` limits the tasks of all runs.
    """

    def __init__(
        self,
        *,
        dispatcher: Dispatcher,
        function: Callable[[str], str],
        attempt: Attempt,
        clock: Clock,
        groups: Sequence[FileGroup],
        count: int,
        times: LaneTimes,
        slots: TaskSlots,
        credentials: TaskCredentials,
        host: LaneHost,
    ) -> None:
        self._dispatcher = dispatcher
        self._function = function
        self._attempt = attempt
        self._clock = clock
        self._times = times
        self._waiting = WaitingGroups(groups, count, times)
        self._count = min(count, len(self._waiting))
        self._slots = slots
        self._credentials = credentials
        self._host = host
        self._parts = 0
        self._tries: Counter[int] = Counter()
        self._expiries: Counter[int] = Counter()
        self._unseen = 0  # outcomes in the queue
        self._fault: PackhouseError | None = None
        self._finished: asyncio.Queue[GroupOutcome | None] = asyncio.Queue()  # None: a lane ended

    async def outcomes(self) -> AsyncGenerator[GroupOutcome, None]:
        """Yield the outcome of every group. Ends early, without the rest, when the attempt is asked to stop.

        Raises:
            Away: Spark or the storage does not answer; groups that were not yielded are unfinished.
            StateConflict: the storage refuses the credentials.
            PackhouseError: the one of `give_up`.
        """
        lanes = [asyncio.create_task(self._lane()) for _ in range(self._count)]
        stopper = asyncio.create_task(self._stop_when_asked(lanes))
        try:
            for _ in lanes:
                while (outcome := await self._finished.get()) is not None:
                    self._unseen -= 1
                    yield replace(outcome, is_followed=self._unseen > 0)
            await asyncio.gather(*lanes)
        finally:
            await self._settle(lanes, stopper)

    async def _lane(self) -> None:
        try:
            while self._may_send():
                async with self._slots.taken(is_needed=self._may_send):
                    await self._send_next()
        finally:
            self._finished.put_nowait(None)

    def _may_send(self) -> bool:
        return bool(self._waiting) and self._attempt.may_begin()

    async def _send_next(self) -> None:
        if not self._may_send():
            return
        await self._drop_lost()
        if not self._may_send():  # the check for lost groups may have taken long
            return
        room = self._attempt.room()
        bundle = self._waiting.take(room)
        if not bundle:
            self._attempt.stop_starting(room, because=self._waiting.why_not(room))
            return
        if room.never_fits(self._times.least_seconds(bundle)):
            await self._record_overrun(bundle, room)
        await self._send(bundle)

    async def _drop_lost(self) -> None:
        """Remove waiting groups that other writers made useless; groups that another lane has taken go on."""
        reasons = await self._host.find_lost(self._waiting.groups)
        for group in self._waiting.remove(reasons):
            self._publish(group, reasons[group.ordinal])

    async def _record_overrun(self, bundle: tuple[FileGroup, ...], room: WindowGap) -> None:
        details = {
            "groups": [group.ordinal for group in bundle],
            "predicted_seconds": round(self._times.seconds(bundle)),
            "evidence": self._times.evidence,
            "longest_gap_seconds": round(room.longest or 0),
            "detail": "it takes longer than any time between windows, so it starts right after one and continues into "
            f"the next: lower {GROUP_SETTING} to make groups that fit",
        }
        await self._attempt.record("longer_than_any_gap", details)

    async def _send(self, bundle: tuple[FileGroup, ...]) -> None:
        await self._credentials.refresh(is_again=any(self._expiries[group.ordinal] for group in bundle))
        await self._host.mark_sent(bundle)
        self._parts += 1
        ticket = self._dispatcher.ticket(self._attempt.run.id, self._attempt.number, self._parts)
        begun = self._clock.monotonic()
        try:
            payloads = await self._payloads(bundle)
            bundle = tuple(group for group in bundle if group.ordinal in payloads)
            if not bundle:
                return
            results = await self._results(ticket, bundle, list(payloads.values()))
        except Transient:  # Spark is unavailable: the attempt ends and the run is retried later
            if not self._attempt.interrupted.is_set():
                raise
        except PackhouseError as error:
            for group in bundle:
                self._failed(group, error)
        else:
            self._times.add(bundle, self._clock.monotonic() - begun)
            for group, result in zip(bundle, results, strict=True):
                self._answered(group, result)
            self._raise_storage_fault(results)

    async def _results(self, ticket: Ticket, bundle: Sequence[FileGroup], payloads: list[str]) -> list[GroupResult]:
        """Run tasks and return their results; gives the lanes up if they take far longer than estimated.

        Raises:
            StateConflict: they were stopped for that.
        """
        most = max(LONGEST_SECONDS, MOST_OF_ESTIMATE * self._times.seconds(bundle))
        try:
            with span("spark.operation", operation_id=ticket.operation_id, groups=len(bundle)) as operation:
                async with asyncio.timeout(most):
                    answers = await asyncio.to_thread(self._dispatcher.run, ticket, self._function, payloads)
                results = [GroupResult.from_json(answer) for answer in answers]
                add_group_spans(operation, results)
                return results
        except TimeoutError:
            error = StateConflict(
                f"tasks did not end within {most / 3600:.3g} h and were stopped: check the executors of Spark and the "
                f"input files of the groups, or lower {GROUP_SETTING}"
            )
            await self.give_up(error)
            raise error from None

    async def _payloads(self, bundle: tuple[FileGroup, ...]) -> Mapping[int, str]:
        """Return the tasks of groups by ordinal; a group that the table refuses fails alone, and is not tried again."""
        found: dict[int, str] = {}
        for group in bundle:
            try:
                found[group.ordinal] = await self._payload(group, self._parts)
            except NotEligible as error:
                self._publish(group, GroupFailure(error))
        return found

    async def _payload(self, group: FileGroup, part: int) -> str:
        """Return the group's task; file names contain the part, so that no two tries share a name.

        After a failure it runs without the compiled pass, which could have ended its process.
        """
        task, storage = await self._host.make_task(group), dict(self._credentials.storage)
        uses_pass = not self._tries[group.ordinal]
        return await asyncio.to_thread(replace(task, part=part, storage=storage, uses_pass=uses_pass).to_json)

    def _answered(self, group: FileGroup, result: GroupResult) -> None:
        fault = result.storage_fault
        if fault is not None:
            self._publish(group, None, may_leave_files=True)
        if fault == StorageCredentialsExpired.__name__:
            self._expired(group, result)
        elif result.outcome == "failed" and fault is None:
            error = SparkFailed(result.reason or "the task gave no reason")
            self._failed(group, error, is_of_input=result.is_input_fault)
        elif fault is None:
            self._publish(group, result)

    def _raise_storage_fault(self, results: Sequence[GroupResult]) -> None:
        """End the attempt on a fault of the storage that another try of a group can't avoid.

        Raises:
            Away: the storage does not answer.
            StateConflict: it refuses the credentials.
        """
        if self._attempt.interrupted.is_set():
            return
        for result in results:
            match result.storage_fault:
                case StorageFault.__name__:
                    raise Away(DependencyKind.STORAGE, f"a task could not reach the storage; {result.reason}")
                case AccessRefused.__name__:
                    raise StateConflict(f"the storage refuses the credentials; {result.reason}")
                case _:
                    continue

    def _expired(self, group: FileGroup, result: GroupResult) -> None:
        """Send a group again, alone and with new credentials; fail it when those also expire before its end."""
        if self._attempt.interrupted.is_set():
            return
        self._credentials.expire()
        self._expiries[group.ordinal] += 1
        _log.info("credentials_expired", run_id=self._attempt.run.id, group=group.ordinal, reason=result.reason)
        if self._expiries[group.ordinal] < SENDS_WITH_EXPIRY:
            self._waiting.put_back(group)
            return
        remedy = f"lower {GROUP_SETTING}, raise limits.bandwidth, or let the catalog vend longer ones"
        detail = f"the storage's credentials expired {SENDS_WITH_EXPIRY} times before its end; {remedy}"
        self._publish(group, GroupFailure(SparkFailed(f"{detail}; the last error: {result.reason}")))

    def _failed(self, group: FileGroup, error: PackhouseError, *, is_of_input: bool = False) -> None:
        """Retry a failed group once, alone, so that it does not fail other groups; then give it up."""
        if self._attempt.interrupted.is_set():
            return
        if self._fault is not None:
            raise self._fault
        _log.warning("group_failed", group=group.ordinal, error=error.message)
        self._tries[group.ordinal] += 1
        is_last = self._tries[group.ordinal] >= TRIES_PER_GROUP
        self._publish(group, GroupFailure(error, is_of_input) if is_last else None, may_leave_files=True)
        if not is_last:
            self._waiting.put_back(group)

    def _publish(self, group: FileGroup, result: TryResult, *, may_leave_files: bool = False) -> None:
        self._unseen += 1
        self._finished.put_nowait(GroupOutcome(group, result, may_leave_files))

    async def _stop_when_asked(self, lanes: "Sequence[asyncio.Task[None]]") -> None:
        await self._attempt.interrupted.wait()
        if await self._host.stop_tasks():
            await asyncio.wait(lanes, timeout=GRACE_SECONDS)
        if not all(lane.done() for lane in lanes):
            await self.interrupt()

    async def _settle(self, lanes: "Sequence[asyncio.Task[None]]", stopper: "asyncio.Task[None]") -> None:
        """Stop all asyncio tasks of the lanes, on any end of the iteration."""
        running = [lane for lane in lanes if not lane.done()]
        if running:
            self._attempt.interrupted.set()
            await asyncio.wait(running, timeout=GONE_SECONDS)
        stopper.cancel()
        for task in (*lanes, stopper):
            task.cancel()
            with suppress(asyncio.CancelledError, PackhouseError):
                await task

    @property
    def is_given_up(self) -> bool:
        """Whether `give_up` was called."""
        return self._fault is not None

    async def give_up(self, error: PackhouseError) -> None:
        """Stop all operations of this attempt; `outcomes` then raises the error."""
        self._fault = error
        await self.interrupt()

    async def interrupt(self) -> None:
        """Stop all operations of this attempt on the server and wait until they are gone."""
        ticket = self._dispatcher.ticket(self._attempt.run.id, self._attempt.number, 0)
        with suppress(Transient):
            await stop_operations(self._dispatcher, ticket.tag, ticket.session_id)
