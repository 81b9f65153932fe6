"""Slots of one attempt under limits of rewrite tasks (`parallel_groups`): one for each task at work.

The limits are those of the fleet and of the attempt's Spark endpoint.

Without the limit a slot is taken without a write to the database. A limit that is set while tasks are at work counts
them from the next reading of the limits, about two seconds later. Slots of interrupted tasks are not given back by
themselves: such a task may run on for some seconds, and its slot is free again seconds after the lease is.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import structlog

from engine.domain.clock import Clock
from engine.domain.errors import Transient
from engine.services.runs.attempts import Attempt
from engine.stores.database import Database

_log = structlog.get_logger(__name__)

LOOK_SECONDS: Final = 0.5
"""Seconds after which an attempt that waits for a slot looks again whether it could get one."""

REPEAT_SECONDS: Final = 2.0
"""Seconds after which a request is repeated, so that it counts; less than the store's `SILENCE_SECONDS`."""

TELL_SECONDS: Final = 10.0
"""Seconds without any slot after which an event of the run records the wait."""


class TaskSlots:
    """Takes slots for the tasks of an attempt. `is_limited`: whether one of the limits is set, as last read."""

    def __init__(self, *, database: Database, attempt: Attempt, clock: Clock, is_limited: Callable[[], bool]) -> None:
        self._database = database
        self._attempt = attempt
        self._clock = clock
        self._is_limited = is_limited
        self._held = 0
        self._stored = 0
        self._asked_at: float | None = None  # None: not waiting
        self._is_told = False
        self._asking = asyncio.Lock()  # one request at a time: the others of this attempt would compete with it
        self._writing = asyncio.Lock()  # a number that is written late must not replace a newer one

    @asynccontextmanager
    async def taken(self, most: int = 1, *, is_needed: Callable[[], bool]) -> AsyncIterator[int]:
        """Wait for at least one slot, and hold it while the body runs.

        Args:
            most: the most slots to take at once.
            is_needed: whether there is still a task to send; the wait ends as soon as there is none.

        Yields:
            The number of slots, 0 when none is needed any more.

        Raises:
            LeaseLost: another holder advances the run.
        """
        granted = await self._take(most, is_needed)
        try:
            yield granted
        finally:
            if granted and not self._attempt.interrupted.is_set():
                self._held -= granted
                await self.store()

    async def store(self) -> None:
        """Store the number of slots in use if it changed; call it also after the limits were read again."""
        run_id, number = self._attempt.run.id, self._attempt.number
        try:
            async with self._writing:
                held, is_waiting = self._held, self._asked_at is not None
                if held == self._stored or not (self._is_limited() or self._stored):
                    return
                async with self._database.begin() as unit:
                    await unit.task_slots.mark_held(run_id, number, held, is_waiting=is_waiting)
                self._stored = held
        except Transient as error:  # the next write, or the end of the lease, gives them back
            _log.warning("task_slots_not_stored", run_id=run_id, error=error.message)

    async def _take(self, most: int, is_needed: Callable[[], bool]) -> int:
        async with self._asking:
            began = self._clock.monotonic()
            while is_needed():
                if not self._is_limited():
                    self._held, self._asked_at = self._held + most, None
                    return most
                if granted := await self._ask(most):
                    return granted
                if self._held == 0 and self._clock.monotonic() - began >= TELL_SECONDS:
                    await self._tell()
                await self._clock.sleep(LOOK_SECONDS)
            self._asked_at = None
        return 0

    async def _tell(self) -> None:
        """Record, once for each attempt, that the run has no task at work because of the limit."""
        if not self._is_told:
            self._is_told = True
            detail = (
                "the tasks of other runs use all parallel_groups of the fleet or of its Spark endpoint: this run sends "
                "its next group when one of them ends, or after the limit is raised"
            )
            await self._attempt.record("waits_for_parallel_groups", {"detail": detail})

    async def _ask(self, most: int) -> int:
        now = self._clock.monotonic()
        try:
            if self._asked_at is not None and now - self._asked_at < REPEAT_SECONDS:
                async with self._database.read() as unit:
                    if not await unit.task_slots.would_grant(self._attempt.run.id, most):
                        return 0
            async with self._writing:
                held = self._held
                async with self._database.begin() as unit:
                    granted = await unit.task_slots.request(self._attempt.lease, held, most)
                self._stored, self._asked_at = held + granted, None if granted else now
                self._held += granted
                return granted
        except Transient as error:  # the attempt's heartbeat decides how long it may go on without the database
            _log.warning("task_slots_wait", run_id=self._attempt.run.id, error=error.message)
            return 0
