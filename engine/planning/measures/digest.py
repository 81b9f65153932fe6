"""The columnar digest of a snapshot's live data files, the input of planning and health; and figures of the table.

One Arrow row per data file, no Python object per file. Table formats build it; no other code reads manifests.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa

from engine.domain.values.partitions import TimeUnit

FILE_DIGEST: Final = pa.schema(
    [
        pa.field("path", pa.string(), nullable=False),  # as the table's metadata has it
        pa.field("spec_id", pa.int32(), nullable=False),
        pa.field("partition", pa.dictionary(pa.int32(), pa.string()), nullable=False),  # canonical JSON
        pa.field("file_format", pa.dictionary(pa.int32(), pa.string()), nullable=False),  # "parquet", "orc", "avro"
        pa.field("file_bytes", pa.int64(), nullable=False),
        pa.field("row_groups", pa.int32(), nullable=False),  # of Parquet files; 0: not known
        pa.field("record_count", pa.int64(), nullable=False),
        pa.field("sequence_number", pa.int64(), nullable=False),  # grows with each commit of rows; 0: not known
        pa.field("is_encrypted", pa.bool_(), nullable=False),
        pa.field("is_outside", pa.bool_(), nullable=False),  # the file or one of its delete files must not be opened
        pa.field("delete_files", pa.int32(), nullable=False),  # files with deleted positions that may apply to it
        pa.field("deleted_rows", pa.int64(), nullable=False),  # upper bound of deleted rows
        pa.field("equality_deletes", pa.int32(), nullable=False),  # files with deleted values that may apply to it
        pa.field("recorded_order", pa.dictionary(pa.int32(), pa.string())),  # `RowOrdering.mark`; null: not recorded
        pa.field("added_at_ms", pa.int64()),  # when the file was committed, since 1970; null: its snapshot is gone
        pa.field("data_at_ms", pa.int64(), nullable=False),  # latest possible time of its newest data; see the format
        pa.field("bucket", pa.int32()),  # of the partition, as stored; null in formats whose tables have no buckets
        pa.field("level", pa.int32()),  # of its bucket's merge tree, 0 the newest; null in formats without levels
        # why the format can't rewrite the file's partition: a code of `plans.candidates.SkipReason`; null: it can
        pa.field("refusal", pa.dictionary(pa.int32(), pa.string())),
    ]
)


@dataclass(frozen=True, slots=True)
class PartitionTime:
    """The partition field that contains the time of a partition, in the spec's canonical JSON as by `time_value`."""

    field: str
    unit: TimeUnit


@dataclass(frozen=True, slots=True)
class TableMeasures:
    """Figures of a table as a whole.

    `committed_at_ms`: the commit time of every unexpired snapshot, by its id. `known_since_ms`: a file without
    a known time was committed before it (None: no snapshot). `metadata_bytes`: the table's current metadata as
    uncompressed JSON, without manifests. `times`: by spec id, for specs with a time field.
    `delete_files`: live delete files by (spec id, partition). `deletes_since_ms`: likewise, the latest time at which
    the oldest of them can have been committed. `current_spec_id`: the partition spec of new files; None: the format has
    one only. `history_bytes`: upper bound of the bytes of files that only old snapshots need, from snapshot summaries.
    `has_levels`: the buckets of the table have levels of sorted runs; False: the table has no primary key; None: no
    table of the format has levels. `hides_level0`: readers skip files of level 0 until they are compacted.
    `stop_trigger`: the sorted runs of a bucket at which the table's own option stops writers, None without one.
    `last_level`: the level that a full compaction of a bucket writes, and that read-optimized views read; None without
    levels.
    """

    snapshot_count: int = 0
    manifest_count: int = 0
    manifest_bytes: int = 0
    committed_at_ms: Mapping[int, int] = field(default_factory=dict)
    known_since_ms: int | None = None
    metadata_bytes: int = 0
    times: Mapping[int, PartitionTime] = field(default_factory=dict)
    delete_files: Mapping[tuple[int, str], int] = field(default_factory=dict)
    deletes_since_ms: Mapping[tuple[int, str], int] = field(default_factory=dict)
    current_spec_id: int | None = None
    history_bytes: int = 0
    has_levels: bool | None = None
    hides_level0: bool = False
    stop_trigger: int | None = None
    last_level: int | None = None

    @property
    def average_manifest_bytes(self) -> int:
        """Mean size in bytes of the current snapshot's manifests."""
        return self.manifest_bytes // max(1, self.manifest_count)

    @property
    def delete_file_count(self) -> int:
        """Live delete files and deletion vectors of all partitions."""
        return sum(self.delete_files.values())

    def oldest_snapshot_age(self, now_ms: int) -> float:
        """Return the seconds since the oldest unexpired snapshot was committed, at least 0; NaN without snapshots."""
        oldest = min(self.committed_at_ms.values(), default=None)
        return math.nan if oldest is None else max(0.0, (now_ms - oldest) / 1000)
