"""Entry point of Spark tasks: the rewrite of a group, with failures returned as results instead of raised.

An exception would fail the whole Spark task, and with it the other groups of its bundle; a cluster would then run the
task up to four times automatically. As a result it affects its group only, and the worker decides how to continue.

Every execution writes to unique file names: when Spark repeats a task after it lost contact to an executor that is
still running, neither of the two executions can overwrite or remove files of the other.

A task runs on a thread of low priority: a rewrite can wait and a reader on the same machine can't. Where nothing else
wants the processor, it is as fast as at normal priority.
"""

import os
import secrets
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from threading import get_native_id
from typing import Final, TypeVar

from engine.rewriting.kernel.contract import GroupResult
from engine.rewriting.kernel.errors import StorageFault
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.task import GroupRewrite

T = TypeVar("T")

NICENESS: Final = 10
"""Of Linux's 0 to 19: beside a thread of normal priority on the same core, about a tenth of its time (`sched(7)`)."""


def run(task_json: str) -> str:
    """Rewrite one group on a thread of low priority; see `run_group`."""
    return at_low_priority(lambda: run_group(task_json))


def run_group(task_json: str) -> str:
    """Rewrite one group: JSON of a `SentKernelTask` in, JSON of a `GroupResult` out, even if the rewrite fails."""
    sent = SentKernelTask.from_json(task_json)
    try:
        return GroupRewrite(sent=sent.of_execution(f"{secrets.randbelow(10**9):09}")).run().to_json()
    except Exception as error:  # noqa: BLE001 - any error is reported to the worker, by name
        return GroupResult(
            group=sent.task.identity.group,
            outcome="failed",
            reason=f"{type(error).__name__}: {error}",
            storage_fault=type(error).__name__ if isinstance(error, StorageFault) else None,
        ).to_json()


def at_low_priority(work: Callable[[], T]) -> T:
    """Return what the work returns, or raise what it raises; threads and processes that it starts have its priority.

    The priority is one of the thread, not of the process: Spark uses the process again for other tasks, and a priority
    that was lowered can't be raised without privileges.
    """
    with ThreadPoolExecutor(1, initializer=_lower_priority) as thread:
        return thread.submit(copy_context().run, work).result()


def _lower_priority() -> None:
    if sys.platform == "linux":  # elsewhere this would be the priority of the whole process
        thread = get_native_id()
        with suppress(OSError):  # a sandbox may forbid it: the work is the same then, at the priority of the process
            os.setpriority(os.PRIO_PROCESS, thread, max(NICENESS, os.getpriority(os.PRIO_PROCESS, thread)))
