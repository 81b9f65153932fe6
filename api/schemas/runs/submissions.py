"""Runs to submit: one model for each kind of operation, tagged by `operation`, with the fields that it has."""

from datetime import timedelta
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from api.schemas.common import Request
from api.schemas.runs.predicates import Partitions
from engine.domain.policies.documents.fields import lasting
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation, Priority
from engine.domain.tables.addresses import MOST_CHARACTERS, TABLE_PATTERN
from engine.domain.values.strict import Flag
from engine.domain.values.units import Duration

_TABLE_ID = "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
_ADDRESS = "lake.sales.orders"


class _Submission(Request):
    """A run to start."""

    table_id: str = Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        pattern=TABLE_PATTERN,
        examples=[_TABLE_ID, _ADDRESS],
        description="Id or address of the registered table.",
    )
    priority: Priority | None = Field(default=None, description="Absent: the priority of the table's policy.")
    allow_duplicate: Flag = Field(default=False, description="Start even if an equal run is live.")
    operation: Operation

    def request(self) -> RunRequest:
        """Return the request as the domain has it."""
        return RunRequest(self.operation)

    def grace_given(self) -> timedelta | None:
        """Return the requested time before the run starts; None: the usual one, or it deletes nothing."""
        return None


class RewriteSubmission(_Submission):
    """A rewrite of data files."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"table_id": _TABLE_ID, "operation": "rewrite"}]})

    operation: Literal[Operation.REWRITE]
    partitions: Partitions | None = None
    force_full: Flag = Field(
        default=False,
        description="Every file of the partitions is a candidate, including files of the right size; a file that would "
        "come out unchanged is still skipped.",
    )
    every_file: Flag = Field(
        default=False,
        description="As `force_full`, including files that would come out unchanged: they are rewritten with the "
        "current compression, encodings and row groups.",
    )
    include_cooling: Flag = Field(default=False, description="Include partitions that cool down after lost races.")

    def request(self) -> RunRequest:
        """Return the request as the domain has it."""
        return RunRequest(
            self.operation,
            self.partitions,
            self.force_full or self.every_file,
            include_cooling=self.include_cooling,
            every_file=self.every_file,
        )


class UpkeepSubmission(_Submission):
    """A rewrite of manifests or of delete files."""

    operation: Literal[Operation.REWRITE_MANIFESTS, Operation.REWRITE_DELETES]


class _Deleting(_Submission):
    """A run that deletes files or history."""

    grace: Annotated[Duration, lasting(least=0)] | None = Field(
        default=None,
        description="Time before it starts, in which it can be undone. Absent: 15 minutes; a shorter one needs the "
        "role admin.",
        examples=["15m"],
    )

    def grace_given(self) -> timedelta | None:
        """Return the requested grace; None: the usual one."""
        return None if self.grace is None else timedelta(seconds=self.grace)


class DeletionSubmission(_Deleting):
    """A deletion of files or history that the policy does not keep. It needs the acknowledgement of its preview."""

    operation: Literal[
        Operation.EXPIRE_SNAPSHOTS, Operation.REMOVE_ORPHANS, Operation.DELETE_OLD_COMPACTIONS, Operation.RECLAIM
    ]


class PurgePreview(_Deleting):
    """A purge to preview: it removes all history but the present state."""

    operation: Literal[Operation.PURGE]


class PurgeSubmission(PurgePreview):
    """A purge, confirmed by the hash of its preview and the address of the table."""

    plan_hash: str = Field(
        min_length=1,
        max_length=64,
        description="`details.plan_hash` of its preview, `POST /v1/runs/preview`.",
        examples=["5f0c1a7e9b3d4c21"],
    )
    confirm: str = Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        description="The address of the table, as typed by a person.",
        examples=[_ADDRESS],
    )

    def request(self) -> RunRequest:
        """Return the request as the domain has it."""
        return RunRequest(self.operation, plan_hash=self.plan_hash, confirm=self.confirm)


_Tagged = Field(discriminator="operation", examples=[{"table_id": _TABLE_ID, "operation": "rewrite"}])
RunSubmission = Annotated[RewriteSubmission | UpkeepSubmission | DeletionSubmission | PurgeSubmission, _Tagged]
RunToPreview = Annotated[RewriteSubmission | UpkeepSubmission | DeletionSubmission | PurgePreview, _Tagged]
