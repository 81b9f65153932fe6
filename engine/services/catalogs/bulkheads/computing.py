"""The CPU time of a blocking call, and the end of one that computes for too long.

A call that waits for a socket can't be ended from outside, but waits cheaply. One that computes takes the interpreter
from every other thread, for ever if foreign metadata makes it do 2^40 steps; between two steps Python can be told to
raise an exception in its thread (`PyThreadState_SetAsyncExc`). That ends pure Python; a single call into a library that
never returns is ended by nothing but the end of the process, which the worker decides (`Bulkheads.stuck_seconds`).

Only calls that change nothing are ended so: their locks and connections are released by `with` and `finally`.
"""

import ctypes
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread, get_ident
from typing import Any, Final, Generic, ParamSpec, TypeVar

from engine.formats.intake.overlapping import HELP
from engine.rewriting.kernel.storage.abandoned import IS_ABANDONED

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

_HAS_CLOCKS: Final = hasattr(time, "pthread_getcpuclockid")
"""False on systems other than Linux: there only the deadlines apply."""

_NEVER_SECONDS: Final = 60.0


class ComputedTooLong(BaseException):
    """Ends a call in its thread. No `Exception`, so that code which handles errors of a library does not handle it."""


class TimedCall(Generic[T]):
    """A call whose CPU time can be read, and which can be ended, while it runs. Called once.

    Threads to which it hands work (`helped`) belong to it as well.
    """

    def __init__(self, call: Callable[[], T]) -> None:
        self._call = call
        self._lock = Lock()
        self._threads: dict[int, float] = {}  # by ident: its CPU time before
        self._spent = 0.0  # by threads that are done
        self._is_ended = False
        self._is_abandoned = False

    def __call__(self) -> T:
        """Run the call. Raises `ComputedTooLong` if it was ended, otherwise as the call."""
        return self._counted(self._call)()

    def _counted(self, work: Callable[P, R]) -> Callable[P, R]:
        """Return work that belongs to this call in the thread that runs it."""

        def counted(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                try:
                    self._enter()
                    return work(*args, **kwargs)
                finally:
                    self._leave()
            finally:
                self._leave()  # again, as the exception may come just when the first one begins

        return counted

    def cpu_seconds(self) -> float:
        """Return the CPU seconds of its threads in this call so far; 0 after it was told to end."""
        with self._lock:
            if self._is_ended or not _HAS_CLOCKS:
                return 0.0
            clocks = [(time.pthread_getcpuclockid(thread), before) for thread, before in self._threads.items()]
            return self._spent + sum(time.clock_gettime(clock) - before for clock, before in clocks)

    def abandon(self) -> None:
        """Request that the call stops at its next page: its caller waits no longer."""
        self._is_abandoned = True

    def end(self) -> None:
        """Raise `ComputedTooLong` in its threads; to be repeated while the call goes on.

        Code can handle the exception, Python loses one that comes during a callback of its collector, and none is
        raised at an instant at which the thread starts another one (`_starts_thread`).
        """
        with self._lock:
            self._is_ended = True
            for thread in self._threads:
                with _no_other_thread():
                    if not _starts_thread(thread):
                        _raise_in(thread, ComputedTooLong)

    def _enter(self) -> None:
        """Add the thread. Raises `ComputedTooLong` if the call was ended before this part of it began."""
        HELP.set(self._counted)
        IS_ABANDONED.set(lambda: self._is_abandoned)
        with self._lock:
            if self._is_ended:
                raise ComputedTooLong
            self._threads[get_ident()] = time.thread_time()

    def _leave(self) -> None:
        """Keep the exception away from what the thread does after this call.

        Only a call that was ended may have one: where there is none to take back, CPython 3.11 would look for it at
        each later step of every thread, and a thread that is traced would do nothing but look.
        """
        while True:
            try:
                with self._lock:
                    before = self._threads.pop(get_ident(), None)
                    self._spent += 0.0 if before is None else time.thread_time() - before
                    is_ended = self._is_ended
                if is_ended:
                    _raise_in(get_ident(), None)
            except ComputedTooLong:
                continue
            return


@contextmanager
def _no_other_thread() -> Iterator[None]:
    """Run a few steps without a switch to another thread."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_NEVER_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)


def _starts_thread(thread: int) -> bool:
    """Return whether a thread starts another one at this instant.

    Until that runs, Python 3.11 has it under the ident of the thread that starts it: the exception could end it before
    it has told that it runs, and its parent, which holds the lock of all thread pools, would wait for ever.
    """
    frame = sys._current_frames().get(thread)  # noqa: SLF001 - the documented way to see another thread
    while frame is not None:
        if frame.f_code is Thread.start.__code__:
            return True
        frame = frame.f_back
    return False


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Set the exception that a thread raises at its next step; None: take back one that it has not raised yet."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), _object(error))


def _object(error: type[BaseException] | None) -> Any:
    return ctypes.py_object() if error is None else ctypes.py_object(error)
