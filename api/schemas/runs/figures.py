"""Figures that documents of several operations have: counted files, proofs, time, predictions, what was left out."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Required

from pydantic import BeforeValidator, Field, model_validator
from typing_extensions import TypedDict

from api.schemas.common import Answer, Instant, Partition, Text
from api.schemas.runs.stored import SnapshotId, StoredDocument
from engine.domain.runs.times import EstimateSource, RunKind


class FileCount(Answer):
    """A number of files and their size."""

    files: int = Field(description="Number of files.", examples=[189])
    bytes: int = Field(description="Bytes of these files.", examples=[40_802_189_312])


class BeforeAndAfter(Answer):
    """A count before and after a run."""

    before: int = Field(description="Before the run.", examples=[412])
    after: int = Field(description="After the run.", examples=[9])


class SecondsBeforeAndAfter(Answer):
    """A time before and after a run, in seconds."""

    before: float = Field(description="Seconds before the run.", examples=[2.31])
    after: float = Field(description="Seconds after the run.", examples=[0.12])


class ProofCheck(TypedDict):
    """One check of a proof."""

    name: Annotated[Text, Field(description="Name of the check.", examples=["rows_are_equal"])]
    holds: Annotated[bool, Field(description="Whether the check holds.")]
    detail: Annotated[Text, Field(description="Findings.", examples=["1040000 rows before and after"])]


class Proof(TypedDict, total=False):
    """Proof of one snapshot, or of one deletion of files, from the table's metadata. Figures that it lacks are absent.

    Like its checks a dictionary, as a list of runs has thousands of them.
    """

    snapshot_id: Annotated[SnapshotId, Field(description="The snapshot; absent: removed snapshots or files.")]
    ok: Required[Annotated[bool, Field(description="True: every check holds.")]]
    taken_back: Annotated[
        bool,
        Field(description="True: the snapshot is correct, and another program rolled the table back past it."),
    ]
    checks: Annotated[list[ProofCheck], Field(description="The checks, in order.")]
    groups: Annotated[list[int], Field(description="Ordinals of the file groups, if the proof failed.")]
    removed_files: Annotated[int, Field(description="Data files that the snapshot removed.", examples=[65])]
    added_files: Annotated[int, Field(description="Data files that it added.", examples=[2])]
    removed_rows: Annotated[int, Field(description="Rows of the removed files.", examples=[1040000])]
    added_rows: Annotated[int, Field(description="Rows of the added files.", examples=[1040000])]
    removed_bytes: Annotated[int, Field(description="Bytes of the removed files.", examples=[68157440])]
    added_bytes: Annotated[int, Field(description="Bytes of the added files.", examples=[63200000])]
    removed_delete_files: Annotated[int, Field(description="Delete files that it removed.", examples=[0])]
    is_overtaken: Annotated[
        bool, Field(description="True: in a table without history, another client has replaced the added files since.")
    ]


class TimeSpent(TypedDict, total=False):
    """Time of an ended run by kind of activity."""

    total_seconds: Required[Annotated[float, Field(description="From the submission to the end, in seconds.")]]
    queued_seconds: Required[
        Annotated[float, Field(description="Seconds before the first attempt; part of `waiting_seconds`.")]
    ]
    working_seconds: Required[Annotated[float, Field(description="Seconds of all attempts.")]]
    waiting_seconds: Required[Annotated[float, Field(description="Seconds before and between attempts.")]]
    waiting: Annotated[
        dict[Text, float],
        Field(description="The waits in seconds, by cause.", examples=[{"worker": 0.4, "quiet_hours": 5400.0}]),
    ]
    attempts: Required[Annotated[int, Field(description="Number of attempts.", examples=[1])]]


def _name(stored: Any) -> Any:
    """Return the name of an item; a partition is stored as canonical JSON."""
    return Partition.of(stored).text if isinstance(stored, str) and stored.startswith("{") else stored


class LeftOutItem(Answer):
    """A file, partition or manifest that a run left out of its work."""

    name: Annotated[Text, BeforeValidator(_name)] = Field(
        description="Path of the file or manifest, or text of the partition.",
        examples=["s3://lake/warehouse/sales/orders/data/00007.parquet"],
    )
    reason: Text = Field(description="Code of the reason.", examples=["unreadable"])
    detail: Text = Field(description="The error that was found; empty if the reason explains itself.")


class LeftOut(Answer):
    """Files, partitions or manifests that a run left out of its work."""

    count: int = Field(description="Number of all of them.")
    errors: int = Field(description="Number of those that were left out for an error.")
    reasons: dict[Text, int] = Field(description="Number by reason.", examples=[{"unreadable": 1}])
    items: list[LeftOutItem] = Field(description="The first twenty, those with errors before others.")


class FailedDelete(Answer):
    """A file that the store refused to delete."""

    path: Text = Field(
        description="Path of the file.", examples=["s3://lake/warehouse/sales/orders/data/00007.parquet"]
    )
    reason: Text = Field(description="The answer of the store.", examples=["AccessDenied"])


class FilesLeftAlone(StoredDocument):
    """Files that may not be deleted, by reason."""

    counts: dict[Text, int] = Field(default={}, description="Number of files by reason.", examples=[{"outside": 2}])
    samples: dict[Text, list[Text]] = Field(
        default={},
        description="Paths of the first ten, by reason.",
        examples=[{"outside": ["s3://other/data/00001.parquet"]}],
    )


class UnreadFiles(StoredDocument):
    """Files of expired snapshots that can't be read: files that only they name are not deleted."""

    counts: dict[Text, int] = Field(default={}, description="Number of files by reason.", examples=[{"damaged": 1}])
    samples: list[Text] = Field(
        default=[],
        description="Paths of the first of them.",
        examples=[["s3://lake/warehouse/sales/orders/metadata/7f2c-m0.avro"]],
    )


class NotDeleted(StoredDocument):
    """Files that a run left and that are not needed."""

    unread: UnreadFiles | None = Field(default=None, description="Those that can't be read; null: not looked for.")
    refused: FilesLeftAlone | None = Field(default=None, description="Those that may not be deleted; null: unknown.")


class DeletionAmounts(Answer):
    """Amounts of a deletion or a table."""

    snapshots: int | None = Field(default=None, description="Snapshots; null: not known.")
    files: int | None = Field(default=None, description="Files; null: not known.")
    bytes: int | None = Field(default=None, description="Bytes of the files; null: not known.")


class DeletionAcknowledgement(Answer):
    """Why a deletion waits, or waited, for an acknowledgement: it is unusually large, or above a given bound."""

    amounts: DeletionAmounts = Field(description="What it would delete, and what is acknowledged.")
    exceeded: list[Literal["snapshots", "files", "bytes"]] = Field(
        description="The amounts that are above their limit."
    )
    median: DeletionAmounts | None = Field(
        description="Medians of the last ten deletions of the operation, or of as many as there are since the last "
        "change that deletes more; null: it is above `up_to` instead."
    )
    of_table: DeletionAmounts | None = Field(description="What the table has; null: it is above `up_to` instead.")
    factor: int | None = Field(description="`deletion.surge.factor` of the policy.")
    share_percent: int | None = Field(description="`deletion.surge.share_percent` of the policy.")
    up_to: dict[Text, int] = Field(description="The bound that was acknowledged; empty: it is unusually large instead.")
    acknowledged_by: Text | None = Field(description="Caller who acknowledged it; null: it still waits.")
    acknowledged_at: Instant | None = Field(description="When it was acknowledged.")

    @model_validator(mode="before")
    @classmethod
    def _of_stored(cls, document: Any) -> Any:
        """Return the fields of a stored request for an acknowledgement (`domain.runs.deletions`)."""
        if not isinstance(document, Mapping) or "usual" not in document:
            return document
        usual, given = ({} if document.get(name) is None else document[name] for name in ("usual", "given"))
        if not isinstance(usual, Mapping) or not isinstance(given, Mapping):
            message = "usual and given are objects"
            raise ValueError(message)  # noqa: TRY004 - becomes an error of validation
        return {
            "amounts": document.get("amounts"),
            "exceeded": document.get("exceeded"),
            "median": usual.get("median"),
            "of_table": usual.get("table"),
            "factor": usual.get("factor"),
            "share_percent": usual.get("share_percent"),
            "up_to": document.get("up_to"),
            "acknowledged_by": given.get("by"),
            "acknowledged_at": given.get("at"),
        }


class OrderField(Answer):
    """A column to order by, with its field id in the table."""

    name: Text
    field_id: int
    descending: bool
    nulls_first: bool


class Overlap(StoredDocument):
    """Overlap of the files of one partition in the order of rows."""

    files: int | None = Field(default=None, description="Number of files.", examples=[40])
    overlap_depth: int | None = Field(default=None, description="The most files that may hold one value.", examples=[9])
    files_for_a_lookup: float | None = Field(
        default=None, description="Files that may contain a value, on average over all bounds.", examples=[4.2]
    )
    pruned_share: float | None = Field(
        default=None, description="Share of the files that a lookup need not look into.", examples=[0.9]
    )


class OrderedPartition(StoredDocument):
    """Overlap of the files of one partition before and after a run."""

    spec_id: int = Field(description="Id of the partition spec.", examples=[0])
    partition: Partition = Field(description="The partition.")
    before: Overlap | None = Field(default=None, description="Before the run.")
    after: Overlap | None = Field(default=None, description="After it; null: the partition is gone.")


class OrderResult(StoredDocument):
    """The order that a rewrite put rows into, and its effect."""

    strategy: Text | None = Field(default=None, description="`sort`, `zorder` or `hilbert`.", examples=["sort"])
    columns: list[OrderField] = Field(default=[], description="Columns of the order.")
    partitions: list[OrderedPartition] = Field(
        default=[], description="At most 20 partitions, those with most files first."
    )
    partitions_total: int | None = Field(default=None, description="Number of all partitions.", examples=[2])


class Prediction(TypedDict):
    """Predicted figures of the plan's execution."""

    input_files: int
    input_bytes: int
    input_rows: int
    output_files: int
    output_bytes: int
    seconds: Annotated[float, Field(description="Time at work, without waiting; `time_estimate` has its basis.")]


class Calibration(TypedDict):
    """Corrections of the predicted sizes of outputs: measured by predicted, the median of the table's last ten runs."""

    runs: Annotated[int, Field(description="Runs that were measured.")]
    output_files: Annotated[float, Field(description="Factor.")]
    output_bytes: Annotated[float, Field(description="Factor of the rows' bytes, without the metadata of files.")]
    metadata_bytes: Annotated[
        int,
        Field(description="Of each file: footer, page headers, dictionaries. Only outputs are counted with them."),
    ]


class TimeEstimate(TypedDict):
    """Costs that seconds were predicted with: `run + (groups * group + files * file + bytes * byte) / lanes`.

    The part after `run` takes at least as long as the limits allow.
    """

    kind: Annotated[RunKind, Field(description="The way of rewriting.")]
    source: Annotated[
        EstimateSource,
        Field(
            description="The most specific runs that the costs were fitted to: of the `table`, of the `kind` on the "
            "same machine, of the `fleet`; `prior`: none, the costs are assumed."
        ),
    ]
    runs: Annotated[int, Field(description="Number of attempts.")]
    evidence: Annotated[Text, Field(description="The same in words.")]
    run_seconds: Annotated[float, Field(description="Once for the run.")]
    group_seconds: Annotated[float, Field(description="For each file group.")]
    file_seconds: Annotated[float, Field(description="For each input file.")]
    byte_seconds: Annotated[float, Field(description="For each input byte.")]
    lanes: Annotated[int, Field(description="Tasks at the same time.")]
    limit_bytes_per_second: Annotated[float | None, Field(description="Of policy, catalog and fleet, read + written.")]
    limit_requests_per_second: Annotated[
        float | None, Field(description="Of policy, catalog and fleet, to the storage.")
    ]


class PlannedLater(TypedDict):
    """Partitions that the run plans later: it rewrites those of a very large table in parts, most beneficial first."""

    partitions: int
    files: Annotated[int, Field(description="In these partitions, those that it may rewrite.")]
    bytes: int


class TaskFigures(StoredDocument):
    """Figures that the task of a file group measured. Null: it did not, or not yet."""

    rows_read: int | None = Field(default=None, description="Rows read, deleted ones included.", examples=[640000])
    rows_deleted: int | None = Field(default=None, description="Rows that deletes hid.", examples=[0])
    rows_written: int | None = Field(default=None, description="Rows written.", examples=[640000])
    bytes_read: int | None = Field(default=None, description="Bytes read from the storage.", examples=[41943040])
    bytes_written: int | None = Field(default=None, description="Bytes written to the storage.", examples=[38900000])
    requests: int | None = Field(default=None, description="Requests to the storage.", examples=[82])
    seconds_reading: float | None = Field(default=None, description="Thread-seconds of reading.", examples=[0.7])
    seconds_working: float | None = Field(default=None, description="Thread-seconds of decoding and encoding.")
    seconds_writing: float | None = Field(default=None, description="Thread-seconds of writing.", examples=[0.2])
    throttled_seconds: float | None = Field(
        default=None, description="Thread-seconds in which reading or writing held back for a limit.", examples=[0.0]
    )
    merged_columns: int | None = Field(
        default=None, description="Columns of row groups that the compiled pass merged.", examples=[12]
    )
    pass_limit: Text | None = Field(
        default=None,
        description="Why the compiled pass was not used, or was given up; null or empty where it was used.",
    )
    row_digest: Text | None = Field(
        default=None, description="Digest of the rows of inputs and outputs; null or empty: rows were not compared."
    )
    bytes_checked: int | None = Field(default=None, description="Bytes read to compare rows; part of `bytes_read`.")
    seconds_checking: float | None = Field(default=None, description="Thread-seconds of comparing rows.")
    check_limit: Text | None = Field(
        default=None, description="Why rows were compared in part or not at all though the policy asks for it."
    )
    base_snapshot_id: SnapshotId | None = Field(
        default=None, description="Of the table format's own procedure: the snapshot that it read."
    )
