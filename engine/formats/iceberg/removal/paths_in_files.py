"""Decode the paths in manifest lists and manifests to Arrow columns, many small files in one call.

Only paths, sizes, kinds and statuses are kept, which every format version and every partition type has: no partition
value is interpreted. Files with equal schemas are decoded together by polars; what it does not support is read by
fastavro, with the same result (differential test: `tests/integration/iceberg/test_paths_in_files.py`).
"""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import fastavro
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.iceberg.manifests import entry_ids as ids
from engine.formats.iceberg.manifests.decoding import DATA, DELETED, EQUALITY_DELETES, POSITION_DELETES
from engine.formats.iceberg.manifests.entry_types import check_types
from engine.formats.iceberg.manifests.flat_frames import frame_of
from engine.formats.intake.avro.blocks import joined, records_in, schema_of
from engine.formats.intake.avro.columns import UNREADABLE
from engine.formats.intake.limits import Malformed
from engine.formats.removal.file_lists import FileKind

_MANIFEST_PATH, _MANIFEST_LENGTH, _ADDED_SNAPSHOT = 500, 501, 503
_OF_LISTS: Final = {_MANIFEST_PATH: "path", _MANIFEST_LENGTH: "file_bytes", _ADDED_SNAPSHOT: "snapshot_id"}
_OF_ENTRIES: Final = {ids.STATUS: "status", ids.SNAPSHOT_ID: "snapshot_id"}
_OF_FILES: Final = {ids.PATH: "path", ids.BYTES: "file_bytes", ids.CONTENT: "content", ids.FORMAT: "file_format"}

MANIFESTS: Final = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),
        pa.field("file_bytes", pa.int64()),
        pa.field("snapshot_id", pa.int64()),  # the snapshot that added the manifest
    ]
)
ENTRIES: Final = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),
        pa.field("file_bytes", pa.int64()),
        pa.field("snapshot_id", pa.int64()),  # that added or removed the file; null: that of the manifest
        pa.field("kind", pa.string(), nullable=False),
        pa.field("is_live", pa.bool_(), nullable=False),
    ]
)
_KINDS: Final = {
    DATA: FileKind.DATA,
    POSITION_DELETES: FileKind.POSITION_DELETES,
    EQUALITY_DELETES: FileKind.EQUALITY_DELETES,
}
_PUFFIN: Final = "puffin"


def manifests_in(bodies: Sequence[bytes]) -> pa.Table:
    """Return the manifests that manifest lists name, with the schema `MANIFESTS`, in no particular order.

    Args:
        bodies: contents of the files, as `avro_blocks.readable` returns them.

    Raises:
        Malformed: one is not a manifest list, or has no path for a manifest.
    """
    parts = [_manifests(*each) for each in _together(bodies)]
    return _checked(pa.concat_tables([MANIFESTS.empty_table(), *parts]))


def entries_in(bodies: Sequence[bytes]) -> pa.Table:
    """Return the entries of manifests, with the schema `ENTRIES`, in no particular order.

    Args:
        bodies: contents of the files, as `avro_blocks.readable` returns them.

    Raises:
        Malformed: one is not a manifest, or an entry has no path, or an unknown content.
    """
    parts = [_entries(*each) for each in _together(bodies)]
    return _checked(pa.concat_tables([ENTRIES.empty_table(), *parts]))


def _together(bodies: Sequence[bytes]) -> list[tuple[bytes, int]]:
    """Return one container for all with the same schema, and the number of its records."""
    alike: dict[bytes, list[bytes]] = {}
    for body in bodies:
        alike.setdefault(schema_of(body), []).append(body)
    return [
        (some[0] if len(some) == 1 else joined(some), sum(records_in(each) for each in some)) for some in alike.values()
    ]


def _manifests(body: bytes, rows: int) -> pa.Table:
    names = _named(ids.field_names(_schema(body)), _OF_LISTS, needed={_MANIFEST_PATH})
    frame = _frame(lambda: pl.read_avro(io.BytesIO(body), columns=list(names.values())), rows)
    found = {name: frame[field] for name, field in names.items()} if frame is not None else _slowly(body, names, None)
    return pa.table([_column(found.get(each.name), each.type, rows) for each in MANIFESTS], MANIFESTS)


def _entries(body: bytes, rows: int) -> pa.Table:
    written = _schema(body)
    check_types(written)
    of_entry = _named(ids.field_names(written), _OF_ENTRIES, needed={ids.STATUS})
    record = ids.record_of(written, ids.DATA_FILE)
    of_file = _named(ids.field_names(record), _OF_FILES, needed={ids.PATH})
    inner = ids.field_names(written)[ids.DATA_FILE]
    chosen = {"of_entry": frozenset(_OF_ENTRIES), "of_file": frozenset(_OF_FILES)}
    frame = _frame(lambda: frame_of(body, written, **chosen), rows)
    found: dict[str, Any]
    if frame is not None:
        wanted = {**_OF_ENTRIES, **_OF_FILES}
        found = {name: frame[str(number)] for number, name in wanted.items() if str(number) in frame}
    else:
        found = _slowly(body, of_entry, None) | _slowly(body, of_file, inner)
    status = _column(found["status"], pa.int64(), rows)
    columns = {name: _column(found.get(name), ENTRIES.field(name).type, rows) for name in ENTRIES.names[:3]}
    columns["is_live"] = pc.not_equal(status, DELETED)
    columns["kind"] = _kinds(found, rows)
    return pa.table([columns[each.name] for each in ENTRIES], schema=ENTRIES)


def _kinds(found: Mapping[str, Any], rows: int) -> pa.Array:
    content = pc.fill_null(_column(found.get("content"), pa.int64(), rows), DATA)  # version 1 has data files only
    code = pc.index_in(content, value_set=pa.array(list(_KINDS), pa.int64()))
    if code.null_count:
        raise Malformed("an entry is neither a data file nor a delete file")
    kinds = pa.array([each.value for each in _KINDS.values()]).take(code)
    if "file_format" not in found:
        return kinds
    is_vector = pc.fill_null(pc.equal(pc.utf8_lower(_column(found["file_format"], pa.string(), rows)), _PUFFIN), False)
    is_vector = pc.and_(is_vector, pc.equal(content, POSITION_DELETES))
    return pc.if_else(is_vector, FileKind.DELETION_VECTORS.value, kinds)


def _schema(body: bytes) -> Any:
    schema: Any = json.loads(schema_of(body))
    return schema


def _named(by_id: Mapping[int, str], wanted: Mapping[int, str], *, needed: set[int]) -> dict[str, str]:
    """Return the names of fields in a file by the names of the columns that they become."""
    if missing := sorted(needed - by_id.keys()):
        raise Malformed(f"its records have no field {missing[0]}")
    return {name: by_id[number] for number, name in wanted.items() if number in by_id}


def _frame(read: Callable[[], pl.DataFrame | None], rows: int) -> pl.DataFrame | None:
    """Return the records of a file as columns; None if polars does not support it."""
    try:
        frame = read()
    except UNREADABLE:
        return None
    return frame if frame is not None and frame.height == rows else None


def _slowly(body: bytes, names: Mapping[str, str], inner: str | None) -> dict[str, list[Any]]:
    """Return columns of the records of a file, or of the record `inner` in each, read one by one."""
    written = _schema(body)
    wanted = set(names.values())
    fields = [each for each in written["fields"] if each["name"] in ({inner} if inner else wanted)]
    if inner:
        record = fields[0]["type"]
        fields = [{**fields[0], "type": {**record, "fields": [f for f in record["fields"] if f["name"] in wanted]}}]
    records: Any = fastavro.reader(io.BytesIO(body), reader_schema={**written, "fields": fields})
    found: dict[str, list[Any]] = {name: [] for name in names}
    for each in records:
        one = each[inner] if inner else each
        for name, field in names.items():
            found[name].append(one[field])
    return found


def _column(values: Any, of: pa.DataType, rows: int) -> pa.Array:
    if values is None:
        return pa.nulls(rows, of)
    return values.to_arrow().cast(of) if isinstance(values, pl.Series) else pa.array(values, of)


def _checked(files: pa.Table) -> pa.Table:
    """Return files. Raises `Malformed` if a required value is missing."""
    for field in files.schema:
        if not field.nullable and (missing := files[field.name].null_count):
            raise Malformed(f"{missing} of {files.num_rows} entries have no {field.name}")
    return files
