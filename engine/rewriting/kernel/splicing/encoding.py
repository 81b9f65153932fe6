"""Encoding of column chunks for a spliced row group, a few columns at a time.

If the statistics are known and the form is the output's, values are read in stored form (an unscaled decimal, a day's
number, bytes) and written as such, without computing bounds: the pages are the same for half of the work. Of these,
dictionary-coded columns become indices here (`index_pages`) if possible. All other columns are decoded, projected and
encoded by Arrow like tables.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import pyarrow as pa

from engine.rewriting.kernel.contract import WriteSettings
from engine.rewriting.kernel.kernel_task import ParquetDialect
from engine.rewriting.kernel.parquet.chunk_statistics import null_count
from engine.rewriting.kernel.parquet.footers import BareElement, NewChunk
from engine.rewriting.kernel.parquet.index_pages import ChunkWriter, Indexed
from engine.rewriting.kernel.reading.fetched_input import piece_of
from engine.rewriting.kernel.reading.projection import Projection, child_fields, field_id, with_children
from engine.rewriting.kernel.reading.rows import Unit
from engine.rewriting.kernel.splicing.compiled import CompiledPass, StoredChunk
from engine.rewriting.kernel.splicing.forms import OutputForm
from engine.rewriting.kernel.splicing.plans import Bare, Beside, NestedLeaf, Piece, Plan, Source
from engine.rewriting.kernel.writing.float_facts import FloatFacts
from engine.rewriting.kernel.writing.rows import Encoder, OutputSchema, mostly

DECODED_BYTES: Final = 128 * 2**20
"""Approximate bytes of values of columns that are decoded and encoded together."""

_VALUE_BYTES: Final = 16
_STORED_BYTES: Final = 8
"""Approximate bytes of a value, decoded and stored: the widest fixed width, or an index and its word."""

_END_BYTES: Final = 8

Columns = list[list[pa.Array]]
"""By column: its arrays in order."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """An encoded chunk, its bytes, and the facts of a float column. `is_merged`: the compiled pass made it."""

    chunk: NewChunk
    buffers: Sequence[Any]
    facts: FloatFacts | None = None
    is_merged: bool = False


class Encoding:
    """Encodes the columns that are not copied, for the row groups of one task."""

    def __init__(
        self,
        *,
        schema: pa.Schema,
        settings: WriteSettings,
        dialect: ParquetDialect,
        form: OutputForm,
        check: Callable[[], None],
        merger: CompiledPass | None,
    ) -> None:
        """Make an encoder.

        Args:
            schema: the target's, with field ids.
            settings: of the outputs.
            dialect: the form of the outputs' values.
            form: the form of the outputs.
            check: raises when the task must stop.
            merger: the compiled pass; None: it is not used.
        """
        self._schema = schema
        self._settings = settings
        self._dialect = ParquetDialect(decimals_as_integers=dialect.decimals_as_integers)  # of columns, not of files
        self._form = form
        self._check = check
        self._pass = merger
        self._index_chunks = ChunkWriter(settings) if ChunkWriter.can_write(settings) else None
        self._formats: dict[tuple[bool, tuple[int, ...]], OutputSchema] = {}
        self._parts: dict[tuple[int, tuple[int, ...]], OutputSchema] = {}
        self._elements: dict[tuple[int, bool], BareElement] = {}

    def encode(self, pieces: Sequence[Piece], plans: Sequence[Plan]) -> dict[int, Encoded]:
        """Return the chunks of all leaves that are not copied. Raises as `ParquetInput.decode`."""
        rows = sum(piece.rows for piece in pieces)
        found: dict[int, Encoded] = {}
        fields = {number: plans[own[0]] for number, own in enumerate(self._form.fields)}
        for number, plan in fields.items():
            if isinstance(plan, Bare | NestedLeaf):
                found |= self._merged(number, plans, pieces)
        left = {number: plan for number, plan in fields.items() if self._form.fields[number][0] not in found}
        bare = {number: plan for number, plan in left.items() if isinstance(plan, Bare)}
        statistics = {self._form.fields[number][0]: plan.statistics for number, plan in bare.items()}
        decoded = [number for number, plan in left.items() if plan is None or isinstance(plan, NestedLeaf)]
        for some in _batches(decoded, rows * _VALUE_BYTES):
            found |= self._encoded(some, self._projected(pieces, some), pieces, statistics=True)
        for number, own in enumerate(self._form.fields):
            beside = {leaf: plan for leaf in own if isinstance(plan := plans[leaf], Beside)}
            found |= self._beside(number, beside, pieces)
        for some in _batches(list(bare), rows * _STORED_BYTES):
            for leaf, one in self._from_stored(some, self._stored(pieces, some, bare), pieces).items():
                found[leaf] = replace(one, chunk=one.chunk.with_statistics(statistics[leaf]))
        return found

    def _beside(self, number: int, plans: Mapping[int, Beside], pieces: Sequence[Piece]) -> dict[int, Encoded]:
        """Return the chunks of some leaves of a column of which the others are copied; `plans`: by leaf."""
        if not plans:
            return {}
        form, chunks = self._part(number, tuple(plans)), list[pa.Array]()
        for at, piece in enumerate(pieces):
            self._check()
            wanted = [plan.sources[at].leaf for plan in plans.values()]
            table = piece.unit.source.decode(piece.unit.row_group, piece.unit.segments, wanted)
            (column,) = Projection(source=table.schema, target=form.schema).apply(table.columns, piece.rows)
            chunks += column.chunks
        return self._written(form, list(plans), [chunks], pieces, statistics=True)

    def _part(self, number: int, leaves: tuple[int, ...]) -> OutputSchema:
        key = number, leaves
        if key not in self._parts:
            part = _pruned(self._schema.field(number), (leaf in leaves for leaf in self._form.fields[number]))
            self._parts[key] = OutputSchema(schema=pa.schema([part]), settings=self._settings, dialect=self._dialect)
        return self._parts[key]

    def _merged(self, number: int, plans: Sequence[Plan], pieces: Sequence[Piece]) -> dict[int, Encoded]:
        """Return the leaves of a field as the compiled pass merges them; none if one of them is not its own."""
        found: dict[int, Encoded] = {}
        for leaf in self._form.fields[number]:
            plan = plans[leaf]
            one = self._compiled(leaf, plan, pieces) if isinstance(plan, Bare | NestedLeaf) else None
            if one is None:
                return {}
            found[leaf] = one
        return found

    def _compiled(self, leaf: int, plan: Bare | NestedLeaf, pieces: Sequence[Piece]) -> Encoded | None:
        """Return a leaf as the compiled pass merges it; None if it is not its own."""
        if self._pass is None:
            return None
        self._check()
        levels = self._form.levels[leaf]
        inputs = []
        for piece, source in zip(pieces, plan.sources, strict=True):
            data = piece_of(piece.unit.segments, source.chunk.start, source.chunk.stored_bytes)
            if data is None:
                return None
            has_levels = levels[0] > 0 and not source.is_stricter
            inputs.append(StoredChunk(source.chunk, data, piece.rows, has_levels))
        made = self._pass.merge(
            inputs,
            physical_type=self._form.template.physical_type(leaf),
            width=self._form.width(leaf),
            levels=levels,
        )
        if made is None or made.nulls != null_count(plan.statistics):
            return None
        return Encoded(made.chunk.with_statistics(plan.statistics), [made.data], made.facts, is_merged=True)

    def _from_stored(self, fields: tuple[int, ...], columns: Columns, pieces: Sequence[Piece]) -> dict[int, Encoded]:
        """Return the chunks of flat columns; `columns` is emptied during the work, since a column may be large."""
        made: dict[int, Encoded] = {}
        rest: dict[int, list[pa.Array]] = {}
        for at, number in enumerate(fields):
            chunks, columns[at] = columns[at], []
            one = self._indexed(number, chunks, pieces)
            if one is None:
                rest[number] = chunks
            else:
                made[self._form.fields[number][0]] = one
        return made | self._encoded(tuple(rest), list(rest.values()), pieces, statistics=False)

    def _indexed(self, number: int, chunks: list[pa.Array], pieces: Sequence[Piece]) -> Encoded | None:
        """Return a column as indices into one dictionary, if all inputs are so encoded and the dictionary fits."""
        of, leaf = field_id(self._form.bare_fields[number]), self._form.fields[number][0]
        if self._index_chunks is None or not all(of in piece.unit.dictionary_ids for piece in pieces):
            return None
        column = Indexed.of(chunks, most_bytes=self._settings.dictionary_page_bytes)
        if column is None:
            return None
        physical_type = self._form.template.physical_type(leaf)
        return Encoded(
            *self._index_chunks.write(column, physical_type=physical_type, is_optional=self._form.levels[leaf][0] > 0)
        )

    def _projected(self, pieces: Sequence[Piece], fields: tuple[int, ...]) -> Columns:
        columns: Columns = [[] for _ in fields]
        for piece in pieces:
            self._check()
            for chunks, column in zip(columns, piece.unit.decode(fields), strict=True):
                chunks.extend(column.slice(piece.start, piece.rows).chunks)
        return columns

    def _stored(self, pieces: Sequence[Piece], fields: tuple[int, ...], plans: Mapping[int, Bare]) -> Columns:
        columns: Columns = [[] for _ in fields]
        for at, piece in enumerate(pieces):
            self._check()
            sources = [plans[number].sources[at] for number in fields]
            for chunks, column in zip(columns, self._stored_values(piece.unit, fields, sources).columns, strict=True):
                chunks.extend(column.chunks)
        return columns

    def _stored_values(self, unit: Unit, fields: tuple[int, ...], sources: Sequence[Source]) -> pa.Table:
        leaves = [source.leaf for source in sources]
        if leaves == sorted(leaves) and all(map(self._is_stored_as_read, fields)):
            return unit.source.decode(unit.row_group, unit.segments, leaves)  # by the footer that is read already
        chunks = [
            (source.leaf, self._element(self._form.fields[number][0], source.is_stricter))
            for number, source in zip(fields, sources, strict=True)
        ]
        wanted = [self._bare_field(number) for number in fields]
        texts = [one.name for one in wanted if pa.types.is_binary(one.type) and field_id(one) in unit.dictionary_ids]
        footer = unit.source.footer.bare(unit.row_group, chunks)
        return unit.source.decode_bare(unit.row_group, unit.segments, footer, texts)

    def _is_stored_as_read(self, number: int) -> bool:
        """Return whether Arrow returns the stored values of a column without `InputFooter.bare`: numbers are."""
        of = self._bare_field(number).type
        return bool(pa.types.is_primitive(of) and self._form.schema.field(number).type == of)

    def _element(self, leaf: int, is_required: bool) -> BareElement:
        key = leaf, is_required
        if key not in self._elements:
            self._elements[key] = self._form.template.bare_element(leaf, is_required=is_required)
        return self._elements[key]

    def _bare_field(self, number: int) -> pa.Field:
        return self._form.bare_fields[number]

    def _encoded(
        self, fields: tuple[int, ...], columns: Columns, pieces: Sequence[Piece], *, statistics: bool
    ) -> dict[int, Encoded]:
        if not fields:
            return {}
        leaves = [leaf for number in fields for leaf in self._form.fields[number]]
        return self._written(self._format(fields, statistics), leaves, columns, pieces, statistics=statistics)

    def _written(
        self,
        form: OutputSchema,
        leaves: Sequence[int],
        columns: Columns,
        pieces: Sequence[Piece],
        *,
        statistics: bool,
    ) -> dict[int, Encoded]:
        """Return the chunks of columns as Arrow encodes them; `leaves`: those of the outputs that the form has."""
        coded = mostly([(piece.rows, piece.unit.dictionary_ids) for piece in pieces])
        stream = pa.BufferOutputStream()
        encoder = Encoder(
            stream=stream,
            form=form,
            first=columns,
            dictionary_ids=coded,
            statistics=self._bounded(form) if statistics else False,
        )
        encoder.write(columns, sum(piece.rows for piece in pieces))
        encoder.close()
        return self._chunks(stream.getvalue(), leaves, encoder.float_facts)

    def _bounded(self, form: OutputSchema) -> bool | Sequence[str]:
        """Return the paths of the leaves that get statistics, True for all: INT96 timestamps get none."""
        without = {self._form.leaf_ids[leaf] for leaf in self._form.int96_leaves}
        leaves = zip(form.leaf_paths, form.leaf_ids, strict=True)
        return [path for path, number in leaves if number not in without] if without else True

    def _format(self, fields: tuple[int, ...], projected: bool) -> OutputSchema:
        key = (projected, fields)
        if key not in self._formats:
            schema = pa.schema([self._schema.field(i) if projected else self._bare_field(i) for i in fields])
            self._formats[key] = OutputSchema(schema=schema, settings=self._settings, dialect=self._dialect)
        return self._formats[key]

    def _chunks(self, file: pa.Buffer, leaves: Sequence[int], found: Mapping[int, FloatFacts]) -> dict[int, Encoded]:
        length = int.from_bytes(bytes(file[-_END_BYTES:-4]), "little")
        end = file.size - _END_BYTES
        chunks = NewChunk.encoded(bytes(file[end - length : end]))
        made: dict[int, Encoded] = {}
        for leaf, (chunk, start) in zip(leaves, chunks, strict=True):
            facts = found.get(self._form.leaf_ids[leaf] or 0)
            buffers = [file.slice(start, chunk.stored_bytes)]
            made[leaf] = Encoded(chunk, buffers, facts)
        return made


def _pruned(field: pa.Field, wanted: Iterator[bool]) -> pa.Field | None:
    """Return a field with only the wanted leaves in it; None if none is."""
    children = child_fields(field.type)
    if not children:
        return field if next(wanted) else None
    kept = [one for one in (_pruned(child, wanted) for child in children) if one is not None]
    return field.with_type(with_children(field.type, lambda _: kept)) if kept else None


def _batches(fields: list[int], column_bytes: int) -> Iterator[tuple[int, ...]]:
    together = max(1, DECODED_BYTES // column_bytes)
    for at in range(0, len(fields), together):
        yield tuple(fields[at : at + together])
