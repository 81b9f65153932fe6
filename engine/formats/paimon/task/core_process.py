"""The child JVM with Paimon's core: one for each Python process, kept between tasks.

It is a process of its own, so that a compaction can be stopped at once, has a bounded heap, and ends alone when the
heap is too small. It listens on the loopback interface only, requires a token, and ends when its standard input is
closed: that is when this Python process ends for any reason.
"""

import os
import shutil
import subprocess
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

from py4j.java_gateway import GatewayClient, GatewayConnection, GatewayParameters, JavaGateway
from py4j.protocol import Py4JError, Py4JJavaError

from engine.formats.paimon.task.errors import CoreFault, OutOfHeap, fault_of
from engine.formats.paimon.task.places import class_path, find_java, upload_folder

START_SECONDS: Final = 60
"""A JVM that does not listen after this time is killed."""

_ENDING_SECONDS: Final = 2
_TAIL_LINES: Final = 60
_LINE_CHARACTERS: Final = 400
_REASON_CHARACTERS: Final = 4000
_MOST_CAUSES: Final = 6
_OUT_OF_HEAP: Final = 3
"""The exit code of `-XX:+ExitOnOutOfMemoryError`."""


class CoreProcess:
    """A JVM with Paimon's core, started by the constructor.

    `conditional_stores`: those that are known to have conditional writes.

    Args:
        path: the class path.
        heap_bytes: its largest heap.

    Raises:
        CoreFault: it could not be started.
    """

    def __init__(self, *, path: str, heap_bytes: int) -> None:
        self._made_for = (os.getpid(), path)
        self._heap_bytes = heap_bytes
        self.conditional_stores: set[str] = set()
        self._tail: deque[str] = deque(maxlen=_TAIL_LINES)
        self._process = _start(path, heap_bytes)
        port, token = self._greeting()
        self._drains = [
            threading.Thread(target=self._drain, args=(stream,), name="packhouse-core", daemon=True)
            for stream in (self._process.stdout, self._process.stderr)
        ]
        for thread in self._drains:
            thread.start()
        parameters = GatewayParameters(port=port, auth_token=token, auto_convert=True)
        self._gateway = _Gateway(gateway_parameters=parameters)
        self._client = self._gateway._gateway_client  # noqa: SLF001 - py4j has no public name for it

    @property
    def jvm(self) -> Any:
        """The root of Java packages; calls raise errors that `explained` translates."""
        return self._gateway.jvm

    @property
    def pid(self) -> int:
        """The process id of the JVM."""
        return self._process.pid

    def array(self, *values: Any) -> Any:
        """Return Java objects as an array of type `Object[]`."""
        made = self._gateway.new_array(self.jvm.java.lang.Object, len(values))
        for at, value in enumerate(values):
            made[at] = value
        return made

    def serves(self, path: str, heap_bytes: int) -> bool:
        """Return whether it answers, was started by this process, and has this class path and at least this heap."""
        is_fitting = self._made_for == (os.getpid(), path) and self._heap_bytes >= heap_bytes
        return is_fitting and self._process.poll() is None and self._answers()

    def kill(self) -> None:
        """End the JVM at once. Calls in other threads fail."""
        self._client.is_connected = False  # otherwise each collected object tries to connect
        self._process.kill()
        self._process.wait()
        self._client.close()
        if self._process.stdin is not None:
            self._process.stdin.close()
        for thread in self._drains:
            thread.join(_ENDING_SECONDS)
        shutil.rmtree(upload_folder(), ignore_errors=True)  # a killed JVM leaves its parts of files

    def explained(self, error: Exception) -> Exception:
        """Return the error of a call as a `CoreFault` with the core's messages; other errors as they are."""
        if isinstance(error, Py4JJavaError):
            with suppress(Py4JError, OSError):
                return fault_of(_causes(error.java_exception))
        if not isinstance(error, (Py4JError, OSError)):
            return error
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING_SECONDS)
        code = self._process.poll()
        if code == _OUT_OF_HEAP:
            return OutOfHeap(
                f"the heap of Paimon's core, {self._heap_bytes / 2**20:.0f} MiB, is too small for this bucket: "
                "raise PACKHOUSE_PAIMON_HEAP_BYTES, or give the table more buckets"
            )
        state = "does not answer" if code is None else f"ended with code {code}"
        return CoreFault(f"the JVM of Paimon's core {state}: {error}; its last messages: {self._last_messages()}")

    def _answers(self) -> bool:
        try:
            self.jvm.java.lang.System.nanoTime()
        except (Py4JError, OSError):
            return False
        return True

    def _greeting(self) -> tuple[int, str]:
        """Read port and token, which the JVM prints first."""
        output = self._process.stdout
        assert output is not None  # noqa: S101 - a pipe
        limit = threading.Timer(START_SECONDS, self._process.kill)
        limit.start()
        try:
            port, token = output.readline(), output.readline()
        finally:
            limit.cancel()
        if not port.strip().isdigit() or not token:
            self._process.kill()
            _, errors = self._process.communicate()
            text = (port + token + errors).decode(errors="replace").strip()[-_REASON_CHARACTERS:]
            raise CoreFault(f"the JVM of Paimon's core did not start: {text or 'no answer'}")
        return int(port), token.decode().strip()

    def _drain(self, stream: IO[bytes]) -> None:
        """Keep the last lines of a stream until it ends, then close it."""
        with stream:
            while line := stream.readline(_LINE_CHARACTERS):
                self._tail.append(line.decode(errors="replace").rstrip())

    def _last_messages(self) -> str:
        return "\n".join(self._tail)[-_REASON_CHARACTERS:] or "none"


class CoreProcesses:
    """Lends the child JVM of this process to one task at a time; starts another if it ended or does not fit."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._child: CoreProcess | None = None

    @contextmanager
    def lend(self, jar: str, heap_bytes: int, store_jar: str = "") -> Iterator[CoreProcess]:
        """Lend the child. The thread that has it may borrow again: it gets a new one if the first has ended.

        Raises:
            CoreFault: it can't be started.
        """
        with self._lock:
            yield self._fitting(class_path(jar, store_jar), heap_bytes)

    def close(self) -> None:
        """End the child. The next task starts another one."""
        with self._lock:
            if self._child is not None:
                self._child.kill()
                self._child = None

    def _fitting(self, path: str, heap_bytes: int) -> CoreProcess:
        child = self._child
        if child is None or not child.serves(path, heap_bytes):
            self.close()
            self._child = CoreProcess(path=path, heap_bytes=heap_bytes)
            return self._child
        return child


class _Gateway(JavaGateway):  # type: ignore[misc]  # py4j has no types
    def _create_gateway_client(self) -> "_Client":
        return _Client(gateway_parameters=self.gateway_parameters)


class _Client(GatewayClient):  # type: ignore[misc]
    """Closes the socket of a connection that fails, such as to a JVM that has ended; py4j leaves it open."""

    def _create_connection(self) -> Any:
        connection = GatewayConnection(self.gateway_parameters, self.gateway_property)
        connection.stream = None  # `close` reads it, also if `start` did not get as far as to set it
        try:
            connection.start()
        except BaseException:
            connection.close()
            raise
        return connection


CORE_PROCESSES: Final = CoreProcesses()
"""The child of this process; none is started before the first task."""


def _start(path: str, heap_bytes: int) -> "subprocess.Popen[bytes]":
    options = [
        f"-Xmx{heap_bytes // 1024}k",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        # the core reads and writes local times of ORC files in the zone of its JVM: others than UTC have hours that
        # they skip or repeat, and times within them would change
        "-Duser.timezone=UTC",
    ]
    gateway = ["py4j.GatewayServer", "--die-on-broken-pipe", "--enable-auth", "0"]
    return subprocess.Popen(  # noqa: S603 - no shell
        [str(find_java()), *options, "-classpath", path, *gateway],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def _causes(exception: Any) -> list[str]:
    """Return the texts of a Java exception and its causes, each beginning with the name of its class."""
    texts: list[str] = []
    while exception is not None and len(texts) < _MOST_CAUSES:
        texts.append(str(exception.toString())[:_REASON_CHARACTERS])
        exception = exception.getCause()
    return texts
