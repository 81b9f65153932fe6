"""Writing of dictionary-encoded column chunks: a dictionary and pages of indices into it.

Arrow's writer takes 12 ns for each value of such a chunk; here a page of indices is packed at once (3 ns), and integers
of a small range are looked up in a table (2 ns). A page of few long runs is written as runs, any other in the bits that
the largest index needs: repetitions in it are left to the codec.
"""

import zlib
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.bit_packing import GROUP, MOST_WORDS, narrow, packed
from engine.rewriting.kernel.parquet.footers import CODECS, Chunk, NewChunk
from engine.rewriting.kernel.parquet.pages import (
    DATA_PAGE,
    DICTIONARY_PAGE,
    LEVEL_ENCODING,
    PLAIN,
    data_page_header,
    dictionary_page_header,
    run,
)

PAGE_ROWS: Final = 64 * 1024
"""The most rows of a page; a multiple of 8. A page fits the processor's cache while it is packed."""

MOST_SPAN: Final = 1 << 20
"""The largest range of integers that are looked up in a table, which fits the processor's cache."""

RUN_ROWS: Final = 512
"""Mean length of runs from which a page is written as runs; the codec compresses shorter ones faster."""

_INDICES: Final = 8
"""The encoding RLE_DICTIONARY."""

_LENGTH_BYTES: Final = 4
_BYTE: Final = 8

Indices = npt.NDArray[np.unsignedinteger]


@dataclass(frozen=True, slots=True)
class Indexed:
    """A flat column: its distinct values (`words`, as stored, no null), and the index of the word for each value.

    `valid`: for each row whether it has a value; None when all have.
    """

    words: pa.Array
    indices: Indices
    valid: npt.NDArray[np.bool_] | None

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.indices) if self.valid is None else len(self.valid)

    @property
    def bits(self) -> int:
        """The bits of an index."""
        return _bits(self.words)

    @staticmethod
    def of(chunks: Sequence[pa.Array], *, most_bytes: int) -> "Indexed | None":
        """Return a column under one dictionary; None if it exceeds `most_bytes`, or has no or too many words.

        `chunks` are all dictionary arrays of texts, or all integers; for other types the result is None.
        """
        if pt.is_dictionary(chunks[0].type):
            joined = pa.chunked_array(chunks).unify_dictionaries().chunks
            words, blocks = joined[0].dictionary, _blocks([chunk.indices for chunk in joined])
            look_up = None
        elif pt.is_signed_integer(chunks[0].type) and (table := _Table.of(blocks := _blocks(chunks))):
            words, look_up = pa.array(table.words, chunks[0].type), table.look_up
        else:
            return None
        if not blocks or len(words) > MOST_WORDS or words.nbytes > most_bytes:
            return None
        indices = np.empty(sum(map(len, blocks)), narrow(_bits(words)))
        at = 0
        for block in blocks:
            indices[at : at + len(block)] = block if look_up is None else look_up(block)
            at += len(block)
        return Indexed(words, indices, _valid(chunks))


class _Table:
    """Lookup table from integers to dictionary indices, by value; a hash table takes three times as long."""

    def __init__(self, words: npt.NDArray[Any]) -> None:
        """Make the table; `words` are sorted."""
        self.words = words
        self._least = int(words[0])
        self._places = np.empty(words[-1] - words[0] + 1, narrow(_bits(words)))
        self._places[words - words[0]] = np.arange(len(words))

    @staticmethod
    def of(blocks: Sequence[npt.NDArray[Any]]) -> "_Table | None":
        """Return the table for all values; None without values, or if their range or number is too large."""
        least = min((int(block.min()) for block in blocks), default=0)
        greatest = max((int(block.max()) for block in blocks), default=0)
        if not blocks or greatest - least >= MOST_SPAN:
            return None
        occurs = np.zeros(greatest - least + 1, np.bool_)
        for block in blocks:
            occurs[_offsets_from(least, block)] = True
        words = np.flatnonzero(occurs) + least
        return _Table(words) if len(words) <= MOST_WORDS else None

    def look_up(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the index of each value."""
        found: npt.NDArray[Any] = self._places[_offsets_from(self._least, values)]
        return found


def _offsets_from(least: int, values: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the difference of each value to the least, as numpy's index type (twice as fast as others)."""
    found: npt.NDArray[np.intp] = np.subtract(values, least, dtype=np.intp)
    return found


def _blocks(chunks: Sequence[pa.Array]) -> list[npt.NDArray[Any]]:
    """Return the non-null values in non-empty arrays of about `PAGE_ROWS`."""
    made: list[npt.NDArray[Any]] = []
    together: list[pa.Array] = []
    rows = 0
    for chunk in chunks:
        together.append(chunk)
        rows += len(chunk)
        if rows >= PAGE_ROWS:
            made += _cut(together)
            together, rows = [], 0
    return made + _cut(together)


def _cut(chunks: Sequence[pa.Array]) -> list[npt.NDArray[Any]]:
    if not chunks:
        return []
    joined = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks)
    values = (joined.drop_null() if joined.null_count else joined).to_numpy()
    return [values[start : start + PAGE_ROWS] for start in range(0, len(values), PAGE_ROWS)]


def _valid(chunks: Sequence[pa.Array]) -> npt.NDArray[np.bool_] | None:
    if not any(chunk.null_count for chunk in chunks):
        return None
    return np.concatenate([chunk.is_valid().to_numpy(zero_copy_only=False) for chunk in chunks])


class ChunkWriter:
    """Writes chunks of indexed columns for the outputs of one task."""

    def __init__(self, settings: WriteSettings) -> None:
        """Make a writer for outputs with `settings`, for which `can_write` is true."""
        name = "lz4_raw" if settings.codec == "lz4" else settings.codec
        self._codec = pa.Codec(name, compression_level=settings.level)
        self._codec_number = CODECS[settings.codec]
        self._page_bytes = settings.page_bytes

    @staticmethod
    def can_write(settings: WriteSettings) -> bool:
        """Return whether outputs are compressed, which packed indices with repeated values require."""
        return settings.codec != "uncompressed"

    def write(self, column: Indexed, *, physical_type: int, is_optional: bool) -> tuple[NewChunk, list[Any]]:
        """Return the column as a chunk without statistics, and its bytes; pages have checksums."""
        words = _plain(column.words)
        stored = self._codec.compress(words)
        header = dictionary_page_header(
            words=len(column.words), size=len(words), stored=stored.size, checksum=zlib.crc32(stored)
        )
        buffers: list[Any] = [header, stored]
        size = len(header) + len(words)
        for rows, body in _bodies(column, is_optional, self._page_bytes):
            stored = self._codec.compress(body)
            header = data_page_header(
                values=rows, encoding=_INDICES, size=len(body), stored=stored.size, checksum=zlib.crc32(stored)
            )
            buffers += [header, stored]
            size += len(header) + len(body)
        chunk = Chunk(
            physical_type=physical_type,
            start=0,
            stored_bytes=sum(map(len, buffers)),
            uncompressed_bytes=size,
            values=column.rows,
            codec=self._codec_number,
            encodings=frozenset({PLAIN, LEVEL_ENCODING, _INDICES}),
            has_dictionary=True,
            statistics=None,
            order_is_known=False,
        )
        pages = {(DICTIONARY_PAGE, PLAIN): 1, (DATA_PAGE, _INDICES): len(buffers) // 2 - 1}
        return NewChunk.of(chunk, pages=pages, dictionary_bytes=len(buffers[0]) + len(buffers[1])), buffers


def _bodies(column: Indexed, is_optional: bool, page_bytes: int) -> Iterator[tuple[int, bytes]]:
    """Yield the number of rows and the content of each page."""
    step = min(PAGE_ROWS, max(GROUP, page_bytes * _BYTE // column.bits // GROUP * GROUP))
    at = 0
    for start in range(0, column.rows, step):
        rows = min(step, column.rows - start)
        valid = None if column.valid is None else column.valid[start : start + rows]
        count = rows if valid is None else int(np.count_nonzero(valid))
        levels = _levels(rows, valid) if is_optional else b""
        yield rows, levels + _runs(column.indices[at : at + count], column.bits)
        at += count


def _bits(words: Sized) -> int:
    return max(1, (len(words) - 1).bit_length())


def _levels(rows: int, valid: npt.NDArray[np.bool_] | None) -> bytes:
    """Return the definition levels of a page: one run, or one bit per row."""
    made = run(rows, 1) if valid is None else _packed_run(rows, np.packbits(valid, bitorder="little").tobytes())
    return len(made).to_bytes(_LENGTH_BYTES, "little") + made


def _runs(indices: Indices, bits: int) -> bytes:
    """Return the indices of a page as one packed run, or as runs of equal indices if these are long."""
    changes = indices[1:] != indices[:-1]
    made = bytes([bits])
    if np.count_nonzero(changes) * RUN_ROWS >= len(indices):
        return made + _packed_run(len(indices), packed(indices, bits))
    begins = [0, *(np.flatnonzero(changes) + 1).tolist()]
    width = -(-bits // _BYTE)
    for begin, end in pairwise([*begins, len(indices)]):
        made += run(end - begin, int(indices[begin]), width)
    return made


def _packed_run(count: int, data: bytes) -> bytes:
    groups = -(-count // GROUP)
    return thrift.varint(groups << 1 | 1) + data


def _plain(words: pa.Array) -> bytes:
    """Return values in Parquet's plain encoding: fixed-width values concatenated, texts prefixed by their length."""
    if not pt.is_binary(words.type):
        width = words.type.bit_width // _BYTE
        return bytes(words.buffers()[1].slice(words.offset * width, len(words) * width))
    offsets = np.frombuffer(words.buffers()[1], np.int32)[words.offset : words.offset + len(words) + 1]
    lengths = np.diff(offsets).astype("<u4")
    texts = np.frombuffer(words.buffers()[2] or b"", np.uint8)[offsets[0] : offsets[-1]]
    made = np.empty(len(texts) + _LENGTH_BYTES * len(words), np.uint8)
    places = (
        (offsets[:-1] - offsets[0])[:, None] + _LENGTH_BYTES * np.arange(len(words))[:, None] + np.arange(_LENGTH_BYTES)
    )
    is_text = np.ones(len(made), np.bool_)
    is_text[places] = False
    made[places] = lengths.view(np.uint8).reshape(-1, _LENGTH_BYTES)
    made[is_text] = texts
    return made.tobytes()
