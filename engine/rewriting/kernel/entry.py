"""What Packhouse sends to Spark: a group's rewrite whose failure is an answer, not an exception.

An exception would fail the whole Spark task, and with it the other groups of its bundle; a cluster would then run the
task up to four times by itself. As an answer it stays with its group, and the worker decides what to do.

Every execution writes under names of its own: when Spark runs a task again because it lost an executor that is alive
after all, neither of the two can write over or remove what the other wrote.
"""

import secrets
from dataclasses import replace

from engine.rewriting.kernel.contract import GroupResult, GroupTask
from engine.rewriting.kernel.errors import StorageFault
from engine.rewriting.kernel.task import rewrite_group


def run_group(task_json: str) -> str:
    """Rewrite one group: JSON of a `GroupTask` in, JSON of a `GroupResult` out, also when it failed."""
    task = GroupTask.from_json(task_json)
    try:
        return rewrite_group(replace(task, name_prefix=f"{task.name_prefix}{secrets.randbelow(10**9):09}").to_json())
    except Exception as error:  # noqa: BLE001 - whatever went wrong is told to the worker, by name
        return GroupResult(
            group=task.group,
            outcome="failed",
            reason=f"{type(error).__name__}: {error}",
            storage_fault=type(error).__name__ if isinstance(error, StorageFault) else None,
        ).to_json()
