"""Entries of manifests as columns: each adds or deletes a data file of a bucket at a level of its merge tree."""

from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.limits import Malformed
from engine.formats.paimon.manifests.columns import decode
from engine.formats.paimon.manifests.lists import ManifestRef

ADD: Final = 0
DELETE: Final = 1
_VERSION: Final = 2
_LEAST_BUCKET: Final = -2  # of files that wait for their distribution to buckets
_FILE: Final = "_FILE"
_NOT_NEGATIVE: Final = ("file_bytes", "record_count", "level", "schema_id", "delete_row_count")

_FIELDS: Final[Mapping[str, pa.Field]] = {
    "kind": pa.field("_KIND", pa.int32(), nullable=False),
    "partition": pa.field("_PARTITION", pa.binary(), nullable=False),
    "bucket": pa.field("_BUCKET", pa.int32(), nullable=False),
    "name": pa.field("_FILE_NAME", pa.string(), nullable=False),
    "level": pa.field("_LEVEL", pa.int32(), nullable=False),
    "file_bytes": pa.field("_FILE_SIZE", pa.int64(), nullable=False),
    "record_count": pa.field("_ROW_COUNT", pa.int64(), nullable=False),
    "delete_row_count": pa.field("_DELETE_ROW_COUNT", pa.int64()),  # rows that delete others, null if not recorded
    "min_sequence": pa.field("_MIN_SEQUENCE_NUMBER", pa.int64(), nullable=False),
    "max_sequence": pa.field("_MAX_SEQUENCE_NUMBER", pa.int64(), nullable=False),
    "schema_id": pa.field("_SCHEMA_ID", pa.int64(), nullable=False),
    "external_path": pa.field("_EXTERNAL_PATH", pa.string()),  # where the file is, if not in the table's location
    "extra_files": pa.field("_EXTRA_FILES", pa.list_(pa.string())),  # names of its file indexes, in the same folder
}
"""The columns of entries by their names here: `partition` is the binary row as stored, `name` is within the bucket."""


def schema_of(names: Sequence[str]) -> pa.Schema:
    """Return the schema of these columns of entries."""
    return pa.schema([_FIELDS[name].with_name(name) for name in names])


ENTRIES: Final = schema_of([name for name in _FIELDS if name != "extra_files"])
"""The columns of entries that describe data files."""


def read_columns(stored: bytes, schema: pa.Schema) -> pa.Table:
    """Return the entries of a manifest with a schema of `schema_of`. Raises `Malformed` if it can't be decoded."""
    wanted = pa.schema([_FIELDS[name] for name in schema.names])
    return decode(stored, wanted, inner=_FILE, newest_version=_VERSION).rename_columns(schema.names)


def read_entries(stored: bytes, manifest: ManifestRef) -> pa.Table:
    """Return the entries of a manifest, with the schema `ENTRIES`.

    Args:
        stored: the content of the file.
        manifest: the manifest as its list has it.

    Raises:
        Malformed: it can't be decoded, has other entries than its list states, or impossible values.
    """
    found = read_columns(stored, ENTRIES)
    for kind, stated in ((ADD, manifest.added_files), (DELETE, manifest.deleted_files)):
        count = pc.sum(pc.equal(found["kind"], kind)).as_py() or 0
        if count != stated:
            what = "added" if kind == ADD else "deleted"
            raise Malformed(f"it has {count} {what} files; its manifest list states {stated}")
    if found.num_rows != manifest.added_files + manifest.deleted_files:
        raise Malformed("it has entries that neither add nor delete a file")
    _check_numbers(found)
    return found


def _check_numbers(found: pa.Table) -> None:
    for name in _NOT_NEGATIVE:
        least = pc.min(found[name]).as_py()
        if least is not None and least < 0:
            raise Malformed(f"an entry has the {name} {least}")
    least = pc.min(found["bucket"]).as_py()
    if least is not None and least < _LEAST_BUCKET:
        raise Malformed(f"an entry has the bucket {least}")
    if pc.any(pc.equal(found["name"], "")).as_py() or pc.any(pc.match_substring(found["name"], "/")).as_py():
        raise Malformed("an entry has a file name that is empty or has a slash")
