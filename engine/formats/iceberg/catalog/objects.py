"""Metadata files in S3 as PyIceberg reads them: one request for a file, where Arrow sends another for its size."""

from collections.abc import Mapping
from io import SEEK_CUR, SEEK_END, SEEK_SET
from types import TracebackType
from typing import Self

from pyiceberg.io import InputFile, InputStream

from engine.rewriting.kernel.storage.object_stores import ObjectFiles, patient_s3

_SCHEMES = ("s3://", "s3a://", "s3n://")


def stored_object(location: str, properties: Mapping[str, str]) -> "StoredObject | None":
    """Return an object to read; None for other stores, or where only Arrow can read this one."""
    if not location.startswith(_SCHEMES):
        return None
    bucket, _, key = location.partition("://")[2].partition("/")
    files = patient_s3(bucket, properties)
    return None if files is None or not key else StoredObject(location, files, key)


class StoredObject(InputFile):
    """An object of a bucket. Nothing is asked before it is opened and read."""

    def __init__(self, location: str, files: ObjectFiles, key: str) -> None:
        super().__init__(location)
        self._files = files
        self._key = key

    def __len__(self) -> int:
        """Return the size in bytes."""
        return self._files.open(self._key, None).size()

    def exists(self) -> bool:
        """Return whether the object exists."""
        try:
            return len(self) >= 0
        except FileNotFoundError:
            return False

    def open(self, seekable: bool = True) -> InputStream:  # noqa: ARG002 - the library's signature
        """Return a stream that sends one request for each read."""
        return _Reading(self._files, self._key)


class _Reading:
    """A position in an object."""

    def __init__(self, files: ObjectFiles, key: str) -> None:
        self._files = files
        self._key = key
        self._at = 0

    def read(self, size: int = -1) -> bytes:
        """Return up to `size` bytes, all that are left without one. Raises FileNotFoundError, StoreError."""
        body = self._files.read(self._key, self._at, None if size is None or size < 0 else size)
        self._at += len(body)
        return body

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Change the position; only the first and the current byte are known, not the last."""
        if whence == SEEK_END:
            offset += self._files.open(self._key, None).size()
        elif whence == SEEK_CUR:
            offset += self._at
        self._at = offset
        return self._at

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def close(self) -> None:
        """Do nothing: an object is not held open."""

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing."""
