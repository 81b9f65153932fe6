"""The pages of a column chunk, walked header by header without decoding a value.

A chunk may be copied when its pages are what its footer says: data pages of version 1 only, values plain, sizes
and counts that add up. With a checksum on every page its bytes are known to be those that were written; without, only
decoding tells.
"""

import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.rewriting.kernel import thrift
from engine.rewriting.kernel.footers import Chunk
from engine.rewriting.kernel.thrift import BINARY, I32, I64, STRUCT, TRUE, Malformed, Struct

DATA_PAGE: Final = 0
PLAIN: Final = 0
"""The one encoding that is copied: vectorised readers of Spark refuse BYTE_STREAM_SPLIT, those of Iceberg the delta
encodings too, and DELTA_BYTE_ARRAY pages of some old writers depend on the page before (PARQUET-246)."""

_LEVEL_ENCODING: Final = 3
LEVEL_ENCODINGS: Final = frozenset({_LEVEL_ENCODING, 4})
"""RLE, and BIT_PACKED, which writers name for levels that are not there."""

# PageHeader
_KIND, _UNCOMPRESSED, _STORED, _CHECKSUM, _DATA_HEADER = 1, 2, 3, 4, 5
# DataPageHeader
_VALUES, _ENCODING, _DEFINITIONS, _REPETITIONS, _PAGE_STATISTICS = 1, 2, 3, 4, 5

_HEADER_KINDS: Final = {1: I32, 2: I32, 3: I32, 4: I32, 5: STRUCT}
_DETAIL_KINDS: Final = {1: I32, 2: I32, 3: I32, 4: I32, 5: STRUCT}
_STATISTICS_KINDS: Final = {1: BINARY, 2: BINARY, 3: I64, 4: I64, 5: BINARY, 6: BINARY, 7: TRUE, 8: TRUE, 9: I64}
_MOST: Final = 1 << 31


class DamagedPage(ValueError):
    """A page is not what its checksum says."""


@dataclass(frozen=True, slots=True)
class Pages:
    """What a walk found: pages by (page type, encoding), and whether every one has a checksum (which held)."""

    counts: Counter[tuple[int, int]]
    all_checked: bool


def walk(data: Any, chunk: Chunk, most_levels: tuple[int, int]) -> Pages:
    """Walk all pages of a chunk that is to be copied; `data` is a view of exactly its bytes.

    `most_levels` are the greatest definition and repetition level of the column.

    Raises:
        DamagedPage: a checksum does not hold.
        Malformed: it is no chunk that may be copied.
    """
    counts: Counter[tuple[int, int]] = Counter()
    at = values = uncompressed = 0
    all_checked = True
    while at < len(data):
        header, details, body = _header(data, at)
        kind, stored, size = header[_KIND][1], header[_STORED][1], header[_UNCOMPRESSED][1]
        encoding = details[_ENCODING][1]
        levels = (details[_DEFINITIONS][1], details[_REPETITIONS][1])
        values += details[_VALUES][1]
        if kind != DATA_PAGE or encoding != PLAIN:
            raise Malformed(f"the page at byte {at} is of type {kind}, encoding {encoding}")
        if not 0 <= stored <= len(data) - body or size < 0 or details[_VALUES][1] < 0:
            raise Malformed(f"the page at byte {at} leaves its chunk")
        _check_levels(levels, most_levels, at)
        if (checksum := header.get(_CHECKSUM)) is None:
            all_checked = False
        elif zlib.crc32(data[body : body + stored]) != checksum[1] & 0xFFFFFFFF:
            raise DamagedPage(f"the checksum of the page at byte {at} of the column chunk does not hold")
        counts[kind, encoding] += 1
        uncompressed += body - at + size
        at = body + stored
    if (values, uncompressed) != (chunk.values, chunk.uncompressed_bytes):
        raise Malformed(f"{values} values in {uncompressed} bytes, the footer says otherwise")
    return Pages(counts, all_checked)


def _header(data: Any, at: int) -> tuple[Struct, Struct, int]:
    """Return page header, its data page header, and where the page begins.

    Fields of other wire types, which one reader may skip and another take, are a doubt: no checksum covers a header.
    """
    header, body = thrift.read_struct(data, at)
    details: Struct = header[_DATA_HEADER][1] if _DATA_HEADER in header else {}
    sound = _is_as(header, _HEADER_KINDS) and _is_as(details, _DETAIL_KINDS)
    if not sound or not _is_as(details.get(_PAGE_STATISTICS, (STRUCT, {}))[1], _STATISTICS_KINDS):
        raise Malformed(f"the page at byte {at} is no data page of version 1")
    if not header.keys() >= {_KIND, _UNCOMPRESSED, _STORED} or not details.keys() >= {1, 2, 3, 4}:
        raise Malformed(f"the header of the page at byte {at} lacks a field")
    return header, details, body


def _is_as(found: Struct, kinds: Mapping[int, int]) -> bool:
    return all(kinds.get(field) == kind and _fits(kind, value) for field, (kind, value) in found.items())


def _fits(kind: int, value: Any) -> bool:
    return kind != I32 or -_MOST <= value < _MOST


def _check_levels(encodings: tuple[int, int], most: tuple[int, int], at: int) -> None:
    """Take RLE only; a column that has no levels may name any encoding for them."""
    if any(greatest and encoding != _LEVEL_ENCODING for encoding, greatest in zip(encodings, most, strict=True)):
        raise Malformed(f"the page at byte {at} has levels in the encodings {encodings}")
