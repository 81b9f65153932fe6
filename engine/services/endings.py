"""How an attempt ends: concluded by its groups, cancelled, failed, or put back to wait; and what is removed then.

A file is removed only when no task of the run can write any more and no commit that names it can be under way: output
of a batch that an earlier attempt may still be sending is kept until the table holds it or a human removes it.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any

import structlog

from engine.domain.errors import NotFound, StateConflict, Transient
from engine.domain.plans import Plan
from engine.domain.runs import GroupState, RunState, StoredGroup, WaitingFor
from engine.formats.base import OpenTable
from engine.services.attempts import Attempt, Stop
from engine.services.budgets import DayBudget
from engine.services.commits import Commits
from engine.services.context import RewriteContext
from engine.services.lanes import stop_operations
from engine.services.outcomes import run_result

_log = structlog.get_logger(__name__)

ALL_GROUPS = 1_000_000
LOST_RACES = 3
"""A run whose every group lost to other writers so often in a row ends as failed."""

_UNFINISHED = frozenset({GroupState.PLANNED, GroupState.RUNNING, GroupState.WRITTEN})


class RunEnding:
    """The ends of one attempt. All but `groups` write to the record under the lease."""

    def __init__(
        self,
        *,
        context: RewriteContext,
        attempt: Attempt,
        commits: Commits,
        open_table: Callable[[], Awaitable[OpenTable]],
        step: Callable[[str], None],
    ) -> None:
        self._context = context
        self._attempt = attempt
        self._commits = commits
        self._open_table = open_table
        self._step = step
        self._started = context.clock.monotonic()
        self._sent_before: frozenset[str] = frozenset()

    async def conclude(self, budget: DayBudget) -> None:
        """Decide what the attempt came to, from its groups alone."""
        stop = self._attempt.stop_reason
        stored = await self.groups()
        is_unfinished = any(group.state in _UNFINISHED for group in stored)
        if stop is Stop.SHUTDOWN and is_unfinished:
            await self._wait(WaitingFor.RETRY, "worker_stopped", "the worker was stopped; another goes on")
        elif stop is Stop.CANCELLED and is_unfinished:
            await self.cancel()
        elif budget.deferred:
            await self.remove_outputs(await self._open_table())
            await self._wait_for_budget(budget)
        else:
            await self._end_by_groups(stored)

    async def nothing_to_do(self, plan: Plan, budget: DayBudget) -> None:
        """End an attempt whose plan has no groups."""
        if budget.deferred:
            await self._wait_for_budget(budget)
        elif await self.groups(GroupState.COMMITTED):
            await self.end(RunState.SUCCEEDED, "committed", "an earlier attempt had committed everything")
        else:
            await self.end(RunState.SKIPPED, "nothing_to_do", _why_nothing(plan), plan=plan.summary())

    async def cancel(self) -> None:
        """End the run as cancelled: committed groups stay, everything else of ours is removed."""
        is_quiet = await self.stop_tasks()
        await self._drop_unfinished("cancelled")
        by = f"cancelled by {self._attempt.run.cancel_requested_by}"
        await self.end(RunState.CANCELLED, "cancelled", by, is_quiet=is_quiet)

    async def fail(self, *, reason: str, detail: str) -> None:
        """End the run as failed: committed groups stay, everything else of ours is removed."""
        try:
            is_quiet = await self.stop_tasks()
        except Transient:  # Spark is away: its tasks may go on writing, so their output stays
            is_quiet = False
        await self._drop_unfinished(reason)
        await self.end(RunState.FAILED, reason, detail, is_quiet=is_quiet)

    async def end(self, state: RunState, reason: str, detail: str, *, is_quiet: bool = True, **documents: Any) -> None:
        """Remove what is not committed (unless tasks may still write), then record the outcome."""
        stored = await self.groups()
        has_waste = self._attempt.number > 1 or any(group.state is not GroupState.COMMITTED for group in stored)
        if is_quiet and has_waste:
            with suppress(Transient, NotFound, StateConflict):  # orphans are cheaper than a run without an outcome
                await self.remove_outputs(await self._open_table())
        seconds = self._context.clock.monotonic() - self._started
        run = replace(self._attempt.run, result={"verifications": self._commits.verifications})
        result = run_result(run, stored, seconds=seconds)
        self._step("before_end")
        await self._attempt.transition(state, reason=reason, detail=detail, result=result, **documents)
        with suppress(Transient):
            await self._context.pace.close(self._attempt.run.id, self._attempt.number)

    async def stop_tasks(self) -> bool:
        """Stop every task of this attempt; True when none can be alive any more."""
        intent = self._attempt.run.intent
        if "tag" not in intent:
            return True
        return await stop_operations(self._context.dispatcher, intent["tag"], intent["session_id"])

    def keep_sent(self, ordinals: Iterable[int], written: Iterable[StoredGroup]) -> None:
        """Keep the output of batches that an earlier attempt may be sending to the catalog at this moment (F25)."""
        sent = set(ordinals)
        self._sent_before = frozenset(file.path for group in written if group.ordinal in sent for file in group.outputs)

    async def remove_outputs(self, table: OpenTable) -> None:
        """Remove this run's files that no group needs. Only called while no task of the run can write."""
        await self._attempt.check()
        stored = await self.groups(GroupState.WRITTEN, GroupState.COMMITTED)
        keep = frozenset(file.path for group in stored for file in group.outputs) | self._sent_before
        removed = await self._context.formats.call(
            table.remove_outputs, self._attempt.run.id, keep, up_to_attempt=self._attempt.number
        )
        if removed:
            _log.info("outputs_removed", run_id=self._attempt.run.id, files=removed)

    async def groups(self, *states: GroupState) -> Sequence[StoredGroup]:
        """Return the run's groups in these states, all when none is named."""
        async with self._context.database.read() as unit:
            return await unit.groups.list(self._attempt.run.id, states=frozenset(states) or None, limit=ALL_GROUPS)

    async def _end_by_groups(self, stored: Sequence[StoredGroup]) -> None:
        committed = [group for group in stored if group.state is GroupState.COMMITTED]
        dropped = [group for group in stored if group.state is GroupState.DROPPED]
        broken = [group.reason for group in dropped if (group.reason or "").startswith(("failed:", "refused:"))]
        if broken:
            await self.fail(reason="groups_failed", detail=f"{len(broken)} of {len(stored)} groups {broken[0]}")
        elif committed:
            counts = f"{len(committed)} groups committed, {len(dropped)} dropped"
            await self.end(RunState.SUCCEEDED, "committed", counts)
        elif self._attempt.run.failures + 1 >= LOST_RACES:
            await self.fail(reason="conflict", detail=f"others changed every source, {LOST_RACES} times in a row")
        else:
            await self.remove_outputs(await self._open_table())
            detail = "other writers changed every source; it is planned again"
            await self._wait(WaitingFor.CONFLICT_BACKOFF, "conflict", detail, failed=True)

    async def _drop_unfinished(self, reason: str) -> None:
        unfinished = await self.groups(*_UNFINISHED)
        if unfinished:
            async with self._context.database.begin() as unit:
                await unit.groups.mark_dropped(self._attempt.lease, {g.ordinal: reason for g in unfinished})

    async def _wait_for_budget(self, budget: DayBudget) -> None:
        detail = f"{budget.deferred} groups wait for limits.bytes_per_day"
        await self._wait(WaitingFor.BUDGET, "bytes_per_day", detail, until=budget.next_at)

    async def _wait(
        self,
        waiting_for: WaitingFor,
        reason: str,
        detail: str,
        *,
        until: datetime | None = None,
        failed: bool = False,
    ) -> None:
        await self._attempt.park(waiting_for=waiting_for, not_before=until, reason=reason, detail=detail, failed=failed)


def _why_nothing(plan: Plan) -> str:
    reasons = sorted({partition.reason for partition in plan.skipped})
    return "no partition is worth a rewrite" + (f": {', '.join(reasons)}" if reasons else "; the table is empty")
