"""NaN counts of float columns: Parquet's statistics lack them, and table formats whose bounds leave NaN out need them.

They are counted while rows are encoded, and written into the key-value metadata of an output, by field id, since a task
returns its outputs' footers. A column without an entry was not counted in every row group. Columns in lists and maps
are left out: they have no bounds.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.reading.projection import field_id

NAN_COUNTS: Final = "packhouse.nan-counts"
"""Key of an output's metadata: a JSON object of field id → count."""


def float_ids(fields: Iterable[pa.Field]) -> Iterator[int]:
    """Yield the field ids of float columns, those in structs too."""
    for one in fields:
        number = field_id(one)
        if pt.is_floating(one.type) and number is not None:
            yield number
        elif pt.is_struct(one.type):
            yield from float_ids(one.type)


def count_nans(field: pa.Field, chunks: Sequence[pa.Array]) -> Iterator[tuple[int, int]]:
    """Yield field id and NaN count of each float column of a top-level field; `chunks` are its values."""
    number = field_id(field)
    if pt.is_floating(field.type) and number is not None:
        yield number, sum(pc.sum(pc.is_nan(chunk)).as_py() or 0 for chunk in chunks)
    elif pt.is_struct(field.type) and any(True for _ in float_ids([field])):
        children = [chunk.flatten() for chunk in chunks]  # null where the struct is
        for place, child in enumerate(field.type):
            yield from count_nans(child, [own[place] for own in children])


class NanTally:
    """NaN counts of one output, added up row group by row group."""

    def __init__(self, schema: pa.Schema) -> None:
        """Start with no counts; `schema` is the output's, with field ids."""
        self._counts: dict[int, int | None] = dict.fromkeys(float_ids(schema), 0)

    def add(self, counts: Mapping[int, int]) -> None:
        """Add the counts of a row group; columns missing in `counts` were not counted in it."""
        for number, so_far in self._counts.items():
            count = counts.get(number)
            self._counts[number] = None if so_far is None or count is None else so_far + count

    def key_values(self) -> dict[str, str]:
        """Return the entry for the metadata of the output; nothing if no column was counted."""
        known = {number: count for number, count in sorted(self._counts.items()) if count is not None}
        return {NAN_COUNTS: json.dumps(known, separators=(",", ":"))} if known else {}


def counts_in(key_values: Mapping[bytes, bytes] | None) -> dict[int, int]:
    """Return the NaN counts by field id from the metadata of an output of this kernel."""
    text = (key_values or {}).get(NAN_COUNTS.encode())
    return {} if text is None else {int(number): int(count) for number, count in json.loads(text).items()}
