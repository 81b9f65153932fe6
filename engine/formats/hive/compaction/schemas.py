"""The schema that a group's outputs get: the columns of its files, in the order of the table's."""

import base64
from collections.abc import Iterator, Sequence
from itertools import count

import pyarrow as pa
import pyarrow.types as pt

from engine.formats.hive.files.footers import Footer
from engine.formats.hive.metadata.tables import HiveColumn
from engine.rewriting.kernel.reading.projection import FIELD_ID_KEY, without_ids


class NoCommonSchema(Exception):
    """The files of a group can't be put into one schema without a change of what readers see; the text says why."""


def common_schema(columns: Sequence[HiveColumn], footers: Sequence[Footer]) -> pa.Schema:
    """Return the columns that any of the files has, each with the type that all of them have.

    Readers match names without regard to case, so that a file with two spellings of one name is refused, as is a column
    that the table does not have: it could be added again.

    Raises:
        NoCommonSchema: names or types of the files differ, or the table lacks a column of theirs.
    """
    known = {each.name.lower(): at for at, each in enumerate(columns)}
    found: dict[str, pa.Field] = {}
    for footer in footers:
        for field in without_ids(footer.schema):
            name = field.name.lower()
            if name not in known:
                raise NoCommonSchema(f"a file has the column {field.name[:100]!r}, which the table does not have")
            other = found.setdefault(name, field.with_nullable(True))
            if other.name != field.name:
                raise NoCommonSchema(f"files spell a column {other.name[:100]!r} and {field.name[:100]!r}")
            if other.type != field.type:
                raise NoCommonSchema(
                    f"column {field.name[:100]} is {other.type} in one file and {field.type} in another"
                )
        if len(set(map(str.lower, footer.schema.names))) != len(footer.schema.names):
            raise NoCommonSchema("a file has two columns whose names differ only in case")
    return pa.schema([found[name] for name in sorted(found, key=known.__getitem__)])


def numbered(schema: pa.Schema) -> str:
    """Return a schema for a task, base 64, with arbitrary but distinct field ids at every level."""
    numbers = map(str, count(1))
    fields = [_numbered(each, numbers) for each in schema]
    return base64.b64encode(pa.schema(fields).serialize().to_pybytes()).decode()


def _numbered(field: pa.Field, numbers: Iterator[str]) -> pa.Field:
    return field.with_type(_type(field.type, numbers)).with_metadata({FIELD_ID_KEY: next(numbers).encode()})


def _type(of: pa.DataType, numbers: Iterator[str]) -> pa.DataType:
    if pt.is_struct(of):
        return pa.struct([_numbered(of.field(at), numbers) for at in range(of.num_fields)])
    if pt.is_map(of):
        return pa.map_(_numbered(of.key_field, numbers), _numbered(of.item_field, numbers))
    if pt.is_list(of):
        return pa.list_(_numbered(of.value_field, numbers))
    if pt.is_large_list(of):
        return pa.large_list(_numbered(of.value_field, numbers))
    return of
