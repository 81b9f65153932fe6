"""Calls of Paimon's core, its Java library, in Spark tasks, and its jars."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engine.domain.errors import NotEligible
from engine.domain.values.units import format_bytes
from engine.formats.base import Condition


class TaskRunner(Protocol):
    """Runs requests of the core in tasks outside of any run's tasks. All calls may block."""

    def run(self, request: str) -> str:
        """Run a request of `engine.rewriting.entry.run_task` in a task and return its answer.

        Raises:
            PackhouseError: no answer; the task may have done its work.
        """

    def provide_file(self, path: Path) -> str:
        """Return what tasks find a local file by from now on: an absolute path, or the name of a file that Spark has.

        Raises:
            Transient: Spark does not answer.
        """


@dataclass(frozen=True, slots=True)
class CoreCalls:
    """Access to the core. Thread-safe; all methods block.

    `find_jar` returns the local path of Paimon's jar, and `find_store_jar` that of its S3 file system; both may
    download it. `heap_limit_bytes`: the most heap of the core's JVM in a task; a bucket that needs more is refused.
    """

    tasks: TaskRunner
    find_jar: Callable[[], Path]
    find_store_jar: Callable[[], Path]
    heap_limit_bytes: int

    def jar(self) -> str:
        """Return what tasks find Paimon's jar by.

        Raises:
            Transient: it can't be downloaded, or Spark does not answer.
            InvalidInput: there is no such jar.
        """
        return self.tasks.provide_file(self.find_jar())

    def store_jar(self) -> str:
        """Return the same of the jar of the S3 file system, which is only sent if a table needs it. Raises as `jar`."""
        return self.tasks.provide_file(self.find_store_jar())

    def run(self, request: str) -> str:
        """Run a request of the core in a task and return its answer; raises as `TaskRunner.run`."""
        return self.tasks.run(request)


def reachable(core: CoreCalls | None) -> Condition:
    """Return whether this installation can run the core."""
    if core is None:
        return Condition("native_core", False, "this process has no access to Spark")
    limit = format_bytes(core.heap_limit_bytes)
    return Condition("native_core", True, f"it runs in Spark tasks, each in a JVM with a heap of at most {limit}")


def reached(core: CoreCalls | None) -> CoreCalls:
    """Return the access to the core. Raises `NotEligible` if this installation can't run it."""
    if core is None:
        raise NotEligible(reachable(core).detail)
    return core
