"""The bytes of an input that its first requests fetch: all of a small file, or the tail of a larger one."""

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from engine.rewriting.kernel.errors import ENCRYPTED_FILE, InputFault, Refused
from engine.rewriting.kernel.parquet.footers import MAGIC
from engine.rewriting.kernel.storage.transfer import OpenInput, Transfer

SMALL_FILE_BYTES: Final = 8 * 2**20
"""Files below this size are fetched with one request."""

TAIL_BYTES: Final = 256 * 1024
"""Bytes read from the end of a larger file; most footers fit."""

_ENCRYPTED_MAGIC: Final = b"PARE"
END_BYTES: Final = 8
"""Bytes after the metadata of a file: their length, and the magic."""

Segments = dict[int, pa.Buffer]
"""Fetched pieces of a file by their offset."""


def piece_of(segments: Segments, start: int, length: int) -> pa.Buffer | None:
    """Return `length` bytes of the file from byte `start`, None when they were not fetched (in one piece)."""
    for offset, buffer in segments.items():
        if offset <= start and length >= 0 and start + length <= offset + buffer.size:
            return buffer.slice(start - offset, length)
    return None


@dataclass(frozen=True, slots=True)
class FetchedInput:
    """A file of which the first requests are answered: all of it, or its tail with the footer."""

    source: OpenInput
    segments: Segments
    size: int

    @staticmethod
    def of(uri: str, transfer: Transfer, expected_bytes: int | None) -> "FetchedInput":
        """Open a file. Raises InputFault if it is missing, truncated, or not of the expected size."""
        source = transfer.open(uri, expected_bytes)
        try:
            segments, size = _opening(source, expected_bytes)
        except BaseException:
            source.close()
            raise
        if 0 in segments:
            source.close()  # a group may have thousands of small inputs, and several are held ahead
        return FetchedInput(source, segments, size)

    @property
    def is_whole(self) -> bool:
        """Whether all of the file is fetched."""
        return 0 in self.segments

    @property
    def footer(self) -> pa.Buffer:
        """The bytes of its metadata, empty if the end of the file is not as it should be."""
        (tail,) = self.segments.values()
        end = tail[-END_BYTES:].to_pybytes()
        length = int.from_bytes(end[:4], "little")
        if end[4:] != MAGIC or length + END_BYTES > tail.size:
            return tail.slice(0, 0)
        return tail.slice(tail.size - END_BYTES - length, length)


def _opening(source: OpenInput, expected_bytes: int | None) -> tuple[Segments, int]:
    """Return the segments of the first requests (the whole file, or its tail with the footer), and the file's size."""
    size = source.size()
    if expected_bytes not in (None, size):
        raise InputFault(f"{source.uri}: {size} bytes, but the manifest has {expected_bytes}")
    if size < END_BYTES + len(MAGIC):
        raise InputFault(f"{source.uri}: {size} bytes are not a Parquet file")
    if size < SMALL_FILE_BYTES:
        return {0: source.read(0, size)}, size
    tail = source.read(size - TAIL_BYTES, TAIL_BYTES)
    needed = _footer_length(tail) + END_BYTES
    if TAIL_BYTES < needed <= size:
        tail = source.read(size - needed, needed)
    return {size - tail.size: tail}, size


def _footer_length(tail: pa.Buffer) -> int:
    return int.from_bytes(bytes(tail[-END_BYTES:-4]), "little")


def signed_bytes(uri: str, segments: Segments, size: int) -> int:
    """Return the length of the footer: longer than its metadata if a signature follows (encrypted columns)."""
    (tail,) = segments.values()
    magic, length = bytes(tail[-4:]), _footer_length(tail)
    if magic == _ENCRYPTED_MAGIC:
        raise Refused(ENCRYPTED_FILE, f"{uri}: the footer is encrypted")
    if magic != MAGIC or length + END_BYTES > size:
        raise InputFault(f"{uri}: no Parquet footer at its end")
    return length
