"""Daemon threads for blocking calls: a call that never returns does not keep the process from ending.

The executor of the standard library joins its threads at exit, so one socket without an answer would block the exit.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Final, TypeAlias, TypeVar

T = TypeVar("T")

_IDLE_SECONDS: Final = 30.0

_Job: TypeAlias = tuple["Future[Any]", Callable[[], Any]]
_Inbox: TypeAlias = "SimpleQueue[_Job]"


class DaemonThreads(Executor):
    """Runs each call at once, in an idle thread or a new one; the submitter bounds how many run."""

    def __init__(self, *, name: str) -> None:
        self._name = name
        self._idle: list[_Inbox] = []
        self._lock = Lock()

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> "Future[T]":
        """Start a call and return its future."""
        future: Future[T] = Future()
        with self._lock:
            inbox = self._idle.pop() if self._idle else None
        if inbox is None:
            inbox = SimpleQueue()
            Thread(target=self._work, args=(inbox,), name=self._name, daemon=True).start()
        inbox.put((future, partial(fn, *args, **kwargs)))
        return future

    def _work(self, inbox: _Inbox) -> None:
        while True:
            try:
                job = inbox.get(timeout=_IDLE_SECONDS)
            except Empty:
                with self._lock:
                    if inbox in self._idle:  # otherwise a call is on its way
                        self._idle.remove(inbox)
                        return
                continue
            self._run(inbox, *job)
            del job  # the result may be large, and the next call may come much later

    def _run(self, inbox: _Inbox, future: "Future[Any]", call: Callable[[], Any]) -> None:
        result, failure = None, None
        if future.set_running_or_notify_cancel():
            try:
                result = call()
            except BaseException as error:  # noqa: BLE001 - raised where the result is awaited
                failure = error
        with self._lock:  # before the result is set: its reader may submit the next call at once
            self._idle.append(inbox)
        if future.cancelled():
            return
        if failure is None:
            future.set_result(result)
        else:
            future.set_exception(failure)
