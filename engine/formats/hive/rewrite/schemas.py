"""The schema that a group's outputs get: the columns of its files, in the order of the table's, stored as in the files.

Outputs keep the forms of the files, as old readers know only some: Hive 2 reads timestamps as INT96 only, and decimals
as FIXED_LEN_BYTE_ARRAY only. A logical type that the kernel would lose is a reason to leave the files alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Final

import pyarrow as pa
import pyarrow.types as pt

from engine.domain.errors import NotEligible
from engine.formats.hive.files.footers import INT96, Footer, Stored, footer_in
from engine.formats.hive.metadata.tables import HiveColumn
from engine.formats.hive.rewrite.times import names_parquet_mr
from engine.rewriting.kernel.kernel_task import ParquetDialect
from engine.rewriting.kernel.parquet.int96 import BYTES
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY, child_fields, without_ids
from engine.rewriting.kernel.splicing.forms import OutputForm

_NUMBERS: Final = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
}
"""Types of Hive that a column can be changed to from a narrower one, without a change of its files."""


@dataclass(frozen=True, slots=True)
class CommonSchema:
    """The columns of a group's outputs, for a task.

    `schema`: each field has a number; INT96 timestamps are their bytes, and the `dialect`
    has the numbers of these, and the forms of the files. `widened`: names of columns that some files have as narrower
    numbers.
    """

    schema: pa.Schema
    dialect: ParquetDialect
    widened: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Column:
    field: pa.Field
    leaves: Sequence[Stored]

    @property
    def int96(self) -> Sequence[bool]:
        return [each.physical_type == INT96 for each in self.leaves]

    def __str__(self) -> str:
        return f"{self.field.type}, stored as {INT96}," if any(self.int96) else str(self.field.type)


def common_schema(columns: Sequence[HiveColumn], footers: Sequence[Footer]) -> CommonSchema:
    """Return the columns that any of the files has, each with the type that all of them have.

    Numbers of different widths get the type of the table's column, which readers take for all of them.

    Decimals of up to 18 digits are stored as FIXED_LEN_BYTE_ARRAY, which all readers know, unless all files have
    integers.

    Raises:
        NotEligible: names or types of the files differ, the table lacks a column of some of them, or outputs would not
            state a logical type that a file has.
    """
    distinct = _distinct(footers)
    found = _columns(columns, distinct)
    numbering = _Numbering([each for column in found for each in column.int96])
    fields = [numbering.numbered(column.field) for column in found]
    leaves = [leaf for footer in distinct for column in footer.stored for leaf in column]
    made = CommonSchema(
        schema=pa.schema(fields),
        dialect=ParquetDialect(
            has_field_ids=False,
            int96_ids=tuple(numbering.int96_ids),
            bounds_beside_nan=False,  # Spark, Hive and DuckDB order NaN above all numbers
            decimals_as_integers=not any(leaf.is_decimal_in_bytes for leaf in leaves),
            names_parquet_mr=names_parquet_mr(footers),
        ),
        widened=frozenset(_widened(found, distinct)),
    )
    _check_stored(made, distinct)
    return made


def _distinct(footers: Sequence[Footer]) -> Sequence[Footer]:
    """Return a footer for each way in which files have their columns; most files of a partition have the same."""
    found: list[Footer] = []
    for footer in footers:
        if not any(footer.stored == each.stored and footer.schema.equals(each.schema) for each in reversed(found)):
            found.append(footer)
    return found


def _columns(columns: Sequence[HiveColumn], footers: Sequence[Footer]) -> Sequence[_Column]:
    """Return the columns of all files, in the order of the table's; names are matched without regard to case.

    Files with two spellings of one name are refused. A column that the table does not have comes after the others if
    all files have it. If some lack it they are refused: were it added to the table with a default, readers would find
    the default in the rows of those files, and null once they are merged.

    Types that differ only in which fields inside of a struct, list or map are required become nullable there: Spark
    writes fields as required that had no null when they were written.
    """
    known = {each.name.lower(): at for at, each in enumerate(columns)}
    found: dict[str, _Column] = {}
    for footer in footers:
        for one, leaves in zip(without_ids(footer.schema), footer.stored, strict=True):
            name, column = one.name.lower(), _Column(one.with_nullable(True), leaves)
            if name not in known and not all(_has(each, name) for each in footers):
                raise NotEligible(f"some files have the column {one.name[:100]!r}, which the table does not have")
            other = found.setdefault(name, column)
            if other.field.name != one.name:
                raise NotEligible(f"files spell a column {other.field.name[:100]!r} and {one.name[:100]!r}")
            declared = _NUMBERS.get(columns[known[name]].type) if name in known else None
            if _are_widened(one.type, other.field.type, declared):
                found[name] = replace(other, field=other.field.with_type(declared))
                continue
            if (_nullable(other.field.type), other.int96) != (_nullable(one.type), column.int96):
                raise NotEligible(f"column {one.name[:100]} is {other} in one file and {column} in another")
            if other.field.type != one.type:
                found[name] = replace(other, field=other.field.with_type(_nullable(one.type)))
        if len(set(map(str.lower, footer.schema.names))) != len(footer.schema.names):
            raise NotEligible("a file has two columns whose names differ only in case")
    return [found[name] for name in sorted(found, key=lambda name: known.get(name, len(known)))]


def _widened(columns: Sequence[_Column], footers: Sequence[Footer]) -> Iterator[str]:
    """Yield the names of columns whose type is not that of a file."""
    for one in (column.field for column in columns):
        types = (each.schema.field(one.name).type for each in footers if one.name in each.schema.names)
        if one.type in _NUMBERS.values() and any(of != one.type for of in types):
            yield one.name


def _has(footer: Footer, name: str) -> bool:
    return any(each.lower() == name for each in footer.schema.names)


def _are_widened(one: pa.DataType, other: pa.DataType, declared: pa.DataType | None) -> bool:
    """Return whether two types differ, and the declared one has every number of both."""
    if declared is None or one == other:
        return False
    all_types = (one, other, declared)
    are_alike = all(map(pt.is_signed_integer, all_types)) or all(map(pt.is_floating, all_types))
    return are_alike and max(one.bit_width, other.bit_width) <= declared.bit_width


def _nullable(of: pa.DataType) -> pa.DataType:
    """Return a type whose inner fields are nullable, except keys of maps."""
    if pt.is_struct(of):
        return pa.struct([_nullable_field(each) for each in child_fields(of)])
    if pt.is_map(of):
        key, item = child_fields(of)
        return pa.map_(key.with_type(_nullable(key.type)), _nullable_field(item))
    if pt.is_list(of):
        return pa.list_(_nullable_field(of.value_field))
    return of


def _nullable_field(one: pa.Field) -> pa.Field:
    return one.with_type(_nullable(one.type)).with_nullable(True)


def _check_stored(made: CommonSchema, footers: Sequence[Footer]) -> None:
    """Refuse files with a leaf that outputs would store in another form, apart from decimals and widened numbers."""
    form = OutputForm(made.schema, made.dialect)
    output = footer_in(form.footer([], {}))
    wanted = dict(zip(output.schema.names, output.stored, strict=True))
    for footer in footers:
        for name, leaves in zip(footer.schema.names, footer.stored, strict=True):
            if name in made.widened:
                continue
            for leaf, new in zip(leaves, wanted[name], strict=True):
                if leaf != new and not (leaf.is_decimal and leaf.logical_type == new.logical_type):
                    raise NotEligible(f"column {name[:100]} is stored as {leaf}; a rewrite would store it as {new}")


@dataclass(slots=True)
class _Numbering:
    """Gives the fields of a schema arbitrary but distinct numbers at every level; leaves come in Parquet's order."""

    int96: Sequence[bool]
    int96_ids: list[int] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _leaves: Iterator[int] = field(default_factory=count)

    def numbered(self, one: pa.Field) -> pa.Field:
        """Return a field with numbers; an INT96 timestamp as bytes."""
        number = next(self._numbers)
        return one.with_type(self._type(one.type, number)).with_metadata({FIELD_ID_KEY: str(number).encode()})

    def _type(self, of: pa.DataType, number: int) -> pa.DataType:
        if pt.is_struct(of):
            return pa.struct([self.numbered(each) for each in child_fields(of)])
        if pt.is_map(of):
            return pa.map_(self.numbered(of.key_field), self.numbered(of.item_field))
        if pt.is_list(of):
            return pa.list_(self.numbered(of.value_field))
        if not self.int96[next(self._leaves)]:
            return of
        self.int96_ids.append(number)
        return pa.binary(BYTES)
