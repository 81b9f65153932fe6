"""Calls of Paimon's core in Spark tasks, and its jar, which is sent to Spark when it is needed first."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Final

from engine.spark.dispatch import SparkDispatcher, Ticket
from engine.spark.sessions import SparkSessions

_TAG: Final = "packhouse-core"
"""Tag of these calls; nothing stops operations with it."""


class SparkCore:
    """Access to the core through one Spark Connect server. Thread-safe; all methods block.

    `function` runs a request in a task; `find_jar` returns the local path of Paimon's jar, and `find_store_jar` that of
    its S3 file system; both may download it. `heap_limit_bytes`: the most heap of the core's JVM in a task.
    """

    def __init__(
        self,
        *,
        sessions: SparkSessions,
        dispatcher: SparkDispatcher,
        function: Callable[[str], str],
        find_jar: Callable[[], Path],
        find_store_jar: Callable[[], Path],
        heap_limit_bytes: int,
    ) -> None:
        self.heap_limit_bytes = heap_limit_bytes
        self._function = function
        self._sessions = sessions
        self._dispatcher = dispatcher
        self._find_jar = find_jar
        self._find_store_jar = find_store_jar

    def jar(self) -> str:
        """Return the name under which tasks of every session find the jar, now and later.

        Raises:
            Transient: it can't be downloaded, or Spark does not answer.
            InvalidInput: there is no such jar.
        """
        return self._provide(self._find_jar())

    def store_jar(self) -> str:
        """Return the same of the jar of the S3 file system, which is only sent if a table needs it. Raises as `jar`."""
        return self._provide(self._find_store_jar())

    def _provide(self, path: Path) -> str:
        self._sessions.provide(path)
        return path.name

    def run(self, request: str) -> str:
        """Run a request of the core in a Spark task and return its answer.

        It is no part of a run's tasks: a stopped run does not stop a commit on its way.

        Raises:
            Transient, SparkFailed: no answer; the task may have done its work.
        """
        ticket = Ticket(self._sessions.current_id(), self._sessions.user_id, _TAG, str(uuid.uuid4()))
        (answer,) = self._dispatcher.run(ticket, self._function, [request])
        return answer
