"""Columns that a task takes over as they are stored, because Arrow has no type for them and would lose their meaning.

Between two changes of footers the kernel reads and writes them as what they are in pages: bytes and numbers, in structs
and lists. Footers of inputs lose the annotations of these columns in memory (`StoredNumbers`), and those of outputs get
the schema elements of the inputs (`VerbatimColumns.restored`). So pages are copied where the kernel copies them, and
rows can be deleted, ordered and divided, without a value being interpreted.

Their chunks have no bounds: stored values do not compare as the values that they stand for (decimals in bytes, points
of a geometry), and Iceberg has bounds of other forms for them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Final

import pyarrow as pa

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.chunk_statistics import without_bounds
from engine.rewriting.kernel.parquet.footers import (
    CHILDREN,
    COLUMN_INDEX,
    COLUMNS,
    FIELD_ID,
    METADATA,
    PATH,
    ROW_GROUPS,
    SCHEMA,
    STATISTICS,
    framed,
    leaf_paths,
    without_arrow_schema,
)
from engine.rewriting.kernel.parquet.thrift import BINARY, LIST, STRUCT, Struct
from engine.rewriting.kernel.reading.column_numbers import FileNumbers, FooterNumbers
from engine.rewriting.kernel.reading.projection import all_ids, field_id, with_children
from engine.rewriting.kernel.verbatim.layouts import ColumnLayout, end_of

_FIRST_NUMBER: Final = 2_000_000_000
"""The ids that elements inside of a variant get in memory begin here; Iceberg gives them none."""

_NO_ID: Final = -1


@dataclass(frozen=True)
class VerbatimColumns:
    """The columns of the files of a task that share outputs, by field id: their layout, and the ids inside of them."""

    layouts: Mapping[int, ColumnLayout]
    numbers: Mapping[int, tuple[int, ...]]

    @staticmethod
    def of(layouts: Mapping[int, ColumnLayout], schema: pa.Schema) -> "VerbatimColumns":
        """Return the columns with these layouts of a table with this schema."""
        taken = set(all_ids(schema))
        free = (number for number in count(_FIRST_NUMBER) if number not in taken)
        numbers = {each: tuple(islice(free, len(own.elements) - 1)) for each, own in sorted(layouts.items())}
        return VerbatimColumns(layouts, numbers)

    @cached_property
    def ids(self) -> frozenset[int]:
        """The field ids of these columns and of the elements inside of them."""
        return frozenset(self.layouts).union(*self.numbers.values())

    def typed(self, fields: Iterable[pa.Field]) -> list[pa.Field]:
        """Return fields with the types by which Arrow reads these columns, at any depth."""
        return [self._typed(one) for one in fields]

    def _typed(self, one: pa.Field) -> pa.Field:
        number = field_id(one)
        if number is not None and number in self.layouts:
            return one.with_type(self.layouts[number].arrow_type(self.numbers[number]))
        return one.with_type(with_children(one.type, self.typed))

    def stored(self, footer: Struct) -> Struct:
        """Return an input's footer for Arrow. Raises MalformedStruct, LookupError, and TypeError."""
        elements: list[Struct] = footer[SCHEMA][1][1]
        made, at = [elements[0]], 1
        while at < len(elements):
            number = elements[at][FIELD_ID][1] if FIELD_ID in elements[at] else _NO_ID
            if number not in self.layouts:
                made.append(elements[at])
                at += 1
                continue
            end = end_of(elements, at)
            made += ColumnLayout.of(elements[at:end]).stored(elements[at], self.numbers[number])
            at = end
        return without_arrow_schema(footer | {SCHEMA: (LIST, (STRUCT, made))})

    def restored(self, footer: Struct) -> Struct:
        """Return an output's footer with the schema elements of these columns, from the one for Arrow's types."""
        elements: list[Struct] = footer[SCHEMA][1][1]
        made, at = [elements[0]], 1
        ours: list[bool] = []  # by leaf
        while at < len(elements):
            number = elements[at][FIELD_ID][1] if FIELD_ID in elements[at] else _NO_ID
            is_ours = number in self.layouts
            own = self.layouts[number].restored(elements[at]) if is_ours else [elements[at]]
            at = end_of(elements, at) if is_ours else at + 1
            made += own
            ours += [is_ours for each in own if CHILDREN not in each]
        paths = list(leaf_paths(made))
        groups = [
            group | {COLUMNS: (LIST, (STRUCT, list(map(_chunk, group[COLUMNS][1][1], paths, ours))))}
            for group in footer[ROW_GROUPS][1][1]
        ]
        return footer | {SCHEMA: (LIST, (STRUCT, made)), ROW_GROUPS: (LIST, (STRUCT, groups))}


def _chunk(chunk: Struct, path: Sequence[bytes], is_ours: bool) -> Struct:
    """Return the ColumnChunk of a leaf with its path, and without bounds if it is in one of these columns."""
    metadata: Struct = chunk[METADATA][1] | {PATH: (LIST, (BINARY, list(path)))}
    if not is_ours:
        return chunk | {METADATA: (STRUCT, metadata)}
    if STATISTICS in metadata:
        metadata[STATISTICS] = (STRUCT, without_bounds(metadata[STATISTICS][1]))
    kept = {field: value for field, value in chunk.items() if field not in COLUMN_INDEX}
    return kept | {METADATA: (STRUCT, metadata)}


@dataclass(frozen=True, slots=True)
class StoredNumbers:
    """Changes the footer of an input so that Arrow reads these columns as they are stored.

    `by_name`: ids of columns by name, if the file has no ids.
    """

    columns: VerbatimColumns
    by_name: FooterNumbers | None

    def applies_to(self, schema: pa.Schema) -> bool:  # noqa: ARG002 - every file has to be read like this
        """Return True."""
        return True

    def numbered(self, footer: bytes) -> bytes:
        """Return the changed footer, followed by its length and the magic. Raises as `ColumnNumbers.numbered`."""
        return framed(thrift.write_struct(self.columns.stored(with_ids(footer, self.by_name))))


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """`FileNumbers` of a task with such columns; `by_name`: ids by name for files without ids."""

    columns: VerbatimColumns
    by_name: FileNumbers | None

    def of(self, file: TaskInput) -> FooterNumbers:
        """Return the changes of a file's footer."""
        return StoredNumbers(self.columns, None if self.by_name is None else self.by_name.of(file))


def with_ids(footer: bytes, by_name: FooterNumbers | None) -> Struct:
    """Return the metadata of a file; if none of its columns has an id, with ids by their names."""
    found, _ = thrift.read_struct(footer)
    if by_name is None or any(FIELD_ID in element for element in found[SCHEMA][1][1]):
        return found
    return thrift.read_struct(by_name.numbered(footer))[0]
