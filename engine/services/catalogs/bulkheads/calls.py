"""Blocking calls to catalogs and storage: each in a thread of its compartment, each with a deadline.

At the deadline the caller gets an error; the thread keeps running and counting until its call returns: only socket
timeouts end it (`formats` sets those). Equal reads that have not begun share one call: a caller that joins gets an
answer that was begun after it asked.
"""

import asyncio
from collections.abc import Callable, Hashable
from contextvars import copy_context
from typing import Any, TypeVar

import structlog

from engine.domain.errors import Away, OutcomeUnknown
from engine.services.catalogs.bulkheads.compartments import (
    BUSY_RETRY_SECONDS,
    Compartment,
    Compartments,
    Held,
    ThreadLimits,
)
from engine.services.catalogs.bulkheads.threads import DaemonThreads

_log = structlog.get_logger(__name__)

T = TypeVar("T")


class Bulkheads:
    """Runs blocking calls. Used from one event loop."""

    def __init__(self, limits: ThreadLimits) -> None:
        self._limits = limits
        self._compartments = Compartments(limits)
        self._threads = DaemonThreads(name="foreign")
        self._joinable: dict[Hashable, asyncio.Task[Any]] = {}

    async def read(self, where: Compartment, call: Callable[[], T], *, is_work: bool = False) -> T:
        """Run a call that changes nothing; with `is_work` under the longer deadline of a run's steps.

        Raises:
            Away: no free thread, or no answer in time.
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

        Raises:
            Away: no free thread; nothing was begun.
            OutcomeUnknown: no answer in time.
        """
        seconds = self._limits.work_seconds
        held = await self._compartments.enter(where, seconds=seconds)
        future = self._begin(held, call)
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

    async def _answer(self, held: Held, call: Callable[[], T], seconds: float) -> T:
        future = self._begin(held, call)
        try:
            await asyncio.wait({future}, timeout=seconds)
        finally:
            if not future.done():
                self._compartments.give_up(held)
        if not future.done():
            _log.warning("call_given_up", where=str(held.where), seconds=seconds)
            message = f"{held.where} did not answer within {seconds:g} seconds"
            raise Away(held.where.dependency, message, retry_after_seconds=BUSY_RETRY_SECONDS)
        return future.result()

    def _begin(self, held: Held, call: Callable[[], T]) -> "asyncio.Future[T]":
        context = copy_context()
        future = asyncio.get_running_loop().run_in_executor(self._threads, context.run, _without_stop, call)
        future.add_done_callback(lambda done: self._end(held, done))
        return future

    def _end(self, held: Held, done: "asyncio.Future[Any]") -> None:
        self._compartments.leave(held)
        _retrieve(done)


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
