"""The files of a table in which a deletion keeps its records, as every format reads and writes them."""

from collections.abc import Sequence
from typing import Protocol


class RecordFiles(Protocol):
    """Whole files below the location of one table. Every method raises OSError if the store does not answer."""

    def files(self, folder: str) -> Sequence[str]:
        """Return the names of the files directly in a folder; none if it is missing."""

    def read(self, path: str, limit: int) -> bytes:
        """Return the content of a file. Raises FileNotFoundError, and `Malformed` above `limit` bytes."""

    def write(self, path: str, body: bytes) -> None:
        """Write a whole file, also over one that exists."""

    def delete(self, path: str) -> None:
        """Delete a file. Raises FileNotFoundError if there is none."""
