"""Decision which columns of an output row group are copied chunk by chunk, from footers and page headers.

A column is copied when every input chunk of it has the output's form and codec, no dictionary, and is included whole;
when the statistics can be merged; and when the pages match their footers. If a column is required in an input and
optional in the output, as in files of Spark, its pages get levels during the copy. A dictionary in any chunk prevents
the copy, since readers misread plain pages before dictionary pages without an error, unless it has each value once and
in the order of the rows: then it is copied as a page of values (`unique_values`). Texts that inputs share are not: one
dictionary of them is smaller. The content of pages without checksums can only be verified by decoding, so they are
decoded once, to refuse damage as encoding them would; so are float columns of tasks with several outputs, for their NaN
counts, and those whose greatest value is a zero, for its sign.

The leaves of a column in several are copied together or not at all, except those of a variant: its metadata has a
dictionary in most files, and its values, which are most of its bytes, have none.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.errors import InputFault
from engine.rewriting.kernel.library.known_footers import KnownFooter
from engine.rewriting.kernel.parquet.chunk_statistics import ends_with_zero, joined
from engine.rewriting.kernel.parquet.footers import CODECS, DICTIONARY_ENCODINGS, Chunk, InputFooter, NewChunk
from engine.rewriting.kernel.parquet.pages import (
    DATA_PAGE,
    DICTIONARY_PAGE,
    LEVEL_ENCODINGS,
    PLAIN,
    ChunkPages,
    DamagedPage,
    walk,
    with_levels,
)
from engine.rewriting.kernel.parquet.thrift import MalformedStruct, Struct
from engine.rewriting.kernel.parquet.unique_values import Part, unique_parts
from engine.rewriting.kernel.reading.fetched_input import piece_of
from engine.rewriting.kernel.reading.parquet_input import ParquetInput
from engine.rewriting.kernel.reading.projection import field_id
from engine.rewriting.kernel.reading.rows import Unit
from engine.rewriting.kernel.splicing.compiled import CompiledPass, StoredChunk, WalkedPages
from engine.rewriting.kernel.splicing.forms import OutputForm
from engine.rewriting.kernel.splicing.plans import Bare, Beside, Copied, NestedLeaf, Piece, Plan, Source
from engine.rewriting.kernel.writing.float_facts import FloatFacts, float_facts, float_ids

LEAST_CHUNK_BYTES: Final = 4096
"""Mean stored bytes below which chunks are encoded again: pages of a few bytes each are inefficient for readers."""

COMPARED_PAIRS: Final = 4
"""Pairs of neighbouring chunks, spread over a row group, whose dictionaries are compared."""

LEAST_DISTINCT: Final = 0.98
"""Share of distinct values in these dictionaries from which one dictionary of all chunks would save nothing."""

_WITH_DICTIONARY: Final = LEVEL_ENCODINGS | {PLAIN} | DICTIONARY_ENCODINGS


class CopyPlanner:
    """Plans the columns of the row groups of one task."""

    def __init__(
        self,
        *,
        form: OutputForm,
        settings: WriteSettings,
        counts_nans: bool,
        check: Callable[[], None],
        merger: CompiledPass | None,
    ) -> None:
        """Start a task's decisions.

        Args:
            form: form of the outputs.
            settings: their codec and the size of a dictionary.
            counts_nans: count NaN in copied columns too. This requires decoding them, and is needed where a group has
                several outputs: then the outputs' counts can't be derived from the inputs' counts, or
                where columns with NaN have no bounds.
            check: raises when the task was ordered to stop.
            merger: the compiled pass; None: it is not used.
        """
        self._form = form
        self._floats = frozenset(float_ids(form.schema))
        self._counts_nans = counts_nans
        self._check = check
        self._codec = CODECS[settings.codec]
        self._dictionary_bytes = settings.dictionary_page_bytes
        fields = zip(form.bare_fields, form.fields, strict=True)
        self._top_level = frozenset(leaves[0] for field, leaves in fields if field is not None)
        self._pass = merger
        self._matches: tuple[Any, list[int | None], list[int | None]] = (None, [], [])
        self._matched_footer: InputFooter | KnownFooter | None = None

    def gains(self, unit: Unit) -> bool:
        """Return whether, by the unit's footer, a column of it may be copied, merged or stay dictionary-encoded."""
        for field, leaves in zip(self._form.bare_fields, self._form.fields, strict=True):
            sources = [(leaf, self._source(unit, leaf)) for leaf in leaves]
            if any(source and self._looks_copyable(source, leaf) for leaf, source in sources):
                return True
            source = sources[0][1]
            if all(source is not None and self._may_merge(source) for _, source in sources):
                return True
            if field is not None and source is not None and field_id(field) in unit.dictionary_ids:
                return True
        return False

    def plan(self, pieces: Sequence[Piece]) -> list[Plan]:
        """Return the plan for each leaf of the outputs.

        Raises:
            InputFault: a page of a column to be copied is damaged.
        """
        made: list[Plan] = [None] * len(self._form.levels)
        if not all(piece.is_whole for piece in pieces):
            return made
        sources = self._sources([piece.unit for piece in pieces])
        for field, leaves in enumerate(self._form.fields):
            if all(sources[leaf] for leaf in leaves):
                statistics = [self._statistics(leaf, sources[leaf]) for leaf in leaves]
                made[leaves[0] : leaves[-1] + 1] = self._field(field, [sources[leaf] for leaf in leaves], statistics)
        facts = self._decode([one for one in made if isinstance(one, Copied)])
        return [
            replace(one, facts=facts.get(number or 0)) if isinstance(one, Copied) and one.is_decoded else one
            for number, one in zip(self._form.leaf_ids, made, strict=True)
        ]

    def _sources(self, units: Sequence[Unit]) -> list[list[Source]]:
        """Return for each leaf of the outputs its input chunks; none if one of them has a different form."""
        found: list[list[Source]] = [[] for _ in self._form.levels]
        places = list(range(len(found)))
        for unit in units:
            pairs = list(zip(*self._matched(unit.source), strict=True))
            sources = [(leaf, _source(unit, pairs[leaf])) for leaf in places]
            for leaf, source in sources:
                if source is None:
                    found[leaf] = []
                    places.remove(leaf)
                else:
                    found[leaf].append(source)
        return found

    def _source(self, unit: Unit, leaf: int) -> Source | None:
        same, stricter = self._matched(unit.source)
        return _source(unit, (same[leaf], stricter[leaf]))

    def _matched(self, source: ParquetInput) -> tuple[list[int | None], list[int | None]]:
        """Return for each leaf of the outputs the input's leaf of the same form, and that of the form made required.

        The result is reused, as most inputs of a group are alike. Schemas are compared once for each input: the
        comparison takes as long as they are wide, and this is called for each leaf.
        """
        if self._matched_footer is not source.footer:
            if self._matches[0] != source.footer.schema:
                self._matches = source.footer.schema, *self._form.matches(source.metadata)
            self._matched_footer = source.footer
        return self._matches[1:]

    def _statistics(self, leaf: int, sources: Sequence[Source]) -> Struct | None:
        return joined([source.chunk for source in sources], self._form.orders[leaf])

    def _field(self, field: int, sources: list[list[Source]], statistics: list[Struct | None]) -> list[Plan]:
        """Return the plans for the leaves of one top-level field: all are copied or none is, except of a variant."""
        if self._form.is_variant[field]:
            return self._leaf_by_leaf(field, sources, statistics)
        copied: list[Plan] = []
        for leaf, own, known in zip(self._form.fields[field], sources, statistics, strict=True):
            one = None if known is None else self._copied(leaf, own, known)
            if one is None:
                break
            copied.append(one)
        else:
            return copied
        joins = [one for one in statistics if one is not None]
        if len(joins) < len(statistics):
            return [None] * len(sources)
        if self._form.bare_fields[field] is not None:
            return [Bare(sources[0], joins[0])]
        if not all(map(self._may_merge, chain.from_iterable(sources))):
            return [None] * len(sources)
        return [NestedLeaf(own, of) for own, of in zip(sources, joins, strict=True)]

    def _may_merge(self, source: Source) -> bool:
        return self._pass is not None and CompiledPass.may_merge(source.chunk)

    def _leaf_by_leaf(self, field: int, sources: list[list[Source]], statistics: list[Struct | None]) -> list[Plan]:
        """Return the plans for the leaves of a variant: most of its bytes are in leaves without a dictionary."""
        made: list[Plan] = [
            (None if known is None else self._copied(leaf, own, known)) or Beside(own)
            for leaf, own, known in zip(self._form.fields[field], sources, statistics, strict=True)
        ]
        return made if any(isinstance(one, Copied) for one in made) else [None] * len(made)

    def _copied(self, leaf: int, sources: Sequence[Source], statistics: Struct) -> Copied | None:
        stored = sum(source.chunk.stored_bytes for source in sources)
        if stored < LEAST_CHUNK_BYTES * len(sources) or not all(self._may_be_copied(one, leaf) for one in sources):
            return None
        is_float = self._form.leaf_ids[leaf] in self._floats
        is_counted = is_float and (self._counts_nans or ends_with_zero(statistics))
        counts: Counter[tuple[int, int]] = Counter()
        chunks: list[Chunk] = []
        buffers: list[pa.Buffer] = []
        to_decode: list[Source] = []
        dictionary_bytes = 0
        for source, walked in zip(sources, self._walked(leaf, sources), strict=True):
            if walked is not None:
                chunks.append(source.chunk)
                buffers.append(walked[0])
                counts[DATA_PAGE, PLAIN] += walked[1].pages
                to_decode += [] if walked[1].all_checked and not is_counted else [source]
                continue
            parts = _parts(source, self._form.levels[leaf])
            if parts is None:
                return None
            is_verified = not source.chunk.has_dictionary and all(pages.all_checked for _, _, pages in parts)
            to_decode += [] if is_verified and not is_counted else [source]
            dictionary_bytes += parts[0][2].pages[0].size if source.chunk.has_dictionary else 0
            for part in parts:
                chunk, own, pages = self._with_levels(source, leaf, part)
                chunks.append(chunk)
                buffers += own
                counts.update(pages.counts)
        if self._saves_bytes(leaf, sources, dictionary_bytes):
            return None
        made = NewChunk.copied(chunks, pages=counts).with_statistics(statistics)
        return Copied(made, buffers, to_decode, is_decoded=len(to_decode) == len(sources))

    def _walked(self, leaf: int, sources: Sequence[Source]) -> "list[tuple[pa.Buffer, WalkedPages] | None]":
        """Return bytes and pages of the chunks that the library walked over, None for each other chunk."""
        found: list[tuple[pa.Buffer, WalkedPages] | None] = [None] * len(sources)
        if self._pass is None or leaf not in self._top_level:
            return found
        given: list[StoredChunk] = []
        places: list[int] = []
        for at, source in enumerate(sources):
            chunk = source.chunk
            data = piece_of(source.unit.segments, chunk.start, chunk.stored_bytes)
            if data is not None and not chunk.has_dictionary and not source.is_stricter:
                given.append(StoredChunk(chunk, data, source.unit.rows, self._form.levels[leaf][0] > 0))
                places.append(at)
        for at, one, pages in zip(places, given, self._pass.walk(given), strict=True):
            found[at] = None if pages is None else (one.data, pages)
        return found

    def _with_levels(self, source: Source, leaf: int, part: Part) -> tuple[Chunk, list[pa.Buffer], ChunkPages]:
        """Return pages as they are, or with levels if they lack those of the output."""
        chunk, data, pages = part
        if not source.is_stricter and pages.pages[0].kind != DICTIONARY_PAGE:
            return chunk, [data], pages
        return with_levels(data, chunk, pages, is_optional=self._form.levels[leaf][0] > 0)

    def _saves_bytes(self, leaf: int, sources: Sequence[Source], dictionary_bytes: int) -> bool:
        """Return whether one dictionary is smaller than the values, which are unique in each of these chunks.

        Raises as `ParquetInput.decode`.
        """
        number = self._form.leaf_ids[leaf]
        coded = [source for source in sources if source.chunk.has_dictionary and number in source.unit.dictionary_ids]
        if not coded or dictionary_bytes <= self._dictionary_bytes:
            return bool(coded)
        words: list[pa.Array] = []
        for source in _spread_pairs(coded):
            self._check()
            table = source.unit.source.decode(source.unit.row_group, source.unit.segments, [source.leaf])
            words += [one.dictionary if pt.is_dictionary(one.type) else one for one in table.column(0).chunks]
        joined = pa.chunked_array(words)
        return bool(pc.count_distinct(joined).as_py() < LEAST_DISTINCT * len(joined))

    def _may_be_copied(self, source: Source, leaf: int) -> bool:
        """Return whether the footer allows the copy; whether a dictionary does is known from its pages only."""
        chunk, rows = source.chunk, source.unit.rows
        is_flat = self._form.levels[leaf][1] == 0
        if chunk.codec != self._codec or not (chunk.values == rows if is_flat else chunk.values >= rows):
            return False
        if chunk.has_dictionary:
            return leaf in self._top_level and chunk.encodings <= _WITH_DICTIONARY
        return {PLAIN} <= chunk.encodings <= LEVEL_ENCODINGS | {PLAIN}

    def _looks_copyable(self, source: Source, leaf: int) -> bool:
        """Return whether the footer, and the pages of a dictionary, allow the copy of a chunk."""
        if not self._may_be_copied(source, leaf):
            return False
        is_large = source.chunk.stored_bytes >= LEAST_CHUNK_BYTES
        return not source.chunk.has_dictionary or (is_large and _parts(source, self._form.levels[leaf]) is not None)

    def _decode(self, found: Sequence[Copied]) -> dict[int, FloatFacts]:
        """Decode chunks in `to_decode` and return what float columns have in them. Raises as `ParquetInput.decode`."""
        leaves: dict[int, tuple[Unit, list[int]]] = {}
        for copied in found:
            for source in copied.to_decode:
                leaves.setdefault(id(source.unit), (source.unit, []))[1].append(source.leaf)
        facts: dict[int, FloatFacts] = {}
        for unit, own in leaves.values():
            self._check()
            table = unit.source.decode(unit.row_group, unit.segments, sorted(own))
            for field, column in zip(table.schema, table.columns, strict=True) if self._floats else ():
                for number, more in float_facts(field, column.chunks):
                    facts[number] = facts[number] + more if number in facts else more
        return facts


def _source(unit: Unit, leaves: tuple[int | None, int | None]) -> Source | None:
    """Return the chunk of the leaf of the same form or, without one, of that which is stricter; None for neither."""
    same, stricter = leaves
    theirs = stricter if same is None else same
    chunk = None if theirs is None else unit.source.footer.chunk(unit.row_group, theirs)
    return None if theirs is None or chunk is None else Source(unit, theirs, chunk, same is None)


def _spread_pairs(sources: Sequence[Source]) -> list[Source]:
    """Return sources in pairs of neighbours, as values recur in files that were written one after another."""
    step = -(-len(sources) // COMPARED_PAIRS)
    chosen = {at + more for at in range(0, len(sources), step) for more in (0, 1)}
    return [one for at, one in enumerate(sources) if at in chosen]


def _parts(source: Source, levels: tuple[int, int]) -> Sequence[Part] | None:
    """Return the pages of a chunk that may be copied; None when it may not. Raises InputFault."""
    chunk, rows = source.chunk, source.unit.rows
    data = piece_of(source.unit.segments, chunk.start, chunk.stored_bytes)
    if data is None:
        return None
    most = (0, 0) if source.is_stricter else levels
    try:
        if chunk.has_dictionary:
            return unique_parts(data, chunk, most[0], rows)
        return [(chunk, data, walk(memoryview(data).cast("B"), chunk, most, rows))]
    except MalformedStruct:
        return None
    except DamagedPage as damage:
        raise InputFault(f"{source.unit.source.uri}: row group {source.unit.row_group}: {damage}") from damage
