"""The compiled pass: column chunks merged by a library, without decoding their values into Arrow's memory.

The library (`engine/rewriting/compiled`, Rust) is beside this package if it was built for this machine. It is loaded
from memory, as the package may be in a zip and an executor's folders may forbid to execute files. Without it, or if it
fails its self-test, every column takes the path that Python and Arrow take. A column that the library does not know
returns "not mine": the other path then reads it, and also finds and names damage.
"""

import ctypes
import os
import platform
import sys
import weakref
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.parquet.footers import CODECS, DICTIONARY_ENCODINGS, FLOATS, Chunk, NewChunk
from engine.rewriting.kernel.parquet.index_pages import PAGE_ROWS
from engine.rewriting.kernel.parquet.pages import (
    DATA_PAGE,
    DICTIONARY_PAGE,
    LEVEL_ENCODING,
    LEVEL_ENCODINGS,
    PLAIN,
    data_page_header,
)
from engine.rewriting.kernel.writing.float_facts import FloatFacts

LIBRARY: Final = f"libpackhouse_compiled-{platform.machine()}.so"
"""Name of the library in `engine/rewriting/compiled/lib`."""

CODECS_OF_OUTPUTS: Final = frozenset({"zstd", "snappy", "gzip", "lz4"})
"""Codecs in which it writes. Without one, indices of repeated values would take more room than Arrow's runs."""

_INPUTS: Final = frozenset(CODECS[name] for name in ("uncompressed", *CODECS_OF_OUTPUTS))
_ENCODINGS: Final = DICTIONARY_ENCODINGS | LEVEL_ENCODINGS | {PLAIN}
INTERFACE: Final = 1
"""Number of the library's interface that is used here."""
_WRITTEN: Final = 0
_PANIC: Final = 2
_INT32: Final = 1
_RLE_DICTIONARY: Final = 8
_OWN_LEVEL: Final = -1
_MOST_REASON: Final = 200
_MOST_BYTES: Final = 1 << 63


class _MergeWanted(ctypes.Structure):
    _fields_ = (
        ("physical_type", ctypes.c_uint32),
        ("width", ctypes.c_uint32),
        ("codec", ctypes.c_int32),
        ("level", ctypes.c_int32),
        ("is_optional", ctypes.c_uint32),
        ("page_rows", ctypes.c_uint32),
        ("page_bytes", ctypes.c_uint64),
        ("most_dictionary_bytes", ctypes.c_uint64),
    )


class _MergeAnswer(ctypes.Structure):
    _fields_ = (
        ("status", ctypes.c_int32),
        ("has_plus_zero", ctypes.c_uint32),
        ("data", ctypes.c_void_p),
        ("length", ctypes.c_uint64),
        ("capacity", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("dictionary_bytes", ctypes.c_uint64),
        ("pages", ctypes.c_uint64),
        ("rows", ctypes.c_uint64),
        ("nulls", ctypes.c_uint64),
        ("nans", ctypes.c_uint64),
        ("reason", ctypes.c_char * 64),
    )


_INPUT: Final = np.dtype(
    [("data", "u8"), ("length", "u8"), ("rows", "u8"), ("size", "u8"), ("codec", "i4"), ("is_optional", "u4")]
)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """An input: a chunk's facts, its exact bytes, its rows, and whether it has definition levels."""

    chunk: Chunk
    data: pa.Buffer
    rows: int
    is_optional: bool


@dataclass(frozen=True, slots=True)
class MergedChunk:
    """The output: a chunk without statistics, its bytes, its nulls, and the facts of a float column."""

    chunk: NewChunk
    data: pa.Buffer
    nulls: int
    facts: FloatFacts | None


class CompiledPass:
    """Merges the chunks of flat columns for outputs of one task."""

    def __init__(self, library: ctypes.CDLL, settings: WriteSettings) -> None:
        """Make a pass for outputs with these settings."""
        self._library = library
        self._settings = settings
        self.limit = ""
        """The fault inside the library after which no more columns are merged; empty without one."""

    @staticmethod
    def of(settings: WriteSettings) -> "CompiledPass | None":
        """Return the pass, None if this machine has no library, or it does not write such outputs."""
        library, _ = _load()
        return None if library is None or settings.codec not in CODECS_OF_OUTPUTS else CompiledPass(library, settings)

    @staticmethod
    def may_merge(chunk: Chunk) -> bool:
        """Return whether the pass knows codec and encodings of a chunk, by its footer."""
        return chunk.codec in _INPUTS and chunk.encodings <= _ENCODINGS

    def merge(
        self, inputs: Sequence[StoredChunk], *, physical_type: int, width: int, is_optional: bool
    ) -> MergedChunk | None:
        """Return the chunks as one, None if they are not the library's own.

        Args:
            inputs: chunks of one flat column, in the order of the rows.
            physical_type: number of the column's type.
            width: bytes of a value of fixed length, otherwise 0.
            is_optional: whether the output has definition levels.
        """
        if self.limit:
            return None
        if any(not 0 <= one.chunk.uncompressed_bytes < _MOST_BYTES for one in inputs):
            return None  # a footer may have any number
        rows = np.array(
            [
                (
                    one.data.address,
                    one.data.size,
                    one.rows,
                    one.chunk.uncompressed_bytes,
                    one.chunk.codec,
                    one.is_optional,
                )
                for one in inputs
            ],
            _INPUT,
        )
        level = self._settings.level
        wanted = _MergeWanted(
            physical_type=physical_type,
            width=width,
            codec=CODECS[self._settings.codec],
            level=_OWN_LEVEL if level is None else level,
            is_optional=is_optional,
            page_rows=PAGE_ROWS,
            page_bytes=self._settings.page_bytes,
            most_dictionary_bytes=self._settings.dictionary_page_bytes,
        )
        answer = _MergeAnswer()
        self._library.packhouse_merge(rows.ctypes.data, len(inputs), ctypes.byref(wanted), ctypes.byref(answer))
        if answer.status == _PANIC:
            self.limit = f"a fault inside the library: {answer.reason.decode(errors='replace')}"
        if answer.status != _WRITTEN:
            return None
        facts = FloatFacts(answer.nans, bool(answer.has_plus_zero)) if physical_type in FLOATS else None
        return MergedChunk(self._chunk(answer, physical_type), self._taken(answer), answer.nulls, facts)

    def _taken(self, answer: _MergeAnswer) -> pa.Buffer:
        """Return the answer's bytes as a buffer that frees them when it is no longer used."""
        owner = _Owner()
        weakref.finalize(owner, self._library.packhouse_release, answer.data, answer.length, answer.capacity)
        return pa.foreign_buffer(answer.data, answer.length, owner)

    def _chunk(self, answer: _MergeAnswer, physical_type: int) -> NewChunk:
        encoding = _RLE_DICTIONARY if answer.dictionary_bytes else PLAIN
        pages = {(DATA_PAGE, encoding): answer.pages}
        if answer.dictionary_bytes:
            pages[(DICTIONARY_PAGE, PLAIN)] = 1
        made = Chunk(
            physical_type=physical_type,
            start=0,
            stored_bytes=answer.length,
            uncompressed_bytes=answer.size,
            values=answer.rows,
            codec=CODECS[self._settings.codec],
            encodings=frozenset({PLAIN, LEVEL_ENCODING, encoding}),
            has_dictionary=bool(answer.dictionary_bytes),
            statistics=None,
            order_is_known=False,
        )
        return NewChunk.of(made, pages=pages, dictionary_bytes=answer.dictionary_bytes)


class _Owner:
    """Owns the bytes of an answer."""

    __slots__ = ("__weakref__",)


class _Unusable(Exception):
    """The library can't be used; the text is the reason."""


def loading_limit() -> str:
    """Return why this machine has no library that works; empty if it has one."""
    return _load()[1]


@lru_cache(maxsize=1)
def _load() -> tuple[ctypes.CDLL | None, str]:
    """Return the library after a self-test, or None and why there is none."""
    try:
        return _opened(), ""
    except _Unusable as unusable:
        return None, str(unusable)


def _opened() -> ctypes.CDLL:
    """Return the library. Raises _Unusable."""
    built = files("engine.rewriting") / "compiled" / "lib" / LIBRARY
    if sys.platform != "linux" or not built.is_file():
        raise _Unusable(f"the kernel was sent without a library for {sys.platform} on {platform.machine()}")
    try:
        descriptor = os.memfd_create(LIBRARY)
        try:
            with open(descriptor, "wb", closefd=False) as memory:
                memory.write(built.read_bytes())
            library = ctypes.CDLL(f"/proc/self/fd/{descriptor}")
        finally:
            os.close(descriptor)
        interface = _declared(library)
    except (OSError, AttributeError) as error:
        raise _Unusable(f"the library can't be loaded: {error}"[:_MOST_REASON]) from error
    if interface != INTERFACE:
        raise _Unusable(f"the library has interface {interface}, the kernel needs {INTERFACE}")
    if not _works(library):
        raise _Unusable("the library failed its self-test")
    return library


def _declared(library: ctypes.CDLL) -> int:
    """Declare the functions of the library; return the number of its interface. Raises AttributeError without one."""
    library.packhouse_interface.restype = ctypes.c_uint32
    library.packhouse_merge.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p)
    library.packhouse_merge.restype = None
    library.packhouse_release.argtypes = (ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
    library.packhouse_release.restype = None
    return int(library.packhouse_interface())


def _works(library: ctypes.CDLL) -> bool:
    """Return whether a page of three numbers that needs no change comes out unchanged."""
    body = b"".join(number.to_bytes(4, "little") for number in (1, 2, 3))
    page = (
        data_page_header(values=3, encoding=PLAIN, size=len(body), stored=len(body), checksum=zlib.crc32(body)) + body
    )
    chunk = Chunk(_INT32, 0, len(page), len(page), 3, 0, frozenset(), False, None, False)
    settings = WriteSettings(target_file_bytes=1, codec="uncompressed")
    inputs = [StoredChunk(chunk, pa.py_buffer(page), 3, is_optional=False)]
    made = CompiledPass(library, settings).merge(inputs, physical_type=_INT32, width=0, is_optional=False)
    return made is not None and made.data.to_pybytes() == page
