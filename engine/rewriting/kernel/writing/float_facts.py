"""Facts about the rows of float columns that Parquet's statistics lack: the number of NaN, and whether +0.0 occurs.

Bounds of table formats leave NaN out and tell the two zeros apart. Both facts are found while rows are encoded, or
decoded to be checked, and written into the key-value metadata of an output, by field id, since a task returns its
outputs' footers. A column without a NaN count was not counted in every row group; one that is not among `PLUS_ZEROS`
may have +0.0 too. Columns in lists and maps are left out: they have no bounds.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.reading.projection import field_id

NAN_COUNTS: Final = "packhouse.nan-counts"
"""Key of an output's metadata: a JSON object of field id → count."""

PLUS_ZEROS: Final = "packhouse.plus-zeros"
"""Key of an output's metadata: a JSON array of the field ids of columns in which +0.0 was seen."""


@dataclass(frozen=True, slots=True)
class FloatFacts:
    """The number of NaN in a column, and whether a value is +0.0."""

    nans: int
    has_plus_zero: bool

    def __add__(self, other: "FloatFacts") -> "FloatFacts":
        return FloatFacts(self.nans + other.nans, self.has_plus_zero or other.has_plus_zero)


def float_ids(fields: Iterable[pa.Field]) -> Iterator[int]:
    """Yield the field ids of float columns, those in structs too."""
    for one in fields:
        number = field_id(one)
        if pt.is_floating(one.type) and number is not None:
            yield number
        elif pt.is_struct(one.type):
            yield from float_ids(one.type)


def float_facts(field: pa.Field, chunks: Sequence[pa.Array]) -> Iterator[tuple[int, FloatFacts]]:
    """Yield field id and facts of each float column of a top-level field; `chunks` are its values."""
    number = field_id(field)
    if pt.is_floating(field.type) and number is not None:
        nans = sum(pc.sum(pc.is_nan(chunk)).as_py() or 0 for chunk in chunks)
        yield number, FloatFacts(nans, any(map(_has_plus_zero, chunks)))
    elif pt.is_struct(field.type) and any(True for _ in float_ids([field])):
        children = [chunk.flatten() for chunk in chunks]  # null where the struct is
        for place, child in enumerate(field.type):
            yield from float_facts(child, [own[place] for own in children])


class FloatTally:
    """The facts of one output, added up row group by row group."""

    def __init__(self, schema: pa.Schema) -> None:
        """Start without rows; `schema` is the output's, with field ids."""
        self._nans: dict[int, int | None] = dict.fromkeys(float_ids(schema), 0)
        self._plus_zeros: set[int] = set()

    def add(self, facts: Mapping[int, FloatFacts]) -> None:
        """Add the facts of a row group; of columns missing in `facts` nothing is known in it."""
        for number, so_far in self._nans.items():
            found = facts.get(number)
            self._nans[number] = None if so_far is None or found is None else so_far + found.nans
        self._plus_zeros |= {number for number, found in facts.items() if found.has_plus_zero}

    def key_values(self) -> dict[str, str]:
        """Return the entries for the metadata of the output, as far as anything is known."""
        known = {number: count for number, count in sorted(self._nans.items()) if count is not None}
        made = {NAN_COUNTS: known, PLUS_ZEROS: sorted(self._plus_zeros)}
        return {key: json.dumps(value, separators=(",", ":")) for key, value in made.items() if value}


def nan_counts_in(key_values: Mapping[bytes, bytes] | None) -> dict[int, int]:
    """Return the NaN counts by field id from the metadata of an output of this kernel."""
    text = (key_values or {}).get(NAN_COUNTS.encode())
    return {} if text is None else {int(number): int(count) for number, count in json.loads(text).items()}


def plus_zeros_in(key_values: Mapping[bytes, bytes] | None) -> frozenset[int]:
    """Return the field ids of the columns that have +0.0, from the metadata of an output of this kernel."""
    text = (key_values or {}).get(PLUS_ZEROS.encode())
    return frozenset() if text is None else frozenset(int(number) for number in json.loads(text))


def _has_plus_zero(chunk: pa.Array) -> bool:
    """Return whether a value is +0.0: the only one of which no bit is set."""
    bits = chunk.view(pa.int64() if chunk.type.bit_width == 64 else pa.int32())  # noqa: PLR2004 - the bits of a double
    return bool(pc.any(pc.equal(bits, 0)).as_py())
