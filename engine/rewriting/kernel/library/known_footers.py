"""Footers of inputs that have the schema of an earlier input, read by the library with one call for many files.

The library reads a footer only if its schema, key-values and column orders are, byte for byte, those of a footer that
`InputFooter` and Arrow have read in the same task, and if everything else is as the format says. It takes all other
footers for "not its own": they are read as without it, which also finds and names damage.
"""

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.library.loading import DONE, PANIC
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.encodings import INDEX_BYTES, SAVING, WIDTHS
from engine.rewriting.kernel.parquet.footers import (
    DICTIONARY_ENCODINGS,
    KEY_VALUES,
    ORDERS,
    SCHEMA,
    TYPES,
    BareElement,
    Chunk,
    InputFooter,
)
from engine.rewriting.kernel.parquet.thrift import BINARY, I64, TRUE, Struct

MOST_SCHEMAS: Final = 8
"""Schemas that are known at a time; files of a group have few."""

_LEAST_CHUNK: Final = 20
"""Bytes of the shortest metadata of a column chunk, rounded down."""

_NONE: Final = -1
"""No status of the library."""

_NULLS, _LEAST, _GREATEST, _LEAST_SAYS, _LEAST_EXACT, _GREATEST_SAYS, _GREATEST_EXACT = 1, 2, 4, 8, 16, 32, 64
_DICTIONARY, _STATISTICS = 128, 256

_FOOTER: Final = np.dtype(
    [("status", "i4"), ("known", "u4"), ("rows", "i8"), ("groups", "u8"), ("first_group", "u8"), ("first_chunk", "u8")]
)
_GROUP: Final = np.dtype([("rows", "i8"), ("bytes", "i8")])
_CHUNK: Final = np.dtype(
    [
        ("physical_type", "i4"),
        ("codec", "i4"),
        ("encodings", "u8"),
        *((name, "i8") for name in ("values", "size", "stored", "data_offset", "dictionary_offset", "nulls")),
        *((name, "u4") for name in ("least_at", "least_length", "greatest_at", "greatest_length", "has")),
        *((name, "u4") for name in ("definitions", "repetitions", "padding")),
    ]
)


class _Span(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("length", ctypes.c_uint64))


class _KnownSchema(ctypes.Structure):
    _fields_ = (
        ("schema", _Span),
        ("key_values", _Span),
        ("orders", _Span),
        ("forms", ctypes.c_void_p),
        ("columns", ctypes.c_uint64),
    )


class _FooterAnswer(ctypes.Structure):
    _fields_ = (
        ("footers", ctypes.c_void_p),
        ("groups", ctypes.c_void_p),
        ("most_groups", ctypes.c_uint64),
        ("chunks", ctypes.c_void_p),
        ("most_chunks", ctypes.c_uint64),
    )


class Schema:
    """The schema of an input that was read without the library."""

    def __init__(self, data: bytes, footer: InputFooter, forms: Sequence[tuple[str, int, int]]) -> None:
        """Keep what other footers are compared with; `forms`: type and greatest levels of each column."""
        fields = thrift.fields_as_stored(data)
        self.facts = footer.schema
        self.orders_known = [footer.order_is_known(leaf) for leaf in range(len(forms))]
        self.columns = len(forms)
        self._bytes = [np.frombuffer(fields.get(each, b""), np.uint8) for each in (SCHEMA, KEY_VALUES, ORDERS)]
        self._forms = np.array([(TYPES.index(kind), *levels) for kind, *levels in forms], np.int32)

    def as_known(self) -> _KnownSchema:
        """Return it for the library, whose pointers are valid as long as this object lives."""
        spans = [_Span(each.ctypes.data, each.size) for each in self._bytes]
        return _KnownSchema(*spans, self._forms.ctypes.data, self.columns)


class KnownFooter:
    """The footer of an input as the library read it: the facts of an `InputFooter`, and those that Arrow would give."""

    is_encrypted: Final = False

    def __init__(
        self, schema: Schema, data: bytes, groups: list[tuple[int, int]], chunks: list[Any], coded: list[bool]
    ) -> None:
        self.schema = schema.facts
        self.rows = sum(rows for rows, _ in groups)
        self.groups = groups
        """Rows, and bytes before compression, of each row group."""
        self._coded = coded
        self._orders_known = schema.orders_known
        self._data = data
        self._chunks = chunks

    @property
    def row_groups(self) -> int:
        """The number of row groups."""
        return len(self.groups)

    @property
    def dictionary_leaves(self) -> list[bool]:
        """For each column what `encodings.dictionary_leaves` returns."""
        columns = len(self._orders_known)
        filled = [self._coded[at * columns :][:columns] for at, (rows, _) in enumerate(self.groups) if rows]
        return [bool(filled) and all(each) for each in zip(*filled, strict=True)] if filled else [False] * columns

    def chunk(self, row_group: int, leaf: int) -> Chunk:
        """Return a column chunk."""
        found = self._chunks[row_group * len(self._orders_known) + leaf]
        physical_type, codec, mask, values, size, stored, data_offset, dictionary, nulls, *bounds, has, _, _, _ = found
        encodings = _encodings(mask)
        return Chunk(
            physical_type,
            min(data_offset, dictionary) if dictionary > 0 else data_offset,
            stored,
            size,
            values,
            codec,
            encodings,
            dictionary > 0 or not encodings.isdisjoint(DICTIONARY_ENCODINGS),
            self._statistics(has, nulls, bounds) if has & _STATISTICS else None,
            self._orders_known[leaf],
        )

    def _statistics(self, has: int, nulls: int, bounds: list[int]) -> Struct:
        made: Struct = {}
        if has & _NULLS:
            made[3] = I64, nulls
        if has & _GREATEST:
            made[5] = BINARY, self._data[bounds[2] : bounds[2] + bounds[3]]
        if has & _LEAST:
            made[6] = BINARY, self._data[bounds[0] : bounds[0] + bounds[1]]
        if has & _GREATEST_SAYS:
            made[7] = TRUE, bool(has & _GREATEST_EXACT)
        if has & _LEAST_SAYS:
            made[8] = TRUE, bool(has & _LEAST_EXACT)
        return made

    def bare(self, row_group: int, columns: Sequence[tuple[int, BareElement]]) -> bytes:
        """Return metadata as `InputFooter.bare` does."""
        return InputFooter(self._data).bare(row_group, columns)


@lru_cache(maxsize=256)
def _encodings(mask: int) -> frozenset[int]:
    return frozenset(number for number in range(64) if mask >> number & 1)


class KnownFooters:
    """Reads the footers of a task's inputs. Thread safe."""

    def __init__(self, library: ctypes.CDLL | None) -> None:
        """Start with no known schema; without a library every footer is left to the caller."""
        self._library = library
        self._known: tuple[Schema, ...] = ()
        self.limit = ""
        """The fault inside the library after which it reads no more footers; empty without one."""

    def learn(self, data: bytes, footer: InputFooter, forms: Sequence[tuple[str, int, int]]) -> None:
        """Remember the schema of a footer that was read without the library."""
        if self._library is not None and all(each.facts is not footer.schema for each in self._known):
            self._known = Schema(data, footer, forms), *self._known[: MOST_SCHEMAS - 1]

    def read(self, footers: Sequence[pa.Buffer]) -> list[KnownFooter | None]:
        """Return footers (the metadata alone), None for each that is not the library's own."""
        known = self._known
        if self._library is None or not known or self.limit:
            return [None] * len(footers)
        count, most = len(footers), sum(each.size for each in footers) // _LEAST_CHUNK + 1
        spans = (_Span * count)(*(_Span(each.address, each.size) for each in footers))
        schemas = (_KnownSchema * len(known))(*(each.as_known() for each in known))
        found, groups, chunks = np.zeros(count, _FOOTER), np.empty(most, _GROUP), np.empty(most, _CHUNK)
        found["status"] = _NONE
        answer = _FooterAnswer(found.ctypes.data, groups.ctypes.data, most, chunks.ctypes.data, most)
        self._library.packhouse_footers(spans, count, schemas, len(known), ctypes.byref(answer))
        if PANIC in found["status"]:
            self.limit = "a fault inside the library: footers"
        made: list[KnownFooter | None] = []
        coded = _coded(chunks[: int(found["groups"] @ [known[each].columns for each in found["known"]])]).tolist()
        for data, (status, which, rows, number, group, chunk) in zip(footers, found.tolist(), strict=True):
            own = groups[group : group + number].tolist()
            if status != DONE or any(each[0] < 0 for each in own) or sum(each[0] for each in own) != rows:
                made.append(None)
                continue
            schema = known[which]
            end = chunk + number * schema.columns
            made.append(KnownFooter(schema, data.to_pybytes(), own, chunks[chunk:end].tolist(), coded[chunk:end]))
        return made


_WIDTHS: Final = np.array([WIDTHS.get(kind, 0) for kind in TYPES])


def _coded(chunks: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return for each chunk whether it is dictionary-coded throughout, as `encodings.is_dictionary_coded` does."""
    width, values = _WIDTHS[chunks["physical_type"]], chunks["values"]
    dictionary_bytes = np.maximum(0, chunks["data_offset"] - chunks["dictionary_offset"])
    is_small = np.where(
        width > 0,
        chunks["size"] <= SAVING * width * values,
        chunks["stored"] - dictionary_bytes <= INDEX_BYTES * values,
    )
    has_plain, has_old = chunks["encodings"] & 1 > 0, chunks["encodings"] & 4 > 0
    found: np.ndarray[Any, Any] = (chunks["has"] & _DICTIONARY > 0) & (~has_plain | (~has_old & is_small))
    return found
