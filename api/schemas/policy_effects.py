"""What a change of a policy would come to, on the wire."""

from typing import Any, Literal, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, JsonObject
from engine.domain.errors import FieldProblem
from engine.services import policy_effects as effects
from engine.services.policy_checks import Judged

_TABLE: JsonObject = {"id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz", "address": "lake.sales.orders"}
_CHANGE: JsonObject = {
    "setting": "rewrite.target_file_bytes",
    "before": 134217728,
    "before_origin": "default",
    "after": 268435456,
    "after_origin": "fleet",
}
_EXAMPLE: JsonObject = {
    "dry_run": True,
    "covered_count": 1200,
    "affected_count": 1,
    "affected_tables": [_TABLE],
    "change_count": 1,
    "changes": [{"table_count": 1, "example": _TABLE, "settings": [_CHANGE]}],
    "contradictions": [],
    "notes": [],
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

    @classmethod
    def from_domain(cls, problem: FieldProblem) -> Self:
        """Return the wire form."""
        return cls(pointer=problem.pointer, message=problem.message, hint=problem.hint)


class PolicyPreview(Answer):
    """What a change of a policy would come to. Nothing was written."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    dry_run: Literal[True]
    covered_count: int = Field(description="Tables that the policy covers.")
    affected_count: int = Field(description="Those of which at least one setting would change its value.")
    affected_tables: list[AffectedTable] = Field(description="The first hundred.")
    change_count: int = Field(description="Distinct changes.")
    changes: list[SharedChange] = Field(description="The hundred that most tables would see.")
    contradictions: list[Contradiction] = Field(
        description="What a deletion would leave in contradiction; anything else that contradicts itself is refused."
    )
    notes: list[str] = Field(description="What was not looked at, and settings without effect yet.")

    @classmethod
    def from_domain(cls, judged: Judged) -> Self:
        """Return the wire form."""
        effect = judged.effect
        return cls(
            dry_run=True,
            covered_count=effect.covered_count,
            affected_count=effect.affected_count,
            affected_tables=[_table(each) for each in effect.affected],
            change_count=effect.change_count,
            changes=[_shared(each) for each in effect.changes],
            contradictions=[Contradiction.from_domain(each) for each in effect.problems],
            notes=list(judged.notes),
        )


def _table(table: effects.TableAddress) -> AffectedTable:
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
