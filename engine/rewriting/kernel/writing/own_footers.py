"""Footers that Arrow can't write: INT96 timestamps, parquet-mr as the writer, and which bounds of floats are exact."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.parquet import chunk_statistics, thrift
from engine.rewriting.kernel.parquet.chunk_statistics import has_bounds, without_bounds
from engine.rewriting.kernel.parquet.footers import (
    COLUMN_INDEX,
    COLUMNS,
    FLOATS,
    METADATA,
    ROW_GROUPS,
    STATISTICS,
    TYPE,
    framed,
)
from engine.rewriting.kernel.parquet.thrift import STRUCT, Struct
from engine.rewriting.kernel.reading.projection import child_fields
from engine.rewriting.kernel.storage.transfer import OutputSink, WriteOnly
from engine.rewriting.kernel.writing.float_facts import FloatFacts

_END_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class OwnFooter:
    """A footer in place of Arrow's.

    `end`: returns the end of a file, from the metadata that Arrow wrote. `unordered_ids`: field ids of leaves whose
    bytes do not compare as their values do: they have no bounds.
    """

    end: Callable[[Struct], bytes]
    unordered_ids: frozenset[int]


class OwnFooterStream(WriteOnly):
    """The stream of an encoder whose footer is replaced: it holds what is written after `begin_footer`."""

    def __init__(self, sink: OutputSink) -> None:
        self.closed = False
        self._sink = sink
        self._held: bytearray | None = None

    def write(self, data: Any) -> int:
        """Write or hold data. Raises Stopped, OutputFault."""
        if self._held is None:
            return self._sink.write(data)
        view = memoryview(data).cast("B")
        self._held += view
        return len(view)

    def begin_footer(self) -> None:
        """Buffer all bytes that are written from now on."""
        self._held = bytearray()

    def finish(self, end: Callable[[Struct], bytes]) -> None:
        """Write what was held, with the end that a function makes of Arrow's metadata. Raises Stopped, OutputFault."""
        held = bytes(self._held or b"")
        length = int.from_bytes(held[-_END_BYTES:-4], "little")
        start = len(held) - _END_BYTES - length
        found, _ = thrift.read_struct(held[start:-_END_BYTES])
        self._sink.begin_footer()
        self._sink.write(held[:start] + end(found))

    def tell(self) -> int:
        """Return the number of bytes written and held."""
        return self._sink.tell() + len(self._held or b"")

    def close(self) -> None:
        """Leave closing to the sink."""
        self.closed = True


def as_arrow(metadata: Struct) -> bytes:
    """Return the end of a file with this metadata."""
    return framed(thrift.write_struct(metadata))


def has_floats(schema: pa.Schema) -> bool:
    """Return whether a leaf column is of a float type, in lists and maps too."""
    return any(_has_floats(field.type) for field in schema)


def with_exact_floats(
    metadata: Struct,
    leaf_ids: Sequence[int | None],
    facts: Sequence[Mapping[int, FloatFacts]],
    *,
    bounds_beside_nan: bool,
) -> Struct:
    """Return a file's metadata with the bounds of floats that their facts allow; see `exact_floats`.

    Args:
        metadata: the metadata as Arrow wrote it.
        leaf_ids: the field ids of its leaves.
        facts: for each row group the facts of float columns by field id; those of other row groups are not known.
        bounds_beside_nan: as for `exact_floats`.
    """
    groups = metadata[ROW_GROUPS][1][1]
    for group, known in zip(groups, facts if len(facts) == len(groups) else [{}] * len(groups), strict=True):
        for column, number in zip(group[COLUMNS][1][1], leaf_ids, strict=True):
            chunk = column[METADATA][1]
            if chunk[TYPE][1] in FLOATS and STATISTICS in chunk:
                found = None if number is None else known.get(number)
                made = exact_floats(chunk[STATISTICS][1], found, bounds_beside_nan=bounds_beside_nan)
                chunk[STATISTICS] = (STRUCT, made)
                if not has_bounds(made):
                    for each in COLUMN_INDEX:  # bounds of pages leave NaN out too
                        column.pop(each, None)
    return metadata


def exact_floats(statistics: Struct, facts: FloatFacts | None, *, bounds_beside_nan: bool) -> Struct:
    """Return statistics of a float column with the bounds, and statements that they are exact, that its facts allow.

    Args:
        statistics: those that were written or joined.
        facts: what is known of the rows; None: nothing.
        bounds_beside_nan: whether a column that may have NaN has bounds, see `ParquetDialect`.
    """
    nans = None if facts is None else facts.nans
    if not bounds_beside_nan and nans != 0:
        return without_bounds(statistics)
    has_plus_zero = facts is not None and facts.has_plus_zero
    return chunk_statistics.with_exact_floats(statistics, nans, has_plus_zero=has_plus_zero)


def _has_floats(of: pa.DataType) -> bool:
    return pt.is_floating(of) or any(_has_floats(child.type) for child in child_fields(of))
