"""The digest of a table's data files, and a fingerprint of the table's state."""

import hashlib
from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from engine.formats.hive.metadata.partition_keys import SPEC_ID
from engine.formats.hive.metadata.partitions import Partitions
from engine.formats.hive.refusals import PartitionRefusal
from engine.planning.measures.digest import FILE_DIGEST

_BITS: Final = 63
_CHUNK: Final = 100_000


def digest_of(files: pa.Table, partitions: Partitions, refusals: Mapping[int, PartitionRefusal]) -> pa.Table:
    """Return the digest of files with the columns `listing.FILES`, in the shape of `FILE_DIGEST`.

    `refusals`: the reasons to leave partitions alone, by their row.

    The time of a file is that of its last change, and so is its sequence number, in milliseconds. Rows are not counted:
    that would take a request for each file.
    """
    rows = files.num_rows
    modified_ms = pc.divide(files["modified_us"], 1000)
    names = partitions.table["partition"].combine_chunks()
    at = files["partition"].combine_chunks().cast(pa.int32())
    refused = pa.array(list(refusals), pa.int64())
    codes = pa.array([each.reason for each in refusals.values()], pa.string())
    columns = {
        "path": files["path"],
        "partition": pa.DictionaryArray.from_arrays(at, names),
        "file_format": pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), pa.array(["parquet"])),
        "file_bytes": files["file_bytes"],
        "sequence_number": modified_ms,
        "is_encrypted": pa.repeat(False, rows),
        "is_outside": pa.repeat(False, rows),
        "spec_id": pa.repeat(pa.scalar(SPEC_ID, pa.int32()), rows),
        "added_at_ms": modified_ms,
        "data_at_ms": modified_ms,
        "refusal": codes.take(pc.index_in(files["partition"].combine_chunks(), value_set=refused)).dictionary_encode(),
    }
    absent = {"recorded_order", "bucket", "level"}
    for field in FILE_DIGEST:
        if field.name in absent:
            columns[field.name] = pa.nulls(rows, field.type)
        elif field.name not in columns:
            columns[field.name] = pa.repeat(pa.scalar(0, field.type), rows)
    return pa.table([columns[name] for name in FILE_DIGEST.names], schema=FILE_DIGEST)


def state_of(files: pa.Table, partitions: Partitions, schema_id: int) -> int | None:
    """Return a 63-bit fingerprint of schema, partitions and files.

    None without files.
    """
    if not files.num_rows:
        return None
    hashed = hashlib.sha256(str(schema_id).encode())
    for table in (partitions.table.select(["partition", "location"]), files.drop_columns(["is_nested"])):
        for batch in table.to_batches(max_chunksize=_CHUNK):
            for column in batch.columns:
                hashed.update(_bytes_of(column))
    return int.from_bytes(hashed.digest()[:8], "big") >> (64 - _BITS) or 1


def _bytes_of(column: pa.Array) -> bytes:
    if pa.types.is_string(column.type):
        return "\n".join(column.to_pylist()).encode() + b"\0"
    return np.ascontiguousarray(column.to_numpy(zero_copy_only=False)).tobytes()
