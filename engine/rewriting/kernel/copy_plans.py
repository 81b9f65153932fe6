"""Which columns of an output row group are copied chunk by chunk: a decision from footers and page headers.

A column is copied when every input chunk of it has the output's form and codec, no dictionary, and no part of it is
left out; when their statistics can be joined; and when their pages are what their footers say. A dictionary anywhere
bars it: readers take plain pages before dictionary pages for something else, without an error. What pages without
checksums hold is only known by decoding them, so they are decoded once, to be refused as encoding them would.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from engine.rewriting.kernel.chunk_statistics import joined
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.footers import CODECS, Chunk, NewChunk
from engine.rewriting.kernel.forms import OutputForm
from engine.rewriting.kernel.pages import COPYABLE_ENCODINGS, LEVEL_ENCODINGS, DamagedPage, walk
from engine.rewriting.kernel.parquet_input import ParquetInput, piece_of
from engine.rewriting.kernel.reading import Unit
from engine.rewriting.kernel.thrift import Malformed

LEAST_CHUNK_BYTES: Final = 4096
"""Mean stored size below which chunks are encoded again: pages of a few bytes each would serve no reader."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows `start` to `stop` of a unit."""

    unit: Unit
    start: int
    stop: int

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return self.stop - self.start

    @property
    def is_whole(self) -> bool:
        """Whether it is all of its unit."""
        return self.rows == self.unit.rows


@dataclass(frozen=True, slots=True)
class _Source:
    """One input chunk that may be copied: leaf `leaf` of the unit's file."""

    unit: Unit
    leaf: int
    chunk: Chunk
    data: pa.Buffer


@dataclass(frozen=True, slots=True)
class Copied:
    """A chunk that is the inputs' chunks, one after another; no checksum vouches for the `unproven` ones."""

    chunk: NewChunk
    buffers: Sequence[pa.Buffer]
    unproven: Sequence[_Source]


class CopyPlanner:
    """Decides for the row groups of one task."""

    def __init__(self, *, form: OutputForm, codec: str, check: Callable[[], None]) -> None:
        """`codec` is the name of the outputs'; `check` raises when the task was told to stop."""
        self._form = form
        self._check = check
        self._codec = CODECS[codec]
        self._matches: tuple[ParquetInput | None, list[int | None]] = (None, [])

    def has_copyable(self, unit: Unit) -> bool:
        """Say whether, by its footer, a column of the unit may be copied."""
        return any(self._source(unit, leaf) is not None for leaf in range(len(self._form.levels)))

    def plan(self, pieces: Sequence[Piece]) -> list[Copied | None]:
        """Return for each leaf of the outputs the chunk to copy, or None when it is to be encoded.

        Raises:
            InputFault: a page of a column to be copied is damaged.
        """
        made: list[Copied | None] = [None] * len(self._form.levels)
        if all(piece.is_whole for piece in pieces):
            sources = self._sources([piece.unit for piece in pieces])
            for leaves in self._form.fields:
                if all(sources[leaf] for leaf in leaves):
                    found = [self._copied(leaf, sources[leaf]) for leaf in leaves]
                    made[leaves[0] : leaves[-1] + 1] = found if None not in found else [None] * len(leaves)
            self._prove([one for one in made if one is not None])
        return made

    def _sources(self, units: Sequence[Unit]) -> list[list[_Source]]:
        """Return for each leaf of the outputs the chunks to copy; none when one of them can't be."""
        found: list[list[_Source]] = [[] for _ in self._form.levels]
        barred: set[int] = set()
        for unit in units:
            for leaf, sources in enumerate(found):
                source = None if leaf in barred else self._source(unit, leaf)
                if source is None:
                    barred.add(leaf)
                else:
                    sources.append(source)
        return [[] if leaf in barred else sources for leaf, sources in enumerate(found)]

    def _source(self, unit: Unit, leaf: int) -> _Source | None:
        theirs = self._matched(unit.source)[leaf]
        footer = unit.source.footer
        if theirs is None or footer is None:
            return None
        chunk = footer.chunk(unit.row_group, theirs)
        if chunk is None or not self._may_be_copied(chunk, leaf, unit.rows):
            return None
        data = piece_of(unit.segments, chunk.start, chunk.stored_bytes)
        return None if data is None else _Source(unit, theirs, chunk, data)

    def _matched(self, source: ParquetInput) -> list[int | None]:
        """Return which leaf of an input each leaf of the outputs is; row groups of a file come one after another."""
        if self._matches[0] is not source:
            self._matches = source, self._form.matches(source.metadata)
        return self._matches[1]

    def _may_be_copied(self, chunk: Chunk, leaf: int, rows: int) -> bool:
        is_flat = self._form.levels[leaf][1] == 0
        return (
            chunk.codec == self._codec
            and not chunk.has_dictionary
            and chunk.encodings <= COPYABLE_ENCODINGS | LEVEL_ENCODINGS
            and (chunk.values == rows if is_flat else chunk.values >= rows)
        )

    def _copied(self, leaf: int, sources: Sequence[_Source]) -> Copied | None:
        chunks = [source.chunk for source in sources]
        if sum(chunk.stored_bytes for chunk in chunks) < LEAST_CHUNK_BYTES * max(1, len(chunks)):
            return None
        statistics = joined(chunks, self._form.orders[leaf])
        if statistics is None:
            return None
        counts: Counter[tuple[int, int]] = Counter()
        unproven: list[_Source] = []
        for source in sources:
            try:
                pages = walk(memoryview(source.data).cast("B"), source.chunk, self._form.levels[leaf])
            except Malformed:
                return None
            except DamagedPage as damage:
                raise InputFault(f"{source.unit.source.uri}: row group {source.unit.row_group}: {damage}") from damage
            counts += pages.counts
            if not pages.all_checked:
                unproven.append(source)
        chunk = NewChunk.copied(
            chunks, physical_type=self._form.template.types[leaf], pages=counts, statistics=statistics
        )
        return Copied(chunk, [source.data for source in sources], unproven)

    def _prove(self, found: Sequence[Copied]) -> None:
        """Decode what no checksum vouches for; see the module. Raises as `ParquetInput.decode`."""
        leaves: dict[int, tuple[Unit, list[int]]] = {}
        for copied in found:
            for source in copied.unproven:
                leaves.setdefault(id(source.unit), (source.unit, []))[1].append(source.leaf)
        for unit, own in leaves.values():
            self._check()
            unit.source.decode(unit.row_group, unit.segments, sorted(own))
