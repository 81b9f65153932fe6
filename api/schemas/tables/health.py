"""Health of a table's files and metadata on the wire."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field

from api.schemas.common import Answer, Instant, Listed, Partition
from api.schemas.tables.descriptions import TableDescription
from api.schemas.tables.due import DueState
from api.schemas.tables.row_orders import OrderHealth
from api.schemas.tables.table import Freeze
from engine.domain.runs.expiry import instant
from engine.domain.tables import table as domain
from engine.domain.tables.measurements import Measurement


class SizeClass(Answer):
    """Files of `from_bytes` to below `below_bytes` (null: no bound)."""

    from_bytes: int
    below_bytes: int | None
    file_count: int
    total_bytes: int


class PartitionHealth(Answer):
    """One partition that has something to better."""

    spec_id: int
    partition: Partition
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    large_file_count: int
    small_row_group_file_count: int
    files_with_deletes: int
    total_bytes: int
    average_file_bytes: int
    largest_small_file_share: float | None = Field(
        description="Bytes of the largest small file as a share of all small files'. Null without small files."
    )
    sorted_run_count: int | None = Field(
        description="Sorted runs of the bucket with the most. Null: the table's buckets have no levels."
    )
    level0_file_count: int | None = Field(
        description="Files of level 0 of the bucket with the most. Null: the table's buckets have no levels."
    )
    read_optimized_until: Instant | None = Field(
        description="Read-optimized views, which read the last level only, have all rows that were committed before. "
        "Null: they have all rows, or the table's buckets have no levels."
    )


class FullestBucket(Answer):
    """The bucket with the most sorted runs of a table with a primary key."""

    spec_id: int
    partition: Partition
    bucket: int = Field(description="Number of the bucket in its partition.")
    sorted_run_count: int = Field(description="Its sorted runs: each file of level 0, and each other level with files.")
    level0_file_count: int = Field(description="Its files of level 0.")
    hides_level0: bool = Field(False, description="Whether readers skip files of level 0 until they are compacted.")
    stop_trigger: int | None = Field(
        None,
        description="Sorted runs at which the table's own option stops writers. Null: the table has no such option.",
    )


class MetadataHealth(Answer):
    """Size of the table's metadata and history, which upkeep besides rewriting reduces."""

    snapshot_count: int = Field(description="Unexpired snapshots.")
    oldest_snapshot_at: Instant | None = Field(description="Time of the oldest of them; null: there is none.")
    manifest_count: int = Field(description="Manifests of the current snapshot.")
    average_manifest_bytes: int = Field(description="Their mean size.")
    delete_file_count: int = Field(description="Live delete files and deletion vectors.")
    metadata_bytes: int = Field(description="Size of the current metadata, without manifests.")
    history_bytes: int = Field(
        description="Upper bound of the bytes of files that only old snapshots need, from the summaries of snapshots: "
        "an expiry with `delete_files` frees no more. Snapshots with a branch or tag are not old."
    )

    @classmethod
    def from_domain(cls, metadata: Mapping[str, Any]) -> Self:
        """Return the wire form."""
        at_ms = metadata["oldest_snapshot_at_ms"]
        return cls.model_validate({**metadata, "oldest_snapshot_at": None if at_ms is None else instant(at_ms)})


class TableHealth(Answer):
    """The present data files of a table, and a score from 0 to 100 (nothing to better)."""

    table_id: str
    measured_at: Instant
    snapshot_id: str | None
    table: TableDescription = Field(description="Its format, schema, partition specs and figures of its metadata.")
    partition_count: int
    file_count: int
    total_bytes: int
    record_count: int
    average_file_bytes: int
    small_file_bytes: int = Field(description="A file below is small: the policy's.")
    large_file_bytes: int | None = Field(description="A file above is over-large: the policy's.")
    small_row_group_bytes: int | None = Field(
        description="Row groups below are small, in files of 8 or more: the policy's."
    )
    small_file_count: int
    small_file_share: float
    avoidable_file_count: int = Field(description="Small files but for one in each partition.")
    avoidable_bytes: int = Field(description="Small files of partitions with avoidable ones: what merging would read.")
    large_file_count: int
    small_row_group_file_count: int = Field(
        description="Files of small row groups, as far as the table says how many files have; Packhouse's own left out."
    )
    files_with_deletes: int
    files_with_equality_deletes: int
    outside_file_count: int = Field(
        description="Files that no run opens: they, or deletes that apply to them, are outside of the table's "
        "location, which its catalog refuses (`outside_files`). Their partitions are left alone."
    )
    old_spec_file_count: int = Field(
        description="Files under a partition spec that is not the current one; a rewrite keeps their spec."
    )
    old_spec_bytes: int = Field(description="Bytes of these files.")
    deleted_rows: int = Field(description="Upper bound.")
    score: int
    score_parts: dict[str, float]
    size_classes: list[SizeClass]
    worst_partitions: list[PartitionHealth]
    order: OrderHealth | None = Field(description="Null where the policy orders rows by no columns.")
    metadata: MetadataHealth = Field(description="Size of the metadata and of the history.")
    fullest_bucket: FullestBucket | None = Field(
        description="The bucket with the most sorted runs. Null: the table's buckets have no levels, or no files."
    )
    level0_file_count: int | None = Field(
        None, description="The most files of level 0 of one bucket. Null: the table's buckets have no levels."
    )
    read_optimized_until: Instant | None = Field(
        None,
        description="Read-optimized views, which read the last level only, have all rows of all partitions that were "
        "committed before. Null: they have all rows, or the table's buckets have no levels.",
    )
    due: DueState
    freeze: Freeze | None = Field(description="Null unless a failed proof froze the table.")

    @classmethod
    def from_domain(cls, health: Mapping[str, Any]) -> Self:
        """Return the wire form."""
        freeze: domain.Freeze | None = health["freeze"]
        metadata = MetadataHealth.from_domain(health["metadata"])
        frozen = None if freeze is None else Freeze.from_domain(freeze)
        return cls.model_validate({**health, "metadata": metadata, "freeze": frozen})


class HealthMeasurement(Answer):
    """Health of the table in one snapshot."""

    id: int
    measured_at: Instant
    snapshot_id: str | None
    is_latest: bool
    partition_count: int
    file_count: int
    small_file_count: int
    avoidable_file_count: int
    large_file_count: int
    files_with_deletes: int
    total_bytes: int
    history_bytes: int | None = Field(
        description="Upper bound of the bytes of files that only old snapshots need. Null in measurements of earlier "
        "versions."
    )
    average_file_bytes: int
    score: int
    benefit_per_cost: float = Field(
        description="Read cost that one scan saves, in bytes for each byte rewritten, times the chance that a file "
        "group is committed, by those that its runs committed and lost to other writers in seven days."
    )
    small_file_change: int = Field(description="Small files more or less than in the measurement before.")
    size_classes: list[SizeClass] | None = Field(
        description="Live data files by size, the same classes in each measurement. Null in measurements without them."
    )

    @classmethod
    def from_domain(cls, measured: Measurement) -> Self:
        """Return the wire form."""
        own = {name: getattr(measured, name) for name in Measurement.__slots__ if name in cls.model_fields}
        return cls.model_validate({"size_classes": None, **measured.document, **own})


class HealthHistory(Listed[HealthMeasurement, Measurement]):
    """Measurements of a table, newest first; one for each snapshot that was looked at, at most 500."""
