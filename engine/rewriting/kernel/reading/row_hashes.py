"""Hashes of rows by their values, independent of the physical layout of their file.

A value's hash depends on the field id, not on the column's name, position, encoding, or width: an int32 hashes as the
int64 that it is promoted to, a float as the double, a date as the timestamp, a decimal by its unscaled value, a
dictionary code as its value. A
field that is null, or absent from the file, adds nothing: added and dropped columns need no projection. As in SQL, all
NaN are equal and 0.0 equals -0.0. Lists are ordered, entries of a map are not.

A row's hash mixes the sum of its fields again: exchanging values between two rows changes the hashes of both. The
hashes have 64 bits and no secret: they detect accidents, not attacks. Arrays are processed in blocks that fit a cache.

Within `hashed_by`, two functions of the compiled library do the same in a fifth of the time, bit for bit.
"""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.errors import NO_FIELD_IDS, UNREADABLE_LAYOUT, Refused
from engine.rewriting.kernel.reading.projection import child_fields, field_id

Hashes = npt.NDArray[np.uint64]
"""One hash per row; 0 stands for null."""

_Ints = npt.NDArray[np.int64]

_BLOCK_ROWS: Final = 2**15
_BLOCK_BYTES: Final = 2**20
_WORD: Final = 8
_MASK: Final = 2**64 - 1
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND: Final = np.uint64(0x94D049BB133111EB)
_ROW, _STRUCT, _LIST, _MAP, _VALUE, _BYTES = (np.uint64(0x51ED270B27A3F1D9 + i) for i in range(6))
_NOTHING: Final = np.uint64(0)
_LIBRARY: Final[ContextVar[ctypes.CDLL | None]] = ContextVar("_LIBRARY", default=None)
_PER_SECOND: Final = {"s": 1, "ms": 1_000, "us": 1_000_000, "ns": 1_000_000_000}
_DAY_SECONDS: Final = 86_400


@contextmanager
def hashed_by(library: ctypes.CDLL | None) -> Iterator[None]:
    """Hash by the functions of a library within a block, if they return what those of this module do."""
    token = _LIBRARY.set(library if library is not None and _agrees(library) else None)
    try:
        yield
    finally:
        _LIBRARY.reset(token)


@lru_cache(maxsize=4)
def _agrees(library: ctypes.CDLL) -> bool:
    """Return whether a library returns the hashes of this module for numbers and for texts of many lengths."""
    text = pa.py_buffer(bytes(range(256)))
    starts = np.cumsum([0, *range(20)])
    numbers = np.arange(64, dtype=np.uint64) * _STEP
    token, found = _LIBRARY.set(None), list[tuple[list[int], list[int]]]()
    try:
        for each in (None, library):
            _LIBRARY.set(each)
            mixed = [*_mixed(numbers.copy(), _VALUE), *_mixed(numbers.copy(), _ROW, keeps_zeros=True)]
            found.append((list(map(int, mixed)), list(map(int, _of_bytes(text, starts)))))
    finally:
        _LIBRARY.reset(token)
    return found[0] == found[1]


@dataclass(slots=True)
class RowDigest:
    """Count, sum and exclusive or of row hashes: equal for equal multisets of rows in any order."""

    rows: int = 0
    total: int = 0
    folded: int = 0

    def add(self, hashes: Hashes) -> None:
        """Add rows."""
        self.rows += len(hashes)
        self.total = (self.total + int(hashes.sum(dtype=np.uint64))) & _MASK
        self.folded ^= int(np.bitwise_xor.reduce(hashes)) if len(hashes) else 0

    def __add__(self, other: "RowDigest") -> "RowDigest":
        return RowDigest(self.rows + other.rows, (self.total + other.total) & _MASK, self.folded ^ other.folded)

    def __str__(self) -> str:
        """Return the three values as one word, for the record."""
        return f"{self.rows}-{self.total:016x}-{self.folded:016x}"


class RowHasher:
    """Sums up the fields of the same rows, column by column."""

    def __init__(self, rows: int) -> None:
        self._sums = np.zeros(rows, np.uint64)

    def add(self, column: pa.ChunkedArray, wanted: pa.Field) -> None:
        """Add a column of all rows as the target's field `wanted`; nested fields are found by id.

        Raises:
            Refused: a type that no projection supports, or a nested field without id.
        """
        at = 0
        for chunk in column.chunks:
            if isinstance(chunk, pa.DictionaryArray):  # each value is combined with the field once
                hashes = _taken(_of_field(_hashes(chunk.dictionary, wanted), wanted), chunk)
            else:
                hashes = _of_field(_hashes(chunk, wanted), wanted)
            self._sums[at : at + len(chunk)] += hashes
            at += len(chunk)

    def finish(self) -> Hashes:
        """Return a hash for each row."""
        return _mixed(self._sums.copy(), _ROW)


def _mixed(values: Hashes, plus: np.uint64 = _NOTHING, *, keeps_zeros: bool = False) -> Hashes:
    """Add `plus` and spread every bit over all others, in place (the finaliser of splitmix64).

    `keeps_zeros`: zeros, which stand for nulls, stay so.
    """
    library, flags = _LIBRARY.get(), values.flags
    if library is not None and flags.c_contiguous and flags.writeable and values.dtype == np.uint64:
        library.packhouse_mix(values.ctypes.data, values.size, int(plus), int(keeps_zeros))
        return values
    for start in range(0, len(values), _BLOCK_ROWS):
        block = values[start : start + _BLOCK_ROWS]
        nulls = block == 0 if keeps_zeros else None
        block += plus
        block ^= block >> np.uint64(30)
        block *= _FIRST
        block ^= block >> np.uint64(27)
        block *= _SECOND
        block ^= block >> np.uint64(31)
        if nulls is not None:
            block[nulls] = 0
    return values


def _of_field(hashes: Hashes, field: pa.Field) -> Hashes:
    """Combine the hashes of values with the field id, in place; 0 where null."""
    return _mixed(hashes, np.uint64((field_id(field) or 0) * int(_STEP) & _MASK), keeps_zeros=True)


def _hashes(array: pa.Array, wanted: pa.Field) -> Hashes:
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    of = array.type
    if pt.is_null(of):
        return np.zeros(len(array), np.uint64)
    if pt.is_dictionary(of):
        return _of_dictionary(array, wanted)
    if pt.is_fixed_size_list(of):
        array = array.cast(pa.list_(of.value_field))
        of = array.type
    if bool(child_fields(of)) is not bool(child_fields(wanted.type)):
        raise Refused(UNREADABLE_LAYOUT, f"{wanted.name}: {of} in place of {wanted.type}")
    if pt.is_struct(of):
        found = _of_struct(array, wanted)
    elif pt.is_map(of):
        found = _of_map(array, wanted)
    elif pt.is_list(of) or pt.is_large_list(of):
        found = _of_list(array, wanted)
    else:
        found = _of_leaf(array, wanted)
    if array.null_count:
        found[array.is_null().to_numpy(zero_copy_only=False)] = 0
    return found


def _of_dictionary(array: pa.DictionaryArray, wanted: pa.Field) -> Hashes:
    return _taken(_hashes(array.dictionary, wanted), array)


def _taken(hashes: Hashes, array: pa.DictionaryArray) -> Hashes:
    """Return the hash of each value of an array, given those of its dictionary; 0 where null."""
    values = np.append(hashes, np.uint64(0))
    codes = array.indices.fill_null(len(array.dictionary)) if array.null_count else array.indices
    taken: Hashes = values[codes.to_numpy(zero_copy_only=False)]
    return taken


def _of_struct(array: pa.StructArray, wanted: pa.Field) -> Hashes:
    place = {field_id(one): i for i, one in enumerate(child_fields(array.type))}
    if None in place:
        raise Refused(NO_FIELD_IDS, f"{wanted.name}: fields without ids can't be compared")
    sums = np.full(len(array), _STRUCT)
    for child in child_fields(wanted.type):
        at = place.get(field_id(child))
        if at is not None:
            sums += _of_field(_hashes(array.field(at), child), child)
    return _mixed(sums)


def _of_list(array: pa.ListArray, wanted: pa.Field) -> Hashes:
    offsets, (element,) = _offsets(array), child_fields(wanted.type)
    values = _hashes(array.values.slice(offsets[0], offsets[-1] - offsets[0]), element)
    values += (_places(offsets) + 1).astype(np.uint64) * _STEP  # also where null, which takes a position
    return _of_many(_mixed(values), offsets, _LIST)


def _of_map(array: pa.MapArray, wanted: pa.Field) -> Hashes:
    offsets, (key, value) = _offsets(array), child_fields(wanted.type)
    first, count = offsets[0], offsets[-1] - offsets[0]
    values = _mixed(_hashes(array.items.slice(first, count), value) + _VALUE)
    return _of_many(_mixed(values + _hashes(array.keys.slice(first, count), key) * _STEP), offsets, _MAP)


def _offsets(array: Any) -> _Ints:
    return np.asarray(array.offsets.to_numpy(zero_copy_only=False), dtype=np.int64)


def _places(offsets: _Ints) -> _Ints:
    """Return the position of each element within its list."""
    places: _Ints = np.arange(offsets[-1] - offsets[0]) - np.repeat(offsets[:-1] - offsets[0], np.diff(offsets))
    return places


def _of_many(inner: Hashes, offsets: _Ints, seed: np.uint64) -> Hashes:
    """Return a hash for each range of `inner`, of its sum and its length."""
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(inner, dtype=np.uint64)])
    within = offsets - offsets[0]
    lengths = np.diff(offsets).astype(np.uint64)
    return _mixed(sums[within[1:]] - sums[within[:-1]] + _mixed(lengths + seed))


def _of_leaf(array: pa.Array, wanted: pa.Field) -> Hashes:
    of = array.type
    if pt.is_fixed_size_binary(of):
        starts = (np.arange(len(array) + 1) + array.offset) * of.byte_width
        return _of_bytes(array.buffers()[1], starts)
    if pt.is_string_view(of) or pt.is_binary_view(of):
        array = array.cast(pa.large_binary())
        of = array.type
    if pt.is_string(of) or pt.is_binary(of) or pt.is_large_string(of) or pt.is_large_binary(of):
        width = np.int64 if pt.is_large_string(of) or pt.is_large_binary(of) else np.int32
        offsets = _values(array, width, len(array) + 1)
        return _of_bytes(array.buffers()[2], offsets.astype(np.int64))
    if pt.is_decimal(of):
        words = _values(array.cast(pa.decimal128(of.precision, of.scale)), np.dtype("2u8"), len(array))
        return _mixed(_mixed(words[:, 0] + _VALUE) + words[:, 1])
    return _mixed(_numbers(array, wanted), _VALUE)


def _numbers(array: pa.Array, wanted: pa.Field) -> Any:
    """Return numbers, and types stored as numbers, as 64 bits."""
    of = array.type
    if pt.is_boolean(of):
        return _values(array.cast(pa.uint8()), np.uint8, len(array)).astype(np.uint64)
    if pt.is_floating(of):
        with np.errstate(invalid="ignore"):  # where a null is, memory may have the bits of a signalling NaN
            exact = _values(array, of.to_pandas_dtype(), len(array)).astype(np.float64) + 0.0  # -0.0 becomes 0.0
        exact[np.isnan(exact)] = np.nan
        return exact.view(np.uint64)
    if pt.is_integer(of) or pt.is_date32(of) or pt.is_time(of) or pt.is_timestamp(of):
        whole = _values(array, np.dtype(f"i{of.bit_width // 8}"), len(array)).astype(np.int64)
        factor = _factor(of, wanted.type)
        return (whole * factor if factor > 1 else whole).view(np.uint64)
    raise Refused(UNREADABLE_LAYOUT, f"{wanted.name}: rows with {of} can't be compared")


def _factor(of: Any, wanted: Any) -> int:
    """Return by how much a stored number grows in the unit of a column of times; 1 for other columns."""
    if not (pt.is_time(wanted) or pt.is_timestamp(wanted)):
        return 1
    if pt.is_date32(of):
        return _DAY_SECONDS * _PER_SECOND[wanted.unit]
    return max(1, _PER_SECOND[wanted.unit] // _PER_SECOND[of.unit]) if pt.is_time(of) or pt.is_timestamp(of) else 1


def _values(array: pa.Array, kind: Any, count: int) -> Any:
    """Return values, or offsets, as a view of the buffer in memory."""
    buffer = array.buffers()[1]
    if buffer is None or not buffer.size:
        return np.zeros(count, kind)
    return np.frombuffer(buffer, kind, count, array.offset * np.dtype(kind).itemsize)


def _of_bytes(data: pa.Buffer | None, starts: _Ints) -> Hashes:
    """Return hashes of the bytes between each start and the next."""
    found = np.empty(len(starts) - 1, np.uint64)
    if (library := _LIBRARY.get()) is not None:
        places, at = np.ascontiguousarray(starts, np.int64), (0, 0) if data is None else (data.address, data.size)
        if library.packhouse_hash_texts(*at, places.ctypes.data, found.size, found.ctypes.data):
            return found
    whole = np.frombuffer(b"" if data is None else data, np.uint8)
    for first, last in _blocks(starts):
        begin, end = starts[first], starts[last]
        padded = np.zeros(end - begin + _WORD, np.uint8)
        padded[:-_WORD] = whole[begin:end]
        found[first:last] = _of_texts(padded, starts[first : last + 1] - begin)
    return found


def _blocks(starts: _Ints) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of runs of values of about a megabyte; a longer value is a run of its own."""
    first, count = 0, len(starts) - 1
    while first < count:
        last = int(np.searchsorted(starts, starts[first] + _BLOCK_BYTES, side="right")) - 1
        last = min(max(last, first + 1), first + _BLOCK_ROWS, count)
        yield first, last
        first = last


def _of_texts(data: npt.NDArray[np.uint8], starts: _Ints) -> Hashes:
    """Hash texts word by word; `data` has a word of zeros at its end."""
    lengths = np.diff(starts)
    counts = (lengths + _WORD - 1) // _WORD
    bounds = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    places = np.arange(bounds[-1])
    at = np.repeat(starts[:-1] - bounds[:-1] * _WORD, counts) + places * _WORD
    words = np.ndarray((len(data) - _WORD + 1,), np.dtype("<u8"), data.data, strides=(1,))[at].astype(np.uint64)
    rest = (lengths % _WORD).astype(np.uint64)
    cut = np.flatnonzero(rest)
    words[bounds[cut + 1] - 1] &= (np.uint64(1) << rest[cut] * np.uint64(_WORD)) - np.uint64(1)
    words += (places - np.repeat(bounds[:-1], counts) + 1).astype(np.uint64) * _STEP
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(_mixed(words), dtype=np.uint64)])
    return _mixed(sums[bounds[1:]] - sums[bounds[:-1]] + _mixed(lengths.astype(np.uint64) + _BYTES))
