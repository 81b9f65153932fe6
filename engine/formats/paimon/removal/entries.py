"""Entries of manifests with the further files of each data file, and entries of index manifests, as columns."""

from typing import Final

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.limits import Malformed
from engine.formats.paimon.manifests.columns import decode
from engine.formats.paimon.manifests.entries import ADD, DELETE, read_columns, schema_of

_INDEX_VERSION: Final = 1
_IDENTITY: Final = ("partition", "bucket", "level", "name")

FILES: Final = schema_of(("kind", "partition", "bucket", "name", "level", "file_bytes", "extra_files", "external_path"))
"""Columns of entries; `extra_files` are names of files in the folder of the data file, such as file indexes."""

_STORED_INDEXES: Final = pa.schema(
    [
        pa.field("_PARTITION", pa.binary(), nullable=False),
        pa.field("_BUCKET", pa.int32(), nullable=False),
        pa.field("_FILE_NAME", pa.string(), nullable=False),
        pa.field("_FILE_SIZE", pa.int64(), nullable=False),
        pa.field("_EXTERNAL_PATH", pa.string()),
    ]
)
_INDEX_NAMES: Final = ("partition", "bucket", "name", "file_bytes", "external_path")
INDEXES: Final = pa.schema([field.with_name(name) for field, name in zip(_STORED_INDEXES, _INDEX_NAMES, strict=True)])
"""Columns of index files, among them those of deletion vectors."""


def read_files(stored: bytes) -> pa.Table:
    """Return the entries of a manifest, with the schema `FILES`.

    Raises:
        Malformed: it can't be decoded, names a file that can't be one in a folder, or has an entry that neither adds
            nor deletes a file.
    """
    found = read_columns(stored, FILES)
    if not pc.all(pc.is_in(found["kind"], value_set=pa.array([ADD, DELETE], pa.int32())), min_count=0).as_py():
        raise Malformed("it has entries that neither add nor delete a file")
    _check_names(found["name"])
    _check_names(pc.list_flatten(found["extra_files"]))
    return found


def read_indexes(stored: bytes) -> pa.Table:
    """Return the index files in an index manifest, with the schema `INDEXES`. Raises as `read_files`."""
    found = decode(stored, _STORED_INDEXES, newest_version=_INDEX_VERSION).rename_columns(list(_INDEX_NAMES))
    _check_names(found["name"])
    return found


def live_entries(entries: pa.Table) -> pa.Table:
    """Return the entries, with the schema `FILES`, of files that are added more often than deleted, in any order."""
    if not entries.num_rows:
        return entries
    frame = pl.DataFrame(entries.select([*_IDENTITY, "kind"])).with_row_index("at")
    sign = pl.when(pl.col("kind") == ADD).then(1).otherwise(-1)
    live = frame.filter(sign.sum().over(_IDENTITY) > 0)
    return entries.take(live["at"].to_arrow())


def _check_names(names: pa.ChunkedArray) -> None:
    is_wrong = pc.or_(pc.match_substring(names, "/"), pc.is_in(names, value_set=pa.array(["", ".", ".."])))
    if names.null_count or pc.any(is_wrong).as_py():
        raise Malformed("an entry has a file name that can't be one of a file in a folder")
