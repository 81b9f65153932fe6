"""The columnar digest of a snapshot's live data files: what planning and health work on.

One Arrow row a data file; no Python object per file. A table format builds it, nothing else knows manifests.
"""

from typing import Final

import pyarrow as pa

FILE_DIGEST: Final = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),  # as the manifest has it
        pa.field("spec_id", pa.int32(), nullable=False),
        pa.field("partition", pa.dictionary(pa.int32(), pa.string()), nullable=False),  # canonical JSON
        pa.field("file_format", pa.dictionary(pa.int32(), pa.string()), nullable=False),  # "parquet", "orc", "avro"
        pa.field("file_bytes", pa.int64(), nullable=False),
        pa.field("record_count", pa.int64(), nullable=False),
        pa.field("sequence_number", pa.int64(), nullable=False),  # data sequence number; 0 in format version 1
        pa.field("is_encrypted", pa.bool_(), nullable=False),
        pa.field("delete_files", pa.int32(), nullable=False),  # position-delete files that may apply to it
        pa.field("deleted_rows", pa.int64(), nullable=False),  # upper bound of rows they delete in it
        pa.field("equality_deletes", pa.int32(), nullable=False),  # equality-delete files that may apply to it
    ]
)
