"""Pages of indices that no writer makes: a dictionary is taken for the values of the rows only if indices count."""

import zlib
from typing import Final

import numpy as np
import pyarrow as pa
import pytest

from engine.rewriting.kernel.parquet.bit_packing import packed
from engine.rewriting.kernel.parquet.footers import Chunk
from engine.rewriting.kernel.parquet.pages import data_page_header, dictionary_page_header, run
from engine.rewriting.kernel.parquet.thrift import MalformedStruct
from engine.rewriting.kernel.parquet.unique_values import unique_parts

WORDS: Final = 9
BITS: Final = bytes([4])
ONE_GROUP: Final = bytes([1 << 1 | 1])
TWO_GROUPS: Final = bytes([2 << 1 | 1])
ONE: Final = bytes([1 << 1])
TWO: Final = bytes([2 << 1])


def group(*numbers: int) -> bytes:
    return packed(np.array(numbers, np.uint8), 4)


COUNT = group(0, 1, 2, 3, 4, 5, 6, 7)
GOOD = BITS + TWO_GROUPS + COUNT + group(8, 0, 0, 0, 0, 0, 0, 0)


def leveled(levels: bytes) -> bytes:
    return len(levels).to_bytes(4, "little") + levels + GOOD


def parts_of(indices: bytes, most_definitions: int) -> int:
    """Return the number of parts of a chunk of nine longs with these indices."""
    words = np.arange(WORDS, dtype="<i8").tobytes()
    checksums = [zlib.crc32(each) for each in (words, indices)]
    first = dictionary_page_header(words=WORDS, size=len(words), stored=len(words), checksum=checksums[0]) + words
    size = len(indices)
    second = data_page_header(values=WORDS, encoding=8, size=size, stored=size, checksum=checksums[1]) + indices
    chunk = Chunk(
        physical_type=2,
        start=0,
        stored_bytes=len(first) + len(second),
        uncompressed_bytes=len(first) + len(second),
        values=WORDS,
        codec=0,
        encodings=frozenset({0, 3, 8}),
        has_dictionary=True,
        statistics=None,
        order_is_known=True,
    )
    return len(unique_parts(pa.py_buffer(first + second), chunk, most_definitions, WORDS))


@pytest.mark.parametrize(
    ("indices", "most_definitions"),
    [
        (GOOD, 0),
        (BITS + TWO_GROUPS + COUNT + group(8, 9, 10, 11, 12, 13, 14, 15), 0),
        (BITS + ONE_GROUP + COUNT + ONE + b"\x08", 0),
        (leveled(run(WORDS, 1)), 1),
    ],
    ids=["last group padded with zeros", "or with others", "the last one is a run", "optional"],
)
def test_indices_that_count(indices: bytes, most_definitions: int) -> None:
    assert parts_of(indices, most_definitions) == 1


@pytest.mark.parametrize(
    ("indices", "most_definitions"),
    [
        (BITS + TWO_GROUPS + COUNT + group(7, 0, 0, 0, 0, 0, 0, 0), 0),
        (BITS + TWO_GROUPS + group(1, 0, 2, 3, 4, 5, 6, 7) + group(8, 0, 0, 0, 0, 0, 0, 0), 0),
        (BITS + ONE_GROUP + COUNT + ONE + b"\x07", 0),
        (BITS + ONE_GROUP + COUNT + TWO + b"\x08", 0),
        (BITS + b"\x01" * 20, 0),
        (BITS + b"\x00" * 20, 0),
        (BITS + TWO_GROUPS + COUNT, 0),
        (b"", 0),
        (bytes([0]) + GOOD[1:], 0),
        (bytes([3]) + GOOD[1:], 0),
        (bytes([21]) + bytes(60), 0),
        (GOOD + bytes(100), 0),
        (leveled(run(WORDS - 1, 1) + run(1, 0)), 1),
        (leveled(run(WORDS, 0)), 1),
        (GOOD, 1),
        (leveled(run(WORDS, 1)), 0),
    ],
    ids=[
        "last one differs",
        "order differs",
        "last run differs",
        "a run of two",
        "packed runs of nothing",
        "runs of nothing",
        "one is lacking",
        "all are lacking",
        "no bits",
        "too few bits",
        "too many bits",
        "too large to be decompressed",
        "a null, with an index for it",
        "nulls only",
        "without levels",
        "with levels of a required column",
    ],
)
def test_other_indices(indices: bytes, most_definitions: int) -> None:
    with pytest.raises(MalformedStruct):
        parts_of(indices, most_definitions)
