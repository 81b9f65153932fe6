"""The tasks of a plan's groups: their lanes, with the pace, the slots and the credentials that they share.

Groups that can no longer be committed are found before they are sent: the table is read while groups wait. Only groups
that are not sent are judged: a group in flight goes on, and the commit decides about it. The commit stays the only
proof; a failed read has no consequence.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Final

import structlog

from engine.domain.access.callers import SYSTEM
from engine.domain.errors import PackhouseError, StateConflict, Transient
from engine.domain.runs.drops import Loss
from engine.domain.runs.plans import FileGroup
from engine.formats.base import GroupSettings
from engine.planning.plans.rewrite_limits import GROUP_SETTING
from engine.rewriting.kernel.contract import EngineTask, SentTask
from engine.services.catalogs.registered import read_registered
from engine.services.operations.rewrite.paths import PathTools, RewriteInput
from engine.services.operations.tasks.credentials import TaskCredentials
from engine.services.operations.tasks.lane_times import LaneTimes
from engine.services.operations.tasks.lanes import GroupOutcome, Lanes
from engine.services.operations.tasks.pacing import STALL_SECONDS, RunPacing
from engine.services.operations.tasks.task_slots import TaskSlots
from engine.services.runs.row_checks import has_rows_checked

_log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 15.0
"""Seconds between two reads of the catalog's metadata pointer; the table is only opened when the pointer changed."""


class GroupTasks:
    """Sends the groups of one attempt; the `LaneHost` of their lanes."""

    def __init__(self, tools: PathTools, work: RewriteInput, settings: GroupSettings) -> None:
        context, attempt, table = tools.context, tools.attempt, work.table
        self._context, self._attempt, self._work, self._settings = context, attempt, work, settings
        count = min(work.policy.parallel_groups, len(work.groups))
        self._open_table = tools.open_table
        self._pointer: str | None = None  # of the catalog, at the last search for lost groups
        self._looked_at = context.clock.monotonic()
        slots = TaskSlots(
            database=context.database,
            attempt=attempt,
            clock=context.clock,
            is_limited=lambda: self._pacing.limits.counts_tasks,
        )
        self._pacing = RunPacing(
            tools=context.pacing,
            attempt=attempt,
            limits=work.limits,
            properties=table.policy_properties(),
            lanes=count,
            on_stall=self._stop_stalled,
            on_limits=slots.store,
        )
        self._lanes = Lanes(
            dispatcher=context.servers.at(attempt.run.intent.endpoint).dispatcher,
            function=context.function,
            attempt=attempt,
            clock=context.clock,
            groups=work.groups,
            count=count,
            times=LaneTimes(work.plan.time),
            slots=slots,
            credentials=TaskCredentials(
                engine=work.engine,
                open_table=tools.open_table,
                clock=context.clock,
                read=partial(context.formats.read_for_run, table.ref),
            ),
            host=self,
        )

    async def outcomes(self) -> AsyncGenerator[GroupOutcome, None]:
        """Send the groups and yield their outcomes. Close it: tasks that still run are then stopped.

        Raises: as `Lanes.outcomes`.
        """
        with suppress(Transient):  # planning may have taken long; limits are read again every two seconds anyway
            await self._pacing.reread()
        outcomes = self._lanes.outcomes()
        async with self._pacing.at_work(), aclosing(outcomes):
            async for outcome in outcomes:
                yield outcome

    async def find_lost(self, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        """Return the reasons, by ordinal, of groups that lost their race; none if read within `LOOK_SECONDS`."""
        if not groups or self._context.clock.monotonic() - self._looked_at < LOOK_SECONDS:
            return {}
        self._looked_at = self._context.clock.monotonic()
        try:
            return await self._read_losses(groups)
        except PackhouseError as error:
            _log.warning("early_look_failed", error=error.message)
            return {}

    async def mark_sent(self, groups: Sequence[FileGroup]) -> None:
        """Store the groups as running."""
        async with self._context.database.begin() as unit:
            await unit.groups.mark_running(self._attempt.lease, [group.ordinal for group in groups])

    async def make_task(self, group: FileGroup) -> SentTask:
        """Return a group's task with its share of the budget."""
        task = await self._context.formats.read_for_run(self._work.table.ref, self._task, group)
        return SentTask(task, self._pacing.of_task())

    async def stop_tasks(self) -> bool:
        """Ask running tasks to stop; return False when the request can't reach them."""
        return await self._pacing.stop()

    def _task(self, group: FileGroup) -> EngineTask:
        run_id, number = self._attempt.run.id, self._attempt.number
        checks = has_rows_checked(self._work.policy.verification, run_id, group.ordinal)
        settings = replace(self._settings, checks_rows=checks)
        return self._work.engine.task(group, run_id=run_id, attempt=number, settings=settings)

    async def _stop_stalled(self) -> None:
        if not self._work.engine.traits.reports_bytes or self._lanes.is_given_up:
            return
        self._attempt.metrics.stalled_runs.inc()
        error = StateConflict(
            f"its tasks moved nothing for {STALL_SECONDS:g} s and were stopped: check the executors of Spark and "
            f"the input files of its groups, or lower {GROUP_SETTING}"
        )
        await self._attempt.record("tasks_stalled", {"detail": error.message})
        await self._lanes.give_up(error)

    async def _read_losses(self, groups: Sequence[FileGroup]) -> Mapping[int, Loss]:
        async with self._context.database.read() as unit:
            table, catalog = await read_registered(unit, self._attempt.run.table_id, SYSTEM)
        found = await self._context.formats.pointers(catalog, [table.ref])
        pointer = found.get(table.ref)
        if pointer is None or pointer == self._pointer:
            return {}
        opened, plan = await self._open_table(), self._work.plan
        base = (plan.base_snapshot_id or 0, plan.schema_id)
        lost = await self._context.formats.read(table.ref, opened.commits.lost, *base, groups)
        self._pointer = pointer
        return lost
