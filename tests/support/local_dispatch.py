"""A dispatcher that runs tasks in threads of this process; passes the same contract tests as the one on Spark.

A task is stopped by an exception that Python raises in its thread, at the latest when a blocking call returns.
"""

import ctypes
import sys
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from engine.domain.errors import Away, Interrupted, SparkFailed, Transient
from engine.domain.fleet.dependencies import DependencyKind
from engine.spark.dispatch import Ticket


class _Stopped(BaseException):
    """Raised in a task's thread to end it."""


_missed: set[int] = set()  # idents of threads in which `_Stopped` came during a callback of the collector, and was lost
_tell_others = sys.unraisablehook


def _note_missed(unraisable: "sys.UnraisableHookArgs") -> None:
    if unraisable.exc_type is _Stopped:
        _missed.add(threading.get_ident())
    else:
        _tell_others(unraisable)


sys.unraisablehook = _note_missed


@dataclass(eq=False)
class _Task:
    function: Callable[[str], str]
    payloads: Sequence[str]
    answers: list[str] = field(default_factory=list)
    error: Exception | None = None
    over: threading.Event = field(default_factory=threading.Event)  # the caller need not wait any longer
    stopped: bool = False

    def __post_init__(self) -> None:
        self.thread = threading.Thread(target=self._work, daemon=True)

    def stop(self) -> None:
        self.stopped = True
        self.over.set()
        self._raise()

    def is_gone(self, *, within: float) -> bool:
        """Wait until the thread of a stopped task has ended; stop it again where that was lost."""
        deadline = time.monotonic() + within
        while self.thread.is_alive() and time.monotonic() < deadline:
            self.thread.join(min(0.05, max(0.0, deadline - time.monotonic())))
            if self.thread.ident in _missed:
                _missed.discard(self.thread.ident)
                self._raise()
        return not self.thread.is_alive()

    def _raise(self) -> None:
        while self.thread.is_alive() and self.thread.ident is not None and not _raise_in(self.thread.ident):
            self.thread.join(0.001)

    def _work(self) -> None:
        with suppress(_Stopped):  # it can come while the end is being told; `stop` has told it before
            self._answer()

    def _answer(self) -> None:
        try:
            self.answers = [self.function(payload) for payload in self.payloads]
        except Exception as error:  # noqa: BLE001 - whatever a task raises is its answer
            self.error = error
        except _Stopped:
            self.stopped = True
        finally:
            self.over.set()


def _raise_in(ident: int) -> bool:
    """Raise `_Stopped` in a thread, not while it starts another one.

    Until that runs, Python 3.11 has it under its parent's ident as well: the exception could end it before it says that
    it started, and its parent, which holds the lock of all thread pools, would wait for ever.
    """
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)  # no other thread runs between the look and the exception
    try:
        frame = sys._current_frames().get(ident)
        while frame is not None:
            if frame.f_code is threading.Thread.start.__code__:
                return False
            frame = frame.f_back
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(ident), ctypes.py_object(_Stopped))
        return True
    finally:
        sys.setswitchinterval(interval)


class LocalDispatcher:
    """Same methods as `SparkDispatcher`, without a server. `fail_next` lets the next operation find nobody there."""

    def __init__(self, endpoint: str | None = None) -> None:
        self._endpoint = endpoint
        self._session_id = str(uuid.uuid4())
        self._tasks: dict[tuple[str, str], list[_Task]] = {}
        self._stopped: set[tuple[str, str]] = set()
        self._used: set[str] = set()
        self._failures: list[str] = []
        self._repeated: set[tuple[str, str]] = set()
        self._lock = threading.Lock()
        self.is_away = False  # nothing can be sent, and a probe gets no answer

    def fail_next(self, message: str) -> None:
        """Let the next operation end in `Transient`."""
        self._failures.append(message)

    def ticket(self, run_id: str, attempt: int, part: int) -> Ticket:
        tag = f"packhouse-{run_id}-{attempt}"
        operation_id = str(uuid.uuid5(uuid.UUID(self._session_id), f"{tag}/{part}"))
        return Ticket(self._session_id, "local", tag, operation_id)

    def run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        if not payloads:
            return []
        task = self._start(ticket, _Task(function, payloads))
        task.over.wait()
        if task.stopped:
            raise Interrupted("the operation was interrupted")
        if task.error is not None:
            cause = type(task.error).__name__
            raise SparkFailed(f"{cause}: {task.error}", details={"cause": cause}) from task.error
        return task.answers

    def ping(self) -> None:
        if self.is_away:
            raise Away(DependencyKind.SPARK, "Spark does not answer", endpoint=self._endpoint)

    def interrupt(self, tag: str, *, session_id: str) -> None:
        with self._lock:
            self._stopped.add((session_id, tag))
            tasks = self._tasks.get((session_id, tag), [])
        for task in tasks:
            task.stop()

    def run_beside(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> None:
        """Execute payloads of a ticket once more, as after an executor that was given up; nobody hears the answers.

        Returns at once; the copy is stopped and waited for with the ticket's tag.
        """
        self._repeated.add((ticket.session_id, ticket.tag))
        self._start(replace(ticket, operation_id=str(uuid.uuid4())), _Task(function, payloads))

    def has_repeated(self, tag: str, *, session_id: str) -> bool:
        return (session_id, tag) in self._repeated

    def wait_gone(self, tag: str, *, session_id: str, timeout: float) -> bool:
        deadline = time.monotonic() + timeout
        self.interrupt(tag, session_id=session_id)
        tasks = list(self._tasks.get((session_id, tag), []))
        return all(task.is_gone(within=deadline - time.monotonic()) for task in tasks)

    def _start(self, ticket: Ticket, task: _Task) -> _Task:
        key = (ticket.session_id, ticket.tag)
        with self._lock:
            if self.is_away:
                raise Away(DependencyKind.SPARK, "Spark does not answer", endpoint=self._endpoint)
            if self._failures:
                raise Transient(self._failures.pop(0))
            if key in self._stopped:
                raise Interrupted(f"operations with the tag {ticket.tag} were stopped")
            if ticket.operation_id in self._used:
                raise Transient(f"operation {ticket.operation_id} was sent before")
            self._used.add(ticket.operation_id)
            self._tasks.setdefault(key, []).append(task)
            task.thread.start()
        return task
