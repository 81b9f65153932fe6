"""Limit the memory that rows of a foreign Parquet file take when they are decoded, by the headers of its pages.

The sizes in a footer are claims. What Arrow allocates is the decompressed size in the header of each page: a file of
2.5 kB can have a dictionary page of 128 MB, and each of its rows can be this one value. So the pages are walked, and
their longest values limit how many rows are decoded at once.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.formats.intake.limits import Malformed
from engine.formats.intake.parquet.footers import CheckedFile, checked_file
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import CODECS, Chunk
from engine.rewriting.kernel.parquet.pages import (
    DICTIONARY_PAGE,
    DamagedPage,
    StoredPage,
    codec_of,
    encoding_of,
    read_page,
)

_LARGEST_PAGE: Final = 64 * 2**20
"""Limit of the decompressed bytes of a page. Usual ones have 1 MiB, those of DuckDB a whole row group's column."""

_BATCH_BYTES: Final = 64 * 2**20
_MOST_ROWS_AT_ONCE: Final = 1024
_FREE_PAGES: Final = 1000
_HEADER_BYTES: Final = 2**18
_LEAST_PAGE: Final = 256  # stored bytes of a page on average, beyond the first 1,000
_FREE_ROWS: Final = 100_000
_BYTE_ARRAY: Final = 6  # physical type; lower ones are numbers
_NUMBER_BYTES: Final = 16
_LENGTH_BYTES: Final = 4  # before each text of a dictionary
_ENCODINGS: Final = frozenset(range(10))  # all that the format has
_PREFIXED: Final = 7  # DELTA_BYTE_ARRAY: a text begins with that of the row before


def check_rows(rows: int, stored_bytes: int) -> None:
    """Raise `Malformed` for more rows than files of different names can be in a stored file of this size."""
    if rows > _FREE_ROWS + stored_bytes:
        raise Malformed(f"it has {rows:,} rows in {stored_bytes:,} stored bytes; each takes more than one byte")


def check_decoded(stored: CheckedFile, body: bytes, row_groups: Sequence[int], limit: int) -> None:
    """Check what row groups take in memory once they are decoded: a text that is stored once is there for each row.

    Args:
        stored: the file; each row of it is another file.
        body: its content.
        row_groups: numbers of its row groups.
        limit: of the decoded rows in bytes.

    Raises:
        Malformed: they can't be decoded, take more, or have lists or maps.
    """
    check_rows(stored.parquet.metadata.num_rows, len(body))
    size = 0
    for number in row_groups:
        at_once = rows_at_once(_pages_of(stored, body, [number]))
        try:
            for batch in stored.parquet.iter_batches(at_once, row_groups=[number], use_threads=False):
                size += batch.nbytes
                if size > limit:
                    break
        except (OSError, pa.ArrowException) as error:
            raise Malformed("its rows can't be decoded") from error
    if size > limit:
        raise Malformed(f"its rows take more than {limit // 2**20} MiB when they are decoded")


def check_coded(stored: CheckedFile, body: bytes, limit: int) -> None:
    """Check what a file takes in memory if its texts are read as dictionaries, which have each text once.

    Args:
        stored: the file.
        body: its content.
        limit: of its pages when decompressed, in bytes.

    Raises:
        Malformed: it can't be decoded, takes more, or has lists or maps.
    """
    row_groups = range(stored.parquet.num_row_groups)
    pages = _pages_of(stored, body, row_groups)
    if pages.total > limit:
        raise Malformed(f"its pages have more than {limit // 2**20} MiB when decompressed")
    if _PREFIXED in pages.encodings:  # a page of a megabyte can be thousands of different texts of a megabyte
        check_decoded(checked_file(body), body, row_groups, limit)


def rows_at_once(pages: "CheckedPages") -> int:
    """Return how many rows of columns with these pages may be decoded at once."""
    return max(1, min(_MOST_ROWS_AT_ONCE, _BATCH_BYTES // max(1, pages.widest)))


@dataclass(frozen=True, slots=True)
class CheckedPages:
    """The pages of column chunks.

    Attributes:
        total: decompressed bytes.
        widest: bytes of a row of all columns, at most: rows of other pages than the first and the last one of a batch
            have fewer on average.
        encodings: of values and dictionaries.
    """

    total: int = 0
    widest: int = 0
    encodings: frozenset[int] = frozenset()

    def __add__(self, other: "CheckedPages") -> "CheckedPages":
        return CheckedPages(self.total + other.total, self.widest + other.widest, self.encodings | other.encodings)


def pages_of(data: memoryview, chunk: Chunk) -> CheckedPages:
    """Return the pages of a column chunk, given by its bytes and its place in the footer.

    Raises:
        Malformed: a page is damaged or too large, or there are too many for their bytes.
    """
    at = number = total = widest = 0
    encodings = set[int]()
    try:
        while at < len(data):
            if (number := number + 1) > _FREE_PAGES + at // _LEAST_PAGE:
                raise Malformed(f"the first {at:,} bytes of a column chunk are {number:,} pages")
            thrift.read_struct(data[at : at + _HEADER_BYTES])  # a header of megabytes takes 60 times as much memory
            page, details = read_page(data, at, chunk.codec, _ENCODINGS)
            if page.size > _LARGEST_PAGE:
                raise Malformed(f"a page has {page.size:,} bytes when decompressed; {_LARGEST_PAGE:,} is the limit")
            encoding = encoding_of(page, details)
            encodings.add(encoding)
            total, at = total + page.size, page.start + page.stored
            widest = max(widest, _widest(data[page.start : at], page, chunk, encoding))
    except (thrift.MalformedStruct, DamagedPage) as error:
        raise Malformed(f"a page is damaged ({error})") from error
    return CheckedPages(total, widest, frozenset(encodings))


def _widest(data: memoryview, page: StoredPage, chunk: Chunk, encoding: int) -> int:
    """Return the bytes of the longest value of a page that more than one row can have, otherwise of an average one."""
    if page.kind == DICTIONARY_PAGE:
        return _longest_word(data, page, chunk)
    return page.size if encoding == _PREFIXED else -(-page.size // page.values)


def _longest_word(data: memoryview, page: StoredPage, chunk: Chunk) -> int:
    if chunk.physical_type < _BYTE_ARRAY:
        return _NUMBER_BYTES
    if chunk.physical_type > _BYTE_ARRAY or (page.is_compressed and chunk.codec not in CODECS.values()):
        return page.size
    try:
        plain = codec_of(chunk.codec).decompress(data, page.size, asbytes=True) if page.is_compressed else data
    except (OSError, ValueError, pa.ArrowException) as error:
        raise Malformed("a dictionary can't be decompressed") from error
    at = longest = 0
    while at < len(plain):
        length = int.from_bytes(plain[at : at + _LENGTH_BYTES], "little")
        longest, at = max(longest, length), at + _LENGTH_BYTES + length
    return longest


def _pages_of(stored: CheckedFile, body: bytes, row_groups: Iterable[int]) -> CheckedPages:
    """Return the pages of row groups."""
    leaves = range(stored.parquet.metadata.num_columns)
    check_flat(stored.parquet, leaves)
    found = CheckedPages()
    for number in row_groups:
        for chunk in stored.chunks(number, leaves):
            if chunk.start + chunk.stored_bytes > len(body):
                raise Malformed("a column chunk is outside of the file")
            found += pages_of(memoryview(body)[chunk.start : chunk.start + chunk.stored_bytes], chunk)
    return found


def check_flat(stored: pq.ParquetFile, leaves: Iterable[int]) -> None:
    """Raise `Malformed` if a column is within a list or a map: a row of it has any number of values."""
    if any(stored.schema.column(leaf).max_repetition_level for leaf in leaves):
        raise Malformed("a column is a list or a map")
