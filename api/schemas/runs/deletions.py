"""Deletions on the wire: runs that delete files or history, from their announcement to their end."""

from enum import StrEnum
from typing import Final, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, JsonObject, Listed
from api.schemas.runs.figures import DeletionAcknowledgement
from api.schemas.runs.requests import AnnouncedDeletion, DeletingRequest, DeletionBounds, request_of
from api.schemas.runs.results import DeletingResult, RunResult, result_of
from engine.domain.runs import run as domain
from engine.domain.runs.operations import OPERATIONS
from engine.domain.runs.run import LEASED_STATES, Operation, RunState, WaitingFor
from engine.domain.tables.addresses import written_address

_RUN_ID = "run_01jd2m6v8n4q0x7y3k5r9t1wbz"
_EXAMPLE: JsonObject = {
    "id": _RUN_ID,
    "state": "pending",
    "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz",
    "table": "lake.sales.orders",
    "operation": "expire_snapshots",
    "setting": "maintenance.expire_snapshots",
    "bounds": {"older_than": 432000, "keep_last": 10, "delete_files": True},
    "summary": "66 snapshots of 78 can expire (older than 5 d, except the 10 newest of each branch)",
    "requested_by": "coordinator",
    "announced_at": "2026-11-27T14:00:00Z",
    "starts_at": "2026-11-28T14:00:00Z",
    "undo_until": "2026-11-28T14:00:00Z",
    "waiting_for": "grace",
    "acknowledgement": None,
    "ended_at": None,
    "ended_by": None,
    "result": {"operation": "expire_snapshots"},
}


class DeletionState(StrEnum):
    """State of a deletion."""

    PENDING = "pending"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNDONE = "undone"


RUN_STATES: Final = {
    DeletionState.PENDING: frozenset({RunState.QUEUED}),
    DeletionState.RUNNING: LEASED_STATES,
    DeletionState.DONE: frozenset({RunState.SUCCEEDED, RunState.SKIPPED}),
    DeletionState.FAILED: frozenset({RunState.REFUSED, RunState.FAILED}),
    DeletionState.UNDONE: frozenset({RunState.CANCELLED}),
}
"""State of a deletion → states of its run."""


class Deletion(Answer):
    """A run that deletes files or history. Until `undo_until` it can be undone with nothing deleted."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    id: str = Field(description="Id of the deletion and of its run: GET /v1/runs/{id} shows more.", examples=[_RUN_ID])
    state: DeletionState = Field(
        description="`pending`: nothing is deleted yet; `undone`: it was undone or cancelled, and may have deleted "
        "something before."
    )
    table_id: str = Field(description="Id of the table.")
    table: str | None = Field(description="Address of the table; null: its registration was deleted.")
    operation: Operation = Field(description="Operation of the run.")
    setting: str | None = Field(description="The setting that allows it; null for a purge.")
    bounds: DeletionBounds = Field(description="What bounds it, as announced.")
    summary: str = Field(description="What it would have deleted when it was announced, in words.")
    requested_by: str = Field(description="Caller who submitted it; `coordinator` for an automatic deletion.")
    announced_at: Instant = Field(description="Time of its announcement.")
    starts_at: Instant | None = Field(description="End of its grace; null: it had none.")
    undo_until: Instant | None = Field(
        description="Until when it can be undone with nothing deleted; null: it has started or ended, or waits for an "
        "acknowledgement, until which it can be undone as well. One at work can still be stopped."
    )
    waiting_for: WaitingFor | None = Field(
        description="Reason why a pending one has not started: `grace`, `acknowledgement`, or a later one."
    )
    acknowledgement: DeletionAcknowledgement | None = Field(
        description="Why it waits for an acknowledgement, or who gave it; null: it needed none once it was planned."
    )
    ended_at: Instant | None = Field(description="Time at which it ended; null: not yet.")
    ended_by: str | None = Field(description="Caller who undid or cancelled it; null: it was neither.")
    result: RunResult = Field(
        description="Figures so far, such as `expired_snapshots`, `deleted_files` and `deleted_bytes`; the list of the "
        "files is under /v1/runs/{id}/deleted-files."
    )

    @classmethod
    def from_domain(cls, run: domain.Run) -> Self:
        """Return the wire form."""
        request, result = request_of(run), result_of(run)
        found = request.announced if isinstance(request, DeletingRequest) else None
        announced = AnnouncedDeletion() if found is None else found
        return cls(
            id=run.id,
            state=next(state for state, states in RUN_STATES.items() if run.state in states),
            table_id=run.table_id,
            table=None if run.ref is None else written_address(run.ref),
            operation=run.operation,
            setting=OPERATIONS[run.operation].setting or None,
            bounds={} if announced.rule is None else announced.rule.bounds,
            summary=announced.summary,
            requested_by=run.requested_by,
            announced_at=run.created_at,
            starts_at=announced.starts_at,
            undo_until=run.not_before if run.waiting_for is WaitingFor.GRACE else None,
            waiting_for=run.waiting_for,
            acknowledgement=result.acknowledgement if isinstance(result, DeletingResult) else None,
            ended_at=run.finished_at,
            ended_by=run.cancel_requested_by,
            result=result,
        )


class DeletionList(Listed[Deletion, domain.Run]):
    """Deletions, newest first."""
