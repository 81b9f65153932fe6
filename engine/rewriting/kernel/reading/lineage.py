"""Row lineage: the id of each row, and the sequence number of the commit that last changed it (Iceberg, format 3).

Files can store both in two columns with reserved field ids. A row without stored values inherits them from its file:
its id is the file's first one plus its position in the file, deleted rows counted. A file without a first id has
neither for any row, stored or not. A rewrite moves rows to other files and positions, so its outputs store both.
Source: Apache Iceberg, table specification, "Row Lineage".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.reading.projection import field_id

ROW_ID: Final = 2147483540
SEQUENCE_NUMBER: Final = 2147483539

LINEAGE_IDS: Final = frozenset({ROW_ID, SEQUENCE_NUMBER})
"""Field ids of the columns, which are 64-bit integers."""

_MOST: Final = 2**63


def lineage_places(schema: pa.Schema) -> Mapping[int, int]:
    """Return the positions of the lineage columns in a schema, with their field ids; empty if it has none."""
    numbers = map(field_id, schema)
    return {place: number for place, number in enumerate(numbers) if number is not None and number in LINEAGE_IDS}


def check_row_ids(files: Sequence[TaskInput]) -> None:
    """Raise InputFault if a row of these files would have an id that is not a 64-bit number."""
    for one in files:
        if one.first_row_id is not None and not 0 <= one.first_row_id < _MOST - one.record_count:
            raise InputFault(f"{one.path}: its {one.record_count} rows can't have ids from {one.first_row_id} on")


@dataclass(frozen=True, slots=True)
class RowLineage:
    """Values that the rows of one file inherit; see `TaskInput`."""

    first_row_id: int | None
    sequence_number: int | None

    @staticmethod
    def of(file: TaskInput) -> "RowLineage":
        """Return the values that the rows of an input inherit."""
        return RowLineage(file.first_row_id, file.sequence_number)

    def filled(
        self, number: int, stored: pa.ChunkedArray, *, start: int, rows: int, keep: pa.BooleanArray | None = None
    ) -> pa.ChunkedArray:
        """Return a lineage column with the values that rows inherit where none are stored.

        Args:
            number: its field id.
            stored: the values in the file, null where it has none.
            start: position in the file of the first row, of `rows`.
            rows: number of consecutive rows.
            keep: true for each of them that `stored` has; None: it has all.
        """
        if self.first_row_id is None:
            return pa.chunked_array([pa.nulls(len(stored), pa.int64())])
        if number == SEQUENCE_NUMBER:
            return stored if self.sequence_number is None else pc.fill_null(stored, self.sequence_number)
        if not stored.null_count:
            return stored
        first = self.first_row_id + start
        ids = pa.array(np.arange(first, first + rows, dtype=np.int64))
        inherited = ids if keep is None else ids.filter(keep)
        if stored.null_count == len(stored):
            return pa.chunked_array([inherited])
        return pc.coalesce(stored, pa.chunked_array([inherited]))


NO_LINEAGE: Final = RowLineage(None, None)
"""Lineage of rows that inherit nothing."""
