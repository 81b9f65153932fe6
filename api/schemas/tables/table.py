"""Registered tables on the wire, and what can be said of them: health, plan, history."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field

from api.schemas.common import (
    LABEL_KEYS,
    Answer,
    Instant,
    JsonObject,
    LabelKey,
    LabelValue,
    Listed,
    OwnerTeam,
    Partition,
    Request,
)
from api.schemas.fleet.limits import Pause
from api.schemas.policies.policy import EXAMPLE as POLICY_EXAMPLE
from api.schemas.runs.figures import Calibration, PlannedLater, Prediction, TimeEstimate
from api.schemas.runs.plans import RunPlan, plan_of
from api.schemas.runs.predicates import Partitions
from api.schemas.runs.results import RunResult, result_of
from api.schemas.tables.due import DueState
from engine.domain.policies import PolicyDocument
from engine.domain.runs import run as domain_runs
from engine.domain.runs.requests import RunRequest
from engine.domain.runs.run import Operation
from engine.domain.tables import table as domain
from engine.domain.tables.table import MAX_LABELS, TableRef
from engine.domain.values.strict import Flag, OneLine
from engine.services.catalogs.names import CATALOG_NAME, MAX_NAME_CHARACTERS, TABLE_NAME

_TABLE_ID = "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz"
_ADDRESS: JsonObject = {"catalog": "lake", "namespace": ["sales"], "name": "orders"}


_Name = Annotated[
    str, Field(json_schema_extra={"minLength": 1, "maxLength": MAX_NAME_CHARACTERS, "pattern": TABLE_NAME})
]


class TableRegister(Request):
    """A table to register, by its address in a catalog."""

    model_config = ConfigDict(json_schema_extra={"examples": [_ADDRESS | {"owner_team": "sales"}]})

    catalog: str = Field(examples=["lake"], max_length=64, json_schema_extra={"pattern": CATALOG_NAME})
    namespace: list[_Name] = Field(
        description="Levels of the namespace, outer first.", max_length=16, json_schema_extra={"minItems": 1}
    )
    name: _Name = Field(examples=["orders"])
    owner_team: OwnerTeam | None = Field(default=None, description="Team that owns the table.")
    labels: dict[LabelKey, LabelValue] = Field(
        default={}, description="Free labels; a key has no colon.", max_length=MAX_LABELS, json_schema_extra=LABEL_KEYS
    )

    paused: Flag = Field(default=False, description="Pause it: no run of it starts until it is resumed.")

    def ref(self) -> TableRef:
        """Return the address."""
        return TableRef(self.catalog, tuple(self.namespace), self.name)


class TableUpdate(Request):
    """Changes of a table, as a JSON merge patch: an absent field stays, null removes a value."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"owner_team": "sales", "labels": {"tier": "gold", "old": None}}]}
    )

    owner_team: OwnerTeam | None = Field(default=None, description="Null: the table has no team any more.")
    labels: Annotated[dict[LabelKey, LabelValue | None], Field(json_schema_extra=LABEL_KEYS)] | None = Field(
        default_factory=dict,
        description="Labels to set, or to remove by null; null instead of an object removes all labels.",
        max_length=100,
    )

    def to_domain(self) -> domain.TableUpdate:
        """Return the change."""
        return domain.TableUpdate("owner_team" in self.model_fields_set, self.owner_team, self.labels)


class Freeze(Answer):
    """A failed proof that could not be rolled back: no run of the table starts until it is unfrozen."""

    frozen_at: Instant
    run_id: str = Field(description="The run whose snapshot failed its proof.")
    snapshot_id: str = Field(description="The snapshot that failed its proof.", examples=["5781947118336215154"])
    parent_snapshot_id: str | None = Field(
        description="The snapshot before it, kept from expiry by a tag. Null when it had expired."
    )
    reason: str = Field(description="The failed check, why nothing was rolled back, and the remedy.")

    @classmethod
    def from_domain(cls, freeze: domain.Freeze) -> Self:
        """Return the wire form."""
        parent = None if freeze.parent_id is None else str(freeze.parent_id)
        return cls(
            frozen_at=freeze.at,
            run_id=freeze.run_id,
            snapshot_id=str(freeze.snapshot_id),
            parent_snapshot_id=parent,
            reason=freeze.reason,
        )


class UnfreezeRequest(Request):
    """The end of a freeze."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "rolled back, and appended the rest again"}]})

    reason: OneLine = Field(min_length=1, max_length=500, description="Findings and actions; kept in the audit log.")


class Table(Answer):
    """A registered table."""

    id: str = Field(examples=[_TABLE_ID])
    catalog: str
    namespace: list[str]
    name: str
    uuid: str = Field(description="The table's own identity when it was registered.")
    location: str
    owner_team: str | None
    labels: dict[str, str]
    created_at: Instant
    version: int = Field(description="Grows with each change of team or labels; the ETag is this in quotes.")
    pause: Pause | None = Field(description="Null unless the table is paused.")
    freeze: Freeze | None = Field(description="Null unless a failed proof froze the table.")

    @classmethod
    def from_domain(cls, table: domain.Table) -> Self:
        """Return the wire form."""
        return cls(
            id=table.id,
            catalog=table.ref.catalog,
            namespace=list(table.ref.namespace),
            name=table.ref.name,
            uuid=table.uuid,
            location=table.location,
            owner_team=table.owner_team,
            labels=dict(table.labels),
            created_at=table.created_at,
            version=table.version,
            pause=None if table.pause is None else Pause.from_domain(table.pause),
            freeze=None if table.freeze is None else Freeze.from_domain(table.freeze),
        )


class TableList(Listed[Table, domain.Table]):
    """Tables, newest registration first."""


class PlanRequest(Request):
    """Settings of a plan."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"policy": POLICY_EXAMPLE}]})

    policy: PolicyDocument | None = Field(default=None, description="Tried instead of the table's stored policy.")
    partitions: Partitions | None = None
    force_full: Flag = Field(default=False, description="Also files of the right size.")
    every_file: Flag = Field(
        default=False, description="As `force_full`, including files that are merged with no other."
    )
    include_cooling: Flag = Field(default=False, description="Include partitions that cool down after lost races.")

    def request(self) -> RunRequest:
        """Return what a run would be asked for."""
        return RunRequest(
            partitions=self.partitions,
            force_full=self.force_full or self.every_file,
            include_cooling=self.include_cooling,
            every_file=self.every_file,
        )


class Condition(Answer):
    """One condition of the rewrite; a condition that does not hold prevents the rewrite."""

    name: str
    holds: bool
    detail: str


class PlannedGroup(Answer):
    """A file group that a run would rewrite."""

    ordinal: int
    spec_id: int
    partition: Partition
    input_files: int
    input_bytes: int
    input_rows: int
    predicted_outputs: int


class SkippedPartition(Answer):
    """A partition that is left alone."""

    partition: Partition
    spec_id: int
    files: int
    bytes: int
    reason: str = Field(examples=["as_good_as_it_gets"])
    until: Instant | None = Field(description="Time at which the reason ends, for `cooling_down`; null: not known.")


class TablePlan(Answer):
    """Plan of a rewrite that starts now. Nothing was changed."""

    table_id: str
    operation: Literal[Operation.REWRITE] = Field(description="The operation that is planned.")
    enabled: bool
    eligible: bool = Field(description="True when every condition holds.")
    conditions: list[Condition]
    due: DueState = Field(description="By the rules of the policy; a run by request needs none of them.")
    base_snapshot_id: str | None
    schema_id: int
    plan_hash: str = Field(description="The same on the same snapshot and policy.")
    prediction: Prediction
    calibration: Calibration
    time_estimate: TimeEstimate = Field(description="Measurements from which its time was predicted.")
    groups_total: int
    deferred_groups: int = Field(
        description="File groups that are left for later: they exceed the rest of `limits.bytes_per_day`."
    )
    shrunk_partitions: int = Field(description="Partitions with smaller groups than the policy's, after lost races.")
    unordered_files: int | None = Field(
        description="Files that are not in the order that the policy requests. Null where it orders rows by no columns."
    )
    reordered_files: int = Field(description="Files in groups that are candidates only because of the order.")
    moved_files: int = Field(
        description="Files in groups whose rows move to the partitions of the current spec; they may become more files "
        "than predicted."
    )
    later: PlannedLater
    groups: list[PlannedGroup] = Field(description="The first thousand.")
    skipped_total: int
    skipped: list[SkippedPartition] = Field(description="The first thousand.")

    @classmethod
    def from_domain(cls, plan: Mapping[str, Any]) -> Self:
        """Return the wire form."""
        return cls.model_validate({**plan, "operation": Operation.REWRITE})


class HistoryEntry(Answer):
    """A run that changed the table."""

    id: str = Field(description="The run.")
    operation: domain_runs.Operation
    state: domain_runs.RunState
    requested_by: str
    started_at: Instant | None
    finished_at: Instant | None
    snapshot_ids: list[str] = Field(description="Snapshots of the run, oldest first.")
    plan: RunPlan
    result: RunResult = Field(
        description="Measured figures, to compare with the prediction, and the proof of each snapshot."
    )

    @classmethod
    def from_domain(cls, run: domain_runs.Run) -> Self:
        """Return the wire form."""
        result = result_of(run)
        return cls(
            id=run.id,
            operation=run.operation,
            state=run.state,
            requested_by=run.requested_by,
            started_at=run.started_at,
            finished_at=run.finished_at,
            snapshot_ids=getattr(result, "snapshot_ids", []),
            plan=plan_of(run),
            result=result,
        )


class TableHistory(Listed[HistoryEntry, domain_runs.Run]):
    """Runs that changed the table, newest first."""
