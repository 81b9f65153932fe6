"""Reads and writes of a task: every transferred byte is paced, counted and timed here.

Requests: one for each read call that reaches the storage and, on remote storage, one for opening a file (to get its
size), one each for looking up an output's name before and its size afterwards, one for each 10 MiB written (Arrow
uploads parts of that size) and one at the end.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.errors import (
    AccessRefused,
    CredentialsExpired,
    InputFault,
    KernelError,
    OutputFault,
    StorageFault,
)
from engine.rewriting.kernel.storage.answers import is_expired, is_refused
from engine.rewriting.kernel.storage.file_systems import Storage
from engine.rewriting.kernel.storage.pacing import Bucket

UPLOAD_PART_BYTES: Final = 10 * 2**20


@dataclass(frozen=True, slots=True)
class Moved:
    """Bytes and requests of a task since it started."""

    bytes_read: int = 0
    bytes_written: int = 0
    requests: int = 0


class Transfer:
    """Reads and writes files of one task under its share."""

    def __init__(self, *, storage: Storage, bucket: Bucket, clock: Callable[[], float] = time.monotonic) -> None:
        self.storage = storage
        self.bucket = bucket
        self._clock = clock
        self._lock = threading.Lock()
        self._read = 0
        self._written = 0
        self._requests = 0
        self.seconds_writing = 0.0

    @property
    def moved(self) -> Moved:
        """Totals so far."""
        return Moved(self._read, self._written, self._requests)

    def open(self, uri: str) -> "InputFile":
        """Open a file for reading. Raises InputFault when it can't be opened, StorageFault."""
        if self.storage.is_remote(uri):
            self._charge(requests=1)
        try:
            return InputFile(uri, self.storage.open_input(uri), self)
        except OSError as error:
            raise fault_of(InputFault, uri, error) from error

    def create(self, uri: str) -> "OutputSink":
        """Create a file. Raises OutputFault when one of that name exists, or it can't be created."""
        if self.storage.is_remote(uri):
            self._charge(requests=1)
        with writing(uri):
            return OutputSink(uri, self.storage.create(uri), self)

    def stored_bytes(self, uri: str) -> int:
        """Return the size that the storage has for a file that was written. Raises OutputFault."""
        if self.storage.is_remote(uri):
            self._charge(requests=1)
        with writing(uri):
            return self.storage.file_bytes(uri)

    def charge_read(self, byte_count: int) -> None:
        """Charge one read of `byte_count` bytes to the share."""
        self._charge(read=byte_count, requests=1)

    def charge_write(self, byte_count: int, requests: int) -> None:
        """Charge written bytes, and the requests for them, to the share."""
        self._charge(written=byte_count, requests=requests)

    def add_writing(self, begun: float) -> None:
        """Add the time since `begun` to the seconds spent on writing, including waits for the share."""
        self.seconds_writing += self._clock() - begun

    def now(self) -> float:
        """Return the task's clock."""
        return self._clock()

    def _charge(self, *, read: int = 0, written: int = 0, requests: int = 0) -> None:
        self.bucket.take(read + written, requests)
        with self._lock:
            self._read += read
            self._written += written
            self._requests += requests


def fault_of(kind: type[KernelError], uri: str, error: OSError) -> KernelError:
    """Return the fault for a storage error: of the file, or `StorageFault` for all S3 errors except "not found".

    Arrow's errors differ by their text only (`storage.answers`).
    """
    text = str(error)
    if "AWS Error" not in text or isinstance(error, FileNotFoundError) or "HTTP status 404" in text:
        return kind(f"{uri}: {text}")
    if is_expired(text):
        return CredentialsExpired(f"{uri}: {text}")
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


class InputFile:
    """An open input. Several threads may read at once: seek and read are one locked operation."""

    def __init__(self, uri: str, handle: Any, transfer: Transfer) -> None:
        self.uri = uri
        self._handle = handle
        self._transfer = transfer
        self._lock = threading.Lock()

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return int(self._handle.size())

    def read(self, offset: int, length: int) -> pa.Buffer:
        """Read exactly `length` bytes, in one request unless a share limits it to slices.

        Raises:
            InputFault: the file ends before, or can't be read.
            StorageFault: the storage refused or did not answer.
        """
        target: Any = np.empty(length, dtype=np.uint8)
        done = 0
        try:
            while done < length:
                part = min(length - done, self._transfer.bucket.slice_bytes or length)
                self._transfer.charge_read(part)
                with self._lock:
                    self._handle.seek(offset + done)
                    got = self._handle.readinto(memoryview(target)[done : done + part])
                if not got:
                    raise InputFault(f"{self.uri}: ends at byte {offset + done}, {offset + length} expected")
                done += got
        except OSError as error:
            raise fault_of(InputFault, self.uri, error) from error
        return pa.py_buffer(target)

    def close(self) -> None:
        """Close the file."""
        self._handle.close()


class OutputSink:
    """The file object that a Parquet writer writes to; keeps the bytes written after `begin_footer`."""

    def __init__(self, uri: str, handle: Any, transfer: Transfer) -> None:
        self.uri = uri
        self.closed = False
        self.position = 0
        self._handle = handle
        self._transfer = transfer
        self._remote = transfer.storage.is_remote(uri)
        self._footer: list[bytes] | None = None

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
            begun = self._transfer.now()
            self._transfer.charge_write(len(part), self._parts(len(part)))
            with writing(self.uri):
                self._handle.write(part)
            self._transfer.add_writing(begun)
            done += len(part)
            self.position += len(part)
        return done

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

    def close(self) -> None:
        """Finish the file; the storage may send its last part now."""
        if not self.closed:
            self.closed = True
            begun = self._transfer.now()
            if self._remote:
                self._transfer.charge_write(0, 1)
            with writing(self.uri):
                self._handle.close()
            self._transfer.add_writing(begun)

    def abandon(self) -> None:
        """Close without pacing, ignoring errors: the file is about to be deleted."""
        self.closed = True
        try:
            self._handle.close()
        except OSError:
            return

    def _parts(self, length: int) -> int:
        if not self._remote:
            return 0
        return (self.position + length) // UPLOAD_PART_BYTES - self.position // UPLOAD_PART_BYTES
