"""Deletion vectors of a snapshot: which data files have one, and the number of rows that it deletes."""

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.intake.limits import Malformed
from engine.formats.paimon.manifests.columns import decode

_VERSION: Final = 1
_KIND: Final = "DELETION_VECTORS"
_RANGES: Final = "_DELETIONS_VECTORS_RANGES"
_RANGE: Final = pa.struct(
    [
        pa.field("f0", pa.string()),  # name of the data file
        pa.field("f1", pa.int32()),  # where the vector begins in the index file
        pa.field("f2", pa.int32()),  # its size
        pa.field("_CARDINALITY", pa.int64()),  # number of deleted rows; null if an old writer omitted it
    ]
)
_STORED: Final = pa.schema(
    [
        pa.field("_KIND", pa.int32(), nullable=False),
        pa.field("_PARTITION", pa.binary(), nullable=False),
        pa.field("_BUCKET", pa.int32(), nullable=False),
        pa.field("_INDEX_TYPE", pa.string(), nullable=False),
        pa.field(_RANGES, pa.list_(_RANGE)),
    ]
)
VECTORS: Final = pa.schema(
    [
        pa.field("partition", pa.binary(), nullable=False),
        pa.field("bucket", pa.int32(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        pa.field("deleted_rows", pa.int64()),
    ]
)
"""The columns of deletion vectors, by data file; `deleted_rows` is null if it was not recorded."""


def read_vectors(stored: bytes) -> pa.Table:
    """Return the deletion vectors in an index manifest, with the schema `VECTORS`. Its other indexes are left out.

    Raises:
        Malformed: it can't be decoded, or has impossible values.
    """
    indexes = decode(stored, _STORED, newest_version=_VERSION)
    if indexes.num_rows and pc.any(pc.not_equal(indexes["_KIND"], 0)).as_py():
        raise Malformed("it has entries that delete an index file")
    chosen = indexes.filter(pc.equal(indexes["_INDEX_TYPE"], _KIND)).combine_chunks()
    ranges = chosen[_RANGES]
    flat = pc.list_flatten(ranges)
    parents = pc.list_parent_indices(ranges)
    names = pc.struct_field(flat, "f0")
    rows = pc.struct_field(flat, "_CARDINALITY")
    if names.null_count:
        raise Malformed("a deletion vector is of no data file")
    if (least := pc.min(rows).as_py()) is not None and least < 0:
        raise Malformed(f"a deletion vector deletes {least} rows")
    return pa.table([chosen["_PARTITION"].take(parents), chosen["_BUCKET"].take(parents), names, rows], schema=VECTORS)
