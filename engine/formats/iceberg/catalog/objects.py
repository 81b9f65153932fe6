"""Metadata files in object stores and HDFS as PyIceberg reads and writes them: one request for a file.

Arrow sends another for the size of each file that it opens, two before each that it writes, and can't open the paths of
Azure that have a host.
"""

from collections.abc import Mapping
from io import SEEK_CUR, SEEK_END, SEEK_SET, RawIOBase
from types import TracebackType
from typing import Any

from pyiceberg.io import InputFile, InputStream, OutputFile, OutputStream

from engine.domain.errors import NotEligible
from engine.rewriting.kernel.errors import Refused
from engine.rewriting.kernel.storage.stores.addresses import address_of
from engine.rewriting.kernel.storage.stores.connections import whole_files_of
from engine.rewriting.kernel.storage.stores.files import WholeFiles


def stored_object(location: str, properties: Mapping[str, str]) -> "StoredObject | None":
    """Return an object to read or to write; None for other stores, or where only Arrow can reach this one.

    Raises:
        NotEligible: the properties can't reach the store.
    """
    found = stored_objects(location, properties)
    return None if found is None or not found[1] else StoredObject(location, *found)


def stored_objects(location: str, properties: Mapping[str, str]) -> tuple[WholeFiles, str] | None:
    """Return the objects of the store of a location, and the location's path in it. None, raises as `stored_object`."""
    try:
        address = address_of(location)
        files = whole_files_of(address.kind, address.place, properties, is_patient=True)
    except Refused as error:
        raise NotEligible(str(error)) from error
    return None if files is None else (files, address.path)


class StoredObject(InputFile, OutputFile):
    """An object of a bucket. Nothing is asked before it is opened and read."""

    def __init__(self, location: str, files: WholeFiles, key: str) -> None:
        super().__init__(location)
        self._files = files
        self._key = key
        self._written: int | None = None

    def __len__(self) -> int:
        """Return the size in bytes; that of an object that was written here is known."""
        return self._files.open(self._key, None).size() if self._written is None else self._written

    def exists(self) -> bool:
        """Return whether the object exists."""
        try:
            return len(self) >= 0
        except FileNotFoundError:
            return False

    def open(self, seekable: bool = True) -> InputStream:  # noqa: ARG002 - the library's signature
        """Return a stream that sends one request for each read."""
        return _Reading(self._files, self._key)

    def create(self, overwrite: bool = False) -> OutputStream:
        """Return a stream whose bytes are sent when it is closed.

        Without `overwrite` closing it raises FileExistsError if the store has an object of that name.
        """
        return _Writing(self, overwrite=overwrite)

    def to_input_file(self) -> InputFile:
        """Return the object, to read it."""
        return self

    def send(self, data: bytes, *, overwrite: bool) -> None:
        """Write the whole object. Raises FileExistsError, StoreError."""
        if overwrite:
            self._files.replace(self._key, data)
        else:
            output = self._files.create(self._key)
            output.write(memoryview(data))
            output.finish()
        self._written = len(data)

    def delete(self) -> None:
        """Delete the object. Raises FileNotFoundError, StoreError."""
        self._files.delete(self._key)


class _Writing:
    """Bytes of an object that is not sent yet. An error inside a `with` statement sends nothing.

    It has the methods of a file of Python and is none (`io.IOBase`): that closes, and would send, what is forgotten.
    """

    def __init__(self, target: StoredObject, *, overwrite: bool) -> None:
        self._target = target
        self._overwrite = overwrite
        self._data: bytearray | None = bytearray()

    @property
    def closed(self) -> bool:
        """Whether it was sent or dropped."""
        return self._data is None

    def readable(self) -> bool:
        """Return False."""
        return False

    def writable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return False."""
        return False

    def flush(self) -> None:
        """Do nothing: an object is sent as a whole."""

    def write(self, b: bytes) -> int:
        """Keep bytes."""
        if self._data is None:
            raise ValueError(f"{self._target.location}: written to after it was closed")
        self._data += b
        return len(b)

    def close(self) -> None:
        """Send the object. Raises FileExistsError, StoreError."""
        if self._data is not None:
            data, self._data = bytes(self._data), None
            self._target.send(data, overwrite=self._overwrite)

    def tell(self) -> int:
        """Return the number of bytes written."""
        return len(self._data or b"")

    def __enter__(self) -> OutputStream:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Send the object, or drop it after an error."""
        if kind is not None:
            self._data = None
        self.close()


class _Reading(RawIOBase):
    """A position in an object. A whole file of Python: Arrow and other readers call more than PyIceberg's protocol."""

    def __init__(self, files: WholeFiles, key: str) -> None:
        self._files = files
        self._key = key
        self._at = 0
        self._size: int | None = None

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Return up to `size` bytes, all that are left without one. Raises FileNotFoundError, StoreError."""
        self._check_open()
        length = None if size is None or size < 0 else size
        body = b"" if length == 0 else self._files.read(self._key, self._at, length)
        self._at += len(body)
        return body

    def readall(self) -> bytes:
        """Return all bytes that are left, by one request. Raises as `read`."""
        return self.read()

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end. Raises as `read`."""
        target = memoryview(buffer).cast("B")
        body = self.read(len(target))
        target[: len(body)] = body
        return len(body)

    def seek(self, offset: int, whence: int = SEEK_SET) -> int:
        """Change the position; the size is asked for once, and only for a position from the end."""
        self._check_open()
        if whence == SEEK_END:
            if self._size is None:
                self._size = self._files.open(self._key, None).size()
            offset += self._size
        elif whence == SEEK_CUR:
            offset += self._at
        self._at = offset
        return self._at

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def _check_open(self) -> None:
        if self.closed:
            raise ValueError(f"{self._key}: used after it was closed")
