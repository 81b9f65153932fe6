"""Runs, their file groups and events on the wire. Sizes are bytes, times are seconds, snapshot ids are strings."""

import asyncio
from collections.abc import Collection
from datetime import datetime
from enum import StrEnum
from typing import Final, Self

from pydantic import ConfigDict, Field

from api.listing.pagination import Page
from api.schemas.common import Answer, Instant, JsonObject, Listed, PageToken, Partition, text_ids
from api.schemas.fleet.limits import Pause
from api.schemas.remedies import Remedy
from api.schemas.runs.figures import TaskFigures
from api.schemas.runs.plans import RunPlan, plan_of
from api.schemas.runs.requests import RunPolicy, StoredRequest, policy_of, request_of
from api.schemas.runs.results import RunResult, result_of
from engine.domain.fleet.limits import Pauses
from engine.domain.runs import run as domain
from engine.domain.runs.run import GroupState, Operation, Priority, RunState, WaitingFor
from engine.domain.runs.timelines import RunTimeline
from engine.domain.tables.addresses import written_address
from engine.services.planning.wording import short
from engine.services.runs.views import RunProgress, remedy_of

_TABLE_ID = "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
_RUN_ID = "run_01jd2m6v8n4q0x7y3k5r9t1wbz"
_ATTEMPTS_SHOWN: Final = 50
_AT_ONCE: Final = 50
"""Runs of a list whose documents are read before the event loop gets control again: 50 take about 5 ms."""
_REQUEST = "The request besides the table."
_REASON = "Code of the reason why it ended or waits."
_REMEDY = "The operation that ends its wait, or the cause of its end, if there is one."
_PLAN = "Summary of the plan, with its prediction; its fields are null before planning."
_POLICY = "The effective policy that it was planned under."
_RESULT = "Measured figures, and the proof of each change of the table; extended with each commit."
DETAIL_CHARACTERS: Final = 160
"""The most of `detail` in a list."""


class RunDocument(StrEnum):
    """Parts of a run that lists leave out unless they are named in `include`."""

    REQUEST = "request"
    PLAN = "plan"
    POLICY = "policy"
    RESULT = "result"


class Progress(Answer):
    """Progress of a run. Bytes are of inputs; the rate is the present one, read + written."""

    groups_total: int
    groups_finished: int
    bytes_total: int
    bytes_finished: int
    bytes_per_second: float | None = Field(description="Null while no task reports.")
    eta_seconds: float | None = Field(description="Null while there is no rate.")
    throttled_seconds: float = Field(
        description="Thread-seconds, summed over all tasks, in which reading or writing held back for a limit."
    )
    budget_bytes_per_second: float | None = Field(
        description="Bytes per second that its tasks may move together at present: the least of its table's limit and "
        "its shares of the limits of catalog and fleet. Null: unlimited, or no task reports."
    )

    @classmethod
    def from_domain(cls, progress: RunProgress) -> Self:
        """Return the wire form."""
        return cls(
            groups_total=progress.groups_total,
            groups_finished=progress.groups_finished,
            bytes_total=progress.bytes_total,
            bytes_finished=progress.bytes_finished,
            bytes_per_second=progress.bytes_per_second,
            eta_seconds=progress.eta_seconds,
            throttled_seconds=progress.throttled_seconds,
            budget_bytes_per_second=progress.budget_bytes_per_second,
        )


class AttemptTime(Answer):
    """One attempt at a run."""

    number: int = Field(description="Counted from 1.")
    started_at: Instant = Field(description="Time at which a worker claimed the run.")
    ended_at: Instant | None = Field(description="Null while it is at work.")
    seconds: float = Field(description="At work, up to its end or now.")
    reason: str | None = Field(description="Code of the reason why it ended.")


class RunTime(Answer):
    """Time of a run from its submission to its end or now: every attempt at work, and every wait."""

    total_seconds: float = Field(description="`working_seconds` + `waiting_seconds`.")
    queued_seconds: float = Field(description="Before the first attempt; part of `waiting_seconds`.")
    working_seconds: float = Field(description="Of all attempts.")
    waiting_seconds: float = Field(description="Before and between attempts.")
    waiting: dict[str, float] = Field(
        description="The waits by cause, in seconds: `worker` (for a free worker, room under `parallel_runs`, or the "
        "end of a pause) and the values of `waiting_for`.",
        examples=[{"worker": 0.4, "quiet_hours": 5400.0}],
    )
    attempts_total: int = Field(description="Number of attempts.")
    attempts: list[AttemptTime] = Field(description="The last fifty, oldest first.")

    @classmethod
    def from_domain(cls, timeline: RunTimeline) -> Self:
        """Return the wire form."""
        names = AttemptTime.model_fields
        return cls(
            total_seconds=timeline.total_seconds,
            queued_seconds=timeline.queued_seconds,
            working_seconds=timeline.working_seconds,
            waiting_seconds=timeline.waiting_seconds,
            waiting=dict(timeline.waiting or {}),
            attempts_total=len(timeline.attempts),
            attempts=[
                AttemptTime(**{name: getattr(each, name) for name in names})
                for each in timeline.attempts[-_ATTEMPTS_SHOWN:]
            ],
        )


class _RunFields(Answer):
    """Fields of a run in lists and of a single run."""

    id: str = Field(description="The run's id; ids sort by the time of submission.", examples=[_RUN_ID])
    table_id: str = Field(description="Id of the table, also after its registration was deleted.", examples=[_TABLE_ID])
    table: str | None = Field(
        description="Address of the table, accepted wherever its id is. Null: its registration was deleted.",
        examples=["lake.sales.orders"],
    )
    catalog: str = Field(description="Catalog of the table.", examples=["lake"])
    owner_team: str | None = Field(description="Team that owns the table at present; null: none.")
    operation: Operation = Field(description="Operation of the run.")
    priority: Priority = Field(description="Priority among the queued runs.")
    state: RunState = Field(description="State of the run.")
    is_terminal: bool = Field(description="True when nothing can happen to it any more.")
    requested_by: str = Field(description="Caller who submitted it; `coordinator` for an automatic run.")
    created_at: Instant = Field(description="Time of its submission.")
    updated_at: Instant = Field(description="Time of its last change.")
    started_at: Instant | None = Field(description="Time at which its first attempt started.")
    finished_at: Instant | None = Field(description="Time at which it ended.")
    attempt: int = Field(description="Tries so far, the present one included.")
    failures: int = Field(description="Tries that failed.")
    spark_endpoint: str | None = Field(
        description="Spark endpoint on which its last attempt worked; null before, and of operations without Spark.",
        examples=["default"],
    )
    waiting_for: WaitingFor | None = Field(description="Reason why a queued run has not started yet.")
    not_before: Instant | None = Field(description="Time from which a waiting run may start.")


class Run(_RunFields):
    """One execution of one operation on one table."""

    request: StoredRequest = Field(description=_REQUEST)
    worker: str | None = Field(description="Worker that holds its lease.")
    urgent_at: Instant | None = Field(
        description="From then on it goes before all queued runs that are not urgent (`schedule.urgent_after`)."
    )
    cancel_requested_at: Instant | None = Field(description="Time at which its cancellation was requested.")
    cancel_requested_by: str | None = Field(description="Caller who requested its cancellation.")
    reason: str | None = Field(description=_REASON)
    detail: str | None = Field(description="The same for people, in the words of the record: not to be parsed.")
    remedy: Remedy | None = Field(description=_REMEDY)
    plan: RunPlan = Field(description=_PLAN)
    policy: RunPolicy = Field(description=_POLICY)
    result: RunResult = Field(description=_RESULT)

    @classmethod
    def from_domain(cls, run: domain.Run) -> Self:
        """Return the wire form."""
        return cls(**_run_fields(run))


class RunDetail(Run):
    """A run with how far it is, and how its time was spent."""

    progress: Progress
    time: RunTime = Field(description="Time by kind of activity.")
    table_pause: Pause | None = Field(description="The pause that the table is under.")
    catalog_pause: Pause | None = Field(description="The pause that all tables of its catalog are under.")
    fleet_pause: Pause | None = Field(description="The pause that all tables are under.")

    @classmethod
    def of(cls, run: domain.Run, progress: RunProgress, pauses: Pauses, timeline: RunTimeline) -> Self:
        """Return the wire form."""
        return cls(
            **_run_fields(run),
            progress=Progress.from_domain(progress),
            time=RunTime.from_domain(timeline),
            table_pause=None if pauses.table is None else Pause.from_domain(pauses.table),
            catalog_pause=None if pauses.catalog is None else Pause.from_domain(pauses.catalog),
            fleet_pause=None if pauses.fleet is None else Pause.from_domain(pauses.fleet),
        )


class RunAccepted(Run):
    """A submitted run."""

    deduplicated: bool = Field(description="True: an equal run was live already and is returned instead of a new one.")

    @classmethod
    def of(cls, run: domain.Run, *, deduplicated: bool) -> Self:
        """Return the wire form."""
        return cls(**_run_fields(run), deduplicated=deduplicated)


class RunSummary(_RunFields):
    """A run in a list: at most 1 kB, and the documents that `include` names."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=False)

    reason: str | None = Field(description=_REASON)
    detail: str | None = Field(
        description=f"The same for people; of more than {DETAIL_CHARACTERS} characters the middle is left out."
    )
    remedy: Remedy | None = Field(description=_REMEDY)
    request: StoredRequest | None = Field(
        default=None, description=f"With `include=request`; otherwise null. {_REQUEST}"
    )
    plan: RunPlan | None = Field(default=None, description=f"With `include=plan`; otherwise null. {_PLAN}")
    policy: RunPolicy | None = Field(default=None, description=f"With `include=policy`; otherwise null. {_POLICY}")
    result: RunResult | None = Field(default=None, description=f"With `include=result`; otherwise null. {_RESULT}")

    @classmethod
    def of(cls, run: domain.Run, documents: Collection[RunDocument]) -> Self:
        """Return the wire form with some documents; the others are null."""
        detail = None if run.detail is None else short(run.detail, DETAIL_CHARACTERS)
        return cls(**_run_fields(run, documents) | {"detail": detail})


class RunList(Answer):
    """Runs, newest first."""

    items: list[RunSummary] = Field(description="Runs of the page; it may hold fewer than `page_size`.")
    next_page_token: PageToken
    retained_since: Instant | None = Field(
        description="Every run that ended after this instant is kept; earlier ones were pruned, except the newest of "
        "each table. Null: none was pruned. Totals in metrics still count pruned runs."
    )

    @classmethod
    async def of(
        cls, page: Page[domain.Run], documents: Collection[RunDocument] = (), *, retained_since: datetime | None
    ) -> Self:
        """Return the wire form of a page, with these documents of each run; other requests go on meanwhile."""
        items = list[RunSummary]()
        for start in range(0, len(page.items), _AT_ONCE):
            items += [RunSummary.of(run, documents) for run in page.items[start : start + _AT_ONCE]]
            await asyncio.sleep(0)
        return cls(items=items, next_page_token=page.next_page_token, retained_since=retained_since)


class FileGroup(Answer):
    """Files of one partition that are rewritten together by one task."""

    ordinal: int
    state: GroupState
    attempt: int
    spec_id: int
    partition: Partition
    input_files: int
    input_bytes: int
    input_rows: int
    predicted_outputs: int
    output_files: int
    output_bytes: int
    rows_deleted: int = Field(description="Rows that deletes hid, and that are therefore not in the outputs.")
    measured: TaskFigures = Field(description="Figures that its task measured.")
    snapshot_id: str | None = Field(description="The snapshot that contains it once it is committed.")
    reason: str | None = Field(description="Reason why it was dropped: a code, or `failed` or `refused` with details.")
    updated_at: Instant

    @classmethod
    def from_domain(cls, group: domain.StoredGroup) -> Self:
        """Return the wire form."""
        return cls(
            ordinal=group.ordinal,
            state=group.state,
            attempt=group.attempt,
            spec_id=group.spec_id,
            partition=Partition.of(group.partition),
            input_files=len(group.inputs),
            input_bytes=group.input_bytes,
            input_rows=group.input_rows,
            predicted_outputs=group.predicted_outputs,
            output_files=len(group.outputs),
            output_bytes=group.output_bytes,
            rows_deleted=group.rows_deleted,
            measured=TaskFigures.read(group.measured),
            snapshot_id=None if group.snapshot_id is None else str(group.snapshot_id),
            reason=None if group.reason is None else str(group.reason),
            updated_at=group.updated_at,
        )


class FileGroupList(Listed[FileGroup, domain.StoredGroup]):
    """File groups by ordinal."""


class RunEvent(Answer):
    """One entry of a run's log. Events are never changed."""

    run_id: str = Field(examples=[_RUN_ID])
    sequence: int = Field(description="Grows within the run; the id of the event in a stream.")
    at: Instant
    kind: str = Field(examples=["transition"])
    actor: str
    attempt: int
    from_state: RunState | None
    to_state: RunState | None
    reason: str | None
    details: JsonObject

    @classmethod
    def from_domain(cls, event: domain.RunEvent) -> Self:
        """Return the wire form."""
        return cls(
            run_id=event.run_id,
            sequence=event.sequence,
            at=event.at,
            kind=event.kind,
            actor=event.actor,
            attempt=event.attempt,
            from_state=event.from_state,
            to_state=event.to_state,
            reason=event.reason,
            details=text_ids(event.details, "base_snapshot_id", "snapshot_id"),
        )


class RunEventList(Listed[RunEvent, domain.RunEvent]):
    """Events, oldest first."""


def _run_fields(run: domain.Run, documents: Collection[RunDocument] = frozenset(RunDocument)) -> JsonObject:
    return {
        "id": run.id,
        "table_id": run.table_id,
        "table": None if run.ref is None else written_address(run.ref),
        "catalog": run.catalog,
        "owner_team": run.owner_team,
        "operation": run.operation,
        "priority": run.priority,
        "state": run.state,
        "is_terminal": run.is_terminal,
        "requested_by": run.requested_by,
        "created_at": run.created_at,
        "updated_at": run.updated_at,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "attempt": run.attempt,
        "failures": run.failures,
        "worker": run.lease_holder,
        "spark_endpoint": run.spark_endpoint,
        "waiting_for": run.waiting_for,
        "not_before": run.not_before,
        "urgent_at": run.urgent_at,
        "cancel_requested_at": run.cancel_requested_at,
        "cancel_requested_by": run.cancel_requested_by,
        "reason": run.reason,
        "detail": run.detail,
        "remedy": remedy_of(run),
        "request": request_of(run) if RunDocument.REQUEST in documents else None,
        "plan": plan_of(run) if RunDocument.PLAN in documents else None,
        "policy": policy_of(run) if RunDocument.POLICY in documents else None,
        "result": result_of(run) if RunDocument.RESULT in documents else None,
    }
