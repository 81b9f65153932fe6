"""Measures of the rows read, needed when they are yielded later in another order; and decoding of dictionaries."""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.reading.rows import Rows


class SeenRows:
    """Counts the rows read, to size and encode the rows yielded later."""

    def __init__(self) -> None:
        self._count = 0
        self._source_rows = 0
        self._logical_bytes = 0
        self._coded: Counter[int | None] = Counter()

    def add(self, rows: Rows) -> None:
        """Count rows that were read."""
        self._count += rows.count
        self._source_rows += rows.source_rows
        self._logical_bytes += rows.logical_bytes
        self._coded.update(dict.fromkeys(rows.dictionary_ids, rows.count))

    def rows(self, columns: Sequence[pa.ChunkedArray], count: int) -> Rows:
        """Return rows to yield: a leaf gets a dictionary if it had one in at least half of the rows read."""
        coded = frozenset(number for number, rows in self._coded.items() if 2 * rows >= self._count)
        return Rows(list(columns), count, self._source_rows, self._logical_bytes, coded)


def plain_column(chunks: Sequence[pa.Array], of: pa.DataType) -> pa.ChunkedArray:
    """Return chunks as one column of a type, dictionaries decoded."""
    plain = [chunk.dictionary_decode() if pt.is_dictionary(chunk.type) else chunk for chunk in chunks]
    return pa.chunked_array(plain, type=of)
