"""The compiled pass: column chunks merged by a library, without decoding their values into Arrow's memory.

Without the library (`library.loading`) every column takes the path that Python and Arrow take. A column that the
library does not know returns "not mine": the other path then reads it, and also finds and names damage.
"""

import ctypes
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.library.loading import DONE, MERGE_INPUT, PANIC, MergeAnswer, MergeWanted, load
from engine.rewriting.kernel.parquet.footers import CODECS, DICTIONARY_ENCODINGS, FLOATS, Chunk, NewChunk
from engine.rewriting.kernel.parquet.index_pages import PAGE_ROWS
from engine.rewriting.kernel.parquet.pages import (
    DATA_PAGE,
    DICTIONARY_PAGE,
    LEVEL_ENCODING,
    LEVEL_ENCODINGS,
    PLAIN,
)
from engine.rewriting.kernel.writing.float_facts import FloatFacts

CODECS_OF_OUTPUTS: Final = frozenset({"zstd", "snappy", "gzip", "lz4"})
"""Codecs in which it writes. Without one, indices of repeated values would take more room than Arrow's runs."""

_INPUTS: Final = frozenset(CODECS[name] for name in ("uncompressed", *CODECS_OF_OUTPUTS))
_ENCODINGS: Final = DICTIONARY_ENCODINGS | LEVEL_ENCODINGS | {PLAIN}
_RLE_DICTIONARY: Final = 8
_OWN_LEVEL: Final = -1
_MOST: Final = 1 << 63


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """An input: a chunk's facts, its exact bytes, its rows, and whether it has levels."""

    chunk: Chunk
    data: pa.Buffer
    rows: int
    has_levels: bool


@dataclass(frozen=True, slots=True)
class WalkedPages:
    """The number of pages of a chunk of plain values, and whether each has a checksum, which matched."""

    pages: int
    all_checked: bool


_WALKED: Final = np.dtype([("status", "i4"), ("pages", "u4"), ("all_checked", "u4")])


@dataclass(frozen=True, slots=True)
class MergedChunk:
    """The output: a chunk without statistics, its bytes, its nulls, and the facts of a float column."""

    chunk: NewChunk
    data: pa.Buffer
    nulls: int
    facts: FloatFacts | None


class CompiledPass:
    """Merges the chunks of leaf columns for outputs of one task."""

    def __init__(self, library: ctypes.CDLL, settings: WriteSettings) -> None:
        """Make a pass for outputs with these settings."""
        self._library = library
        self._settings = settings
        self.limit = ""
        """The fault inside the library after which no more columns are merged; empty without one."""

    @staticmethod
    def of(settings: WriteSettings) -> "CompiledPass | None":
        """Return the pass, None if this machine has no library, or it does not write such outputs."""
        library, _ = load()
        return None if library is None or settings.codec not in CODECS_OF_OUTPUTS else CompiledPass(library, settings)

    @staticmethod
    def may_merge(chunk: Chunk) -> bool:
        """Return whether the pass knows codec and encodings of a chunk, by its footer."""
        return chunk.codec in _INPUTS and chunk.encodings <= _ENCODINGS

    def merge(
        self, inputs: Sequence[StoredChunk], *, physical_type: int, width: int, levels: tuple[int, int]
    ) -> MergedChunk | None:
        """Return the chunks as one, None if they are not the library's own.

        Args:
            inputs: chunks of one leaf, in the order of the rows.
            physical_type: number of the column's type.
            width: bytes of a value of fixed length, otherwise 0.
            levels: greatest definition and repetition level of the output.
        """
        rows = self._given(inputs)
        if rows is None:
            return None
        level = self._settings.level
        wanted = MergeWanted(
            physical_type=physical_type,
            width=width,
            codec=CODECS[self._settings.codec],
            level=_OWN_LEVEL if level is None else level,
            definitions=levels[0],
            repetitions=levels[1],
            page_rows=PAGE_ROWS,
            page_bytes=self._settings.page_bytes,
            most_dictionary_bytes=self._settings.dictionary_page_bytes,
        )
        answer = MergeAnswer()
        self._library.packhouse_merge(rows.ctypes.data, len(inputs), ctypes.byref(wanted), ctypes.byref(answer))
        if answer.status == PANIC:
            self.limit = f"a fault inside the library: {answer.reason.decode(errors='replace')}"
        if answer.status != DONE:
            return None
        facts = FloatFacts(answer.nans, bool(answer.has_plus_zero)) if physical_type in FLOATS else None
        return MergedChunk(self._chunk(answer, physical_type), self._taken(answer), answer.nulls, facts)

    def walk(self, inputs: Sequence[StoredChunk]) -> list[WalkedPages | None]:
        """Return the pages of chunks of a flat column that may be copied as they are, None for those of another kind.

        Those may be damaged, or of version 2: `pages.walk` tells.
        """
        rows = self._given(inputs)
        if rows is None:
            return [None] * len(inputs)
        found = np.full(len(inputs), -1, _WALKED)
        self._library.packhouse_walk(rows.ctypes.data, len(inputs), found.ctypes.data)
        if PANIC in found["status"]:
            self.limit = "a fault inside the library: pages"
        return [
            WalkedPages(pages, bool(all_checked)) if status == DONE else None
            for status, pages, all_checked in found.tolist()
        ]

    def _given(self, inputs: Sequence[StoredChunk]) -> "np.ndarray[Any, Any] | None":
        """Return chunks in the library's form; None if it can't have them, or must not be used any more."""
        if self.limit or not all(map(_may_be_given, inputs)):
            return None
        found = [
            (each.data.address, each.data.size, each.rows, of.uncompressed_bytes, of.codec, each.has_levels, of.values)
            for each, of in ((each, each.chunk) for each in inputs)
        ]
        return np.array(found, MERGE_INPUT)

    def _taken(self, answer: MergeAnswer) -> pa.Buffer:
        """Return the answer's bytes as a buffer that frees them when it is no longer used."""
        owner = _Owner()
        weakref.finalize(owner, self._library.packhouse_release, answer.data, answer.length, answer.capacity)
        return pa.foreign_buffer(answer.data, answer.length, owner)

    def _chunk(self, answer: MergeAnswer, physical_type: int) -> NewChunk:
        encoding = _RLE_DICTIONARY if answer.dictionary_bytes else PLAIN
        pages = {(DATA_PAGE, encoding): answer.pages}
        if answer.dictionary_bytes:
            pages[(DICTIONARY_PAGE, PLAIN)] = 1
        made = Chunk(
            physical_type=physical_type,
            start=0,
            stored_bytes=answer.length,
            uncompressed_bytes=answer.size,
            values=answer.entries,
            codec=CODECS[self._settings.codec],
            encodings=frozenset({PLAIN, LEVEL_ENCODING, encoding}),
            has_dictionary=bool(answer.dictionary_bytes),
            statistics=None,
            order_is_known=False,
        )
        return NewChunk.of(made, pages=pages, dictionary_bytes=answer.dictionary_bytes)


def _may_be_given(given: StoredChunk) -> bool:
    """Return whether the numbers of a footer, which may be any, are some that the library's structs can have."""
    chunk = given.chunk
    return 0 <= chunk.uncompressed_bytes < _MOST and 0 <= chunk.values < _MOST and chunk.codec in _INPUTS


class _Owner:
    """Owns the bytes of an answer."""

    __slots__ = ("__weakref__",)
