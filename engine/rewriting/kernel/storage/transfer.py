"""Reads and writes of a task: every transferred byte is paced, counted and timed here.

Requests: one for each read call that reaches the storage, and what a store tells for opening, creating, writing and
finishing a file (`stores.files`). A store that is busy or does not answer is asked again after a growing wait.
"""

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

import pyarrow as pa

from engine.rewriting.kernel.errors import (
    AccessRefused,
    InputFault,
    KernelError,
    OutputFault,
    StorageCredentialsExpired,
    StorageFault,
)
from engine.rewriting.kernel.storage.answers import is_expired, is_of_a_store, is_refused, is_stale, patience, waits
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket
from engine.rewriting.kernel.storage.stores.files import OpenFile, Output

T = TypeVar("T")

MOST_RENEWALS: Final = 5
"""Times that one request is sent again with renewed credentials: they may end again while it waits behind others."""


TOGETHER_BYTES: Final = 2**20
"""Bytes from which buffers that are written together are sent."""


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes and requests of a task since it started."""

    bytes_read: int = 0
    bytes_written: int = 0
    requests: int = 0


class Transfer:
    """Reads and writes files of one task under its share."""

    def __init__(
        self,
        *,
        storage: Storage,
        bucket: Bucket,
        clock: Callable[[], float] = time.monotonic,
        writing: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Make it; each write is done inside of a context of `writing`."""
        self.storage = storage
        self.bucket = bucket
        self._clock = clock
        self._writing = writing
        self._lock = threading.Lock()
        self._read = 0
        self._written = 0
        self._requests = 0
        self.seconds_writing = 0.0
        self.times_busy = 0
        """Times that the storage asked for fewer requests, or gave no answer."""

    @property
    def moved(self) -> Moved:
        """Totals so far."""
        return Moved(self._read, self._written, self._requests)

    def open(self, uri: str, expected_bytes: int | None = None) -> "OpenInput":
        """Open a file for reading; `expected_bytes` is its size by the manifest.

        Raises:
            InputFault: it can't be opened.
            StorageFault: the storage refused or did not answer.
        """
        store, path = self.storage.find(uri)
        requests = store.requests_to_open(expected_bytes)
        handle = self.asked(InputFault, uri, lambda: store.open(path, expected_bytes), requests=requests)
        return OpenInput(uri, handle, self)

    def create(self, uri: str) -> "OutputSink":
        """Create a file. Raises OutputFault when one of that name exists, or it can't be created."""
        store, path = self.storage.find(uri)
        self.charge(requests=store.requests_to_create)
        with writing(uri):
            return OutputSink(uri, store.create(path), self)

    def asked(self, kind: type[KernelError], uri: str, ask: Callable[[], T], *, read: int = 0, requests: int = 0) -> T:
        """Charge a request to the share and send it; again while the store is busy, and with renewed credentials.

        Raises:
            KernelError: `kind`, for a fault of the file.
            StorageFault: the storage refused, or did not answer (`answers.patience`).
            Stopped: the task was ordered to stop.
        """
        begun, pauses, renewals = self._clock(), waits(), 0
        while True:
            self.charge(read=read, requests=requests)
            used = self.storage.used
            try:
                return ask()
            except OSError as error:
                if renewals < MOST_RENEWALS and is_stale(error) and self.storage.renew(used):
                    renewals, read = renewals + 1, 0
                    continue
                if self._clock() - begun >= patience(error):
                    raise fault_of(kind, uri, error) from error
                self.times_busy += 1
                self.bucket.rest(next(pauses))
                read = 0  # these bytes did not come

    @contextmanager
    def timed_writing(self) -> Iterator[None]:
        """Add the time inside to the seconds spent on writing, including waits for the share."""
        begun = self._clock()
        with self._writing():
            yield
        self.seconds_writing += self._clock() - begun

    def now(self) -> float:
        """Return the task's clock."""
        return self._clock()

    def charge(self, *, read: int = 0, written: int = 0, requests: int = 0) -> None:
        """Wait for the share of these bytes and requests, and count them. Raises Stopped."""
        self.bucket.take(read + written, requests)
        with self._lock:
            self._read += read
            self._written += written
            self._requests += requests


def fault_of(kind: type[KernelError], uri: str, error: OSError) -> KernelError:
    """Return the fault for a storage error: of the file, or `StorageFault` for what a remote store answered.

    Errors of a store differ by their text only (`storage.answers`).
    """
    text = str(error)
    if not is_of_a_store(error):
        return kind(f"{uri}: {text}")
    if is_expired(text):
        return StorageCredentialsExpired(f"{uri}: {text}")
    if is_refused(text):
        return AccessRefused(f"{uri}: {text}; give the catalog's properties credentials that may do this")
    return StorageFault(f"{uri}: {text}")


class writing:  # noqa: N801 - used as a statement: `with writing(uri):`
    """Context manager that adds the file's name to errors that the storage raises during a write."""

    def __init__(self, uri: str) -> None:
        self._uri = uri

    def __enter__(self) -> None:
        """Enter the context."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """Turn the storage's errors into kernel errors."""
        if isinstance(error, OSError):
            raise fault_of(OutputFault, self._uri, error) from error


class OpenInput:
    """An open input. Several threads may read at once."""

    def __init__(self, uri: str, handle: OpenFile, transfer: Transfer) -> None:
        self.uri = uri
        self._handle = handle
        self._transfer = transfer

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return self._handle.size()

    def read(self, offset: int, length: int) -> pa.Buffer:
        """Read exactly `length` bytes, in one request unless a share limits it to slices.

        Raises:
            InputFault: the file ends before, or can't be read.
            StorageFault: the storage refused or did not answer.
        """
        pieces: list[memoryview] = []
        done = 0
        while done < length:
            part = min(length - done, self._transfer.bucket.slice_bytes or length)
            ask = partial(self._handle.read, offset + done, part)
            got = memoryview(self._transfer.asked(InputFault, self.uri, ask, read=part, requests=1))
            if not got:
                raise InputFault(f"{self.uri}: ends at byte {offset + done}, {offset + length} expected")
            pieces.append(got)
            done += len(got)
        return pa.py_buffer(pieces[0] if len(pieces) == 1 else b"".join(pieces))

    def close(self) -> None:
        """Close the file."""
        self._handle.close()


class WriteOnly:
    """The answers of a file object that can only be written, which Arrow asks for."""

    def flush(self) -> None:
        """Leave buffering to the storage."""

    def readable(self) -> bool:
        """Return False."""
        return False

    def writable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return False."""
        return False


class OutputSink(WriteOnly):
    """The file object that a Parquet writer writes to; keeps the bytes written after `begin_footer`."""

    def __init__(self, uri: str, output: Output, transfer: Transfer) -> None:
        self.uri = uri
        self.closed = False
        self.position = 0
        self.stored_bytes = 0
        """The size that the storage has for the closed file."""
        self._output = output
        self._transfer = transfer
        self._footer: list[bytes] | None = None

    @property
    def exists(self) -> bool:
        """Whether the storage may have the file, as this task's own."""
        return self._output.exists

    def write(self, data: Any) -> int:
        """Write all of `data`, in slices when a share limits it. Raises Stopped."""
        view = memoryview(data).cast("B")
        if self.closed:
            return len(view)  # an abandoned writer flushes when it is garbage-collected; these bytes are discarded
        if self._footer is not None:
            self._footer.append(bytes(view))
        done = 0
        while done < len(view):
            part = view[done : done + (self._transfer.bucket.slice_bytes or len(view))]
            self._send([part])
            done += len(part)
        return done

    def write_all(self, buffers: Iterable[Any]) -> None:
        """Write buffers one after another, small ones under one charge unless a share limits it. Raises Stopped."""
        together: list[memoryview] = []
        size = 0
        for buffer in buffers:
            is_limited = self._transfer.bucket.slice_bytes is not None
            if together and (is_limited or size >= TOGETHER_BYTES):
                self._send(together)
                together, size = [], 0
            if is_limited or self.closed or self._footer is not None:
                self.write(buffer)
            else:
                together.append(memoryview(buffer).cast("B"))
                size += len(together[-1])
        if together:
            self._send(together)

    def _send(self, parts: Sequence[memoryview]) -> None:
        size = sum(map(len, parts))
        with self._transfer.timed_writing():
            self._transfer.charge(written=size, requests=self._output.requests_to_write(size))
            with writing(self.uri):
                for part in parts:
                    self._output.write(part)
        self.position += size

    def begin_footer(self) -> None:
        """Keep all bytes that are written from now on."""
        self._footer = []

    def footer(self) -> bytes:
        """Return the Parquet footer: thrift, its length, magic."""
        tail = b"".join(self._footer or [])
        length = int.from_bytes(tail[-8:-4], "little")
        return tail[-length - 8 :]

    def tell(self) -> int:
        """Return the number of bytes written."""
        return self.position

    def close(self) -> None:
        """Finish the file; the storage may send its last part now."""
        if not self.closed:
            self.closed = True
            with self._transfer.timed_writing():
                requests = self._output.requests_to_finish()
                if self._output.is_repeatable:
                    finish = self._output.finish
                    self.stored_bytes = self._transfer.asked(OutputFault, self.uri, finish, requests=requests)
                else:
                    self._transfer.charge(requests=requests)
                    with writing(self.uri):
                        self.stored_bytes = self._output.finish()

    def abandon(self) -> None:
        """Close without pacing, ignoring errors: the file is about to be deleted."""
        self.closed = True
        try:
            self._output.abandon()
        except OSError:
            return
