"""Results of runs on the wire, a model for each operation. Sizes are bytes; snapshot ids are text.

Figures are null until they are measured: most of a rewrite at its end, those of the other operations with each commit.
"""

from typing import Annotated, Final, Literal, cast

from pydantic import ConfigDict, Field, PlainSerializer
from typing_extensions import TypeAliasType, TypedDict

from api.schemas.common import Answer, JsonObject, Text
from api.schemas.runs.figures import (
    BeforeAndAfter,
    DeletionAcknowledgement,
    FailedDelete,
    FileCount,
    LeftOut,
    NotDeleted,
    OrderResult,
    Prediction,
    Proof,
    SecondsBeforeAndAfter,
    TimeSpent,
)
from api.schemas.runs.stored import SnapshotId, StoredDocument, by_operation
from engine.domain.runs import run as domain
from engine.domain.runs.run import Operation

_SNAPSHOT: Final = "5781947118336215154"
_OF_REWRITE: JsonObject = {
    "operation": "rewrite",
    "rewritten_files": 65,
    "rewritten_bytes": 68157440,
    "rewritten_rows": 1040000,
    "added_files": 2,
    "added_bytes": 63200000,
    "added_rows": 1040000,
    "groups_committed": 2,
    "wasted_bytes": 0,
    "snapshot_ids": [_SNAPSHOT],
    "seconds": 3.0,
}
_OF_EXPIRY: JsonObject = {
    "operation": "expire_snapshots",
    "expired_snapshots": 66,
    "kept_snapshots": 12,
    "deleted_files": 189,
    "deleted_bytes": 40802189312,
    "delete_failures": 0,
    "seconds": 7.5,
}


class ResultFields(StoredDocument):
    """Fields of the results of all operations."""

    seconds: float | None = Field(
        default=None, description="Seconds at work, of all attempts; null until it ended.", examples=[3.0]
    )
    time: TimeSpent | None = Field(default=None, description="Time by kind of activity; null until it ended.")
    verifications: list[Proof] = Field(default=[], description="The proof of each change of the table, oldest first.")
    left_out: LeftOut | None = Field(default=None, description="What it left out of its work; null: nothing.")


class GroupRaces(TypedDict, total=False):
    """File groups that a run committed, and those that it lost to other writers in all attempts."""

    groups_lost: Annotated[int, Field(description="File groups lost to other writers.", examples=[0])]
    wasted_bytes: Annotated[int, Field(description="Bytes written for the lost groups.", examples=[0])]
    groups_committed: Annotated[int, Field(description="File groups committed, once it ended.")]
    conflict_rate: Annotated[
        float | None, Field(description="Lost groups of all, from 0 to 1; null without any.", examples=[0.0])
    ]


class TaskSums(TypedDict, total=False):
    """Sums over all tasks of a run."""

    bytes_read: Annotated[float, Field(description="Bytes read from the storage.", examples=[68157440])]
    bytes_written: Annotated[float, Field(description="Bytes written to the storage.", examples=[63200000])]
    requests: Annotated[float, Field(description="Requests to the storage.", examples=[164])]
    seconds_reading: Annotated[float, Field(description="Thread-seconds of reading.", examples=[1.2])]
    seconds_working: Annotated[float, Field(description="Thread-seconds of decoding and encoding.")]
    seconds_writing: Annotated[float, Field(description="Thread-seconds of writing.", examples=[0.4])]
    throttled_seconds: Annotated[
        float, Field(description="Thread-seconds in which reading or writing held back for a limit.", examples=[0.0])
    ]
    merged_columns: Annotated[
        float, Field(description="Columns of row groups that the compiled pass merged; 0: it was not used.")
    ]


class ActualFigures(TypedDict, total=False):
    """Measured figures, to compare with the predicted ones."""

    input_files: Annotated[int, Field(description="Input files.", examples=[65])]
    input_bytes: Annotated[int, Field(description="Bytes of the input files.", examples=[68157440])]
    output_files: Annotated[int, Field(description="Output files.", examples=[2])]
    output_bytes: Annotated[int, Field(description="Bytes of the output files.", examples=[63200000])]
    seconds: Annotated[float, Field(description="Seconds of the last attempt.", examples=[3.0])]


class PredictionError(TypedDict, total=False):
    """Errors of predicted figures as shares of the measured ones: 0.1 is a tenth too much. Null: not comparable."""

    output_files: Annotated[float | None, Field(description="Error of the number of files.", examples=[0.0])]
    output_bytes: Annotated[float | None, Field(description="Error of their bytes.", examples=[0.0785])]
    seconds: Annotated[float | None, Field(description="Error of the time.", examples=[0.2433])]


class RowChecks(TypedDict, total=False):
    """How rows were compared before they were committed (`verification`)."""

    mode: Annotated[Text, Field(description="Value of the setting `verification`.", examples=["sample"])]
    groups: Annotated[int, Field(description="File groups whose rows were compared.", examples=[1])]
    rows: Annotated[int, Field(description="Rows that were compared.", examples=[640000])]
    bytes: Annotated[int, Field(description="Bytes read for that.", examples=[41943040])]
    seconds: Annotated[float, Field(description="Thread-seconds spent on it.", examples=[0.6])]
    limits: Annotated[
        dict[Text, int],
        Field(
            description="Why rows were compared in part or not at all, with the number of file groups.",
            examples=[{"columns of type struct": 1}],
        ),
    ]


class RewriteResult(ResultFields):
    """Result of a rewrite of data files."""

    model_config = ConfigDict(json_schema_extra={"examples": [_OF_REWRITE]})

    operation: Literal[Operation.REWRITE] = Field(description="Operation of the run.")
    rewritten_files: int | None = Field(default=None, description="Data files that it replaced.", examples=[65])
    rewritten_bytes: int | None = Field(default=None, description="Bytes of these files.", examples=[68157440])
    rewritten_rows: int | None = Field(
        default=None, description="Rows of these files, deleted ones included.", examples=[1040000]
    )
    added_files: int | None = Field(default=None, description="Data files that it added in place of those.")
    added_bytes: int | None = Field(default=None, description="Bytes of the added files.", examples=[63200000])
    added_rows: int | None = Field(default=None, description="Rows of the added files.", examples=[1040000])
    deleted_rows: int | None = Field(
        default=None, description="Rows that deletes hid, and that are therefore not in the added files.", examples=[0]
    )
    removed_delete_files: int | None = Field(
        default=None, description="Delete files that applied to replaced files only, and were removed with them."
    )
    groups_committed: int | None = Field(default=None, description="File groups in its snapshots.", examples=[2])
    groups_dropped: dict[Text, int] = Field(
        default={},
        description="File groups that were not committed, by reason.",
        examples=[{"lost: new_deletes": 1}],
    )
    races: GroupRaces | None = Field(default=None, description="Groups lost to other writers; null: none so far.")
    wasted_bytes: int | None = Field(
        default=None, description="Bytes of outputs that were never committed, for any reason.", examples=[0]
    )
    snapshot_ids: list[SnapshotId] = Field(default=[], description="Its snapshots.", examples=[[_SNAPSHOT]])
    input_bytes_per_second: float | None = Field(
        default=None, description="Replaced bytes per second; null unless the run had one attempt."
    )
    measured: TaskSums | None = Field(default=None, description="Sums over its tasks; null until it ended.")
    predicted: Prediction | None = Field(default=None, description="Figures that its plan predicted; null: no plan.")
    actual: ActualFigures | None = Field(default=None, description="The same as measured; null until it ended.")
    prediction_error: PredictionError | None = Field(
        default=None, description="Errors of the prediction; null: other files were rewritten than predicted."
    )
    checked: RowChecks | None = Field(default=None, description="How rows were compared; null until it ended.")
    pass_limits: dict[Text, int] = Field(
        default={},
        description="Why tasks did not use the compiled pass, or gave it up, with the number of file groups.",
        examples=[{"the kernel was sent without a library for linux on aarch64": 2}],
    )
    order: OrderResult | None = Field(default=None, description="Effect on the order of rows; null: it has none.")


class RewriteDeletesResult(ResultFields):
    """Result of a rewrite of delete files."""

    operation: Literal[Operation.REWRITE_DELETES] = Field(description="Operation of the run.")
    rewritten_delete_files: int | None = Field(default=None, description="Delete files that it replaced.")
    added_delete_files: int | None = Field(default=None, description="Delete files in their place.", examples=[3])
    rewritten_delete_bytes: int | None = Field(default=None, description="Bytes of the replaced files.")
    added_delete_bytes: int | None = Field(default=None, description="Bytes of the added files.", examples=[262144])
    deleted_positions: "DeletedPositions | None" = Field(
        default=None, description="Rows of the replaced files; null: none was committed."
    )
    delete_files: BeforeAndAfter | None = Field(
        default=None, description="Position-delete files of the snapshot; null: none was committed."
    )
    snapshot_ids: list[SnapshotId] = Field(default=[], description="Its snapshots.", examples=[[_SNAPSHOT]])


class DeletedPositions(Answer):
    """Rows of replaced delete files."""

    read: int = Field(description="Rows that were read.", examples=[120000])
    kept: int = Field(description="Rows of those that apply to live data files, and were written.", examples=[80000])


class RewriteManifestsResult(ResultFields):
    """Result of a rewrite of manifests."""

    operation: Literal[Operation.REWRITE_MANIFESTS] = Field(description="Operation of the run.")
    rewritten_manifests: int | None = Field(default=None, description="Manifests that it replaced.", examples=[412])
    added_manifests: int | None = Field(default=None, description="Manifests in their place.", examples=[9])
    rewritten_manifest_bytes: int | None = Field(default=None, description="Bytes of the replaced manifests.")
    added_manifest_bytes: int | None = Field(default=None, description="Bytes of the added manifests.")
    manifest_entries: int | None = Field(default=None, description="Live files that the replaced manifests listed.")
    manifests: BeforeAndAfter | None = Field(
        default=None, description="Manifests of the snapshot; null: none was committed."
    )
    manifest_read_seconds: SecondsBeforeAndAfter | None = Field(
        default=None, description="Seconds to read the replaced and the added manifests; null: none was committed."
    )
    snapshot_ids: list[SnapshotId] = Field(default=[], description="Its snapshots.", examples=[[_SNAPSHOT]])


class DeletingResult(ResultFields):
    """Fields of the results of operations that delete files. Null: it has deleted none."""

    deleted: dict[Text, FileCount] = Field(
        default={}, description="Deleted files by kind.", examples=[{"data": {"files": 180, "bytes": 40800000000}}]
    )
    deleted_files: int | None = Field(default=None, description="Files that it deleted.", examples=[189])
    deleted_bytes: int | None = Field(
        default=None, description="Bytes of these files, from metadata.", examples=[40802189312]
    )
    delete_failures: int | None = Field(default=None, description="Files that the store refused to delete.")
    delete_failure_samples: list[FailedDelete] = Field(default=[], description="The first of them.")
    delete_requests: int | None = Field(default=None, description="Requests sent to the store.", examples=[2])
    gone_files: int | None = Field(
        default=None, description="Files that were gone before, where that is known; otherwise they count as deleted."
    )
    changed_files: int | None = Field(
        default=None, description="Files that it left because their size or time had changed since the search."
    )
    deleted_files_list: Text | None = Field(
        default=None,
        description="Location of the stored list of the files; GET /v1/runs/{id}/deleted-files sends it.",
    )
    not_deleted: NotDeleted | None = Field(default=None, description="What it left alone, and why.")
    acknowledgement: DeletionAcknowledgement | None = Field(
        default=None, description="Why it waits for an acknowledgement, or who gave it; null: it needed none."
    )


class HistoryResult(DeletingResult):
    """Fields of the results of operations that remove snapshots."""

    expired_snapshots: int | None = Field(
        default=None, description="Snapshots that it removed from the table's metadata.", examples=[66]
    )
    expired_tags: int | None = Field(default=None, description="Tags that it removed; null: none.")
    kept_snapshots: int | None = Field(
        default=None, description="Snapshots that stay; null until it ended.", examples=[12]
    )


class ExpireSnapshotsResult(HistoryResult):
    """Result of an expiry of snapshots."""

    model_config = ConfigDict(json_schema_extra={"examples": [_OF_EXPIRY]})

    operation: Literal[Operation.EXPIRE_SNAPSHOTS] = Field(description="Operation of the run.")


class DeleteOldCompactionsResult(HistoryResult):
    """Result of a deletion of old compactions. Tables without snapshots have figures of files only."""

    operation: Literal[Operation.DELETE_OLD_COMPACTIONS] = Field(description="Operation of the run.")


class ReclaimedStorage(StoredDocument):
    """Files that a reclamation was predicted to delete, and those that it deleted."""

    predicted: FileCount | None = Field(default=None, description="Predicted at its first attempt.")
    actual: FileCount | None = Field(default=None, description="Deleted so far.")


class ReclaimResult(HistoryResult):
    """Result of a reclamation of storage."""

    operation: Literal[Operation.RECLAIM] = Field(description="Operation of the run.")
    reclaimed: ReclaimedStorage | None = Field(
        default=None, description="Predicted and deleted files; null: none was deleted."
    )


class RemoveOrphansResult(DeletingResult):
    """Result of a removal of orphans."""

    operation: Literal[Operation.REMOVE_ORPHANS] = Field(description="Operation of the run.")


class PurgeResult(HistoryResult):
    """Result of a purge of a table's history."""

    operation: Literal[Operation.PURGE] = Field(description="Operation of the run.")


RunResult = TypeAliasType(
    "RunResult",
    Annotated[
        RewriteResult
        | RewriteDeletesResult
        | RewriteManifestsResult
        | ExpireSnapshotsResult
        | DeleteOldCompactionsResult
        | ReclaimResult
        | RemoveOrphansResult
        | PurgeResult,
        Field(discriminator="operation", description="The result of a run, by its operation."),
        PlainSerializer(lambda result: result),  # by its own model: that of a union serialises twice
    ],
)

_RESULTS: Final = by_operation(RunResult)


def result_of(run: domain.Run) -> RunResult:
    """Return the stored result of a run."""
    return cast("RunResult", _RESULTS[run.operation].read(run.result.document, operation=run.operation))
