"""One entry point for all tasks that are sent to Spark."""

import json

from engine.rewriting.core.commits import CORE_COMMIT, run_commit
from engine.rewriting.core.contract import CORE
from engine.rewriting.core.entry import run_bucket
from engine.rewriting.kernel.contract import KERNEL
from engine.rewriting.kernel.entry import run_group
from engine.rewriting.priority import at_low_priority


def run_task(task_json: str) -> str:
    """Run a task by the `engine` of its JSON, and return the JSON of its result.

    `kernel` is a `GroupTask`, `core` a `CoreTask` and `core-commit` a `CoreCommit`.
    Only the kernel's work has a low priority: the core's JVM also commits, and would lose more races to writers.

    Raises:
        ValueError: another engine.
    """
    match json.loads(task_json).get("engine"):
        case engine if engine == KERNEL:
            return at_low_priority(lambda: run_group(task_json))
        case engine if engine == CORE:
            return run_bucket(task_json)
        case engine if engine == CORE_COMMIT:
            return run_commit(task_json)
        case engine:
            raise ValueError(f"engine {engine!r}: this version knows {KERNEL!r}, {CORE!r} and {CORE_COMMIT!r}")
