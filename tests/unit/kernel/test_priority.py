"""The priority of tasks: that of a thread, which leaves the process that Spark uses again as it is."""

import os
import subprocess
import sys
import threading
from contextvars import ContextVar

import pytest

from engine.rewriting.entry import run_task
from engine.rewriting.kernel.entry import NICENESS, at_low_priority

ASKED: ContextVar[str] = ContextVar("ASKED", default="")


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


def niceness_of_a_thread() -> int:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(niceness()))
    thread.start()
    thread.join()
    return found[0]


def test_work_and_the_threads_and_processes_that_it_starts_have_a_low_priority() -> None:
    before = niceness()
    lower = max(before, NICENESS)
    code = "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"
    child = at_low_priority(lambda: subprocess.check_output([sys.executable, "-c", code], text=True))
    assert (at_low_priority(niceness), at_low_priority(niceness_of_a_thread), int(child)) == (lower, lower, lower)
    assert (niceness(), niceness_of_a_thread()) == (before, before)


def test_context_and_errors_are_those_of_the_caller() -> None:
    ASKED.set("here")
    assert at_low_priority(ASKED.get) == "here"
    with pytest.raises(SystemExit):
        at_low_priority(lambda: sys.exit(1))


def test_a_group_is_rewritten_at_low_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.rewriting.kernel.entry.run_group", lambda _task: str(niceness()))
    assert int(run_task('{"engine":"kernel"}')) >= NICENESS
