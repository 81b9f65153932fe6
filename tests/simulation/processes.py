"""Processes as groups of tasks: one can be killed, frozen and started again, all between two steps of the loop.

Whatever a task reaches out to (SQL, Redis, a table, Spark) asks `present()` first: of a killed process nothing has any
effect any more, although Python still unwinds its tasks.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextvars import ContextVar, copy_context
from itertools import count
from typing import Any
from weakref import WeakValueDictionary


class Killed(BaseException):
    """The end of a process, raised in whatever of it still runs."""


class Process:
    """One process. `frozen` collects the handles that are due while it is frozen, None while it runs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_alive = True
        self.frozen: list[Any] | None = None
        self._task: asyncio.Task[Any] | None = None
        self._ends: list[Callable[[], None]] = []
        self._tasks: WeakValueDictionary[int, asyncio.Task[Any]] = WeakValueDictionary()
        self._numbers = count()

    def note(self, task: asyncio.Task[Any]) -> None:
        """Keep in mind that a task is of this process."""
        self._tasks[next(self._numbers)] = task

    def start(self, main: Callable[[], Coroutine[Any, Any, Any]]) -> None:
        """Run a coroutine as this process; all tasks and threads that it starts belong to the process."""
        context = copy_context()
        context.run(PROCESS.set, self)
        self._task = context.run(asyncio.get_running_loop().create_task, main())
        self._task.add_done_callback(_forget)

    def at_end(self, action: Callable[[], None]) -> None:
        """Do this when the process is killed: what the kernel does with its sockets and locks."""
        self._ends.append(action)

    def kill(self) -> None:
        """End it at once."""
        self.is_alive = False
        self.thaw()
        for end in self._ends:
            end()
        for task in list(self._tasks.values()):
            task.cancel()

    def freeze(self) -> None:
        """Let nothing of it run until `thaw`."""
        if self.is_alive and self.frozen is None:
            self.frozen = []

    def thaw(self) -> None:
        """Let it go on: all that was due meanwhile happens now, in its order."""
        handles, self.frozen = self.frozen, None
        if handles:
            asyncio.get_running_loop().thaw(handles)  # type: ignore[attr-defined]

    async def ended(self) -> None:
        """Wait until its main task is over."""
        if self._task is not None:
            await asyncio.wait([self._task])


PROCESS: ContextVar[Process | None] = ContextVar("process", default=None)


def present() -> Process | None:
    """Return the process that runs now, None outside of all; raise `Killed` if it is dead."""
    process = PROCESS.get()
    if process is not None and not process.is_alive:
        raise Killed(process.name)
    return process


def _forget(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        task.exception()
