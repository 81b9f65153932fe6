"""Columns of Paimon's Avro files: by name, with the fields of an inner record in its place, checked for their types.

Files that polars can't decode are decoded record by record by fastavro (about 50,000 records per second and core): the
error of fastavro names what is wrong.
"""

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import fastavro
import pyarrow as pa

from engine.formats.intake.avro.blocks import readable, records_in, schema_of
from engine.formats.intake.avro.columns import read_columns
from engine.formats.intake.limits import MANIFEST_BYTES, NEWER_WRITER, Malformed, Unsupported

Fields = Sequence[tuple[Mapping[str, Any], str | None]]

_VERSION: Final = "_VERSION"


def decode(
    stored: bytes, wanted: pa.Schema, *, newest_version: int, inner: str | None = None, limit: int = MANIFEST_BYTES
) -> pa.Table:
    """Return fields of the records in an Avro file as a table.

    Args:
        stored: the content of the file.
        wanted: names and types of the columns; a nullable one may be missing in the file.
        newest_version: of the records that can be read.
        inner: the field that is a record, whose fields are searched as well.
        limit: maximum size of the file when decompressed, in bytes.

    Raises:
        Malformed: it is damaged or too large, has other fields, nulls in required ones, or records of a later version.
    """
    body = readable(stored, limit=limit)
    written = json.loads(schema_of(body))
    fields = _fields(written, {*wanted.names, _VERSION}, inner)
    frame = read_columns(body, written, fields)
    found = _by_record(body, fields, inner) if frame is None else frame.to_arrow()
    if found.num_rows != records_in(body):
        raise Malformed(f"it has {found.num_rows} records; its header states {records_in(body)}")
    _check_version(found, newest_version)
    return pa.table([_column(found, field) for field in wanted], schema=wanted)


def _fields(written: Any, names: set[str], inner: str | None) -> Fields:
    if not isinstance(written, dict) or written.get("type") != "record":
        raise Malformed("its records have no fields")
    found: list[tuple[Mapping[str, Any], str | None]] = []
    for field in written["fields"]:
        kind = field["type"]
        if field["name"] == inner and isinstance(kind, dict) and kind.get("type") == "record":
            found += [(each, each["name"]) for each in kind["fields"]]
        else:
            found.append((field, field["name"]))
    chosen = [name for _, name in found if name in names]
    if len(set(chosen)) != len(chosen):
        raise Malformed("a field is there twice")
    return [(field, name if name in names else None) for field, name in found]


def _by_record(body: bytes, fields: Fields, inner: str | None) -> pa.Table:
    rows: Iterable[Any] = fastavro.reader(io.BytesIO(body))
    names = [name for _, name in fields if name is not None]
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for row in rows:
        record = {**row, **row[inner]} if inner is not None and isinstance(row.get(inner), dict) else row
        for name in names:
            columns[name].append(record[name])
    return pa.table(columns)


def _check_version(found: pa.Table, newest: int) -> None:
    if not found.num_rows:
        return
    if _VERSION not in found.column_names:
        raise Malformed(f"its records have no field {_VERSION}")
    for version in found[_VERSION].unique().to_pylist():
        if version is None or version < 1:
            raise Malformed(f"it has records of version {version}")
        if version > newest:
            found = f"it has records of version {version}; {newest} is the newest that can be read"
            raise Unsupported(f"{found}: {NEWER_WRITER}")


def _column(found: pa.Table, field: pa.Field) -> Any:
    if field.name not in found.column_names:
        if not field.nullable and found.num_rows:
            raise Malformed(f"its records have no field {field.name}")
        return pa.nulls(found.num_rows, field.type)
    column = found[field.name]
    if not field.nullable and column.null_count:
        raise Malformed(f"{column.null_count} of {found.num_rows} records have no {field.name}")
    return column.cast(field.type)
