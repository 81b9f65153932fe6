"""Size of a table's metadata and of its history, which upkeep besides rewriting reduces."""

from dataclasses import dataclass
from typing import Self

from engine.planning.measures.digest import TableMeasures


@dataclass(frozen=True, slots=True)
class MetadataHealth:
    """Size of a table's metadata and history.

    Attributes:
        snapshot_count: unexpired snapshots.
        oldest_snapshot_at_ms: when the oldest of them was committed, in milliseconds since 1970; None without any.
        manifest_count: manifests of the current snapshot.
        average_manifest_bytes: their mean size.
        delete_file_count: live delete files and deletion vectors.
        metadata_bytes: size of the current metadata, without manifests.
        history_bytes: upper bound of the bytes of files that only old snapshots need.
    """

    snapshot_count: int = 0
    oldest_snapshot_at_ms: int | None = None
    manifest_count: int = 0
    average_manifest_bytes: int = 0
    delete_file_count: int = 0
    metadata_bytes: int = 0
    history_bytes: int = 0

    @classmethod
    def of(cls, figures: TableMeasures) -> Self:
        """Return the sizes from a table's figures."""
        return cls(
            snapshot_count=figures.snapshot_count,
            oldest_snapshot_at_ms=min(figures.committed_at_ms.values(), default=None),
            manifest_count=figures.manifest_count,
            average_manifest_bytes=figures.average_manifest_bytes,
            delete_file_count=figures.delete_file_count,
            metadata_bytes=figures.metadata_bytes,
            history_bytes=figures.history_bytes,
        )
