"""Field ids for files that have none: each column gets the id of the column with the same name.

The names are those of the task's schema (`ColumnNumbers`), or of the schema that the file was written with
(`SchemaNumbers`), in which a column can have had another name.

The rest of the kernel identifies columns by field id. So that it can read files of formats without ids, their footers
are changed in memory before they are used: structs are matched by name at every level, elements of lists and keys and
values of maps by their place. Ids that a file has are replaced, as the format has no meaning for them. INT96 timestamps
that the task names become bytes, and the Arrow schema that Arrow's writers add is removed: it would bring back types
that other readers do not see.
"""

import base64
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Protocol

import pyarrow as pa
import pyarrow.types as pt

from engine.rewriting.kernel.contract import TaskInput
from engine.rewriting.kernel.errors import INT96_TIMESTAMPS, UNREADABLE_LAYOUT, Refused
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import (
    CHILDREN,
    ELEMENT_TYPE,
    FIELD_ID,
    NAME,
    SCHEMA,
    framed,
    without_arrow_schema,
)
from engine.rewriting.kernel.parquet.int96 import is_int96, with_bytes
from engine.rewriting.kernel.parquet.thrift import I32, LIST, STRUCT, Struct
from engine.rewriting.kernel.reading.projection import child_fields, field_id


@dataclass(frozen=True, slots=True)
class _NumberedColumn:
    """A column of the task: its id, and the columns in it by name (struct) or in order (list, map)."""

    number: int
    named: "Mapping[bytes, _NumberedColumn]" = field(default_factory=dict)
    element: "_NumberedColumn | None" = None
    entry: "Sequence[_NumberedColumn]" = ()


class FooterNumbers(Protocol):
    """Changes of the footer of a file, made in memory before the file is read."""

    def applies_to(self, schema: pa.Schema) -> bool:
        """Return whether the footer of a file with this Arrow schema is changed."""

    def numbered(self, footer: bytes) -> bytes:
        """Return a changed footer (metadata only), followed by its length and the magic."""


class FileNumbers(Protocol):
    """Field ids for the files of a task."""

    def of(self, file: TaskInput) -> FooterNumbers | None:
        """Return the ids for the columns of a file; None if it has to have ids."""


class ColumnNumbers:
    """The ids of a task's columns by name.

    Args:
        target: a schema in which every field has an id.
        int96_ids: those of INT96 timestamps.
        taken: ids that no other column of a file may get, in addition to those of the schema.
        replaces_ids: whether ids that a file has are replaced; otherwise only files get some that lack one.
        needs_no_ids: whether only files get ids none of whose columns has one.
    """

    def __init__(
        self,
        target: pa.Schema,
        int96_ids: Collection[int] = (),
        *,
        taken: Collection[int] = (),
        replaces_ids: bool = True,
        needs_no_ids: bool = False,
    ) -> None:
        self._columns = _named(list(target))
        self._int96_ids = frozenset(int96_ids)
        self._taken = frozenset(_numbers(self._columns.values())).union(taken)
        self._replaces_ids = replaces_ids
        self._needs_no_ids = needs_no_ids

    def of(self, file: TaskInput) -> "ColumnNumbers":  # noqa: ARG002
        """Return these ids, for every file."""
        return self

    def applies_to(self, schema: pa.Schema) -> bool:
        """Return whether a file with this Arrow schema gets ids."""
        if self._needs_no_ids:
            return not _has_an_id(list(schema))
        return self._replaces_ids or not _has_every_id(list(schema))

    def numbered(self, footer: bytes) -> bytes:
        """Return a footer (metadata only) with these ids in its schema, followed by its length and the magic.

        Columns that the task does not have get ids that no column of the task has. Arrow has read the footer before: it
        refuses columns that are nested in more than 100 levels.

        Raises:
            Refused: a column that the task has as INT96 timestamps is another type.
        """
        found, _ = thrift.read_struct(footer)
        elements: list[Struct] = found[SCHEMA][1][1]
        walk = _SchemaWalk(elements, self._taken, self._int96_ids)
        at = 1
        while at < len(elements):
            at = walk.number(at, self._columns.get(elements[at][NAME][1]))
        found[SCHEMA] = (LIST, (STRUCT, walk.numbered))
        made = with_bytes(found, walk.int96_leaves) if walk.int96_leaves else found
        return framed(thrift.write_struct(without_arrow_schema(made)))


class SchemaNumbers:
    """The ids of columns by the names in the schema that each file was written with, for files without ids.

    Args:
        schemas: the schemas by id; every field has an id, which is that of the task's column.
        target: the task's schema.
        needs_no_ids: as `ColumnNumbers`.
    """

    def __init__(self, schemas: Mapping[int, pa.Schema], target: pa.Schema, *, needs_no_ids: bool = False) -> None:
        taken = frozenset(_numbers(_named(list(target)).values()))
        self._numbers = {
            number: ColumnNumbers(each, taken=taken, replaces_ids=False, needs_no_ids=needs_no_ids)
            for number, each in schemas.items()
        }

    def of(self, file: TaskInput) -> ColumnNumbers | None:
        """Return the ids for a file; None if its schema is not known."""
        return None if file.schema_id is None else self._numbers.get(file.schema_id)


def read_schema(encoded: str) -> pa.Schema:
    """Return the Arrow schema of a base 64 IPC message."""
    return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(encoded)))


def read_numbers(encoded: Mapping[str, str], target: pa.Schema, *, needs_no_ids: bool = False) -> SchemaNumbers | None:
    """Return the ids for files without ids from encoded schemas by their numbers; None if there are no schemas."""
    schemas = {int(number): read_schema(each) for number, each in encoded.items()}
    return SchemaNumbers(schemas, target, needs_no_ids=needs_no_ids) if schemas else None


def _has_every_id(fields: Sequence[pa.Field]) -> bool:
    return all(field_id(each) is not None and _has_every_id(child_fields(each.type)) for each in fields)


def _has_an_id(fields: Sequence[pa.Field]) -> bool:
    return any(field_id(each) is not None or _has_an_id(child_fields(each.type)) for each in fields)


class _SchemaWalk:
    """The elements of one schema in depth-first order, and their copies with ids."""

    def __init__(self, elements: Sequence[Struct], taken: Collection[int], int96_ids: Collection[int]) -> None:
        self._elements = elements
        self._free = (number for number in count(1) if number not in taken)
        self._int96_ids = int96_ids
        self._leaves = 0
        self.numbered: list[Struct] = [elements[0]]
        self.int96_leaves: list[int] = []

    def number(self, at: int, column: _NumberedColumn | None) -> int:
        """Number the element at a place and all elements in it; return the place of the next one."""
        self._add(at, column)
        children = self._children(at)
        if column is not None and children == 1 and column.element is not None:
            return self._list(at + 1, self._elements[at][NAME][1], column.element)
        if column is not None and children == 1 and column.entry:
            return self._map(at + 1, column.entry)
        named: Mapping[bytes, _NumberedColumn] = {} if column is None else column.named
        return self._struct(at + 1, children, named)

    def _struct(self, at: int, children: int, named: Mapping[bytes, _NumberedColumn]) -> int:
        for _ in range(children):
            at = self.number(at, named.get(self._elements[at][NAME][1]))
        return at

    def _list(self, at: int, name: bytes, element: _NumberedColumn) -> int:
        """Number the repeated element of a list: it contains the list's element or, in old files, is the element."""
        own_name = self._elements[at][NAME][1]
        is_element = self._children(at) != 1 or own_name == b"array" or own_name == name + b"_tuple"
        if is_element:
            return self.number(at, element)
        self._add(at, None)
        return self.number(at + 1, element)

    def _map(self, at: int, entry: Sequence[_NumberedColumn]) -> int:
        self._add(at, None)
        children = self._children(at)
        at += 1
        for place in range(children):
            at = self.number(at, entry[place] if place < len(entry) else None)
        return at

    def _children(self, at: int) -> int:
        return int(self._elements[at][CHILDREN][1]) if CHILDREN in self._elements[at] else 0

    def _add(self, at: int, column: _NumberedColumn | None) -> None:
        element, number = self._elements[at], next(self._free) if column is None else column.number
        if number in self._int96_ids:
            if not is_int96(element):
                name = element[NAME][1][:100]
                raise Refused(INT96_TIMESTAMPS, f"column {name!r} is not an INT96 column in each file")
            self.int96_leaves.append(self._leaves)
        self._leaves += ELEMENT_TYPE in element
        self.numbered.append({**element, FIELD_ID: (I32, number)})


def _named(fields: Sequence[pa.Field]) -> dict[bytes, _NumberedColumn]:
    return {one.name.encode(): _column(one) for one in fields}


def _column(one: pa.Field) -> _NumberedColumn:
    number, inner = field_id(one), child_fields(one.type)
    if number is None:
        raise Refused(UNREADABLE_LAYOUT, f"the task's column {one.name!r} has no number")
    if pt.is_struct(one.type):
        return _NumberedColumn(number, named=_named(inner))
    if pt.is_map(one.type):
        return _NumberedColumn(number, entry=tuple(map(_column, inner)))
    return _NumberedColumn(number, element=_column(inner[0]) if inner else None)


def _numbers(columns: Iterable[_NumberedColumn]) -> Iterator[int]:
    for one in columns:
        yield one.number
        yield from _numbers((*one.named.values(), *one.entry, *(() if one.element is None else (one.element,))))
