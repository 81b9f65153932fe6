"""Run a task's work on a thread of low priority, so that queries on the same machine come first.

A rewrite can wait and a reader can't. Where nothing else wants the processor, a task is as fast as at normal priority.
"""

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from threading import get_native_id
from typing import Final, TypeVar

T = TypeVar("T")

NICENESS: Final = 10
"""Of Linux's 0 to 19: beside a thread of normal priority on the same core, about a tenth of its time (`sched(7)`)."""


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
