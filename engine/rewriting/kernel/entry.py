"""What Packhouse sends to Spark: a group's rewrite whose failure is an answer, not an exception.

An exception would fail the whole Spark task, and with it the other groups of its bundle; a cluster would then run the
task up to four times by itself. As an answer it stays with its group, and the worker decides what to do.
"""

from engine.rewriting.kernel.contract import GroupResult, GroupTask
from engine.rewriting.kernel.task import rewrite_group


def run_group(task_json: str) -> str:
    """Rewrite one group: JSON of a `GroupTask` in, JSON of a `GroupResult` out, also when it failed."""
    try:
        return rewrite_group(task_json)
    except Exception as error:  # noqa: BLE001 - whatever went wrong is told to the worker, by name
        group = GroupTask.from_json(task_json).group
        return GroupResult(group=group, outcome="failed", reason=f"{type(error).__name__}: {error}").to_json()
