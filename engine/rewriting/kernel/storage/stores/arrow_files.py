"""Files through Arrow's file systems: the local disk, and S3 where `objects` can't be used."""

import errno
import os
import stat
import threading
from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import pyarrow.fs as pafs

from engine.rewriting.kernel.storage.stores.files import EXISTS

_S3_TEXTS: Final = {
    "access_key": ("s3.access-key-id", "client.access-key-id"),
    "secret_key": ("s3.secret-access-key", "client.secret-access-key"),
    "session_token": ("s3.session-token", "client.session-token"),
    "region": ("s3.region", "client.region"),
    "role_arn": ("s3.role-arn", "client.role-arn"),
    "session_name": ("s3.role-session-name", "client.role-session-name"),
    "endpoint_override": ("s3.endpoint",),
    "proxy_options": ("s3.proxy-uri",),
}
_S3_SECONDS: Final = {"connect_timeout": "s3.connect-timeout", "request_timeout": "s3.request-timeout"}
_S3_SWITCHES: Final = {"force_virtual_addressing": "s3.force-virtual-addressing", "anonymous": "s3.anonymous"}

LIMITS_OF_TIME: Final[Mapping[str, str]] = {"s3.connect-timeout": "10", "s3.request-timeout": "60"}
"""In seconds: Arrow's own limits are those of a client that never gives up."""

_LIST_PAGE: Final = 1000
"""Objects that stores list by one request."""

_PART_BYTES: Final = 10 * 2**20
"""Arrow uploads parts of this size."""


class ArrowFiles:
    """A store whose files Arrow opens: remote ones cost a request for their size, which Arrow always asks for."""

    def __init__(self, system: pafs.FileSystem, within: str = "") -> None:
        self._system = system
        self._within = within
        self.is_remote = not isinstance(system, pafs.LocalFileSystem)
        self.requests_to_create = 2 if self.is_remote else 0  # a look for the name: of a file, then of a folder

    def requests_to_open(self, file_bytes: int | None) -> int:  # noqa: ARG002 - it makes no difference here
        """Return the number of requests that opening a file takes."""
        return int(self.is_remote)

    def open(self, path: str, file_bytes: int | None) -> "ArrowFile":  # noqa: ARG002
        """Open for random access. Raises FileNotFoundError, OSError."""
        if not self.is_remote:
            check_regular(path)
        return ArrowFile(self._system.open_input_file(self._within + path))

    def create(self, path: str) -> "ArrowOutput":
        """Create a file that does not exist yet and open it for writing. Raises FileExistsError."""
        if not self.is_remote:
            _reserve(path)
        elif self._system.get_file_info(self._within + path).type != pafs.FileType.NotFound:
            raise FileExistsError(EXISTS)
        return ArrowOutput(self._system, self._within + path, is_remote=self.is_remote)

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError."""
        self._system.delete_file(self._within + path)

    def files(self, folder: str, *, is_recursive: bool) -> Iterator[str]:
        """Yield the paths of all files below a folder; without `is_recursive` only those directly in it."""
        selector = pafs.FileSelector(self._within + folder.rstrip("/"), allow_not_found=True, recursive=is_recursive)
        for info in self._system.get_file_info(selector):
            if info.type == pafs.FileType.File:
                yield info.path.removeprefix(self._within)

    def listed(self, folder: str) -> Iterator[dict[str, list[Any]]]:
        """Yield the paths, sizes and times (microseconds since 1970) of all files below a folder, by pages.

        Names are those of the store, with empty parts, `.`, `..` and control characters, but without a slash at the
        end. All are asked for before the first page. Memory: about 500 bytes for each file. Raises OSError.
        """
        selector = pafs.FileSelector(self._within + folder.strip("/"), allow_not_found=True, recursive=True)
        found = self._system.get_file_info(selector)
        for start in range(0, len(found), _LIST_PAGE):
            page = [info for info in found[start : start + _LIST_PAGE] if info.type == pafs.FileType.File]
            columns = {"path": [info.path.removeprefix(self._within) for info in page]}
            yield {
                **columns,
                "size": [info.size for info in page],
                "modified_us": [info.mtime_ns // 1000 for info in page],
            }


class ArrowFile:
    """An open file. Several threads may read at once: seek and read are one locked operation."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._lock = threading.Lock()

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return int(self._handle.size())

    def read(self, offset: int, length: int) -> memoryview:
        """Return at most `length` bytes from byte `offset`; fewer at the end of the file."""
        target: Any = np.empty(length, dtype=np.uint8)
        with self._lock:
            self._handle.seek(offset)
            got = self._handle.readinto(memoryview(target))
        return memoryview(target)[:got]

    def close(self) -> None:
        """Close the file."""
        self._handle.close()


class ArrowOutput:
    """A file that is being written. `exists`: it is in the store already, and is this task's own."""

    exists = True
    is_repeatable = False

    def __init__(self, system: pafs.FileSystem, path: str, *, is_remote: bool) -> None:
        self._system = system
        self._path = path
        self._is_remote = is_remote
        self._written = 0
        self._handle = system.open_output_stream(path)

    def requests_to_write(self, length: int) -> int:
        """Return the number of requests that it takes to write `length` further bytes."""
        return (self._written + length) // _PART_BYTES - self._written // _PART_BYTES if self._is_remote else 0

    def write(self, data: memoryview) -> None:
        """Write all of `data`."""
        self._written += len(data)
        self._handle.write(data)

    def requests_to_finish(self) -> int:
        """Return the number of requests that `finish` takes."""
        return 2 if self._is_remote else 0

    def finish(self) -> int:
        """Complete the file and return the size that the store has for it."""
        self._handle.close()
        return int(self._system.get_file_info(self._path).size or 0)

    def abandon(self) -> None:
        """Close the file, which is about to be deleted."""
        self._handle.close()


def local() -> ArrowFiles:
    """Return the files of this machine."""
    return ArrowFiles(pafs.LocalFileSystem())


def check_regular(path: str) -> None:
    """Raise OSError (`EINVAL`) for a pipe, a socket or a device, which may block when opened, or be endless.

    Call it right before a local file is opened: opening reports a missing or forbidden file, and a folder.
    """
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - a string that may contain any character
    except OSError:
        return  # hides nothing: the caller opens the path next, which fails with the same error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "is a pipe, a socket or a device, and no file", path)


def s3(bucket: str, given: Mapping[str, str]) -> ArrowFiles:
    """Connect to a bucket of S3. `allow_delayed_open` sends a small output as one request instead of three."""
    properties = {**LIMITS_OF_TIME, **given}
    options: dict[str, Any] = {"allow_delayed_open": True}
    for option, names in _S3_TEXTS.items():
        value = next((properties[name] for name in names if properties.get(name)), None)
        options |= {} if value is None else {option: value}
    options |= {option: float(properties[name]) for option, name in _S3_SECONDS.items() if name in properties}
    options |= {option: properties[name] == "true" for option, name in _S3_SWITCHES.items() if name in properties}
    return ArrowFiles(pafs.S3FileSystem(**options), f"{bucket}/")


def _reserve(path: str) -> None:
    """Create a local file exclusively, so that the stream that Arrow opens next truncates only the task's own file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)  # noqa: PTH103, PTH120 - a string that may contain any character
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    except FileExistsError as error:
        raise FileExistsError(EXISTS) from error
