"""Decode deletion vectors of Iceberg's format version 3: the bytes of one blob in, sorted positions out.

A blob is a length, a magic number, bitmaps and a CRC-32. The bitmaps are the specification's `deletion-vector-v1`: one
32-bit Roaring bitmap in its portable form for each key, which has the upper 32 bits of the positions. Blobs are
untrusted, and a CRC-32 does not protect against a hostile writer: every count is checked before memory is taken for it,
and memory is bounded by the number of rows that the caller expects, eight bytes each.
"""

import zlib
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

MAGIC: Final = bytes.fromhex("d1d33964")
LEAST_BYTES: Final = 20
"""Size of a blob without a bitmap: length, magic number, number of bitmaps, CRC-32."""

_WITH_RUNS: Final = 12347
_WITHOUT_RUNS: Final = 12346
_FIRST_WITH_OFFSETS: Final = 4
"""Containers from which a bitmap that may have runs has offsets of its containers."""
_CONTAINER_ROWS: Final = 2**16
_MOST_IN_ARRAY: Final = 4096

Positions = np.ndarray[Any, np.dtype[np.int64]]


class DamagedVector(Exception):
    """The blob is not a deletion vector, or not of the expected rows; the text names the difference."""


def positions_in(blob: memoryview | bytes, *, rows: int, file_rows: int) -> Positions:
    """Return the positions of a deletion vector in ascending order, each once.

    Args:
        blob: all its bytes.
        rows: the number of rows that it deletes by the table's metadata.
        file_rows: the number of rows of its data file, which every position must be below.

    Raises:
        DamagedVector: a checksum, a length, a count or an order is wrong.
    """
    if not 0 <= rows <= file_rows:
        raise DamagedVector(f"it deletes {rows} rows by the metadata, its data file has {file_rows}")
    cursor = _Cursor(_vector_of(memoryview(blob)))
    found = np.empty(rows, dtype=np.int64)
    done = 0
    for first, low in _containers(cursor, rows, file_rows):
        np.add(low, np.int64(first), out=found[done : done + len(low)])
        done += len(low)
    if done != rows:
        raise DamagedVector(f"it deletes {done} rows, {rows} by the metadata")
    if rows and found[-1] >= file_rows:
        raise DamagedVector(f"it deletes the row at position {found[-1]}, its data file has {file_rows}")
    return found


def _vector_of(blob: memoryview) -> memoryview:
    """Return the bitmaps between the magic number and the checksum, after checking both."""
    if len(blob) < LEAST_BYTES:
        raise DamagedVector(f"{len(blob)} bytes are fewer than the {LEAST_BYTES} of an empty one")
    stated, magic, crc = int.from_bytes(blob[:4], "big"), bytes(blob[4:8]), int.from_bytes(blob[-4:], "big")
    if stated != len(blob) - 8:
        raise DamagedVector(f"its length field is {stated}, {len(blob) - 8} by the metadata")
    if magic != MAGIC:
        raise DamagedVector(f"its magic number is {magic.hex()}, not {MAGIC.hex()}")
    if zlib.crc32(blob[4:-4]) != crc:
        raise DamagedVector("its checksum (CRC-32) is wrong")
    return blob[8:-4]


class _Cursor:
    """Reads numbers one after another; never past the end."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self.at = 0

    def numbers(self, count: int, kind: str) -> Any:
        size = count * np.dtype(kind).itemsize
        if size > len(self._data) - self.at:
            raise DamagedVector(f"its bitmaps end at byte {len(self._data)}, {self.at + size} bytes are expected")
        found = np.frombuffer(self._data, kind, count, self.at)
        self.at += size
        return found

    def number(self, kind: str) -> int:
        return int(self.numbers(1, kind)[0])

    def check_end(self) -> None:
        if self.at != len(self._data):
            raise DamagedVector(f"{len(self._data) - self.at} bytes follow its last bitmap")


def _containers(cursor: _Cursor, rows: int, file_rows: int) -> Iterator[tuple[int, Any]]:
    """Yield each container: its first possible position, and its positions relative to that."""
    last = -1
    left = rows
    for _ in range(cursor.number("<u8")):  # ends early at the end of the bytes: each bitmap takes some
        key = cursor.number("<u4")
        if key <= last:
            raise DamagedVector(f"the key {key} follows the key {last}")
        if key << 32 >= file_rows:
            raise DamagedVector(f"its key {key} is of positions from {key << 32} on, its data file has {file_rows}")
        last = key
        for at, low in _bitmap(cursor, left):
            left -= len(low)
            yield (key << 32) | (at << 16), low
    cursor.check_end()


def _bitmap(cursor: _Cursor, left: int) -> Iterator[tuple[int, Any]]:
    """Yield the containers of a 32-bit Roaring bitmap by the upper 16 bits; together they have at most `left` rows."""
    start = cursor.at
    cookie = cursor.number("<u4")
    has_runs = cookie & 0xFFFF == _WITH_RUNS
    if not has_runs and cookie != _WITHOUT_RUNS:
        raise DamagedVector(f"byte {start} begins with {cookie}, not with the cookie of a Roaring bitmap")
    size = (cookie >> 16) + 1 if has_runs else cursor.number("<u4")
    if size > _CONTAINER_ROWS:
        raise DamagedVector(f"a bitmap has {size} containers, at most {_CONTAINER_ROWS} are possible")
    flags = cursor.numbers((size + 7) // 8, "u1") if has_runs else np.zeros((size + 7) // 8, np.uint8)
    is_run = np.unpackbits(flags, bitorder="little")
    described = cursor.numbers(2 * size, "<u2").astype(np.int64).reshape(-1, 2)
    keys, counts = described[:, 0], described[:, 1] + 1
    if np.any(keys[1:] <= keys[:-1]):
        raise DamagedVector("the containers of a bitmap are not in ascending order")
    if counts.sum() > left:
        raise DamagedVector(f"a bitmap has {counts.sum()} rows, {left} are left by the metadata")
    offsets = cursor.numbers(size, "<u4") if not has_runs or size >= _FIRST_WITH_OFFSETS else None
    for at in range(size):
        if offsets is not None and int(offsets[at]) != cursor.at - start:
            raise DamagedVector(f"container {at} of a bitmap has offset {offsets[at]}, it is at {cursor.at - start}")
        count = int(counts[at])
        yield int(keys[at]), _run(cursor, count) if is_run[at] else _plain(cursor, count)


def _plain(cursor: _Cursor, count: int) -> Any:
    """Return the positions of an array container, or of a bitmap container if it has more rows than arrays have."""
    if count <= _MOST_IN_ARRAY:
        found = cursor.numbers(count, "<u2")
        if np.any(found[1:] <= found[:-1]):
            raise DamagedVector("the positions of a container are not in ascending order")
        return found
    found = np.flatnonzero(np.unpackbits(cursor.numbers(_CONTAINER_ROWS // 8, "u1"), bitorder="little"))
    if len(found) != count:
        raise DamagedVector(f"a container has {len(found)} rows, {count} by its header")
    return found


def _run(cursor: _Cursor, count: int) -> Any:
    """Return the positions of a run container."""
    runs = cursor.numbers(2 * cursor.number("<u2"), "<u2").astype(np.int64).reshape(-1, 2)
    starts, lengths = runs[:, 0], runs[:, 1] + 1
    ends = starts + lengths
    if lengths.sum() != count:
        raise DamagedVector(f"a container has {lengths.sum()} rows, {count} by its header")
    if np.any(starts[1:] < ends[:-1]) or ends[-1] > _CONTAINER_ROWS:
        raise DamagedVector("the runs of a container overlap, or end after it")
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(count)
