"""Wire models of the effect of a change of a policy."""

from typing import Any, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, JsonObject, Partition
from api.schemas.remedies import Remedy
from engine.domain.errors import FieldProblem
from engine.services.policies import due as domain_due
from engine.services.policies import effects
from engine.services.policies.acknowledgements import DeletionPreview
from engine.services.policies.checks import Judged

_TABLE: JsonObject = {"id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz", "address": "lake.sales.orders"}
_PARTITION: JsonObject = {"values": {"day": "2026-11-01"}, "text": "day=2026-11-01"}
_CHANGE: JsonObject = {
    "setting": "rewrite.target_file_bytes",
    "before": 134217728,
    "before_origin": "default",
    "after": 268435456,
    "after_origin": "fleet",
}
_EXAMPLE: JsonObject = {
    "covered_count": 1200,
    "affected_count": 1,
    "affected_tables": [_TABLE],
    "change_count": 1,
    "changes": [{"table_count": 1, "example": _TABLE, "settings": [_CHANGE]}],
    "due": {
        "count": 1,
        "tables": [_TABLE | {"rule": "many small files", "partition": _PARTITION}],
        "never_measured_count": 0,
        "never_measured": [],
        "untold_count": 0,
    },
    "deletions": None,
    "contradictions": [],
    "notes": [],
}
_DELETIONS: JsonObject = {
    "table_count": 1,
    "snapshots": 66,
    "files": 189,
    "bytes": 40802189312,
    "complete": True,
    "by_table": [
        _TABLE
        | {
            "settings": ["maintenance.expire_snapshots"],
            "snapshots": 66,
            "files": 189,
            "bytes": 40802189312,
            "removed_until": "2026-11-20T14:00:00Z",
            "complete": True,
        }
    ],
    "acknowledge": "WyI1ZjBjIix7fV0.aRbXyg.0f3K",
}


class AffectedTable(Answer):
    """A table of which settings would change."""

    id: str
    address: str = Field(examples=["lake.sales.orders"])


class SettingChange(Answer):
    """One setting that would change, with where it comes from before and after."""

    setting: str = Field(description="Dotted name.")
    before: Any
    before_origin: str
    after: Any
    after_origin: str


class SharedChange(Answer):
    """Settings that would change alike for some tables."""

    table_count: int
    example: AffectedTable
    settings: list[SettingChange]


class Contradiction(Answer):
    """Settings that would contradict one another."""

    pointer: str
    message: str
    hint: str | None
    remedy: Remedy | None = Field(description="The operation that the hint names, if it names one.")

    @classmethod
    def from_domain(cls, problem: FieldProblem) -> Self:
        """Return the wire form."""
        remedy = None if problem.remedy is None else Remedy.from_domain(problem.remedy)
        return cls(pointer=problem.pointer, message=problem.message, hint=problem.hint, remedy=remedy)


class DueTable(Answer):
    """A table that would become due."""

    id: str
    address: str = Field(examples=["lake.sales.orders"])
    rule: str = Field(description="The trigger that holds.", examples=["many small files"])
    partition: Partition = Field(description="A partition for which it holds.")


class DueTables(Answer):
    """Tables that would become due, by their last measurements; no table was read."""

    count: int
    tables: list[DueTable] = Field(description="The first hundred.")
    never_measured_count: int = Field(description="Affected tables that were never measured.")
    never_measured: list[AffectedTable] = Field(description="The first hundred; GET their health to measure them.")
    untold_count: int = Field(
        description="Affected tables for which the last measurement is not sufficient: their triggers ask for "
        "ages, deletes or other bounds of sizes; and those beyond the first ten thousand."
    )

    @classmethod
    def from_domain(cls, due: domain_due.DueTables) -> Self:
        """Return the wire form."""
        tables = [
            DueTable(
                id=each.table.id, address=each.table.address, rule=each.rule, partition=Partition.of(each.partition)
            )
            for each in due.tables
        ]
        return cls(
            count=due.count,
            tables=tables,
            never_measured_count=due.unmeasured_count,
            never_measured=[_table(each) for each in due.unmeasured],
            untold_count=due.untold_count,
        )


class TableDeletions(Answer):
    """What would be deleted of one table. Null: nothing of that amount is known."""

    id: str = Field(description="Id of the table; empty while it is not registered.")
    address: str = Field(description="Address of the table.", examples=["lake.sales.orders"])
    settings: list[str] = Field(description="The settings that delete, or delete more than before.")
    snapshots: int | None = Field(description="Snapshots that would be removed now.")
    files: int | None = Field(description="Files that would be deleted now.")
    bytes: int | None = Field(description="Bytes of these files, or an upper bound of them while `files` is null.")
    removed_until: Instant | None = Field(description="Commit time of the newest snapshot that would be removed.")
    complete: bool = Field(
        description="Whether these are all; files without a reference and replaced copies are found by a run only."
    )


class Deletions(Answer):
    """What the request would delete first, by the planners of runs. There is no way back."""

    model_config = ConfigDict(json_schema_extra={"examples": [_DELETIONS]})

    table_count: int = Field(description="Tables of which more would be deleted than before.")
    snapshots: int | None = Field(description="Sum of the known snapshots; null: none is known.")
    files: int | None = Field(description="Sum of the known files; null: none is known.")
    bytes: int | None = Field(description="Sum of the known bytes; null: none is known.")
    complete: bool = Field(description="False: more may be deleted, an amount is not known.")
    by_table: list[TableDeletions] = Field(description="The first hundred; amounts are read of the first twenty.")
    acknowledge: str = Field(description="Token to send as `acknowledge` with this request; valid for 15 minutes.")

    @classmethod
    def from_domain(cls, preview: DeletionPreview) -> Self:
        """Return the wire form."""
        return cls.model_validate(preview.document() | {"acknowledge": preview.acknowledge})


class PolicyPreview(Answer):
    """Effect that a change of a policy would have. Nothing was written."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    covered_count: int = Field(description="Tables that the policy covers.")
    affected_count: int = Field(description="Tables for which at least one setting would change its value.")
    affected_tables: list[AffectedTable] = Field(description="The first hundred.")
    change_count: int = Field(description="Distinct changes.")
    changes: list[SharedChange] = Field(description="The hundred changes that affect most tables.")
    due: DueTables = Field(description="Tables whose triggers would hold and did not before.")
    deletions: Deletions | None = Field(
        description="What would be deleted first; null: no more than before. Otherwise the change needs `acknowledge`."
    )
    contradictions: list[Contradiction] = Field(
        description="Contradictions that a deletion would leave; any other change with contradictions is refused."
    )
    notes: list[str] = Field(description="Notes, such as checks that were not made.")

    @classmethod
    def from_domain(cls, judged: Judged) -> Self:
        """Return the wire form."""
        effect = judged.effect
        return cls(
            covered_count=effect.covered_count,
            affected_count=effect.affected_count,
            affected_tables=[_table(each) for each in effect.affected],
            change_count=effect.change_count,
            changes=[_shared(each) for each in effect.changes],
            due=DueTables.from_domain(effect.due),
            deletions=None if judged.deletions is None else Deletions.from_domain(judged.deletions),
            contradictions=[Contradiction.from_domain(each) for each in effect.problems],
            notes=list(judged.notes),
        )


def _table(table: domain_due.TableAddress) -> AffectedTable:
    return AffectedTable(id=table.id, address=table.address)


def _shared(change: effects.SharedChange) -> SharedChange:
    settings = [
        SettingChange(
            setting=each.setting,
            before=each.before,
            before_origin=each.before_origin,
            after=each.after,
            after_origin=each.after_origin,
        )
        for each in change.settings
    ]
    return SharedChange(table_count=change.table_count, example=_table(change.example), settings=settings)
