"""Entry point of Spark tasks: the rewrite of a group, with failures returned as results instead of raised.

An exception would fail the whole Spark task, and with it the other groups of its bundle; a cluster would then run the
task up to four times automatically. As a result it affects its group only, and the worker decides how to continue.

Every execution writes to unique file names: when Spark repeats a task after it lost contact to an executor that is
still running, neither of the two executions can overwrite or remove files of the other.
"""

import secrets

from engine.rewriting.kernel.contract import GroupResult, GroupTask
from engine.rewriting.kernel.errors import StorageFault
from engine.rewriting.kernel.priority import at_low_priority
from engine.rewriting.kernel.task import rewrite_group


def run(task_json: str) -> str:
    """Rewrite one group on a thread of low priority; see `run_group`."""
    return at_low_priority(lambda: run_group(task_json))


def run_group(task_json: str) -> str:
    """Rewrite one group: JSON of a `GroupTask` in, JSON of a `GroupResult` out, even if the rewrite fails."""
    task = GroupTask.from_json(task_json)
    try:
        return rewrite_group(task.of_execution(f"{secrets.randbelow(10**9):09}").to_json())
    except Exception as error:  # noqa: BLE001 - any error is reported to the worker, by name
        return GroupResult(
            group=task.group,
            outcome="failed",
            reason=f"{type(error).__name__}: {error}",
            storage_fault=type(error).__name__ if isinstance(error, StorageFault) else None,
        ).to_json()
