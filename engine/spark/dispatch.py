"""Run a task function or a statement on Spark, and stop operations, including those sent by dead workers.

Spark reports little about ended operations, so `wait_gone` combines evidence with a time bound (measured on 4.1.4):
- `interruptTag` returns an operation only the first time. No id means "not running" or "already interrupted".
- Whether an operation has ended is checked by attaching to it. An ended operation may leave its Python task running:
  Spark checks every two seconds whether a task was killed, waits `spark.python.task.killTimeout` (2 s by default), and
  only then kills the Python process, without `finally`. Measured: up to 3.4 s by default, up to 1.4 s with 100 ms.
So "gone" means that the server runs no operation of the tag, and that this bound has passed since tasks were last cut
off. There is no such wait where this process sent only statements, since a procedure commits within its operation. An
executor that lost its driver is not covered; attempt-specific output names and the check at commit protect against it.
"""

import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from pyspark.sql.connect.session import SparkSession
from pyspark.sql.dataframe import DataFrame
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from engine.domain.errors import PackhouseError, SparkFailed
from engine.spark.errors import translate
from engine.spark.sent import SentOperations
from engine.spark.sessions import SparkSessions
from engine.tracing.spans import headers

_SCHEMA: Final = StructType(
    [StructField("answer", StringType(), nullable=False), StructField("task_attempt", IntegerType(), nullable=False)]
)
_NAMESPACE: Final = uuid.UUID("5d1f7c3e-6d0b-5a8e-9f59-0c6a1f3f2b77")
_POLL_SECONDS: Final = 0.1
_KILL_POLL_SECONDS: Final = 2.0  # PythonRunner's MonitorThread, fixed in Spark's source
_KILL_MARGIN_SECONDS: Final = 1.0  # a thread of a JVM on a busy machine wakes late
_ATTEMPTS_KEPT: Final = 4096


@dataclass(frozen=True, slots=True)
class Ticket:
    """Identity of an operation, stored before it is sent. Parts of an attempt share the tag, not the operation id."""

    session_id: str
    user_id: str
    tag: str
    operation_id: str


class SparkDispatcher:
    """Sends and stops operations. Thread-safe; `ticket` returns at once, all other methods block."""

    def __init__(self, *, sessions: SparkSessions) -> None:
        self._sessions = sessions
        self._sent = SentOperations()
        self._attempts: OrderedDict[tuple[str, int], str] = OrderedDict()

    def ticket(self, run_id: str, attempt: int, part: int) -> Ticket:
        """Return the identity of one part of an attempt, the same for the same arguments while this process lives.

        All parts of an attempt belong to one session, so that one session id and one tag are enough to stop them all.
        """
        session_id = self._attempts.setdefault((run_id, attempt), self._sessions.current_id())
        while len(self._attempts) > _ATTEMPTS_KEPT:
            self._attempts.popitem(last=False)
        tag = f"packhouse-{run_id}-{attempt}"
        operation_id = str(uuid.uuid5(_NAMESPACE, f"{session_id}/{tag}/{part}"))
        return Ticket(session_id, self._sessions.user_id, tag, operation_id)

    def ping(self) -> None:
        """Check that the server answers.

        Raises:
            Away: no answer within about ten seconds.
        """
        self._sessions.version()

    def run(self, ticket: Ticket, function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        """Run the function over the payloads, one after the other in one Spark task; return its results in that order.

        The function must be importable from the kernel's zip, or one that pickles by value (a nested one). A ticket
        is valid for one call: the server refuses a known operation id.

        Raises:
            Transient: no server, or it has lost the session or operation; a task may still be running.
            SparkFailed: the function raised, or its Python process died; contains the first cause.
            Interrupted: the tag was stopped, before or while this ran.
        """
        if not payloads:
            return []
        with self._sending(ticket, has_tasks=True) as session:
            table = session.range(0, 1, 1, 1).mapInArrow(_task(function, list(payloads)), _SCHEMA).toArrow()
        answers: list[str] = table["answer"].to_pylist()
        if any(table["task_attempt"].to_pylist()):
            self._sent.repeat(ticket.session_id, ticket.tag)
        if len(answers) != len(payloads):
            raise SparkFailed(f"{len(payloads)} payloads were sent and {len(answers)} answers came back")
        return answers

    def execute(self, ticket: Ticket, statement: str) -> DataFrame:
        """Run a statement with `spark.sql`, once; its changes to tables are made when this returns.

        Raises: as `run`.
        """
        with self._sending(ticket) as session:
            return session.sql(statement)

    def rows(self, ticket: Ticket, query: str) -> list[dict[str, Any]]:
        """Return the rows of a `spark.sql` query; `ticket` identifies the statement, the read has an id of its own.

        Raises: as `run`.
        """
        found = self.execute(ticket, query)
        with self._sending(replace(ticket, operation_id=str(uuid.uuid4()))):
            rows: list[dict[str, Any]] = found.toArrow().to_pylist()
            return rows

    @contextmanager
    def _sending(self, ticket: Ticket, *, has_tasks: bool = False) -> Iterator[SparkSession]:
        """Send the operations executed inside under a ticket; translate errors into those of the domain."""
        with self._sent.sending(ticket.session_id, ticket.tag, has_tasks=has_tasks):
            session = self._sessions.get(ticket.session_id)
            tags = (ticket.tag, *(f"{name}-{value}" for name, value in headers().items()))
            with self._sessions.labelled(session, tags=tags, operation_id=ticket.operation_id):
                try:
                    yield session
                except Exception as error:
                    raise translate(error, self._sessions.endpoint) from error

    def interrupt(self, tag: str, *, session_id: str) -> None:
        """Ask the server to stop every operation with this tag, and refuse new ones under it. Idempotent.

        Works for sessions of other processes that use the same user id. Measured: 0.02 s; up to a second for a
        statement that was just sent.

        Raises:
            Transient: no server; operations sent before may still be running.
        """
        self._sent.stop(session_id, tag, set())
        time.sleep(self._sent.seconds_to_first_job(session_id, tag))
        self._sent.stop(session_id, tag, self._sessions.calls.interrupt(session_id, tag))

    def has_repeated(self, tag: str, *, session_id: str) -> bool:
        """Return whether Spark executed a task of this tag, sent by this process, more than once.

        Happens only after a lost try: speculation is refused (`SparkSessions`). The output of such a try is unused, and
        it may still run on an executor that is slow to die; `wait_gone` waits for it as for an interrupted task.
        """
        return self._sent.has_repeated(session_id, tag)

    def wait_gone(self, tag: str, *, session_id: str, timeout: float) -> bool:
        """Stop every operation with this tag and wait, up to `timeout` seconds, until no task of them can be alive.

        Returns False when that is not certain in time. If all operations of the tag ended normally, returns at once.

        Raises:
            Transient: no server.
        """
        deadline = time.monotonic() + timeout
        while True:
            self.interrupt(tag, session_id=session_id)
            for operation_id in self._sent.interrupted(session_id, tag):
                if not self._sessions.calls.is_running(session_id, operation_id):
                    self._sent.ended(session_id, tag, operation_id)
            if not self._sent.interrupted(session_id, tag) and not self._sent.is_running(session_id, tag):
                return self._wait_for_tasks(tag, session_id, deadline)
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL_SECONDS)

    def _wait_for_tasks(self, tag: str, session_id: str, deadline: float) -> bool:
        """Wait for the time after which Spark has killed the Python tasks of interrupted operations."""
        since = self._sent.seconds_since_cut_off(session_id, tag)
        if since is None:
            return True
        own = self._sessions.get().session_id  # the other session may be closed, and the setting is the server's
        timeout = self._sessions.calls.duration(own, "spark.python.task.killTimeout", "2s")
        remaining = _KILL_POLL_SECONDS + timeout + _KILL_MARGIN_SECONDS - since
        time.sleep(max(0.0, min(remaining, deadline - time.monotonic())))
        return time.monotonic() - deadline < 0 or remaining <= 0


@contextmanager
def limited(dispatcher: SparkDispatcher, sessions: SparkSessions, tag: str, seconds: float) -> Iterator[Ticket]:
    """Yield a ticket of its own for one operation, which is stopped after some seconds: it then raises `Interrupted`.

    `tag`: the beginning of the operation's tag.
    """
    operation_id = str(uuid.uuid4())
    ticket = Ticket(sessions.current_id(), sessions.user_id, f"{tag}-{operation_id}", operation_id)

    def stop() -> None:
        with suppress(PackhouseError):  # without the server the call ends too, with the same error
            dispatcher.interrupt(ticket.tag, session_id=ticket.session_id)

    stopper = threading.Timer(seconds, stop)
    stopper.daemon = True
    stopper.start()
    try:
        yield ticket
    finally:
        stopper.cancel()


def _task(function: Callable[[str], str], payloads: list[str]) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Return the function that Spark calls in the task. Pickled by value: may use only what executors can import."""

    def work(batches: Iterable[Any]) -> Iterator[Any]:
        import zipimport  # noqa: PLC0415 - in a Spark task, where this module does not exist

        import pyarrow as pa  # noqa: PLC0415
        from pyspark import TaskContext  # noqa: PLC0415

        context = TaskContext.get()
        number = pa.array([context.attemptNumber() if context else 0], pa.int32())
        # Before every task pyspark makes Python read the directories of pyspark.zip and spark-core.jar again, which
        # wastes 0.1 s (https://github.com/python/cpython/issues/103200). Zips on a worker's path never change.
        zipimport.zipimporter.invalidate_caches = lambda _importer: None  # type: ignore[assignment]
        for _ in batches:
            pass
        for payload in payloads:
            answer = pa.array([function(payload)], pa.string())
            yield pa.RecordBatch.from_pydict({"answer": answer, "task_attempt": number})

    return work
