"""Calls of Paimon's core in tasks (`engine.formats.paimon.task`), and its jars, which tasks get when first needed."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from engine.formats.base import TaskRunner


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
