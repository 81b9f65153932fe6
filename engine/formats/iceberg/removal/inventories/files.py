"""Read the bytes of an inventory's file, and limit what they become by their number: the file is untrusted.

A megabyte of gzip can be a gigabyte of rows. Those of an inventory can't, as the names of objects differ: deflate
leaves about 15 of the 300 bytes of a row.
"""

import io
from gzip import GzipFile
from typing import Any, Final

from engine.formats.intake.limits import Malformed
from engine.formats.intake.parquet.footers import FOOTER_BYTES, footer_in

_FREE_BYTES: Final = 16 * 2**20
_DECODED_RATIO: Final = 200
"""Limit of the decompressed bytes for each stored one, beyond the first 16 MiB."""

_TAIL_BYTES: Final = 64 * 2**10
_READ_BYTES: Final = 8 * 2**20


class CountedFile(io.RawIOBase):
    """A file to read that counts its bytes."""

    def __init__(self, stream: io.RawIOBase) -> None:
        super().__init__()
        self._stream = stream
        self.bytes_read = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end."""
        count = self._stream.readinto(buffer) or 0
        self.bytes_read += count
        return count


class Inflated(io.RawIOBase):
    """The content of a gzip file, limited by the bytes that were read of it. Reading raises Malformed."""

    def __init__(self, text: io.BufferedReader, stored: CountedFile) -> None:
        super().__init__()
        self._stored = stored
        self._gzip = GzipFile(fileobj=text)
        self._size = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end."""
        count = self._gzip.readinto(buffer)
        self._size += count
        if self._size > _FREE_BYTES + _DECODED_RATIO * self._stored.bytes_read:
            raise Malformed(
                f"its first {self._stored.bytes_read:,} bytes are more than {self._size // 2**20} MiB of rows"
            )
        return count


class HeldParts(io.RawIOBase):
    """A file to read at any position, parts of which are held in memory by their position."""

    def __init__(self, stream: io.RawIOBase) -> None:
        super().__init__()
        self._stream = stream
        self._at = 0
        self.parts: dict[int, bytes] = {}

    def hold(self, start: int, length: int) -> memoryview:
        """Read a part into memory and return it. Raises Malformed if the file does not have it."""
        if min(start, length) < 0:
            raise Malformed("a column chunk is outside of the file")
        self.parts[start] = data = _read(self._stream, start, length)
        if len(data) < length:
            raise Malformed("a column chunk is outside of the file")
        return memoryview(data)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read into a buffer; return the number of bytes, 0 at the end."""
        for start, data in self.parts.items():
            if start <= self._at < start + len(data):
                part = data[self._at - start : self._at - start + len(buffer)]
                buffer[: len(part)] = part
                self._at += len(part)
                return len(part)
        self._stream.seek(self._at)
        count = self._stream.readinto(buffer) or 0
        self._at += count
        return count

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the position and return it."""
        self._at = {io.SEEK_SET: 0, io.SEEK_CUR: self._at}.get(whence, -1) + offset
        if whence == io.SEEK_END:
            self._at = self._stream.seek(offset, whence)
        return self._at

    def tell(self) -> int:
        """Return the position."""
        return self._at


def footer_of(stream: io.RawIOBase) -> tuple[bytes, int]:
    """Return the footer of a Parquet file, and the size of the file in bytes. Raises as `footer_in`."""
    size = stream.seek(0, io.SEEK_END)
    end = _read(stream, max(0, size - _TAIL_BYTES), _TAIL_BYTES)
    length = int.from_bytes(end[-8:-4], "little")
    if _TAIL_BYTES < length + 8 <= min(size, FOOTER_BYTES):
        end = _read(stream, size - length - 8, length + 8)
    return footer_in(end, size), size


def _read(stream: io.RawIOBase, start: int, length: int) -> bytes:
    """Return bytes of a file, fewer at its end."""
    stream.seek(start)
    reader = io.BufferedReader(stream, _READ_BYTES)
    data = reader.read(length)
    reader.detach()  # otherwise it closes the file
    return data
