"""An event loop with virtual time: when nothing is ready it jumps to the next timer instead of sleeping.

One thread does everything, in an order that depends on nothing but the seed. What the product hands to threads runs in
greenlets of the same thread: such a call may wait for virtual time too (`VirtualLoop.block`), while the loop goes on.

A handle belongs to the process (`processes.PROCESS`) in whose context it was made: those of a frozen process are put
aside until it goes on.
"""

import asyncio
import concurrent.futures
import heapq
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import Context
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import anyio.to_thread
import greenlet

from tests.simulation.processes import PROCESS, Killed

EPOCH: Final = datetime(2026, 11, 2, 8, 0, tzinfo=UTC)
"""What virtual time begins at: a Monday morning."""
START: Final = 1000.0
_MOST_AT_ONE_INSTANT: Final = 200_000


class Livelock(Exception):
    """So much happened without any time passing that nothing else ever would."""


class VirtualLoop(asyncio.BaseEventLoop):
    """Runs handles in order of their time; `time()` is virtual seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._at = START
        self._at_this_instant = 0
        self._hub = greenlet.getcurrent()
        self.steps = 0
        self.most_steps: int | None = None
        self.set_exception_handler(self._note)
        self.set_task_factory(_task)
        self.errors: list[dict[str, Any]] = []

    def time(self) -> float:
        return self._at

    def instant(self) -> datetime:
        """The wall clock of everybody whose clock is right."""
        return EPOCH + timedelta(seconds=self._at - START)

    def finish(self, main: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end and close the loop."""
        asyncio.set_event_loop(self)
        self._hub = greenlet.getcurrent()
        with _threads_of(self):
            try:
                return self.run_until_complete(main)
            finally:
                self._cancel_all()
                asyncio.set_event_loop(None)
                self.close()

    def run_in_executor(  # type: ignore[override]
        self, _executor: Any, function: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """Run a blocking call in a greenlet, from the next round on."""
        future: asyncio.Future[Any] = self.create_future()

        def work() -> None:
            try:
                result = function(*args)
            except Killed:
                future.cancel()
            except BaseException as error:  # noqa: BLE001 - it is raised where the call is awaited
                if not future.done():
                    future.set_exception(error)
            else:
                if not future.done():
                    future.set_result(result)

        self.call_soon(greenlet.greenlet(work, parent=self._hub).switch)
        return future

    def block(self, future: asyncio.Future[Any]) -> Any:
        """Wait for a future in a blocking call; its greenlet sleeps meanwhile."""
        me = greenlet.getcurrent()
        if me is self._hub:
            message = "a blocking call outside of a thread"
            raise RuntimeError(message)
        if not future.done():
            future.add_done_callback(lambda _: me.switch())
            self._hub.switch()
        return future.result()

    def pause(self, seconds: float) -> None:
        """Let virtual time pass in a blocking call."""
        future: asyncio.Future[None] = self.create_future()
        self.call_later(seconds, lambda: future.done() or future.set_result(None))
        self.block(future)

    def thaw(self, handles: list[Any]) -> None:
        """Put the handles of a process that goes on back, in their order."""
        self._ready.extend(handles)

    def _run_once(self) -> None:
        ready, timers = self._ready, self._scheduled
        while timers and timers[0]._cancelled:
            heapq.heappop(timers)._scheduled = False
        if not ready:
            if not timers:
                message = "nothing is left that could happen"
                raise Livelock(message)
            if timers[0]._when > self._at:
                self._at, self._at_this_instant = timers[0]._when, 0
        while timers and timers[0]._when <= self._at:
            timer = heapq.heappop(timers)
            timer._scheduled = False
            ready.append(timer)
        for _ in range(len(ready)):
            handle = ready.popleft()
            if handle._cancelled:
                continue
            process = handle._context.get(PROCESS)
            if process is not None and process.frozen is not None:
                process.frozen.append(handle)
                continue
            self._at_this_instant += 1
            handle._run()
        self.steps += 1
        self._check_progress()

    def _check_progress(self) -> None:
        if self._at_this_instant > _MOST_AT_ONE_INSTANT:
            message = f"more than {_MOST_AT_ONE_INSTANT} steps at {self._at}"
            raise Livelock(message)
        if self.most_steps is not None and self.steps > self.most_steps:
            message = f"it goes on for ever: {self.steps} steps until {self._at}"
            raise Livelock(message)

    def call_soon_threadsafe(self, callback: Any, *args: Any, context: Context | None = None) -> Any:
        return self.call_soon(callback, *args, context=context)

    def _write_to_self(self) -> None:
        """There is no other thread to wake."""

    def _timer_handle_cancelled(self, _handle: Any) -> None:
        """Cancelled timers are dropped when their time comes."""

    def _process_events(self, _events: Any) -> None:
        """There are no files and sockets."""

    def _note(self, _loop: Any, context: dict[str, Any]) -> None:
        if not _is_kill(context.get("exception")):
            self.errors.append(context)

    def _cancel_all(self) -> None:
        for _ in range(100):
            tasks = [task for task in asyncio.all_tasks(self) if not task.done()]
            if not tasks:
                return
            for task in tasks:
                task.cancel()
            self.run_until_complete(asyncio.wait(tasks, timeout=60))


class VirtualClock:
    """The product's `Clock` on virtual time; `skew` is by how many seconds this machine's wall clock is wrong."""

    def __init__(self, loop: VirtualLoop) -> None:
        self._loop = loop
        self.skew = 0.0

    def now(self) -> datetime:
        return self._loop.instant() + timedelta(seconds=self.skew)

    def monotonic(self) -> float:
        return self._loop.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def _task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> asyncio.Task[Any]:
    task: asyncio.Task[Any] = asyncio.Task(coroutine, loop=loop, **options)
    process = PROCESS.get()
    if process is not None:
        process.note(task)
    return task


def _is_kill(error: BaseException | None) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_kill(each) for each in error.exceptions)
    return isinstance(error, Killed | asyncio.CancelledError)


@contextmanager
def _threads_of(loop: VirtualLoop) -> Iterator[None]:
    """Let the two ways past `run_in_executor` into and out of threads lead to greenlets as well."""
    run_sync, result = anyio.to_thread.run_sync, concurrent.futures.Future.result

    async def run_in_greenlet(function: Any, *args: Any, limiter: Any = None, **_options: Any) -> Any:
        if limiter is None:
            return await asyncio.to_thread(function, *args)
        async with limiter:
            return await asyncio.to_thread(function, *args)

    def wait_in_greenlet(future: Any, timeout: float | None = None) -> Any:
        if not future.done():
            waiting: asyncio.Future[None] = loop.create_future()
            timer = loop.call_later(timeout or 1e9, lambda: waiting.done() or waiting.set_result(None))
            future.add_done_callback(lambda _: waiting.done() or waiting.set_result(None))
            loop.block(waiting)
            timer.cancel()
        return result(future, timeout=0)

    anyio.to_thread.run_sync = run_in_greenlet  # type: ignore[assignment]
    concurrent.futures.Future.result = wait_in_greenlet  # type: ignore[method-assign]
    try:
        yield
    finally:
        anyio.to_thread.run_sync = run_sync
        concurrent.futures.Future.result = result  # type: ignore[method-assign]
