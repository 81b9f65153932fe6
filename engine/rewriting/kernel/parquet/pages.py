"""Traversal of a column chunk's page headers without decoding values, and headers of new pages.

A chunk may be copied when its pages match its footer: data pages only, values plain, consistent sizes and counts. With
a checksum on every page its bytes are verified to be those that were written; without, only decoding verifies them.

Pages of a required column become those of an optional one by prepending levels: in a page of version 2 levels precede
the compressed part, so values stay as stored, regardless of the version of their page.
"""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa

from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import CODECS, Chunk
from engine.rewriting.kernel.parquet.thrift import BINARY, I32, I64, STRUCT, TRUE, MalformedStruct, Struct

DATA_PAGE: Final = 0
DICTIONARY_PAGE: Final = 2
DATA_PAGE_V2: Final = 3
PLAIN: Final = 0
"""The only encoding that is copied: vectorised readers of Spark refuse BYTE_STREAM_SPLIT, those of Iceberg the delta
encodings too, and DELTA_BYTE_ARRAY pages of some old writers depend on the previous page (PARQUET-246)."""

LEVEL_ENCODING: Final = 3
LEVEL_ENCODINGS: Final = frozenset({LEVEL_ENCODING, 4})
"""RLE, and BIT_PACKED, which writers name for absent levels."""

# PageHeader
_KIND, _UNCOMPRESSED, _STORED, _CHECKSUM, _DATA_HEADER, _DICTIONARY_HEADER, _DATA_HEADER_V2 = 1, 2, 3, 4, 5, 7, 8
# DataPageHeader
_VALUES, _ENCODING, _DEFINITIONS, _REPETITIONS, _PAGE_STATISTICS = 1, 2, 3, 4, 5
# DataPageHeaderV2
_V2_VALUES, _V2_NULLS, _V2_ROWS, _V2_ENCODING, _V2_DEFINITIONS, _V2_REPETITIONS, _V2_COMPRESSED, _V2_STATISTICS = range(
    1, 9
)
# DictionaryPageHeader, as the first two of a DataPageHeader
_WORDS, _WORDS_ENCODING = 1, 2

_DETAILS: Final = frozenset({_DATA_HEADER, _DICTIONARY_HEADER, _DATA_HEADER_V2})
_HEADER_KINDS: Final = {1: I32, 2: I32, 3: I32, 4: I32, **dict.fromkeys(_DETAILS, STRUCT)}
_DETAIL_KINDS: Final = {1: I32, 2: I32, 3: I32, 4: I32, 5: STRUCT}
_V2_DETAIL_KINDS: Final = {1: I32, 2: I32, 3: I32, 4: I32, 5: I32, 6: I32, 7: TRUE, 8: STRUCT}
_NULL_COUNT: Final = 3
_STATISTICS_KINDS: Final = {1: BINARY, 2: BINARY, 3: I64, 4: I64, 5: BINARY, 6: BINARY, 7: TRUE, 8: TRUE, 9: I64}
_FORMS: Final = {
    DATA_PAGE: (_DATA_HEADER, _DETAIL_KINDS, {1, 2, 3, 4}, _PAGE_STATISTICS),
    DATA_PAGE_V2: (_DATA_HEADER_V2, _V2_DETAIL_KINDS, {1, 2, 3, 4, 5, 6}, _V2_STATISTICS),
    DICTIONARY_PAGE: (_DICTIONARY_HEADER, {1: I32, 2: I32, 3: TRUE}, {1, 2}, 0),
}
"""By page type: the field of its header, the header's wire types and required fields, the field of its statistics
(0: it has none)."""
_MOST: Final = 1 << 31
UNCOMPRESSED: Final = CODECS["uncompressed"]
_CODEC_NAMES: Final = {number: "lz4_raw" if name == "lz4" else name for name, number in CODECS.items()}


class DamagedPage(ValueError):
    """The bytes of a page do not match its checksum."""


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A data page, or a dictionary: `values` in `stored` bytes (without the header) from byte `start` of its chunk.

    `size` is their size before compression, if it `is_compressed`; `is_checked`: the page has a checksum, and it
    matched. Both sizes include levels.
    """

    kind: int
    values: int
    start: int
    stored: int
    size: int
    is_compressed: bool
    is_checked: bool


@dataclass(frozen=True, slots=True)
class ChunkPages:
    """The pages of a chunk."""

    pages: Sequence[StoredPage]

    @property
    def all_checked(self) -> bool:
        """Whether every page has a checksum."""
        return all(page.is_checked for page in self.pages)

    @property
    def counts(self) -> Counter[tuple[int, int]]:
        """The number of pages by (page type, encoding)."""
        return Counter([(page.kind, PLAIN) for page in self.pages])


def walk(data: Any, chunk: Chunk, most_levels: tuple[int, int], rows: int) -> ChunkPages:
    """Return all pages of a chunk of `rows` rows that is to be copied; `data` is a view of exactly its bytes.

    `most_levels` are the greatest definition and repetition level of the column.

    Raises:
        DamagedPage: a checksum does not match.
        MalformedStruct: the chunk may not be copied.
    """
    found: list[StoredPage] = []
    counts: list[Struct] = []  # of pages of version 2
    is_told = True  # whether their levels confirm all of these counts
    at = values = size = 0
    while at < len(data):
        page, details = data_page(data, at, chunk.codec, most_levels)
        if page.kind == DATA_PAGE_V2:
            counts.append(details)
            is_told &= _is_told(details, data[page.start : page.start + page.stored], most_levels)
        found.append(page)
        values += page.values
        size += page.start - at + page.size
        at = page.start + page.stored
    if (values, size) != (chunk.values, chunk.uncompressed_bytes):
        raise MalformedStruct("values or bytes of its pages are not those in the footer")
    if not is_told and (len(counts) < len(found) or _totals(counts) != (_nulls(chunk), rows)):
        raise MalformedStruct("nulls or rows of its pages are not those in the footer")
    return ChunkPages(found)


def data_page(
    data: Any, at: int, codec: int, most_levels: tuple[int, int], encodings: frozenset[int] = frozenset({PLAIN})
) -> tuple[StoredPage, Struct]:
    """Return the data page at a byte, and its own header. Raises as `walk`: also if its values have other encodings."""
    page, details = read_page(data, at, codec, encodings)
    if page.kind == DATA_PAGE_V2:
        _check_v2(details, page, most_levels)
    elif page.kind == DATA_PAGE:
        _check_levels((details[_DEFINITIONS][1], details[_REPETITIONS][1]), most_levels, page.start)
    else:
        raise MalformedStruct(f"byte {at} does not start a data page")
    return page, details


def read_page(data: Any, at: int, codec: int, encodings: frozenset[int]) -> tuple[StoredPage, Struct]:
    """Return the page at a byte, a dictionary or a data page, and the header of its type. Raises as `walk`."""
    header, details, start = _header(data, at)
    number = details[_V2_ENCODING if header[_KIND][1] == DATA_PAGE_V2 else _ENCODING][1]
    if number not in encodings:
        raise MalformedStruct(f"the page at byte {at} has encoding {number}")
    return _page(header, details, data, start, codec), details


def definitions_of(details: Struct) -> int:
    """Return the bytes of the definition levels of a page of version 2, from its own header."""
    return int(details[_V2_DEFINITIONS][1])


@lru_cache(maxsize=len(_CODEC_NAMES))
def codec_of(number: int) -> pa.Codec:
    """Return Arrow's codec for a number of `CODECS`."""
    return pa.Codec(_CODEC_NAMES[number])


def encoding_of(page: StoredPage, details: Struct) -> int:
    """Return the encoding of the values of a page, from its own header."""
    return int(details[_V2_ENCODING if page.kind == DATA_PAGE_V2 else _ENCODING][1])


def with_levels(
    data: pa.Buffer, chunk: Chunk, pages: ChunkPages, *, is_optional: bool = True
) -> tuple[Chunk, list[pa.Buffer], ChunkPages]:
    """Return plain values without nulls and levels as data pages of a flat column: its footer's facts, bytes, pages.

    They are the pages of a required column, or a dictionary page. All resulting pages are of version 2, without
    statistics; `is_optional`: the column has definition levels. Values are neither changed nor copied.
    """
    buffers: list[pa.Buffer] = []
    made: list[StoredPage] = []
    at = 0
    for page in pages.pages:
        levels = run(page.values, 1) if is_optional else b""
        body = data.slice(page.start, page.stored)
        stored, size = page.stored + len(levels), page.size + len(levels)
        details: Struct = {
            _V2_VALUES: (I32, page.values),
            _V2_NULLS: (I32, 0),
            _V2_ROWS: (I32, page.values),
            _V2_ENCODING: (I32, PLAIN),
            _V2_DEFINITIONS: (I32, len(levels)),
            _V2_REPETITIONS: (I32, 0),
            _V2_COMPRESSED: (TRUE, page.is_compressed),
        }
        checksum = zlib.crc32(body, zlib.crc32(levels))
        header = _written(DATA_PAGE_V2, size, stored, checksum, {_DATA_HEADER_V2: (STRUCT, details)})
        buffers += [pa.py_buffer(header + levels), body]
        at += len(header)
        made.append(replace(page, kind=DATA_PAGE_V2, start=at, stored=stored, size=size, is_checked=True))
        at += stored
    headers = at - sum(page.stored for page in made)
    sizes = headers + sum(page.size for page in made)
    encodings = frozenset({PLAIN, LEVEL_ENCODING})
    facts = chunk._replace(stored_bytes=at, uncompressed_bytes=sizes, encodings=encodings)
    return facts, buffers, ChunkPages(made)


def data_page_header(*, values: int, encoding: int, size: int, stored: int, checksum: int) -> bytes:
    """Return the header of a page of version 1, levels in runs, without statistics."""
    details: Struct = {
        _VALUES: (I32, values),
        _ENCODING: (I32, encoding),
        _DEFINITIONS: (I32, LEVEL_ENCODING),
        _REPETITIONS: (I32, LEVEL_ENCODING),
    }
    return _written(DATA_PAGE, size, stored, checksum, {_DATA_HEADER: (STRUCT, details)})


def dictionary_page_header(*, words: int, size: int, stored: int, checksum: int) -> bytes:
    """Return the header of a dictionary page with this number of words in plain encoding."""
    details: Struct = {_WORDS: (I32, words), _WORDS_ENCODING: (I32, PLAIN)}
    return _written(DICTIONARY_PAGE, size, stored, checksum, {_DICTIONARY_HEADER: (STRUCT, details)})


def run(count: int, number: int, width: int = 1) -> bytes:
    """Return `count` times one number, in `width` bytes, as one RLE run."""
    return thrift.varint(count << 1) + number.to_bytes(width, "little")


def _written(kind: int, size: int, stored: int, checksum: int, details: Struct) -> bytes:
    return thrift.write_struct(
        {
            _KIND: (I32, kind),
            _UNCOMPRESSED: (I32, size),
            _STORED: (I32, stored),
            _CHECKSUM: (I32, checksum - (1 << 32) if checksum >= _MOST else checksum),
            **details,
        }
    )


def _header(data: Any, at: int) -> tuple[Struct, Struct, int]:
    """Return the page header, its data page header, and the start offset of the page.

    Fields of unexpected wire types are refused, as readers may differ in skipping them: no checksum covers a header.
    """
    header, start = thrift.read_struct(data, at)
    kind = header[_KIND][1] if _is_as(header, _HEADER_KINDS) else None
    if kind not in _FORMS or not header.keys() >= {_KIND, _UNCOMPRESSED, _STORED}:
        raise MalformedStruct(f"the page at byte {at} is neither a data page nor a dictionary")
    field, kinds, needed, statistics = _FORMS[kind]
    details: Struct = header[field][1] if field in header else {}
    is_one = len(header.keys() & _DETAILS) == 1 and details.keys() >= needed
    if not is_one or not _is_as(details, kinds):
        raise MalformedStruct(f"the header of the page at byte {at} is not of its type")
    if not _is_as(details.get(statistics, (STRUCT, {}))[1], _STATISTICS_KINDS):
        raise MalformedStruct(f"the page at byte {at} has statistics of another form")
    return header, details, start


def _page(header: Struct, details: Struct, data: Any, start: int, codec: int) -> StoredPage:
    kind, stored, size = header[_KIND][1], header[_STORED][1], header[_UNCOMPRESSED][1]
    values = details[_VALUES][1]
    if not 0 <= stored <= len(data) - start or size < 0 or values < 1:
        raise MalformedStruct(f"the page at byte {start} leaves its chunk")
    is_compressed = codec != UNCOMPRESSED and (kind != DATA_PAGE_V2 or details.get(_V2_COMPRESSED, (TRUE, True))[1])
    if not is_compressed and stored != size:
        raise MalformedStruct(f"the page at byte {start} is not compressed, but its two sizes differ")
    is_checked = _CHECKSUM in header
    if is_checked and zlib.crc32(data[start : start + stored]) != header[_CHECKSUM][1] & 0xFFFFFFFF:
        raise DamagedPage(f"the checksum of the page at byte {start} of the column chunk does not match")
    return StoredPage(kind, values, start, stored, size, is_compressed, is_checked)


def _is_as(found: Struct, kinds: Mapping[int, int]) -> bool:
    for field, (kind, value) in found.items():
        if kinds.get(field) != kind or (kind == I32 and not -_MOST <= value < _MOST):
            return False
    return True


def _check_levels(encodings: tuple[int, int], most: tuple[int, int], at: int) -> None:
    """Accept RLE levels only; a column without levels may name any encoding for them."""
    if any(greatest and encoding != LEVEL_ENCODING for encoding, greatest in zip(encodings, most, strict=True)):
        raise MalformedStruct(f"the page at byte {at} has levels in the encodings {encodings}")


def _check_v2(details: Struct, page: StoredPage, most: tuple[int, int]) -> None:
    """Accept levels only if the column has levels."""
    levels = [details[field][1] for field in (_V2_DEFINITIONS, _V2_REPETITIONS)]
    has_levels = all((length > 0) == (greatest > 0) for length, greatest in zip(levels, most, strict=True))
    if not has_levels or min(levels) < 0 or sum(levels) > min(page.stored, page.size):
        raise MalformedStruct(f"the page at byte {page.start} has levels of {levels} bytes")
    if min(details[field][1] for field in (_V2_NULLS, _V2_ROWS)) < 0:
        raise MalformedStruct(f"the page at byte {page.start} has less than no rows or nulls")


def _is_told(details: Struct, body: Any, most: tuple[int, int]) -> bool:
    """Return whether a page's counts follow directly from its levels: a flat column without nulls."""
    values, nulls, rows = (details[field][1] for field in (_V2_VALUES, _V2_NULLS, _V2_ROWS))
    if most[1] or nulls or rows != values:
        return False
    return not most[0] or body[: details[_V2_DEFINITIONS][1]] == run(values, most[0])


def _totals(counts: Sequence[Struct]) -> tuple[int, int]:
    nulls, rows = (sum(details[field][1] for details in counts) for field in (_V2_NULLS, _V2_ROWS))
    return nulls, rows


def _nulls(chunk: Chunk) -> int | None:
    return chunk.statistics[_NULL_COUNT][1] if chunk.statistics and _NULL_COUNT in chunk.statistics else None
