"""Matching of leaf columns: those of an input with the same form as in outputs, so that pages have the same meaning.

Same form: same field ids, nesting and nullability at every level, same logical and physical type, same levels. Names
may differ: pages don't hold them. Both sides are compared as Arrow reads their Parquet schemas, with INT96 as bytes.
Columns of row lineage match none: inputs lack values that rows inherit, so that these columns are always encoded.
"""

import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.rewriting.kernel.errors import UNREADABLE_LAYOUT, Refused
from engine.rewriting.kernel.kernel_task import ParquetDialect
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.chunk_statistics import Order, order_of, unordered
from engine.rewriting.kernel.parquet.footers import (
    CREATED_AS_PARQUET_MR,
    CREATED_BY,
    MAGIC,
    WRITER,
    FooterTemplate,
    framed,
)
from engine.rewriting.kernel.parquet.int96 import with_int96
from engine.rewriting.kernel.parquet.thrift import BINARY, Struct
from engine.rewriting.kernel.reading.lineage import LINEAGE_IDS
from engine.rewriting.kernel.reading.projection import child_fields, field_id, leaf_ids, without_ids
from engine.rewriting.kernel.verbatim.columns import VerbatimColumns
from engine.rewriting.kernel.writing.own_footers import OwnFooter

_END_BYTES = 8


class OutputForm:
    """The Parquet schema of a task's outputs, leaf by leaf."""

    def __init__(self, schema: pa.Schema, dialect: ParquetDialect, verbatim: VerbatimColumns | None = None) -> None:
        """Compute the form.

        Args:
            schema: that of the target, with field ids, whether or not the outputs have them.
            dialect: forms of values.
            verbatim: columns that outputs take over from the inputs.

        Raises:
            Refused: a column that is taken over is nested as Arrow nests none.
        """
        self._verbatim = verbatim
        self._created_by = CREATED_AS_PARQUET_MR if dialect.names_parquet_mr else CREATED_BY
        data = _empty_file(schema.remove_metadata(), dialect)
        written = data if dialect.has_field_ids else _empty_file(pa.schema(without_ids(schema)), dialect)
        length = int.from_bytes(written[-_END_BYTES:-4], "little")
        self.template = FooterTemplate(written[-_END_BYTES - length : -_END_BYTES])
        metadata = pq.read_metadata(pa.BufferReader(data))
        self.schema = metadata.schema.to_arrow_schema()
        self._leaves = _leaves(metadata)
        self.leaf_ids = leaf_ids(list(self.schema))
        self.levels = [(leaf[2], leaf[3]) for leaf in self._leaves]
        self.int96_leaves = frozenset(leaf for leaf, number in enumerate(self.leaf_ids) if number in dialect.int96_ids)
        types = [leaf for one in self.schema for leaf in _leaf_types(one)]
        taken_over = frozenset[int]() if verbatim is None else verbatim.ids
        self.orders: list[Order | None] = [
            unordered if number in self.int96_leaves or own in taken_over else order_of(leaf[0], of)
            for number, (own, leaf, of) in enumerate(zip(self.leaf_ids, self._leaves, types, strict=True))
        ]
        self.fields = _leaf_positions(self.schema)
        """By top-level field: the numbers of its leaves."""
        self.is_variant = [
            verbatim is not None and field_id(one) in verbatim.layouts and bool(child_fields(one.type))
            for one in self.schema
        ]
        """By top-level field: whether it is a group that outputs take over."""
        self.bare_fields = [
            None
            if leaf[3] or len(own) > 1 or child_fields(one.type)
            else _bare_field(str(own[0]), one, leaf[0], leaf[1])
            for one, own, leaf in (
                (one, own, self._leaves[own[0]]) for one, own in zip(self.schema, self.fields, strict=True)
            )
        ]
        """By top-level field: the field of its stored values if it is a flat column, otherwise None."""
        read = pq.read_metadata(pa.BufferReader(MAGIC + self.footer([], {})))
        if verbatim is not None and _leaves(read) != self._leaves:
            raise Refused(UNREADABLE_LAYOUT, f"{read.schema}: a column is nested as Arrow nests none")
        self.read_schema: pa.Schema = read.schema.to_arrow_schema()
        """The schema as Arrow reads it in an output: INT96 timestamps are none of the 12 bytes of `schema`."""

    def width(self, leaf: int) -> int:
        """Return the bytes of a value of fixed length, 0 for other types."""
        physical_type, length, _, _ = self._leaves[leaf]
        return int(length) if physical_type == "FIXED_LEN_BYTE_ARRAY" else 0

    def footer(self, row_groups: Sequence[Struct], key_values: Mapping[str, str]) -> bytes:
        """Return the end of an output: metadata, its length, magic."""
        return self.changed(self.template.footer(row_groups, key_values, self._created_by))

    def changed(self, metadata: Struct) -> bytes:
        """Return the end of an output from metadata in which INT96 timestamps are bytes."""
        made = metadata | {WRITER: (BINARY, self._created_by)}
        made = with_int96(made, self.int96_leaves) if self.int96_leaves else made
        return framed(thrift.write_struct(made if self._verbatim is None else self._verbatim.restored(made)))

    def matches(self, metadata: Any) -> tuple[list[int | None], list[int | None]]:
        """Return for each leaf of the outputs the leaf of an input (its footer) with the same form, None without one.

        The second list has the leaves that differ only by being required: flat columns only. Their stored values are
        valid, their pages lack the levels of an optional column.
        """
        schema = metadata.schema.to_arrow_schema()
        theirs, positions = _leaves(metadata), _leaf_positions(schema)
        by_id = {field_id(one): number for number, one in enumerate(schema)}
        same: list[int | None] = []
        stricter: list[int | None] = []
        for ours, own, bare in zip(self.schema, self.fields, self.bare_fields, strict=True):
            number = None if field_id(ours) in LINEAGE_IDS else by_id.get(field_id(ours))
            leaves = [] if number is None else positions[number]
            found = None if number is None else schema.field(number)
            wanted = [self._leaves[leaf] for leaf in own]
            is_same = found is not None and _same_form(found, ours) and [theirs[leaf] for leaf in leaves] == wanted
            fits = False
            if found is not None and bare is not None and ours.nullable and not found.nullable:
                flat = theirs[leaves[0]] == (*wanted[0][:2], 0, 0)
                fits = flat and _same_form(found.with_nullable(True), ours)
            same += leaves if is_same else [None] * len(own)
            stricter += leaves if fits else [None] * len(own)
        return same, stricter


def own_footer(schema: pa.Schema, dialect: ParquetDialect, verbatim: VerbatimColumns | None) -> OwnFooter | None:
    """Return the footer of outputs that Arrow can't write; None if it can. Arguments and errors as `OutputForm`."""
    if not dialect.needs_own_footer and verbatim is None:
        return None
    return OwnFooter(OutputForm(schema, dialect, verbatim).changed, frozenset(dialect.int96_ids))


def _empty_file(schema: pa.Schema, dialect: ParquetDialect) -> bytes:
    footer = io.BytesIO()
    as_integers = dialect.decimals_as_integers
    pq.write_metadata(schema, footer, version="2.6", store_schema=False, store_decimal_as_integer=as_integers)
    return footer.getvalue()


_BARE_TYPES: Final = {
    "BOOLEAN": pa.bool_(),
    "INT32": pa.int32(),
    "INT64": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
    "BYTE_ARRAY": pa.binary(),
}


def _bare_field(name: str, field: pa.Field, physical_type: str, length: int) -> pa.Field:
    of = pa.binary(length) if physical_type == "FIXED_LEN_BYTE_ARRAY" else _BARE_TYPES[physical_type]
    return pa.field(name, of, nullable=field.nullable, metadata=field.metadata)


def _leaves(metadata: Any) -> list[tuple[Any, ...]]:
    columns = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    return [(c.physical_type, c.length, c.max_definition_level, c.max_repetition_level) for c in columns]


def _leaf_positions(schema: pa.Schema) -> list[list[int]]:
    made: list[list[int]] = []
    start = 0
    for one in schema:
        count = len(leaf_ids([one]))
        made.append(list(range(start, start + count)))
        start += count
    return made


def _leaf_types(field: pa.Field) -> list[pa.DataType]:
    children = child_fields(field.type)
    return [leaf for child in children for leaf in _leaf_types(child)] if children else [field.type]


def _same_form(ours: pa.Field, theirs: pa.Field) -> bool:
    if ours.nullable != theirs.nullable or field_id(ours) != field_id(theirs):
        return False
    inner, others = child_fields(ours.type), child_fields(theirs.type)
    if not inner and not others:
        return bool(ours.type == theirs.type)
    same_kind = ours.type.id == theirs.type.id and len(inner) == len(others)
    return same_kind and all(_same_form(a, b) for a, b in zip(inner, others, strict=True))
