"""Schema files of a table, `schema/schema-<id>`: columns, keys and options. A file never changes once written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from engine.formats.intake.documents import Document
from engine.formats.intake.errors import decoding_file
from engine.formats.intake.limits import NEWER_WRITER, Malformed, Unsupported, check_schema
from engine.formats.paimon.metadata.types import ColumnType, parse_type

SCHEMA_BYTES: Final = 16 * 2**20
"""Limit of a schema file's size. 10,000 columns take about 1 MB."""

_SCHEMA_VALUES: Final = 1_000_000
NEWEST_VERSION: Final = 3
_FORMER_DEFAULTS: Final = {"bucket": (1, "1"), "file.format": (2, "orc")}
"""Last version of schemas, and the default of an option up to it, `SchemaSerializer.deserialize` of Paimon."""


@dataclass(frozen=True, slots=True)
class Column:
    """A top-level column."""

    id: int
    name: str
    type: ColumnType


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One version of a table's schema. `created_at_ms`: 0 if written before Paimon recorded it."""

    id: int
    columns: tuple[Column, ...]
    partition_keys: tuple[str, ...]
    primary_keys: tuple[str, ...]
    options: Mapping[str, str]
    created_at_ms: int
    file_bytes: int

    @property
    def partition_columns(self) -> Sequence[Column]:
        """The columns of the partition keys, in their order."""
        by_name = {each.name: each for each in self.columns}
        return [by_name[name] for name in self.partition_keys]


def parse_schema(body: bytes, *, number: int) -> TableSchema:
    """Return the schema in the content of `schema-<number>`.

    Raises:
        Malformed: it is not a schema, that of another number, of a later version, or has a type that is not known.
    """
    with decoding_file(f"schema-{number}"):
        document = Document.parse(body, most_values=_SCHEMA_VALUES)
        columns = tuple(_column(each) for each in document.documents("fields"))
        sizes = [each.type.size for each in columns]
        check_schema("it", fields=sum(fields for fields, _ in sizes), depth=max((deep for _, deep in sizes), default=0))
        names = [each.name for each in columns]
        if len(set(names)) != len(names):
            raise Malformed("two columns have the same name")
        found = TableSchema(
            id=document.whole("id"),
            columns=columns,
            partition_keys=_keys(document, "partitionKeys", names),
            primary_keys=_keys(document, "primaryKeys", names),
            options=_options(document),
            created_at_ms=document.optional_whole("timeMillis") or 0,
            file_bytes=len(body),
        )
        if found.id != number:
            raise Malformed(f"its id is {found.id}")
        return found


def _column(written: Document) -> Column:
    name = written.text("name")
    with decoding_file(f"column {name}"):
        return Column(written.whole("id"), name, parse_type(written.value("type")))


def _options(document: Document) -> Mapping[str, str]:
    """Return the options, with the defaults of the version that wrote the schema: 1 before Paimon 0.8, 2 before 0.9."""
    version = document.optional_whole("version") or 1
    if version > NEWEST_VERSION:
        raise Unsupported(f"its version is {version}; {NEWEST_VERSION} is the newest that can be read: {NEWER_WRITER}")
    former = {name: value for name, (last, value) in _FORMER_DEFAULTS.items() if version <= last}
    return {**former, **document.text_map("options")}


def _keys(document: Document, name: str, columns: Sequence[str]) -> tuple[str, ...]:
    found = tuple(document.texts(name))
    if unknown := sorted(set(found) - set(columns)):
        raise Malformed(f"{name} has {unknown[0]!r}, which is not a column")
    if len(set(found)) != len(found):
        raise Malformed(f"{name} has a column twice")
    return found
