"""Interface of a store for tasks, whichever library reads it. Paths are those within the store.

Requests are told before they are made, as they are paced by `limits.requests`.
"""

from collections.abc import Iterator
from typing import Any, Final, Protocol

EXISTS: Final = "exists already, written by another attempt"


class OpenFile(Protocol):
    """An open file. Several threads may read at once."""

    def size(self) -> int:
        """Return the size in bytes."""

    def read(self, offset: int, length: int) -> Any:
        """Return at most `length` bytes (a buffer) from byte `offset` with one request; fewer at the end of the file.

        Raises:
            FileNotFoundError, OSError: it is missing, not of the expected size, or the store does not answer.
        """

    def close(self) -> None:
        """Close the file."""


class Output(Protocol):
    """A file that is being written."""

    @property
    def exists(self) -> bool:
        """Whether the store may have the file, as this task's own: then it is deleted when the task fails."""

    @property
    def is_repeatable(self) -> bool:
        """Whether `finish` may be called again after it failed: nothing was sent before."""

    def requests_to_write(self, length: int) -> int:
        """Return the number of requests that it takes to write `length` further bytes."""

    def write(self, data: memoryview) -> None:
        """Write all of `data`. Raises FileExistsError, OSError."""

    def requests_to_finish(self) -> int:
        """Return the number of requests that `finish` takes."""

    def finish(self) -> int:
        """Complete the file and return its size in the store. Raises FileExistsError, OSError."""

    def abandon(self) -> None:
        """Give the file up; it is deleted next, if it exists."""


class Files(Protocol):
    """A store: local files, or a bucket."""

    @property
    def is_remote(self) -> bool:
        """Whether the store is asked over a network."""

    @property
    def requests_to_create(self) -> int:
        """The number of requests that `create` takes."""

    def requests_to_open(self, file_bytes: int | None) -> int:
        """Return the number of requests that opening a file of this size (None: unknown) takes."""

    def open(self, path: str, file_bytes: int | None) -> OpenFile:
        """Open for random access; `file_bytes` is its size by the manifest. Raises FileNotFoundError, OSError."""

    def create(self, path: str) -> Output:
        """Create a file. Raises FileExistsError, which some stores tell only at its end."""

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError, OSError."""

    def files(self, folder: str, *, is_recursive: bool) -> Iterator[str]:
        """Yield the paths of all files below a folder, none for a missing one. Raises OSError."""


class ExactFiles(Protocol):
    """The files of a bucket by the names that its store has, also those that the usual client can't express."""

    def listed(self, folder: str) -> Iterator[dict[str, list[Any]]]:
        """Yield pages of the paths, sizes and times (microseconds since 1970) of all files below a folder.

        Raises OSError.
        """

    def files(self, folder: str, *, is_recursive: bool) -> Iterator[str]:
        """Yield the paths of all files below a folder, or directly in it. Raises OSError."""


class WholeFiles(Files, Protocol):
    """A store whose files are also read and written as a whole, as metadata is."""

    def read(self, path: str, offset: int, length: int | None) -> bytes:
        """Return up to `length` bytes from byte `offset`, without one all. Raises FileNotFoundError, OSError."""

    def folders(self, folder: str) -> Iterator[str]:
        """Yield the paths of the folders directly in a folder, none for a missing one. Raises OSError."""

    def replace(self, path: str, data: bytes) -> None:
        """Write a whole file, also over one that exists. Raises OSError."""
