"""Entries of manifests as columns: each adds or deletes a data file of a bucket at a level of its merge tree."""

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

_STORED: Final = pa.schema(
    [
        pa.field("_KIND", pa.int32(), nullable=False),
        pa.field("_PARTITION", pa.binary(), nullable=False),
        pa.field("_BUCKET", pa.int32(), nullable=False),
        pa.field("_FILE_NAME", pa.string(), nullable=False),
        pa.field("_LEVEL", pa.int32(), nullable=False),
        pa.field("_FILE_SIZE", pa.int64(), nullable=False),
        pa.field("_ROW_COUNT", pa.int64(), nullable=False),
        pa.field("_DELETE_ROW_COUNT", pa.int64()),  # rows that delete others, null if an old writer omitted it
        pa.field("_MIN_SEQUENCE_NUMBER", pa.int64(), nullable=False),
        pa.field("_MAX_SEQUENCE_NUMBER", pa.int64(), nullable=False),
        pa.field("_SCHEMA_ID", pa.int64(), nullable=False),
        pa.field("_EXTERNAL_PATH", pa.string()),  # where the file is, if not in the table's location
    ]
)
_NAMES: Final = (
    "kind",
    "partition",
    "bucket",
    "name",
    "level",
    "file_bytes",
    "record_count",
    "delete_row_count",
    "min_sequence",
    "max_sequence",
    "schema_id",
    "external_path",
)
ENTRIES: Final = pa.schema([field.with_name(name) for field, name in zip(_STORED, _NAMES, strict=True)])
"""The columns of entries; `partition` is the binary row as stored, `name` that of the file in its bucket."""


def read_entries(stored: bytes, manifest: ManifestRef) -> pa.Table:
    """Return the entries of a manifest, with the schema `ENTRIES`.

    Args:
        stored: the content of the file.
        manifest: the manifest as its list has it.

    Raises:
        Malformed: it can't be decoded, has other entries than its list states, or impossible values.
    """
    found = decode(stored, _STORED, inner=_FILE, newest_version=_VERSION).rename_columns(list(_NAMES))
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
