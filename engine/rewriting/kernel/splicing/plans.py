"""Plans for the columns of an output row group: the input chunks of each, and the way in which its chunk is made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import pyarrow as pa

from engine.rewriting.kernel.parquet.footers import Chunk, NewChunk
from engine.rewriting.kernel.parquet.thrift import Struct
from engine.rewriting.kernel.reading.rows import Unit
from engine.rewriting.kernel.writing.float_facts import FloatFacts

_WORD_BYTES: Final = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows `start` to `stop` of a unit."""

    unit: Unit
    start: int
    stop: int

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.stop - self.start

    @property
    def most_bytes(self) -> int:
        """Upper bound of the decoded bytes of a column: all bytes of the piece, or one word per row."""
        return max(self.unit.logical_bytes * self.rows // self.unit.rows, self.rows * _WORD_BYTES)

    @property
    def is_whole(self) -> bool:
        """Whether the piece is its whole unit."""
        return self.rows == self.unit.rows


class Source(NamedTuple):
    """One input chunk that has the output's form: leaf `leaf` of the unit's file. A tuple for the reason of `Chunk`.

    `is_stricter`: it is required there and optional in the output: its values are valid, its pages lack levels.
    """

    unit: Unit
    leaf: int
    chunk: Chunk
    is_stricter: bool


@dataclass(frozen=True, slots=True)
class Copied:
    """A chunk that is the concatenation of the inputs' chunks; those in `to_decode` are decoded once.

    These are chunks whose pages have no checksums or whose dictionary is copied as values, and float columns whose
    `facts` are needed. `is_decoded`: all of its chunks are.
    """

    chunk: NewChunk
    buffers: Sequence[pa.Buffer]
    to_decode: Sequence[Source]
    is_decoded: bool
    facts: FloatFacts | None = None


@dataclass(frozen=True, slots=True)
class Bare:
    """A flat column to encode again from its stored values; its statistics are already known."""

    sources: Sequence[Source]
    statistics: Struct


@dataclass(frozen=True, slots=True)
class NestedLeaf:
    """A leaf of a nested column, which the compiled pass may merge; its statistics are already known.

    If it does not merge every leaf of the column, then the column is decoded, projected and encoded.
    """

    sources: Sequence[Source]
    statistics: Struct


@dataclass(frozen=True, slots=True)
class Beside:
    """A leaf to decode and encode again, inside of a column of which other leaves are copied."""

    sources: Sequence[Source]


Plan = Copied | Bare | NestedLeaf | Beside | None
"""The plan for a column: copied, encoded from stored values, merged, or (None) decoded, projected and encoded."""
