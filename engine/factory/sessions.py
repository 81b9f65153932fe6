"""Spark Connect sessions of one process on every endpoint that it has used; they end with the process."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engine.domain.errors import PackhouseError
from engine.services.operations.tasks.dispatching import Dispatcher
from engine.services.operations.tasks.executors import ask_executor
from engine.services.operations.tasks.servers import EndpointServer, Procedures
from engine.spark.catalogs import SparkCatalogs
from engine.spark.connection import machine_of
from engine.spark.dispatch import SparkDispatcher
from engine.spark.native import SparkProcedures
from engine.spark.sessions import SparkSessions

_USER = "packhouse"


class SessionPool:
    """Sessions of the default endpoint, of this URL, and of others. Files that tasks need are on all of them.

    `pace_url` and `token`: the listener for tasks, which a probe looks for from an executor. `merges`: tasks get the
    compiled pass.
    """

    def __init__(self, url: str, pace_url: str | None, token: Callable[[], str], *, merges: bool = True) -> None:
        self._merges = merges
        self._pace_url, self._token = pace_url, token
        self._files: dict[str, Path] = {}
        self.default = SparkSessions(url=url, user_id=_USER, files=self._files, merges=merges)
        self._others: list[SparkSessions] = []

    def make(self, name: str, url: str) -> EndpointServer:
        """Return the server of another endpoint; nothing is sent."""
        sessions = SparkSessions(url=url, user_id=_USER, endpoint=name, files=self._files, merges=self._merges)
        self._others.append(sessions)
        return self.server(sessions, machine_of(url))

    def server(
        self,
        sessions: SparkSessions,
        machine: str,
        dispatcher: Dispatcher | None = None,
        procedures: Procedures | None = None,
    ) -> EndpointServer:
        """Return the server of some sessions; `dispatcher` and `procedures`: in place of those of Spark Connect."""
        on_spark = SparkDispatcher(sessions=sessions)
        return EndpointServer(
            dispatcher or on_spark,
            procedures or SparkProcedures(sessions=sessions, dispatcher=on_spark),
            machine,
            sessions.version,
            lambda: ask_executor(sessions, url=self._pace_url, token=self._token()),
            SparkCatalogs(sessions=sessions, dispatcher=on_spark),
        )

    def keep(self) -> None:
        """Keep the sessions, as `SparkSessions.keep`; of endpoints that do not answer nothing is kept.

        Raises:
            Transient: the default endpoint does not answer.
        """
        for sessions in self._others:
            with suppress(PackhouseError):  # their probes store that they do not answer
                sessions.keep()
        self.default.keep()

    def close(self) -> None:
        """Close all sessions, which ends their operations."""
        for sessions in (self.default, *self._others):
            sessions.close()
