"""Rewriting by the table format's own procedure: partition by partition, each call verified from the table.

A call makes its own commit, so its answer is never trusted: whether it answered, failed, was interrupted or was lost
with its worker, the table is read for a snapshot that replaced files of the partition since the call was sent. Such a
snapshot is verified and recorded; without one, nothing was done. A dead worker's call is stopped before it is judged.

Holds, cancels, the lease and limits are applied between partitions; a single call may exceed the rates while it lasts
(`engines`), and keeps its slots under the fleet's limit of tasks until its end.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from engine.domain.errors import CommitConflict, Fatal, Interrupted, NotEligible, PackhouseError, SparkFailed, Transient
from engine.domain.fleet.dependencies import DEFAULT_ENDPOINT
from engine.domain.runs.drops import DropReason, Loss
from engine.domain.runs.hot_partitions import LostGroup
from engine.domain.runs.intents import SentCall
from engine.domain.runs.plans import FileGroup
from engine.domain.runs.run import GroupState, StoredGroup
from engine.formats.base import Engine, NativeChange, NativeProcedure, OpenTable, ProcedureSettings, RowCounts
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.services.operations.rewrite.commits import CommitRecord, WrittenByCall
from engine.services.operations.rewrite.paths import PathTools, RewriteInput, RewritePath
from engine.services.operations.rewrite.tallies import AttemptTally, WorkReport
from engine.services.operations.tasks.dispatching import stop_operations
from engine.services.operations.tasks.lane_times import LaneTimes
from engine.services.operations.tasks.servers import EndpointServer
from engine.services.operations.tasks.task_slots import TaskSlots
from engine.services.operations.tasks.waiting_groups import shortest_left
from engine.services.planning.engines import tasks_within, too_slow
from engine.tracing.spans import traced

LEFT_ALONE: Final = DropReason.refused("left_alone: the procedure replaced no file of this group")
"""Reason of a group that is unchanged although the call succeeded (F1 and F3 in docs/contributing/register.md)."""

_LEAST_SLOWDOWN: Final = 0.01
_LONGEST_NAP_SECONDS: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Sent:
    """A call that was sent, and its group as planned or, in a later attempt, as stored."""

    group: FileGroup | StoredGroup
    call: SentCall

    def is_of(self, change: NativeChange) -> bool:
        """Return whether this call made a change: it is by the same application and replaced a planned file."""
        planned = {file.path for file in self.group.inputs}
        is_signed = change.application in (None, self.call.application)
        return is_signed and change.place == self.group.place and any(file.path in planned for file in change.inputs)


@dataclass(frozen=True, slots=True)
class _Calls:
    """State that all calls of one attempt share."""

    procedure: NativeProcedure
    settings: ProcedureSettings
    application: str
    times: LaneTimes
    work: RewriteInput


@dataclass(frozen=True, slots=True)
class _Done:
    """The change of a call: its input files and their bytes, and the seconds of waiting for the limit after it."""

    files: int
    bytes: int
    waited_seconds: float


class NativePath(RewritePath):
    """Rewrite path of the table format's own procedure."""

    def __init__(self, tools: PathTools) -> None:
        super().__init__(tools)
        self._parts = 0

    @property
    def _server(self) -> EndpointServer:
        """The Spark server of this attempt."""
        return self._context.servers.at(self._attempt.run.intent.endpoint)

    async def take_over(self, table: OpenTable) -> OpenTable:
        """Stop calls of a dead worker, then read their changes from the table and record them with their proof."""
        await self._attempt.check()
        if not await self._ending.stop_tasks():
            raise Transient("a call of an earlier attempt may still run on Spark; waiting for its end")
        call, running = self._attempt.run.intent.call, await self._ending.groups_in(GroupState.RUNNING)
        for group in running:
            if call is None:
                raise Fatal("a file group was sent to the procedure without a stored call")
            sent = _Sent(group, call)
            try:
                if not await self._adopt(sent):
                    await self._settle_open([group.ordinal])
            except CommitConflict as error:
                await self._lose(group, Loss.TABLE_CHANGED, error)
        return await self._open() if running else table

    async def work(self, work: RewriteInput) -> WorkReport:
        """Call the procedure for one partition after the other, and record each result."""
        procedure, limit = procedure_of(work.table), work.limits.fixed
        tasks = tasks_within(limit, work.policy.parallel_groups)
        if not tasks:
            raise NotEligible(too_slow(limit))
        await self._check_table(procedure, work)
        application = await self._asked(self._server.procedures.application)
        settings = ProcedureSettings(tasks, full=bool(self._attempt.run.request.get("force_full")))
        times = LaneTimes(work.plan.time)
        slots = TaskSlots(
            database=self._context.database,
            attempt=self._attempt,
            clock=self._context.clock,
            is_limited=lambda: True,  # each call reads the limit: calls are long
        )
        tally = AttemptTally(work.plan.time.kind, work.plan.time.lanes)
        calls = _Calls(procedure, settings, application, times, work)
        async with self._stopped_when_asked():
            for at, group in enumerate(work.groups):
                async with slots.taken(tasks, is_needed=self._attempt.may_begin) as granted:
                    if not self._attempt.may_begin() or not self._fits(work.groups[at:], times):
                        break
                    done = await self._one(group, replace(calls, settings=replace(settings, tasks=granted)))
                    if done is not None:
                        tally = tally.with_group(done.files, done.bytes).with_wait(done.waited_seconds)
        await self._attempt.check()
        return WorkReport(tally)

    async def _check_table(self, procedure: NativeProcedure, work: RewriteInput) -> None:
        """Check that Spark resolves the name to the same table."""
        named = procedure.spark_table()
        try:
            await self._asked(self._server.procedures.refresh, named)
            await self._asked(self._server.procedures.check_table, named, work.plan.base_snapshot_id)
        except SparkFailed as error:
            where = ".".join((named.catalog, *named.namespace, named.name))
            endpoint = self._attempt.run.intent.endpoint or DEFAULT_ENDPOINT
            remedy = f"check the name that catalog {work.table.ref.catalog} has there (packhouse catalogs check)"
            message = f"Spark endpoint {endpoint} can't read the table as {where}: {error.message}; {remedy}"
            raise NotEligible(message) from error

    def _fits(self, left: Sequence[FileGroup], times: LaneTimes) -> bool:
        """Return whether the first call may end before the next window that stops the run; otherwise wait for it."""
        room, first = self._attempt.room(), left[:1]
        if room.admits(times.least_seconds(first)):
            return True
        because = shortest_left(len(left), times.seconds(first), times.evidence, room)
        self._attempt.stop_starting(room, because=because)
        return False

    async def _one(self, group: FileGroup, calls: "_Calls") -> "_Done | None":
        """Call the procedure for a group and record the result; return what it did, None if it changed nothing."""
        sent = await self._mark_sent(group, calls.application)
        call = calls.procedure.call(group, RewriteLimits.of(calls.work.policy), calls.settings)
        failure: PackhouseError | None = None
        begun = self._context.clock.monotonic()
        self._step("before_call")
        try:
            await self._asked(self._server.procedures.refresh, call.table)
            await self._asked(self._server.procedures.call, call)
        except (SparkFailed, Interrupted) as error:
            failure = error
            if not await self._is_over():
                raise Transient("the call was interrupted and may still run; its outcome is read later") from error
        self._step("after_call")
        seconds = self._context.clock.monotonic() - begun
        try:
            change = await self._adopt(sent, seconds=seconds)
        except CommitConflict as error:
            await self._lose(group, Loss.TABLE_CHANGED, error)
            return None
        if change is None:
            await self._nothing_done(calls.procedure, group, failure)
            return None
        calls.times.add([group], seconds)
        waited = await self._wait_for_rate(change.input_bytes + change.output_bytes, seconds, calls)
        return _Done(len(change.inputs), change.input_bytes, waited)

    async def _mark_sent(self, group: FileGroup, application: str) -> _Sent:
        """Store the call before it is sent."""
        await self._attempt.check()
        fresh = await self._open()
        call = SentCall(fresh.head_snapshot_id or 0, application)
        intent = replace(self._attempt.run.intent.marked_sent([group.ordinal]), call=call)
        async with self._attempt.recording("native_call", {"group": group.ordinal}, intent=intent) as unit:
            await unit.groups.mark_running(self._attempt.lease, [group.ordinal])
        return _Sent(group, call)

    async def _adopt(self, sent: _Sent, *, seconds: float = 0.0) -> NativeChange | None:
        """Read a call's change from the table and record it with its proof; return None when it changed nothing.

        Raises:
            CommitConflict: the snapshot that it was sent on is no longer in the table's history.
            Fatal: its change is not a correct rewrite.
            Transient: the table or, where rows must be counted, Spark does not answer.
        """
        table = await self._open()
        procedure, places = procedure_of(table), [sent.group.place]
        found = await self._context.formats.read_for_run(
            table.ref, procedure.changes, sent.call.since_snapshot_id, places
        )
        change = next((each for each in found if sent.is_of(each)), None)
        if change is None:
            return None
        counted = None if change.rows_known is not None else await self._counted(procedure, change)
        verification = await self._context.formats.read_for_run(table.ref, procedure.prove, change, counted)
        by_call = WrittenByCall(change.inputs, _result(sent.group.ordinal, change, seconds))
        record = CommitRecord(verification, {sent.group.ordinal: sent.group.place}, tries=1, by_call=by_call)
        await self._commits.record(record)
        return change

    async def _counted(self, procedure: NativeProcedure, change: NativeChange) -> RowCounts:
        """Count the partition's rows before and after a change in Spark: delete files are applied only on reading."""
        named, tests = procedure.spark_table(), procedure.partition_tests(change.place)
        await self._asked(self._server.procedures.refresh, named)
        count = self._server.procedures.count_rows
        try:
            before = await self._asked(count, named, change.parent_id, tests)
            return RowCounts(before, await self._asked(count, named, change.snapshot_id, tests))
        except (SparkFailed, Interrupted) as error:
            raise Transient(
                f"rows could not be counted to prove snapshot {change.snapshot_id}: {error.message}"
            ) from error

    async def _nothing_done(self, procedure: NativeProcedure, group: FileGroup, failure: PackhouseError | None) -> None:
        """Record that a call did not change the table, with the reason of its failure."""
        if failure is not None and (isinstance(failure, Interrupted) or self._attempt.interrupted.is_set()):
            await self._settle_open([group.ordinal])
            if self._attempt.stop_reason is None:
                raise Transient("another client interrupted the call on Spark")
            return
        if failure is not None and procedure.is_conflict(str(failure.details.get("text", ""))):
            await self._lose(group, Loss.SOURCE_GONE, failure)
            return
        reason = LEFT_ALONE if failure is None else DropReason.failed(failure.message)
        async with self._context.database.begin() as unit:
            await unit.groups.mark_dropped(self._attempt.lease, {group.ordinal: reason})
        await self._attempt.record("group_dropped", {"reasons": {str(group.ordinal): str(reason)}})
        await self._settle_open([group.ordinal])

    async def _lose(self, group: FileGroup | StoredGroup, reason: Loss, error: PackhouseError) -> None:
        """Drop a group that lost a race to another writer, or whose base is no longer in the table's history."""
        await self._commits.drop_lost([LostGroup(group.ordinal, group.place, reason, 0)], detail=error.message)

    async def _settle_open(self, ordinals: Sequence[int]) -> None:
        """Mark calls as settled: they changed nothing."""
        intent = self._attempt.run.intent.marked_settled(ordinals)
        await self._attempt.record("native_call_settled", {"groups": list(ordinals)}, intent=intent)

    async def _wait_for_rate(self, moved: int, seconds: float, calls: _Calls) -> float:
        """Wait until the bytes that a call moved are within the limit, unless the run is asked to stop before.

        Returns the seconds of waiting that the limit asks for.
        """
        limit = calls.work.limits.fixed.bytes_per_second
        if limit is None:
            return 0.0
        clock = self._context.clock
        end = clock.monotonic() - seconds + moved / (limit * max(self._attempt.pace_factor, _LEAST_SLOWDOWN))
        waited = max(0.0, end - clock.monotonic())
        while (left := end - clock.monotonic()) > 0 and self._attempt.may_begin():
            await clock.sleep(min(left, _LONGEST_NAP_SECONDS))
        return waited

    @traced("spark.operation")
    async def _asked(self, ask: Callable[..., Any], *arguments: Any) -> Any:
        """Send a query to Spark under its own ticket."""
        self._parts += 1
        ticket = self._server.dispatcher.ticket(self._attempt.run.id, self._attempt.number, self._parts)
        return await asyncio.to_thread(ask, ticket, *arguments)

    async def _is_over(self) -> bool:
        """Return whether no sent call can still run; an interrupted attempt's call is stopped first."""
        if not self._attempt.interrupted.is_set():
            return True
        return await self._interrupt()

    async def _interrupt(self) -> bool:
        ticket = self._server.dispatcher.ticket(self._attempt.run.id, self._attempt.number, 0)
        return await stop_operations(self._server.dispatcher, ticket.tag, ticket.session_id)

    @asynccontextmanager
    async def _stopped_when_asked(self) -> AsyncIterator[None]:
        """Interrupt the running call as soon as the attempt is asked to stop at once."""

        async def watch() -> None:
            await self._attempt.interrupted.wait()
            with suppress(Transient):
                await self._interrupt()

        watching = asyncio.create_task(watch(), name=f"stopper {self._attempt.run.id}")
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)


def procedure_of(table: OpenTable) -> NativeProcedure:
    """Return the procedure of a table's format. Raises `NotEligible` if it has none."""
    native = table.engines.get(Engine.NATIVE)
    if native is None or native.procedure is None:
        raise NotEligible("the table's format has no procedure of its own that could rewrite it")
    return native.procedure


def _result(ordinal: int, change: NativeChange, seconds: float) -> dict[str, Any]:
    """Return a group's result as `GroupStore.mark_written` stores it, without separate times of reading and writing."""
    return {
        "group": ordinal,
        "outputs": [asdict(each) for each in change.outputs],
        "rows_deleted": change.rows_deleted,
        "bytes_read": change.input_bytes,
        "bytes_written": change.output_bytes,
        "seconds_working": seconds,
        "base_snapshot_id": change.parent_id,
        "schema_id": None,
    }
