"""Storage for reading manifests and manifest lists: whole files of limited size, decompressed."""

import io
from typing import Any

from pyiceberg.io import FileIO, InputFile, InputStream, OutputFile

from engine.formats.intake.avro.blocks import check_records, readable
from engine.formats.intake.limits import MANIFEST_BYTES, too_large


def read_file(file: InputFile, limit: int) -> bytes:
    """Return the whole content of a file.

    Raises:
        Malformed: it is larger than `limit` bytes.
    """
    with file.open() as stream:
        body: bytes = stream.read(limit + 1)
    if len(body) > limit:
        raise too_large("it has", "", limit)
    return body


class AvroFiles(FileIO):
    """Storage whose input files are Avro containers that are safe for any reader; see `avro_blocks`.

    Other operations are delegated to `inner`. Reading raises `Malformed` for files that are not such containers.
    """

    def __init__(self, inner: FileIO) -> None:
        super().__init__(inner.properties)
        self._inner = inner

    def new_input(self, location: str) -> InputFile:
        """Return a file to read."""
        return _AvroFile(self._inner.new_input(location))

    def stored(self, location: str) -> bytes:
        """Return the content of a file as it is stored. Raises `Malformed` if it is larger than the limit."""
        return read_file(self._inner.new_input(location), MANIFEST_BYTES)

    def new_output(self, location: str) -> OutputFile:
        """Return a file to write."""
        return self._inner.new_output(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Delete a file."""
        self._inner.delete(location)


class MeasuredFiles(FileIO):
    """The same storage for reading, that keeps the stored size of each file; for files whose size no metadata has.

    Attributes:
        stored_bytes: size of each file that was opened, by its location.
    """

    def __init__(self, inner: AvroFiles) -> None:
        super().__init__(inner.properties)
        self._inner = inner
        self.stored_bytes: dict[str, int] = {}

    def new_input(self, location: str) -> InputFile:
        """Return a file to read, whose content was fetched. Raises as `AvroFiles` does when it is opened."""
        body = self._inner.stored(location)
        self.stored_bytes[location] = len(body)
        return _HeldFile(location, _checked(body))

    def new_output(self, location: str) -> OutputFile:
        """Raise, as nothing can be written."""
        raise NotImplementedError(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Raise, as nothing can be deleted."""
        raise NotImplementedError(location)


class HeldFiles(FileIO):
    """Storage in which every file has the same content, which is in memory: for readers that open a file by name."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self._body = body

    def new_input(self, location: str) -> InputFile:
        """Return the file to read."""
        return _HeldFile(location, self._body)

    def new_output(self, location: str) -> OutputFile:
        """Raise, as nothing can be written."""
        raise NotImplementedError(location)

    def delete(self, location: str | InputFile | OutputFile) -> None:
        """Raise, as nothing can be deleted."""
        raise NotImplementedError(location)


class _HeldFile(InputFile):
    def __init__(self, location: str, body: bytes) -> None:
        super().__init__(location)
        self._body = body

    def __len__(self) -> int:
        return len(self._body)

    def exists(self) -> bool:
        return True

    def open(self, seekable: bool = True) -> InputStream:  # noqa: ARG002 - the library's signature
        body: Any = io.BytesIO(self._body)
        stream: InputStream = body
        return stream


class _AvroFile(InputFile):
    def __init__(self, file: InputFile) -> None:
        super().__init__(file.location)
        self._file = file

    def __len__(self) -> int:
        return len(self._file)

    def exists(self) -> bool:
        return self._file.exists()

    def open(self, seekable: bool = True) -> InputStream:  # noqa: ARG002 - the library's signature
        body: Any = io.BytesIO(_checked(read_file(self._file, MANIFEST_BYTES)))
        stream: InputStream = body
        return stream


def _checked(body: bytes) -> bytes:
    """Return a container that is safe for PyIceberg's decoder as well. Raises Malformed."""
    found = readable(body)
    check_records(found)
    return found
