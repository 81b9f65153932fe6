"""Layouts of columns in Parquet schemas: the schema elements of a variant, geometry or geography, as a file has them.

A variant is a group of `metadata`, `value` and, if it is shredded, columns for fields of its values (`typed_value`);
each file has its own choice of these. A geometry or geography is bytes with its coordinate reference system in the
annotation. Source: `LogicalTypes.md`, `VariantShredding.md` and `parquet.thrift` of parquet-format.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from engine.rewriting.kernel.errors import DUPLICATE_FIELD_IDS, UNREADABLE_LAYOUT, InputFault, Refused
from engine.rewriting.kernel.parquet import thrift
from engine.rewriting.kernel.parquet.footers import (
    CHILDREN,
    ELEMENT_LENGTH,
    ELEMENT_TYPE,
    FIELD_ID,
    MAGIC,
    NAME,
    REPETITION,
    ROW_GROUPS,
    SCHEMA,
    framed,
)
from engine.rewriting.kernel.parquet.thrift import BINARY, BYTE, I32, I64, LIST, STRUCT, MalformedStruct, Struct
from engine.rewriting.kernel.reading.arrow_errors import reading

_VERSION, _ROWS = 1, 3  # of FileMetaData
_CONVERTED_TYPE, _LOGICAL_TYPE = 6, 10  # of SchemaElement
_BARE: Final = frozenset({ELEMENT_TYPE, ELEMENT_LENGTH, REPETITION, NAME, CHILDREN, FIELD_ID})
_LIST: Final = 3
"""Number of the annotation of lists, as a converted and as a logical type."""

_REQUIRED, _OPTIONAL = 0, 1
_INT32, _INT96, _BYTE_ARRAY = 1, 3, 6
_INTEGER, _VARIANT, _GEOMETRY, _GEOGRAPHY = 10, 16, 17, 18  # of LogicalType
_VARIANT_VERSION: Final = 1
_ALGORITHMS: Final = ("spherical", "vincenty", "thomas", "andoyer", "karney")


@dataclass(frozen=True, slots=True)
class ColumnLayout:
    """The elements of a column, its own first. Columns with equal keys can be in one file, under the `wider` layout.

    Name and repetition of the column's own element are not part of the key: they are the table's. Neither are widths of
    integers that are stored alike: writers choose the narrowest, and to a variant's readers they are one type
    (`VariantEncoding.md`, "Equivalence Class").
    """

    elements: tuple[Struct, ...]
    key: bytes

    @staticmethod
    def of(elements: Sequence[Struct]) -> "ColumnLayout":
        """Return the layout of a column with these elements."""
        own = {field: value for field, value in elements[0].items() if field not in {NAME, REPETITION}}
        return ColumnLayout(
            tuple(elements), b"".join(map(thrift.write_struct, (own, *map(_of_any_width, elements[1:]))))
        )

    def wider(self, other: "ColumnLayout") -> "ColumnLayout":
        """Return the layout for values of both; `other` has an equal key."""
        inner = zip(self.elements[1:], other.elements[1:], strict=True)
        return ColumnLayout.of([self.elements[0], *(max(pair, key=_integer_bits) for pair in inner)])

    def stored(self, first: Struct, numbers: Sequence[int]) -> list[Struct]:
        """Return the elements for Arrow: columns of stored values, each with a field id.

        Annotations are left out, except those of lists, without which Arrow would nest them otherwise.

        Args:
            first: the element of the column itself in place of its own.
            numbers: ids of the elements inside the column.
        """
        inner = zip(self.elements[1:], numbers, strict=True)
        return [_bare(first), *(_bare(one) | {FIELD_ID: (I32, number)} for one, number in inner)]

    def arrow_type(self, numbers: Sequence[int]) -> pa.DataType:
        """Return the type by which Arrow reads `stored`."""
        return _arrow_type(self.stored(self.elements[0], numbers))

    def check(self, uri: str) -> None:
        """Check that Arrow reads and writes such a column, before a file has outputs of its layout.

        Raises:
            InputFault: the schema of the file is damaged.
            Refused: `unreadable_layout`.
        """
        if any(ELEMENT_TYPE in each and each[ELEMENT_TYPE][1] == _INT96 for each in self.elements):
            raise Refused(UNREADABLE_LAYOUT, f"{uri}: an INT96 timestamp in a variant")
        try:
            with reading(uri):
                _arrow_type(self.elements)
                of = self.arrow_type(range(1, len(self.elements)))
                pq.write_metadata(pa.schema([pa.field("column", of)]), io.BytesIO())
        except (LookupError, TypeError) as error:
            raise InputFault(f"{uri}: its footer is damaged: {error}") from error

    def restored(self, first: Struct) -> list[Struct]:
        """Return the elements for an output; `first`: the element of the column as Arrow wrote it."""
        return [{**self.elements[0], NAME: first[NAME], REPETITION: first[REPETITION]}, *self.elements[1:]]


def _arrow_type(elements: Sequence[Struct]) -> pa.DataType:
    """Return the type by which Arrow reads a column."""
    root: Struct = {NAME: (BINARY, b"root"), CHILDREN: (I32, 1)}
    empty: Struct = {_VERSION: (I32, 2), _ROWS: (I64, 0), ROW_GROUPS: (LIST, (STRUCT, []))}
    footer = framed(thrift.write_struct({**empty, SCHEMA: (LIST, (STRUCT, [root, *elements]))}))
    return pq.read_metadata(pa.BufferReader(MAGIC + footer)).schema.to_arrow_schema().field(0).type


def end_of(elements: Sequence[Struct], at: int) -> int:
    """Return the place after the last element inside of the one at a place. Raises MalformedStruct if some lack."""
    waiting = 1
    while waiting:
        if at >= len(elements):
            raise MalformedStruct("the schema ends inside a column")
        waiting += (elements[at][CHILDREN][1] if CHILDREN in elements[at] else 0) - 1
        at += 1
    return at


def layouts_in(footer: Struct, wanted: frozenset[int]) -> dict[int, ColumnLayout]:
    """Return the layouts of the columns with these field ids that a file has.

    Raises:
        Refused: `duplicate_field_ids`.
        MalformedStruct, LookupError: the footer is damaged.
    """
    elements: list[Struct] = footer[SCHEMA][1][1]
    found: dict[int, ColumnLayout] = {}
    for at, element in enumerate(elements):
        number = element[FIELD_ID][1] if FIELD_ID in element else None
        if number in found:
            raise Refused(DUPLICATE_FIELD_IDS, f"id {number} is there twice")
        if number is not None and number in wanted:
            found[number] = ColumnLayout.of(elements[at : end_of(elements, at)])
    return found


def plain_layout(number: int, of: str) -> ColumnLayout:
    """Return the layout that a column gets if no input has it; `of`: its type as Iceberg's metadata writes it.

    Raises:
        Refused: `unreadable_layout`: it is none of the types of this module.
    """
    kind, _, parameters = of.rstrip(")").partition("(")
    given = [each.strip().encode() for each in parameters.split(",")] if parameters else []
    own: Struct = {REPETITION: (I32, _OPTIONAL), NAME: (BINARY, b"column"), FIELD_ID: (I32, number)}
    if kind.strip() == "variant":
        annotation: Struct = {_VARIANT: (STRUCT, {1: (BYTE, _VARIANT_VERSION)})}
        group: Struct = {**own, CHILDREN: (I32, 2), _LOGICAL_TYPE: (STRUCT, annotation)}
        return ColumnLayout.of([group, *map(_required_bytes, (b"metadata", b"value"))])
    parts: Struct = {1: (BINARY, given[0])} if given else {}
    known = {"geometry": _GEOMETRY, "geography": _GEOGRAPHY}
    algorithm = given[1].decode().lower() if len(given) > 1 else _ALGORITHMS[0]
    if kind.strip() not in known or algorithm not in _ALGORITHMS:
        raise Refused(UNREADABLE_LAYOUT, f"no file has the column with id {number}, whose type is {of[:100]}")
    if len(given) > 1:
        parts[2] = (I32, _ALGORITHMS.index(algorithm))
    annotation = {known[kind.strip()]: (STRUCT, parts)}
    return ColumnLayout.of([{**own, ELEMENT_TYPE: (I32, _BYTE_ARRAY), _LOGICAL_TYPE: (STRUCT, annotation)}])


def _required_bytes(name: bytes) -> Struct:
    return {ELEMENT_TYPE: (I32, _BYTE_ARRAY), REPETITION: (I32, _REQUIRED), NAME: (BINARY, name)}


def _integer_bits(element: Struct) -> int:
    """Return the width of a signed integer in 32 bits; 0 for other elements."""
    if ELEMENT_TYPE not in element or element[ELEMENT_TYPE][1] != _INT32:
        return 0
    if _LOGICAL_TYPE not in element and _CONVERTED_TYPE not in element:
        return 32
    annotation: Struct = element[_LOGICAL_TYPE][1] if _LOGICAL_TYPE in element else {}
    found: Struct = annotation[_INTEGER][1] if _INTEGER in annotation else {}
    return int(found[1][1]) if 1 in found and 2 in found and found[2][1] else 0  # noqa: PLR2004 - width and sign


def _of_any_width(element: Struct) -> Struct:
    if not _integer_bits(element):
        return element
    return {field: value for field, value in element.items() if field not in {_CONVERTED_TYPE, _LOGICAL_TYPE}}


def _bare(element: Struct) -> Struct:
    kept = {field: value for field, value in element.items() if field in _BARE}
    if CHILDREN in element and _is_list(element):
        kept[_CONVERTED_TYPE] = (I32, _LIST)
    return kept


def _is_list(element: Struct) -> bool:
    return bool(
        (_CONVERTED_TYPE in element and element[_CONVERTED_TYPE][1] == _LIST)
        or (_LOGICAL_TYPE in element and _LIST in element[_LOGICAL_TYPE][1])
    )
