"""Spark Connect sessions: few, shared by all threads, created on first use and recreated after a server restart.

A session's id is chosen before anything is sent, so that the id can be stored and another worker can attach to a dead
worker's session. Creating one sends the kernel's code; its first Python task costs about two seconds (`warm_up`).
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pyspark.sql.connect.proto as pb2
from pyspark.sql.connect.session import SparkSession

from engine.domain.errors import PackhouseError, Rejected, Transient
from engine.spark.connection import DirectCalls, ShortRetries, channel_builder, require_supported
from engine.spark.errors import translate
from engine.spark.task_zip import write_task_zip

_IDLE_SECONDS: Final = 30 * 60.0
"""Seconds without a call after which the next call starts a new session: servers drop idle ones after an hour."""


class _OperationIds(SparkSession.Hook):
    """Sets the operation id chosen by a thread in the requests that the thread sends."""

    def __init__(self) -> None:
        self._local = threading.local()

    @contextmanager
    def chosen(self, operation_id: str) -> Iterator[None]:
        """Use the id for all operations executed inside."""
        self._local.operation_id = operation_id
        try:
            yield
        finally:
            self._local.operation_id = None

    def on_execute_plan(self, request: pb2.ExecutePlanRequest) -> pb2.ExecutePlanRequest:
        """Set the id in a request; pyspark calls this in the sending thread, just before the request is sent."""
        operation_id = getattr(self._local, "operation_id", None)
        if operation_id is not None:
            request.operation_id = operation_id
        return request


class _Session(SparkSession):
    """A Spark session that stays open until its client is closed explicitly.

    pyspark 4.1 closes a session in `__del__`, in whichever thread collects garbage: that call waits, with a lock of all
    sessions held, for threads that send releases. One of them may be waiting for the very thread that collects (gRPC
    starts a thread for each call), and then every thread that uses Spark waits for ever.
    """

    def __del__(self) -> None:
        """Leave the client open."""


@dataclass(frozen=True, slots=True)
class _Open:
    session: SparkSession
    server_session_id: str
    files: set[str] = field(default_factory=set)


class SparkSessions:
    """Sessions of one process on one server. Thread-safe; all methods except `current_id` block.

    `endpoint`: its name in errors; None: the default one. `files`: those of `provide`, of several servers.
    """

    def __init__(
        self,
        *,
        url: str,
        user_id: str,
        endpoint: str | None = None,
        files: dict[str, Path] | None = None,
        merges: bool = True,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.user_id = user_id
        self.endpoint = endpoint
        self._url = url
        self._merges = merges
        self._monotonic = monotonic
        self._calls: DirectCalls | None = None
        self._ids = _OperationIds()
        self._open: dict[str, _Open] = {}
        self._current = str(uuid.uuid4())
        self._used_at = monotonic()
        self._files = {} if files is None else files  # by name
        self._lock = threading.RLock()  # held for moments only
        self._making = threading.Lock()  # held while a session is created, which takes a second or two

    @property
    def calls(self) -> DirectCalls:
        """Direct calls with deadlines, under any session id."""
        with self._lock:
            if self._calls is None:
                self._calls = DirectCalls(url=self._url, user_id=self.user_id, endpoint=self.endpoint)
            return self._calls

    def current_id(self) -> str:
        """Return the id of the session for new work. Does not block and sends nothing."""
        with self._lock:
            if self._monotonic() - self._used_at > _IDLE_SECONDS:
                self._turn_over()
            return self._current

    def get(self, session_id: str | None = None) -> SparkSession:
        """Return the current session, or the one with this id; create it if the server does not have it.

        Raises:
            Transient: no server, or the server has permanently closed the session with this id.
            Rejected: the server's settings are unsafe for rewrites, or its version is too old.
        """
        wanted = session_id or self.current_id()
        try:
            return self._entered(wanted)
        except Transient as error:
            if not error.details.get("closed"):
                raise
            with self._lock:
                if wanted == self._current:
                    self._turn_over()
            if session_id is not None:
                raise
            return self._entered(self.current_id())

    @contextmanager
    def labelled(self, session: SparkSession, *, tags: Sequence[str], operation_id: str) -> Iterator[None]:
        """Send the operations that this thread executes inside with the tags and the operation id."""
        for tag in tags:
            session.addTag(tag)
        try:
            with self._ids.chosen(operation_id):
                yield
        finally:
            for tag in tags:
                session.removeTag(tag)

    def version(self) -> str:
        """Return the server's Spark version.

        Raises:
            Transient: it does not answer within five seconds.
            Rejected: its version is too old for the tasks.
        """
        return require_supported(self.calls.ask(self.current_id())).version

    def keep(self) -> None:
        """Send a call in the current session, so that the server does not drop it as idle; nothing without a session.

        Call it every ten minutes or so. Spark never ends the Python process of about 50 MB that starts the workers of a
        session, so that a new session after each pause would fill its memory. No task is run: executors may be idle.

        Raises:
            Transient: no server, or it has closed the session.
        """
        with self._lock:
            current = self._current
            held = self._open.get(current)
        if held is not None and self.calls.ask(current).server_session_id == held.server_session_id:
            self._used_at = self._monotonic()

    def warm_up(self, tasks: int) -> None:
        """Start `tasks` Python workers for the current session and import the tasks' modules; takes about 2 seconds."""
        session = self.get()
        try:
            session.range(0, tasks, 1, tasks).mapInArrow(_warm_task(), "id long").toArrow()
        except Exception as error:
            raise translate(error, self.endpoint) from error

    def provide(self, path: Path) -> None:
        """Send a local file, which tasks of this server's sessions find by its name with `SparkFiles.get`.

        Raises:
            Transient: no server.
        """
        if path.name not in self._files:
            self._files[path.name] = path
            self.get()

    def close(self) -> None:
        """Close all sessions, locally and, if it answers, on the server, which ends their operations."""
        with self._making, self._lock:
            opened, self._open = self._open, {}
            calls, self._calls = self._calls, None
        answers = calls
        for session_id, held in opened.items():
            try:
                if answers is not None:
                    answers.release(session_id)
            except PackhouseError:
                answers = None  # the next call would wait as long
            held.session.client.close()
        if calls is not None:
            calls.close()

    def _turn_over(self) -> None:
        """Choose a new current session; work in progress keeps the old one."""
        self._current = str(uuid.uuid4())
        self._used_at = self._monotonic()

    def _entered(self, session_id: str) -> SparkSession:
        server_session_id = require_supported(self.calls.ask(session_id)).server_session_id
        self._used_at = self._monotonic()
        with self._making:
            held = self._open.get(session_id)
            if held is None or held.server_session_id != server_session_id or held.session.client.is_closed:
                self._drop_forgotten(session_id)
                held = _Open(self._create(session_id), server_session_id)
                self._open[session_id] = held
            for name, path in list(self._files.items()):
                if name not in held.files:
                    self._send_file(held.session, path)
                    held.files.add(name)
            return held.session

    def _create(self, session_id: str) -> SparkSession:
        if self.calls.setting(session_id, "spark.speculation", "false") == "true":
            raise Rejected("Spark runs with spark.speculation=true, so that tasks write twice: start it with false")
        builder = channel_builder(self._url, user_id=self.user_id, session_id=session_id)
        try:
            with ExitStack() as undo:
                session = _Session(connection=builder, hook_factories=[lambda _session: self._ids])
                undo.callback(session.client.close)
                session.client.set_retry_policies([ShortRetries()])
                _ = session.version  # gives the client the server's id of the session, by which it detects a restart
                with TemporaryDirectory(prefix="packhouse-") as folder:
                    session.addArtifacts(str(write_task_zip(Path(folder), with_libraries=self._merges)), pyfile=True)
                undo.pop_all()
        except Exception as error:
            raise translate(error, self.endpoint) from error
        return session

    def _drop_forgotten(self, session_id: str) -> None:
        """Close this session's stale client, and those of other sessions that the server has dropped."""
        for other, held in list(self._open.items()):
            if other == session_id or self._is_forgotten(other):
                del self._open[other]
                held.session.client.close()

    def _send_file(self, session: SparkSession, path: Path) -> None:
        try:
            session.addArtifacts(str(path), file=True)
        except Exception as error:
            raise translate(error, self.endpoint) from error

    def _is_forgotten(self, session_id: str) -> bool:
        try:
            self.calls.ask(session_id)
        except PackhouseError as error:
            return bool(error.details.get("closed"))
        return False


def _warm_task() -> Any:
    """Return a task that occupies its worker for a moment, so that the next task starts another worker."""

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import time  # noqa: PLC0415 - runs in a Spark task, where this module does not exist

        import pyarrow.parquet  # noqa: F401, PLC0415 - saves the first real task half a second

        time.sleep(0.3)
        yield from batches

    return work
