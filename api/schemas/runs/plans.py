"""Plans of runs on the wire, a model for each operation: what a run was going to do, and what a dry run would.

Sizes are bytes; snapshot ids are text. Plans of runs that have not been planned yet have their operation only.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, cast

from pydantic import ConfigDict, Field, PlainSerializer
from typing_extensions import TypeAliasType, TypedDict

from api.schemas.common import Answer, Instant, JsonObject, Text
from api.schemas.runs.figures import (
    Calibration,
    FileCount,
    FilesLeftAlone,
    LeftOut,
    OrderField,
    PlannedLater,
    Prediction,
    TimeEstimate,
    UnreadFiles,
)
from api.schemas.runs.stored import SnapshotId, StoredDocument, by_operation
from engine.domain.runs import run as domain
from engine.domain.runs.run import Operation

_SNAPSHOT: Final = "3051729675574597004"
_OF_EXPIRY: JsonObject = {
    "operation": "expire_snapshots",
    "rule": {"older_than_seconds": 432000, "keep_last": 10, "delete_files": True},
    "expired_total": 2,
    "expired": [{"snapshot_id": _SNAPSHOT, "committed_at": "2026-10-25T03:00:00Z"}],
    "kept": {"keep_last": 10, "too_young": 53},
    "superseded_bytes": 40802189312,
    "next_at": "2026-11-02T03:00:00Z",
}


class PlannedOrder(StoredDocument):
    """An order of rows."""

    strategy: Text | None = Field(default=None, description="`sort`, `zorder` or `hilbert`.", examples=["sort"])
    columns: list[OrderField] = Field(default=[], description="Columns of the order.")


class RewritePlan(StoredDocument):
    """Plan of a rewrite of data files, without the files."""

    operation: Literal[Operation.REWRITE] = Field(description="Operation of the run.")
    base_snapshot_id: SnapshotId | None = Field(
        default=None, description="Snapshot that it was made on; null: not planned yet, or a table without snapshots."
    )
    schema_id: int | None = Field(default=None, description="Id of the table's schema.", examples=[0])
    groups: int | None = Field(default=None, description="Number of file groups; null: not planned yet.", examples=[2])
    skipped_partitions: int | None = Field(default=None, description="Partitions that it leaves alone.", examples=[0])
    shrunk_partitions: int | None = Field(
        default=None, description="Partitions with smaller groups than the policy's, after lost races.", examples=[0]
    )
    prediction: Prediction | None = Field(default=None, description="Predicted results; null: not planned yet.")
    calibration: Calibration | None = Field(
        default=None, description="Factors by which the prediction was corrected; null: not planned yet."
    )
    time_estimate: TimeEstimate | None = Field(
        default=None, description="Measurements from which its time was predicted; null: not planned yet."
    )
    later: PlannedLater | None = Field(default=None, description="Work that the run plans after this; null: unknown.")
    order: PlannedOrder | None = Field(default=None, description="Order of the rows; null: rows keep their order.")
    unordered_files: int | None = Field(
        default=None, description="Files that are not in that order; null: rows keep their order."
    )
    reordered_files: int | None = Field(
        default=None, description="Files in groups that are candidates only because of the order.", examples=[0]
    )
    moved_files: int | None = Field(
        default=None, description="Files in groups whose rows move to the partitions of the current spec.", examples=[0]
    )
    hash: Text | None = Field(
        default=None,
        description="SHA-256 of base, schema and the files of every group, in hexadecimal digits.",
        examples=["c1f8a9d4" * 8],
    )


class RewriteDeletesPlan(StoredDocument):
    """Plan of a rewrite of delete files."""

    operation: Literal[Operation.REWRITE_DELETES] = Field(description="Operation of the run.")
    delete_files: int | None = Field(
        default=None, description="Live position-delete files, and files of deletion vectors.", examples=[120]
    )
    delete_file_bytes: int | None = Field(default=None, description="Bytes of these files.", examples=[5242880])
    rewritten_delete_files: int | None = Field(
        default=None, description="Number of those that would be read, and replaced or dropped.", examples=[118]
    )
    rewritten_delete_bytes: int | None = Field(default=None, description="Bytes of these files.", examples=[5000000])
    added_delete_files: int | None = Field(
        default=None, description="Upper bound of the number of files in their place.", examples=[3]
    )
    equality_delete_files: int | None = Field(
        default=None, description="Live equality-delete files, which are never changed.", examples=[0]
    )
    equality_delete_bytes: int | None = Field(default=None, description="Bytes of these files.", examples=[0])
    left_alone: dict[Text, int] = Field(
        default={}, description="Position-delete files that are left alone, by reason.", examples=[{"alone": 2}]
    )


class RewriteManifestsPlan(StoredDocument):
    """Plan of a rewrite of manifests."""

    operation: Literal[Operation.REWRITE_MANIFESTS] = Field(description="Operation of the run.")
    target_bytes: int | None = Field(default=None, description="Bytes that new manifests are to have.")
    manifests: int | None = Field(default=None, description="Manifests of the current snapshot.", examples=[412])
    manifest_bytes: int | None = Field(default=None, description="Bytes of these manifests.", examples=[3053744])
    rewritten_manifests: int | None = Field(default=None, description="Number of those that would be replaced.")
    rewritten_manifest_bytes: int | None = Field(default=None, description="Bytes of the replaced manifests.")
    added_manifests: int | None = Field(default=None, description="Predicted number of manifests in their place.")


class ExpiringSnapshot(Answer):
    """A snapshot that would be removed."""

    snapshot_id: SnapshotId = Field(description="Id of the snapshot.", examples=[_SNAPSHOT])
    committed_at: Instant = Field(description="Time of its commit.", examples=["2026-10-25T03:00:00Z"])


class ExpiringTag(Answer):
    """A tag that would be removed."""

    name: Text = Field(description="Name of the tag.", examples=["end-of-month"])
    retained_until: Instant = Field(description="End of the time for which it was to be retained.")


class HistoryRule(TypedDict, total=False):
    """Bounds of the history that is removed."""

    older_than_seconds: Annotated[int, Field(description="Least age of a snapshot, in seconds.", examples=[432000])]
    keep_last: Annotated[
        int,
        Field(
            description="Newest snapshots of each branch that stay.",
            examples=[10],
        ),
    ]
    delete_files: Annotated[
        bool, Field(description="Whether the files that only removed snapshots needed are deleted.")
    ]
    grace_seconds: Annotated[int, Field(description="Seconds for which a replaced copy stays unused.")]


class ListedFile(StoredDocument):
    """A file that would be deleted."""

    path: Text = Field(
        description="Path of the file.", examples=["s3://lake/warehouse/sales/orders/data/00007.parquet"]
    )
    kind: Text | None = Field(default=None, description="Kind of file.", examples=["data"])
    file_bytes: int | None = Field(default=None, description="Bytes of the file; null: not known.", examples=[1048576])
    snapshot_id: SnapshotId | None = Field(default=None, description="Snapshot that added it; null: not known.")


class FilesAddedLate(StoredDocument):
    """Files that writers added to replaced copies."""

    copied: int = Field(default=0, description="Files copied to where their partitions are now.", examples=[0])
    copied_bytes: int = Field(default=0, description="Bytes of these files.", examples=[0])
    left: dict[Text, int] = Field(
        default={}, description="Files that were not copied, by reason.", examples=[{"just_written": 1}]
    )
    overwritten: int = Field(default=0, description="Files that were overwritten or removed there since.", examples=[0])
    present: int = Field(default=0, description="Files that had been copied before.", examples=[0])
    samples: list[Text] = Field(default=[], description="Paths of the first files that were not copied.")


class CopiesFound(StoredDocument):
    """Replaced copies that a search found."""

    folders: dict[Text, int] = Field(
        default={}, description="Replaced folders, by what is done with them.", examples=[{"in_grace": 3}]
    )
    late: FilesAddedLate | None = Field(default=None, description="Files that came late.")
    next_at: Instant | None = Field(default=None, description="End of the grace of the next of them; null: none.")


class OrphanSearch(StoredDocument):
    """Findings of a search for files that no snapshot needs."""

    taken_at: Instant | None = Field(default=None, description="Time of the search.")
    inventory_at: Instant | None = Field(default=None, description="Time of the inventory; null: files were listed.")
    listed_files: int | None = Field(default=None, description="Files of the table's folders.", examples=[1204])
    referenced_files: int | None = Field(default=None, description="Files that a snapshot needs.", examples=[1200])
    unreferenced: FileCount | None = Field(default=None, description="Files that none needs and that are old enough.")
    left_for_later: int | None = Field(default=None, description="Orphans that later searches take; null: none.")
    in_quarantine: FileCount | None = Field(default=None, description="Orphans that a second search has to confirm.")
    next_at: Instant | None = Field(default=None, description="When the first of them leaves the quarantine.")


class RemovalPlan(StoredDocument):
    """Files that are, or would be, deleted, and what is left alone."""

    files: dict[Text, FileCount] = Field(
        default={}, description="By kind.", examples=[{"data": {"files": 180, "bytes": 40800000000}}]
    )
    total: FileCount | None = Field(default=None, description="All of them.")
    samples: list[ListedFile] = Field(default=[], description="The first of them.")
    refused: FilesLeftAlone | None = Field(default=None, description="Files that may not be deleted.")
    unread: UnreadFiles | None = Field(default=None, description="Files that can't be read; null: not looked for.")
    left_out: LeftOut | None = Field(default=None, description="The same as a run's result has them; null: none.")
    still_needed: int | None = Field(default=None, description="Files in question that the table needs.", examples=[3])
    look: OrphanSearch | None = Field(default=None, description="Of a removal of orphans: the search.")
    copies: CopiesFound | None = Field(default=None, description="Of a table without snapshots: the replaced copies.")


class HistoryPlan(StoredDocument):
    """Fields of the plans of operations that remove snapshots."""

    rule: HistoryRule | None = Field(default=None, description="The rule; null: not planned yet.")
    expired_total: int | None = Field(default=None, description="Snapshots that would be removed.", examples=[2])
    expired: list[ExpiringSnapshot] = Field(default=[], description="The first hundred of them, oldest first.")
    expired_tags_total: int | None = Field(default=None, description="Tags that would be removed; null: none.")
    expired_tags: list[ExpiringTag] = Field(default=[], description="The first hundred of them.")
    kept: dict[Text, int] = Field(
        default={},
        description="The other snapshots, by the first reason that keeps each.",
        examples=[{"keep_last": 10, "too_young": 53}],
    )
    superseded_bytes: int | None = Field(
        default=None, description="Upper bound of the bytes of files that only removed snapshots need."
    )
    next_at: Instant | None = Field(
        default=None,
        description="When the next snapshot may expire if nothing more is written; null: not by age alone.",
    )
    removal: RemovalPlan | None = Field(default=None, description="Files to delete; null: none, or not listed yet.")


class ExpireSnapshotsPlan(HistoryPlan):
    """Plan of an expiry of snapshots."""

    model_config = ConfigDict(json_schema_extra={"examples": [_OF_EXPIRY]})

    operation: Literal[Operation.EXPIRE_SNAPSHOTS] = Field(description="Operation of the run.")


class DeleteOldCompactionsPlan(HistoryPlan):
    """Plan of a deletion of old compactions: of snapshots, or in tables without any of folders."""

    operation: Literal[Operation.DELETE_OLD_COMPACTIONS] = Field(description="Operation of the run.")
    due: int | None = Field(default=None, description="Of a dry run: replaced folders whose grace is over.")
    watched: int | None = Field(default=None, description="Of a dry run: replaced folders in their grace.")


class ReclaimPlan(HistoryPlan):
    """Plan of a reclamation of storage."""

    operation: Literal[Operation.RECLAIM] = Field(description="Operation of the run.")


class OrphanRule(TypedDict, total=False):
    """Bounds of the files that are orphans."""

    older_than_seconds: Annotated[int, Field(description="Least age in seconds.", examples=[259200])]
    quarantine_seconds: Annotated[
        int, Field(description="Least seconds between the two searches that find an orphan.", examples=[86400])
    ]
    inventory: Annotated[Text, Field(description="Location of the inventory of the store; null: files are listed.")]


class RemoveOrphansPlan(StoredDocument):
    """Plan of a removal of orphans."""

    operation: Literal[Operation.REMOVE_ORPHANS] = Field(description="Operation of the run.")
    rule: OrphanRule | None = Field(default=None, description="The rule; null: not planned yet.")
    removal: RemovalPlan | None = Field(default=None, description="Files to delete; null: not planned yet.")


class PurgePlan(HistoryPlan):
    """Plan of a purge of a table's history."""

    operation: Literal[Operation.PURGE] = Field(description="Operation of the run.")
    plan_hash: Text | None = Field(
        default=None, description="Hash to submit the purge with.", examples=["c1f8a9d4" * 8]
    )
    snapshot_ids: list[SnapshotId] = Field(
        default=[], description="Of a run: all snapshots that it removes.", examples=[[_SNAPSHOT]]
    )


RunPlan = TypeAliasType(
    "RunPlan",
    Annotated[
        RewritePlan
        | RewriteDeletesPlan
        | RewriteManifestsPlan
        | ExpireSnapshotsPlan
        | DeleteOldCompactionsPlan
        | ReclaimPlan
        | RemoveOrphansPlan
        | PurgePlan,
        Field(discriminator="operation", description="The plan of a run, by its operation."),
        PlainSerializer(lambda plan: plan),  # by its own model: that of a union serialises twice
    ],
)

_PLANS: Final = by_operation(RunPlan)


def plan_of(run: domain.Run) -> RunPlan:
    """Return the stored plan of a run."""
    return read_plan(run.operation, run.plan)


def read_plan(operation: Operation, document: Mapping[str, Any]) -> RunPlan:
    """Return the plan of an operation, of a run or a dry run."""
    return cast("RunPlan", _PLANS[operation].read(document, operation=operation))
