"""Spark: operations whose tasks take virtual time by bytes and speed, and go on when their client is gone.

A task moves its bytes through the kernel's own bucket and reports by the kernel's own channel; reading and writing
themselves are modelled. An interrupt is heard at once by the client; the task lives on for up to 2.5 seconds, as
Spark's Python workers do, and leaves what it wrote until then. Every movement is noted in `moves`.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextvars import Context
from dataclasses import dataclass, field
from math import ceil
from random import Random
from typing import Any, Final

from engine.domain.errors import Away, Interrupted, SparkFailed
from engine.domain.fleet.dependencies import DependencyKind
from engine.rewriting.kernel.contract import GroupResult, TaskOutput
from engine.rewriting.kernel.errors import Stopped
from engine.rewriting.kernel.kernel_task import SentKernelTask
from engine.rewriting.kernel.storage.channel import PaceChannel, Post
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.transfer import Moved
from engine.spark.dispatch import Ticket
from tests.simulation.lake import Lake, ModelTable
from tests.simulation.loop import VirtualLoop
from tests.simulation.processes import PROCESS, Process, present

_SLICE_SECONDS: Final = 0.25
_LONGEST_KILL: Final = 2.5


@dataclass(frozen=True, slots=True)
class Move:
    """Bytes that a task moved at an instant of the loop."""

    at: float
    table: str
    run_id: str
    count: int
    operation: "Operation"


@dataclass(eq=False)
class Operation:
    """One operation on the server. `killed_at`: when its tasks are surely dead; `process` sent it."""

    ticket: Ticket
    run_id: str
    table: str
    process: Process | None
    began: float
    over: asyncio.Future[None]
    answers: list[str] = field(default_factory=list)
    error: Exception | None = None
    killed_at: float | None = None
    ended: float | None = None

    def settle(self, *, answers: Sequence[str] = (), error: Exception | None = None) -> None:
        """Let the client hear how it ended; only the first time counts."""
        if not self.over.done():
            self.answers, self.error = list(answers), error
            self.over.set_result(None)


@dataclass
class TaskFaults:
    """How likely a task fails, says that it failed, or hangs; and whether the pace channel can't be reached."""

    raises: float = 0.0
    fails: float = 0.0
    hangs: float = 0.0
    is_deaf: bool = False


class SparkServer:
    """One server for all processes. `speed`: bytes per second of one task, unpaced."""

    def __init__(self, *, loop: VirtualLoop, random: Random, lake: Lake, post: Post, speed: float) -> None:
        self.loop = loop
        self.random = random
        self.lake = lake
        self.post = post
        self.speed = speed
        self.away = False
        self.faults = TaskFaults()
        self.moves: list[Move] = []
        self.operations: list[Operation] = []
        self.stopped: set[tuple[str, str]] = set()

    def forget(self) -> None:
        """Restart: all sessions are gone, all tasks die."""
        for operation in self.operations:
            self.end(operation, Away(DependencyKind.SPARK, "the server was restarted"))

    def end(self, operation: Operation, error: Exception) -> None:
        """Cut an operation off: its client hears it now, its task dies a little later."""
        if not operation.over.done():
            operation.settle(error=error)
            operation.killed_at = self.loop.time() + self.random.uniform(0.0, _LONGEST_KILL)

    def is_alive(self, operation: Operation) -> bool:
        """True while its task may move bytes."""
        if operation.ended is not None:
            return False
        return operation.killed_at is None or self.loop.time() < operation.killed_at

    def of(self, tag: str) -> list[Operation]:
        return [operation for operation in self.operations if operation.ticket.tag == tag]


class ModelDispatcher:
    """One process's way to the server: `services.operations.tasks.dispatching.Dispatcher`."""

    def __init__(self, server: SparkServer, session_id: str) -> None:
        self._server = server
        self._session_id = session_id

    def ticket(self, run_id: str, attempt: int, part: int) -> Ticket:
        tag = f"packhouse-{run_id}-{attempt}"
        return Ticket(self._session_id, "simulation", tag, f"{self._session_id}/{tag}/{part}")

    def run(self, ticket: Ticket, _function: Callable[[str], str], payloads: Sequence[str]) -> list[str]:
        server = self._server
        self._reach()
        if (ticket.session_id, ticket.tag) in server.stopped:
            raise Interrupted(f"operations with the tag {ticket.tag} were stopped")
        tasks = [SentKernelTask.from_json(payload) for payload in payloads]
        table = tasks[0].storage["table"]
        operation = Operation(
            ticket, tasks[0].task.identity.run_id, table, PROCESS.get(), server.loop.time(), server.loop.create_future()
        )
        server.operations.append(operation)
        Context().run(server.loop.run_in_executor, None, lambda: _Execution(server, operation).work(tasks))
        server.loop.block(operation.over)
        present()
        if operation.error is not None:
            raise operation.error
        return operation.answers

    def ping(self) -> None:
        self._reach()

    def interrupt(self, tag: str, *, session_id: str) -> None:
        self._reach()
        self._server.stopped.add((session_id, tag))
        for operation in self._server.of(tag):
            self._server.end(operation, Interrupted("the operation was interrupted"))

    def has_repeated(self, tag: str, *, session_id: str) -> bool:
        return False  # no task is executed twice in this model

    def wait_gone(self, tag: str, *, session_id: str, timeout: float) -> bool:
        until = self._server.loop.time() + timeout
        self.interrupt(tag, session_id=session_id)
        while any(self._server.is_alive(operation) for operation in self._server.of(tag)):
            if self._server.loop.time() >= until:
                return False
            self._server.loop.pause(0.1)
            self._reach()
        return True

    def _reach(self) -> None:
        present()
        if self._server.random.random() < 0.3:
            self._server.loop.pause(self._server.random.uniform(0.001, 0.02))
            present()
        if self._server.away:
            self._server.loop.pause(self._server.random.uniform(0.01, 2.0))
            raise Away(DependencyKind.SPARK, "Spark does not answer")


class _Dead(BaseException):
    """The end of a task that was killed."""


class _Execution:
    """The task of one operation: its groups one after the other."""

    def __init__(self, server: SparkServer, operation: Operation) -> None:
        self._server = server
        self._operation = operation

    def work(self, tasks: Sequence[SentKernelTask]) -> None:
        operation = self._operation
        try:
            operation.settle(answers=[_Task(self._server, operation, task).run().to_json() for task in tasks])
        except _Dead:
            pass
        except Exception as error:  # noqa: BLE001 - whatever a task raises is its answer
            operation.settle(error=SparkFailed(str(error)))
        operation.ended = self._server.loop.time()


class _Task:
    """One group: reads its inputs, writes its outputs, slice by slice at its share."""

    def __init__(self, server: SparkServer, operation: Operation, sent: SentKernelTask) -> None:
        self._server = server
        self._loop = server.loop
        self._operation = operation
        self._sent, self._task = sent, sent.task
        self._table: ModelTable = next(t for ref, t in server.lake.tables.items() if str(ref) == operation.table)
        self._bucket = Bucket(
            bytes_per_second=sent.pace.bytes_per_second,
            requests_per_second=sent.pace.requests_per_second,
            clock=self._loop.time,
            pause=self._wait,
        )
        self._read = self._written = self._requests = 0
        self._waiting: Any = None
        self._is_closed = False
        self._channel = PaceChannel(
            identity=sent.task.identity, pace=sent.pace, bucket=self._bucket, moved=self._moved, post=self._post
        )

    def run(self) -> GroupResult:
        self._loop.run_in_executor(None, self._report)
        begun = self._loop.time()
        try:
            return self._rewrite(begun)
        except Stopped:
            self._discard()
            return self._result("stopped", begun)
        finally:
            self._is_closed = True
            if self._sent.pace.channel_url is not None and not self._is_dead():
                self._channel.beat(finished=True)

    def _rewrite(self, begun: float) -> GroupResult:
        luck, faults = self._server.random.random(), self._server.faults
        size = sum(each.file_bytes for each in self._task.read.files)
        self._move(int(size * self._server.random.random()) if luck < faults.raises + faults.hangs else size)
        if luck < faults.raises:
            raise RuntimeError("a file can't be read")
        if luck < faults.raises + faults.hangs:
            until = self._loop.time() + self._server.random.uniform(5, 60)
            while self._loop.time() < until:
                self._check()
                self._loop.pause(0.5)
            raise RuntimeError("the storage did not answer")
        if luck < faults.raises + faults.hangs + faults.fails:
            return self._result("failed", begun, reason="a count is wrong")
        seconds_reading = self._loop.time() - begun
        rows, deleted = self._rows()
        outputs = self._write(sorted(rows), round(size * len(rows) / max(1, len(rows) + deleted)))
        return self._result("written", begun, outputs=outputs, rows=len(rows), deleted=deleted, reading=seconds_reading)

    def _rows(self) -> tuple[frozenset[int], int]:
        """Return the rows of the inputs, less those that are deleted by what the plan knew."""
        storage, inputs = self._table.storage, self._task.read.files
        if missing := [each.path for each in inputs if each.path not in storage]:
            raise RuntimeError(f"{missing[0]} is not there")
        whole = frozenset(row for each in inputs for row in storage[each.path])
        dead = frozenset(row for each in inputs for path in each.delete_paths for row in self._table.deletes[path])
        return whole - dead, len(dead)

    def _write(self, rows: Sequence[int], size: int) -> tuple[TaskOutput, ...]:
        write = self._task.write
        count = max(1, min(write.file_count, ceil(size / write.settings.target_file_bytes)))
        outputs = []
        for number in range(count):
            part = rows[number * len(rows) // count : (number + 1) * len(rows) // count]
            path = f"{self._sent.stem}{number}.parquet"
            self._table.store(path, frozenset())  # half written
            self._move(size // count, is_write=True)
            self._table.store(path, frozenset(part))
            outputs.append(TaskOutput(path, max(1, size // count), len(part), ""))
        return tuple(outputs)

    def _move(self, size: int, *, is_write: bool = False) -> None:
        speed = self._server.speed
        while size > 0:
            self._check()
            count = min(size, self._bucket.slice_bytes or int(speed * _SLICE_SECONDS), int(speed * _SLICE_SECONDS))
            self._bucket.take(count, 1)
            self._check()
            size -= count
            self._requests += 1
            if is_write:
                self._written += count
            else:
                self._read += count
            self._server.moves.append(
                Move(self._loop.time(), self._operation.table, self._task.identity.run_id, count, self._operation)
            )
            self._loop.pause(count / speed)

    def _result(
        self,
        outcome: str,
        begun: float,
        *,
        outputs: tuple[TaskOutput, ...] = (),
        rows: int = 0,
        deleted: int = 0,
        reading: float = 0.0,
        reason: str | None = None,
    ) -> GroupResult:
        return GroupResult(
            group=self._task.identity.group,
            outcome=outcome,
            reason=reason,
            outputs=outputs,
            rows_read=rows + deleted,
            rows_deleted=deleted,
            rows_written=rows,
            bytes_read=self._read,
            bytes_written=self._written,
            requests=self._requests,
            seconds_reading=reading,
            seconds_writing=max(0.0, self._loop.time() - begun - reading),
            throttled_seconds=self._bucket.throttled_seconds,
        )

    def _discard(self) -> None:
        for path in [path for path in self._table.storage if path.startswith(self._sent.stem)]:
            del self._table.storage[path]

    def _moved(self) -> Moved:
        return Moved(self._read, self._written, self._requests)

    def _report(self) -> None:
        if self._sent.pace.channel_url is None:
            return
        while not self._is_closed and not self._is_dead():
            self._channel.beat()
            if self._waiting is not None and not self._waiting.done():
                self._waiting.set_result(None)
            self._loop.pause(self._sent.pace.interval_seconds)

    def _post(self, url: str, headers: dict[str, str], body: bytes) -> bytes:
        if self._server.faults.is_deaf:
            self._loop.pause(0.5)
            raise OSError("the pace channel can't be reached")
        return self._server.post(url, headers, body)

    def _wait(self, _changed: object, seconds: float) -> None:
        """Wait for the bucket, until the next answer of the channel at the latest."""
        self._waiting = self._loop.create_future()
        timer = self._loop.call_later(
            seconds, lambda waiting: waiting.done() or waiting.set_result(None), self._waiting
        )
        self._loop.block(self._waiting)
        timer.cancel()
        self._check()

    def _check(self) -> None:
        if self._is_dead():
            raise _Dead
        self._bucket.check()

    def _is_dead(self) -> bool:
        killed_at = self._operation.killed_at
        return killed_at is not None and self._loop.time() >= killed_at
