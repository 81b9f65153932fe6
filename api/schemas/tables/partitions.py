"""Partitions of a table on the wire: their health, and on request the decision on each and its newest task, apart."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, PageToken
from api.schemas.tables.explanation import ExplainedWatch
from api.schemas.tables.health import PartitionHealth
from engine.domain.runs.reasons import describe_reason
from engine.domain.runs.run import GroupState, RunState
from engine.services.tables import partitions as domain
from engine.services.tables.partitions import PartitionPart


class PartitionDecision(Answer):
    """The decision that the coordinator makes on a partition under the policy of its table."""

    is_due: bool = Field(description="True: at least one rule makes it due.")
    rules: list[str] = Field(description="Names of the rules that make it due.", examples=[["many small files"]])
    reason: str | None = Field(
        description="Code of the reason why a run that starts now leaves it alone; null: the run rewrites it."
    )
    detail: str | None = Field(description="The same in words.")
    input_files: int | None = Field(description="Files that this run rewrites; null: none.")
    input_bytes: int | None = Field(description="Bytes of these files; null: none.")
    predicted_outputs: int | None = Field(description="Files that it is predicted to write in their place; null: none.")
    cools_until: Instant | None = Field(description="End of its cool-down after lost races; null: no cool-down.")

    @classmethod
    def from_domain(cls, item: domain.ListedPartition) -> Self | None:
        """Return the wire form; None without a decision."""
        decision = item.decision
        if decision is None:
            return None
        work = decision.work
        return cls(
            is_due=decision.is_due,
            rules=list(decision.rules),
            reason=decision.reason,
            detail=None if decision.reason is None else describe_reason(decision.reason),
            input_files=None if work is None else work.input_files,
            input_bytes=None if work is None else work.input_bytes,
            predicted_outputs=None if work is None else work.predicted_outputs,
            cools_until=decision.cools_until,
        )


class PartitionTask(Answer):
    """The newest compaction task of a partition: the file groups that the newest run planned for it."""

    run_id: str = Field(description="The run.")
    run_state: RunState = Field(description="State of the run.")
    state: GroupState = Field(
        description="`running` also if some file groups have begun and others not; `written` if the rest waits for its "
        "commit; `committed` if one was committed and the others dropped."
    )
    reason: str | None = Field(
        description="Code of the reason why a file group was dropped last, such as `new_deletes`; null: none was.",
        examples=["new_deletes"],
    )
    detail: str | None = Field(description="The same in words.")
    started_at: Instant | None = Field(description="Start of the first file group; null before.")
    ended_at: Instant | None = Field(description="Time at which the last file group was committed or dropped.")
    input_files: int = Field(description="Files to rewrite.")
    input_bytes: int = Field(description="Bytes of these files.")
    predicted_outputs: int = Field(description="Files that the plan predicts in their place.")
    running_outputs: int = Field(description="Predicted files of running file groups.")
    written_outputs: int = Field(description="Files written and not committed yet.")
    committed_outputs: int = Field(description="Files committed.")
    dropped_outputs: int = Field(description="Predicted files of dropped file groups.")
    rewritten_bytes: int = Field(description="Bytes of the files that committed file groups replaced.")
    added_bytes: int = Field(description="Bytes of the committed files.")
    size_reduction: float | None = Field(
        description="1 - `added_bytes` / `rewritten_bytes`, negative if the data grew; null before a commit."
    )

    @classmethod
    def from_domain(cls, item: domain.ListedPartition) -> Self | None:
        """Return the wire form; None if no run has planned the partition."""
        task = item.task
        if task is None:
            return None
        reason = task.drop_reason
        rewritten = task.sum("input_bytes", GroupState.COMMITTED)
        added = task.sum("output_bytes", GroupState.COMMITTED)
        return cls(
            run_id=task.run_id,
            run_state=task.run_state,
            state=task.state,
            reason=None if reason is None else reason.code,
            detail=None if reason is None else reason.detail or describe_reason(reason.code),
            started_at=task.started_at,
            ended_at=task.ended_at,
            input_files=task.sum("input_files"),
            input_bytes=task.sum("input_bytes"),
            predicted_outputs=task.sum("predicted_outputs"),
            running_outputs=task.sum("predicted_outputs", GroupState.RUNNING),
            written_outputs=task.sum("outputs", GroupState.WRITTEN),
            committed_outputs=task.sum("outputs", GroupState.COMMITTED),
            dropped_outputs=task.sum("predicted_outputs", GroupState.DROPPED),
            rewritten_bytes=rewritten,
            added_bytes=added,
            size_reduction=1 - added / rewritten if rewritten else None,
        )


class ListedPartition(PartitionHealth):
    """A partition of a list: its health, and the parts that `include` names."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    decision: PartitionDecision | None = Field(default=None, description="With `include=decision`.")
    task: PartitionTask | None = Field(
        default=None, description="With `include=task`. Null: no file groups of the partition are on record."
    )

    @classmethod
    def of(cls, item: domain.ListedPartition, parts: Collection[PartitionPart]) -> Self:
        """Return the wire form with these parts; the others are not set, so that they are left out."""
        given: dict[str, Any] = {
            PartitionPart.DECISION: PartitionDecision.from_domain(item),
            PartitionPart.TASK: PartitionTask.from_domain(item),
        }
        return cls(**asdict(item.health), **{name: value for name, value in given.items() if name in parts})


class PartitionList(Answer):
    """Partitions of a table at one snapshot, in the order of `sort`; every page of a list is of the same snapshot."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    items: list[ListedPartition] = Field(description="Partitions of the page.")
    next_page_token: PageToken
    snapshot_id: str | None = Field(description="Snapshot that all pages are of; null for a table without snapshots.")
    measured_at: Instant = Field(description="Time at which the partitions of the snapshot were measured.")
    partition_count: int = Field(description="Partitions on all pages together.")
    small_file_bytes: int = Field(description="Files below are small: the policy's setting at the first page.")
    large_file_bytes: int | None = Field(description="Files above are over-large: the policy's setting; null: none.")
    small_row_group_bytes: int | None = Field(
        description="Row groups below are small, in files of 8 or more: the policy's setting; null: none."
    )
    decided_at: Instant | None = Field(default=None, description="With `include=decision`: time of the decisions.")
    watch: ExplainedWatch | None = Field(
        default=None,
        description="With `include=decision`: the verdict of the coordinator's last look at the table, why it is held "
        "back, and the time of the next look. Null: the table is not watched.",
    )

    @classmethod
    def of(cls, page: domain.PartitionPage, next_page_token: str | None, parts: Collection[PartitionPart]) -> Self:
        """Return the wire form of a page with these parts of each partition."""
        decided: dict[str, Any] = {}
        if PartitionPart.DECISION in parts:
            decided = {"decided_at": page.decided_at, "watch": _watch(page)}
        return cls(
            items=[ListedPartition.of(item, parts) for item in page.items],
            next_page_token=next_page_token,
            snapshot_id=None if page.snapshot_id is None else str(page.snapshot_id),
            measured_at=page.measured_at,
            partition_count=page.partition_count,
            small_file_bytes=page.bounds.small_bytes,
            large_file_bytes=page.bounds.large_bytes,
            small_row_group_bytes=page.bounds.small_row_group_bytes,
            **decided,
        )


def _watch(page: domain.PartitionPage) -> ExplainedWatch | None:
    if page.watch is None:
        return None
    names = ExplainedWatch.model_fields.keys() - {"next_look_at"}
    return ExplainedWatch(next_look_at=page.watch.next_at, **{name: getattr(page.watch, name) for name in names})
