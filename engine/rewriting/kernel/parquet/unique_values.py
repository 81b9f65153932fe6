"""Reading of a dictionary in which each value occurs once, in the order of the rows, as a page of plain values.

Arrow's writers give every column a dictionary until it exceeds 1 MiB. In a small file, the dictionary page of unique
values (ids, measurements, messages) then holds the values of the first rows in plain encoding, and their indices are
0, 1, 2, … The page may become a data page, in place of the indices; plain pages that follow stay as they are. Only the
indices are decompressed, to compare them with a counter. A page that decompresses to fewer bytes than its header has
is not detected here: what is copied must be decoded once by Arrow, which refuses it.

Chunks are refused in which nulls occur among the indices, a value is repeated or left out, or an index takes more than
`_MOST_BITS`.
"""

from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import DICTIONARY_ENCODINGS, Chunk
from engine.rewriting.kernel.parquet.pages import (
    DATA_PAGE_V2,
    DICTIONARY_PAGE,
    PLAIN,
    ChunkPages,
    StoredPage,
    codec_of,
    data_page,
    definitions_of,
    read_page,
    run,
    walk,
)
from engine.rewriting.kernel.parquet.thrift import MalformedStruct, Struct

_MOST_BITS: Final = 20
"""Limit of an index, and so of the memory for a page of them; Arrow's dictionaries of INT32 have up to 2^18 values."""

_GROUP: Final = 8
"""Indices that are packed together, in as many bytes as an index has bits."""

_LENGTH_BYTES: Final = 4
_INDEX_BYTES: Final = 4
_FIXED_BYTES: Final = 64
"""Bounds of the bytes per index and of all others in a page of indices, before compression."""

_WORDS_ENCODINGS: Final = frozenset({PLAIN, 2})
"""Both numbers that writers use for the plain encoding of a dictionary page."""

Part = tuple[Chunk, pa.Buffer, ChunkPages]
"""Consecutive pages of a chunk, with the facts of a chunk of only these pages."""


def unique_parts(data: pa.Buffer, chunk: Chunk, most_definitions: int, rows: int) -> list[Part]:
    """Return the dictionary page of a flat chunk, and the plain pages after its indices if there are any.

    Args:
        data: exactly the bytes of the chunk.
        chunk: its metadata.
        most_definitions: its greatest definition level: 0 for a required column, otherwise 1.
        rows: the number of its rows.

    Raises:
        DamagedPage: a checksum does not match.
        MalformedStruct: the dictionary does not have the values of the first rows, or pages differ from the footer.
    """
    view = memoryview(data).cast("B")
    try:
        words, _ = read_page(view, 0, chunk.codec, _WORDS_ENCODINGS)
        if words.kind != DICTIONARY_PAGE or words.values > 1 << _MOST_BITS:
            raise MalformedStruct("the chunk does not begin with a dictionary, or with one of too many values")
        at, size = _end_of_indices(view, chunk, words, (most_definitions, 0))
    except IndexError as error:
        raise MalformedStruct("a page of indices ends too early") from error
    facts = chunk._replace(encodings=chunk.encodings - DICTIONARY_ENCODINGS | {PLAIN}, has_dictionary=False)
    rest = facts._replace(
        values=chunk.values - words.values,
        stored_bytes=len(data) - at,
        uncompressed_bytes=chunk.uncompressed_bytes - size,
    )
    pages = walk(view[at:], rest, (most_definitions, 0), rows - words.values)
    parts: list[Part] = [(facts._replace(values=words.values), data, ChunkPages([words]))]
    return [*parts, (rest, data.slice(at), pages)] if pages.pages else parts


def _end_of_indices(view: Any, chunk: Chunk, words: StoredPage, most_levels: tuple[int, int]) -> tuple[int, int]:
    """Return the end of the index pages, as stored and before compression. Raises MalformedStruct if they differ."""
    at, size, count = words.start + words.stored, words.start + words.size, 0
    while count < words.values:
        page, details = data_page(view, at, chunk.codec, most_levels, DICTIONARY_ENCODINGS)
        is_larger = count + page.values > words.values  # usual for repeated values: known before decompressing
        if is_larger or not _is_counter(_indices(view, page, details, chunk.codec, most_levels[0]), count, page.values):
            raise MalformedStruct("the values of the dictionary are not those of the rows")
        count += page.values
        size += page.start - at + page.size
        at = page.start + page.stored
    return at, size


def _indices(view: Any, page: StoredPage, details: Struct, codec: int, most_definitions: int) -> bytes:
    """Return the indices of a page without nulls: their width in bits, then runs. Raises MalformedStruct."""
    if page.size > _FIXED_BYTES + _INDEX_BYTES * page.values:
        raise MalformedStruct("a page of indices is too large")  # and is not decompressed
    body = view[page.start : page.start + page.stored]
    if page.kind == DATA_PAGE_V2:
        length = definitions_of(details)
        levels, content = bytes(body[:length]), _decompressed(body[length:], page, page.size - length, codec)
    else:
        content = _decompressed(body, page, page.size, codec)
        length = int.from_bytes(content[:_LENGTH_BYTES], "little") if most_definitions else 0
        at = _LENGTH_BYTES if most_definitions else 0
        levels, content = content[at : at + length], content[at + length :]
    if levels != (run(page.values, most_definitions) if most_definitions else b""):
        raise MalformedStruct("there are nulls among the indices")
    return content


def _decompressed(body: Any, page: StoredPage, size: int, codec: int) -> bytes:
    try:
        return codec_of(codec).decompress(body, size, asbytes=True) if page.is_compressed else bytes(body)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise MalformedStruct("a page of indices can't be decompressed") from error


def _is_counter(data: bytes, number: int, count: int) -> bool:
    """Return whether the indices of a page are `number`, `number + 1`, … Raises IndexError if there are fewer."""
    bits, at, end = data[0], 1, number + count
    if not 0 < bits <= _MOST_BITS or end > 1 << bits:
        return False
    expected = _packed_counter(bits)
    while number < end:
        head, at = thrift.read_varint(data, at)
        groups = head >> 1
        if head & 1 == 0:  # one index, where a writer has packed all others before
            width = -(-bits // 8)
            if groups != 1 or int.from_bytes(data[at : at + width], "little") != number:
                return False
            number, at = number + 1, at + width
            continue
        many = min(groups * _GROUP, end - number)
        if not many or number % _GROUP or not _is_same(data, at, expected, number * bits // 8, many * bits):
            return False
        number, at = number + many, at + groups * bits
    return True


def _is_same(data: bytes, at: int, expected: bytes, place: int, bits: int) -> bool:
    """Return whether the first bits are equal, as many as given; those after the last value have no meaning."""
    whole, more = divmod(bits, 8)
    if data[at : at + whole] != expected[place : place + whole]:
        return False
    return not more or (data[at + whole] ^ expected[place + whole]) & ((1 << more) - 1) == 0


@lru_cache(maxsize=_MOST_BITS)
def _packed_counter(bits: int) -> bytes:
    """Return all numbers of this many bits, in ascending order, packed."""
    octets = np.arange(1 << bits, dtype="<u4").view(np.uint8).reshape(-1, 4)
    return np.packbits(np.unpackbits(octets, axis=1, count=bits, bitorder="little"), bitorder="little").tobytes()
