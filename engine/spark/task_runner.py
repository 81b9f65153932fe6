"""Requests of table formats that run in Spark tasks outside of any run's tasks, and the files that they need."""

import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Final

from engine.spark.dispatch import SparkDispatcher, Ticket
from engine.spark.sessions import SparkSessions

_TAG: Final = "packhouse-core"
"""Tag of these requests; nothing stops operations with it."""


class SparkTaskRunner:
    """Runs `function` on one Spark Connect server, as `formats.paimon.rewrite.core.TaskRunner`. Thread-safe; blocks."""

    def __init__(self, *, sessions: SparkSessions, dispatcher: SparkDispatcher, function: Callable[[str], str]) -> None:
        self._sessions = sessions
        self._dispatcher = dispatcher
        self._function = function

    def provide_file(self, path: Path) -> str:
        """Return the name under which tasks of every session find a local file, now and later.

        Raises:
            Transient: Spark does not answer.
        """
        self._sessions.provide(path)
        return path.name

    def run(self, request: str) -> str:
        """Run a request in a Spark task and return its answer.

        It is not part of a run's tasks: a stopped run does not stop a commit on its way.

        Raises:
            Transient, SparkFailed: no answer; the task may have done its work.
        """
        ticket = Ticket(self._sessions.current_id(), self._sessions.user_id, _TAG, str(uuid.uuid4()))
        (answer,) = self._dispatcher.run(ticket, self._function, [request])
        return answer
