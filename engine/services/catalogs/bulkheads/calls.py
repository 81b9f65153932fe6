"""Blocking calls to catalogs and storage: each in a thread of its compartment, each with a deadline.

At the deadline the caller gets an error, and a read stops at its next request or page (`kernel.storage.abandoned`); its
thread counts until then. A read that computes for longer than `compute_seconds`, such as on hostile metadata, is an
error of its table; its thread is ended (`computing`), as is that of a read that computes on after its deadline. Equal
reads that have not begun share one call: a caller that joins gets an answer that was begun after it asked.
"""

import asyncio
from collections.abc import Callable, Hashable
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import structlog

from engine.domain.errors import Away, OutcomeUnknown, PackhouseError, StateConflict, TableUnreadable
from engine.services.catalogs.bulkheads.compartments import (
    BUSY_RETRY_SECONDS,
    Compartment,
    Compartments,
    HeldThread,
    ThreadLimits,
)
from engine.services.catalogs.bulkheads.computing import ComputedTooLong, TimedCall
from engine.services.catalogs.bulkheads.threads import DaemonThreads

_log = structlog.get_logger(__name__)

T = TypeVar("T")

CHECK_SECONDS: Final = 1.0
"""Interval at which the CPU time of a running read is compared with its limit."""

ABANDONED_CPU_SECONDS: Final = 1.0
"""CPU seconds for which a read may go on after it was given up. Its next page comes much sooner."""


@dataclass(eq=False, slots=True)
class _Begun(Generic[T]):
    """A call in its thread.

    Attributes:
        held: its place in the limits of threads.
        call: its CPU time, and the way to end it.
        future: its result.
        most_cpu_seconds: its limit of CPU time.
        overdue: done once it computed for too long.
        check: the next comparison of its CPU time with the limit; None for a call that is not a read.
        ended_at: when it was first told to end, by the loop's clock; None if it was not.
    """

    held: HeldThread
    call: TimedCall[T]
    future: "asyncio.Future[T]"
    most_cpu_seconds: float
    overdue: "asyncio.Future[None]"
    check: asyncio.TimerHandle | None = None
    ended_at: float | None = None


class Bulkheads:
    """Runs blocking calls. Used from one event loop."""

    def __init__(self, limits: ThreadLimits) -> None:
        self._limits = limits
        self._compartments = Compartments(limits)
        self._threads = DaemonThreads(name="foreign")
        self._joinable: dict[Hashable, asyncio.Task[Any]] = {}
        self._ended: set[_Begun[Any]] = set()

    def stuck_seconds(self) -> float:
        """Return for how long the oldest read that was told to end has computed on; 0 without one."""
        if not self._ended:
            return 0.0
        now = asyncio.get_running_loop().time()
        return max(now - each.ended_at for each in self._ended if each.ended_at is not None)

    async def read(self, where: Compartment, call: Callable[[], T], *, is_work: bool = False) -> T:
        """Run a call that changes nothing; with `is_work` under the longer deadline of a run's steps.

        Raises:
            Away: no free thread, or no answer in time.
            TableUnreadable, StateConflict: it computed for longer than `compute_seconds`.
        """
        seconds = self._limits.work_seconds if is_work else self._limits.read_seconds
        held = await self._compartments.enter(where, seconds=seconds if is_work else self._limits.line_seconds)
        return await self._answer(held, call, seconds)

    async def read_shared(self, where: Compartment, key: Hashable, call: Callable[[], T]) -> T:
        """Run a read like `read`, once for all callers with this key that ask before it begins."""
        joined = self._joinable.get((where, key))
        if joined is None:
            joined = asyncio.create_task(self._read_first(where, key, call))
            self._joinable[where, key] = joined
            joined.add_done_callback(_retrieve)
        result: T = await asyncio.shield(joined)
        return result

    async def change(self, where: Compartment, call: Callable[[], T]) -> T:
        """Run a call that may change the table. A cancelled caller still waits for its end.

        It is never stopped: it may have locks to release.

        Raises:
            Away: no free thread; nothing was begun.
            OutcomeUnknown: no answer in time.
        """
        seconds = self._limits.work_seconds
        held = await self._compartments.enter(where, seconds=seconds)
        future = self._begin(held, call).future
        try:
            await asyncio.wait({future}, timeout=seconds)
        except asyncio.CancelledError:
            await asyncio.wait({future}, timeout=seconds)
            raise
        finally:
            if not future.done():
                self._compartments.give_up(held)
        if not future.done():
            message = f"{where} did not answer within {seconds:g} seconds: whether it was changed is not known"
            raise OutcomeUnknown(message)
        return future.result()

    async def _read_first(self, where: Compartment, key: Hashable, call: Callable[[], T]) -> T:
        try:
            held = await self._compartments.enter(where, seconds=self._limits.line_seconds)
        finally:
            del self._joinable[where, key]
        return await self._answer(held, call, self._limits.read_seconds)

    async def _answer(self, held: HeldThread, call: Callable[[], T], seconds: float) -> T:
        begun = self._begin(held, call)
        self._check_later(begun)
        try:
            either: set[asyncio.Future[Any]] = {begun.future, begun.overdue}
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not begun.future.done():
                self._give_up(begun)
        if begun.future.done():
            try:
                return begun.future.result()
            except ComputedTooLong:
                raise self._too_costly(held.where) from None
        if begun.overdue.done() or begun.call.cpu_seconds() >= seconds / 2:
            self._end_call(begun)
            raise self._too_costly(held.where)
        _log.warning("call_given_up", where=str(held.where), seconds=seconds)
        message = f"{held.where} did not answer within {seconds:g} seconds"
        raise Away(held.where.dependency, message, retry_after_seconds=BUSY_RETRY_SECONDS)

    def _begin(self, held: HeldThread, call: Callable[[], T]) -> "_Begun[T]":
        context, timed = copy_context(), TimedCall(lambda: _without_stop(call))
        loop = asyncio.get_running_loop()
        future = loop.run_in_executor(self._threads, context.run, timed)
        begun = _Begun(held, timed, future, self._limits.compute_seconds, loop.create_future())
        future.add_done_callback(lambda done: self._finish(begun, done))
        return begun

    def _give_up(self, begun: "_Begun[Any]") -> None:
        self._compartments.give_up(begun.held)
        begun.call.abandon()
        begun.most_cpu_seconds = begun.call.cpu_seconds() + ABANDONED_CPU_SECONDS

    def _finish(self, begun: "_Begun[Any]", done: "asyncio.Future[Any]") -> None:
        self._compartments.leave(begun.held)
        self._ended.discard(begun)
        if begun.check is not None:
            begun.check.cancel()
        _retrieve(done)

    def _check_later(self, begun: "_Begun[Any]") -> None:
        """Compare the CPU time of a read with its limit until the read has ended, whether a caller waits or not."""
        begun.check = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._check, begun)

    def _check(self, begun: "_Begun[Any]") -> None:
        if begun.ended_at is not None or begun.call.cpu_seconds() >= begun.most_cpu_seconds:
            self._end_call(begun)
        self._check_later(begun)

    def _end_call(self, begun: "_Begun[Any]") -> None:
        if begun.ended_at is None:
            _log.error("call_computes_too_long", where=str(begun.held.where), seconds=begun.most_cpu_seconds)
            begun.ended_at = asyncio.get_running_loop().time()
            self._ended.add(begun)
        if not begun.overdue.done():
            begun.overdue.set_result(None)
        begun.call.end()

    def _too_costly(self, where: Compartment) -> PackhouseError:
        limit = f"{self._limits.compute_seconds:g} CPU seconds, or half of the time of an answer, are the limit"
        remedy = "drop columns, flatten nested ones or expire snapshots, or raise PACKHOUSE_COMPUTE_SECONDS"
        message = f"{where}: computing on its metadata took too long ({limit}): {remedy}"
        return StateConflict(message) if where.table is None else TableUnreadable(message)


def _without_stop(call: Callable[[], T]) -> T:
    """Return the result of a call; turn `StopIteration` into another error, since a future can't carry it."""
    try:
        return call()
    except StopIteration as error:
        message = "a call ended with StopIteration"
        raise RuntimeError(message) from error


def _retrieve(done: "asyncio.Future[Any]") -> None:
    """Retrieve the outcome of a call that may no longer be awaited, so that asyncio does not warn about it."""
    if not done.cancelled():
        done.exception()
