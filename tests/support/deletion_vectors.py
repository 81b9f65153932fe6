"""Deletion vectors for tests, made by another implementation of Roaring bitmaps."""

import zlib
from collections.abc import Iterable

from pyroaring import BitMap64

from engine.rewriting.kernel.reading.deletion_vectors import MAGIC


def blob_of(positions: Iterable[int], *, runs: bool = True) -> bytes:
    """Return the blob of a deletion vector; `runs`: with run containers where they are smaller."""
    bitmap = BitMap64(positions)
    if runs:
        bitmap.run_optimize()
    return framed(bitmap.serialize())


def framed(vector: bytes) -> bytes:
    """Return bitmaps with a length, magic number and checksum."""
    body = MAGIC + vector
    return len(body).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")
