"""The declared operations on the wire."""

from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, JsonObject
from engine.domain.access.callers import Role
from engine.domain.runs.operations import DeletionKind, OperationDeclaration
from engine.domain.runs.run import Operation

_EXPIRE: JsonObject = {
    "operation": "expire_snapshots",
    "title": "Expire snapshots",
    "summary": "Removes old snapshots, and with `delete_files` the files that only they need.",
    "needs": ["catalog", "storage"],
    "setting": "maintenance.expire_snapshots",
    "example": {"older_than": "5d", "keep_last": 10},
    "deletes": "history",
    "lists_files": True,
    "caller_role": "operator",
    "needs_confirmation": False,
}


class DeclaredOperation(Answer):
    """What an operation does, needs and deletes. `GET /v1/formats` says for tables of which formats it is possible."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXPIRE]})

    operation: Operation
    title: str = Field(description="Its name for people.")
    summary: str = Field(description="What a run of it does.")
    needs: list[Literal["catalog", "spark", "storage"]] = Field(
        description="Dependencies without which its runs do not start."
    )
    setting: str | None = Field(description="Setting of the policy that switches it on; null: it needs none.")
    example: dict[str, Any] | None = Field(description="A value of the setting; null without a setting.")
    deletes: DeletionKind | None = Field(
        description="`history`: snapshots, and files that only they need; `files`: files that nothing needs; null: "
        "nothing. Runs that delete are announced, and their policies acknowledged."
    )
    lists_files: bool = Field(
        description="Whether `GET /v1/tables/{table_id}/upkeep/{operation}/files` lists what it would delete."
    )
    caller_role: Role = Field(description="The least role that may request it.")
    needs_confirmation: bool = Field(
        description="Whether a request repeats the `plan_hash` of its preview and the table's address in `confirm`."
    )

    @classmethod
    def from_domain(cls, declared: OperationDeclaration) -> Self:
        """Return the wire form."""
        return cls(
            operation=declared.operation,
            title=declared.title,
            summary=declared.summary,
            needs=sorted(each.value for each in declared.needs),
            setting=declared.setting or None,
            example=dict(declared.example) or None,
            deletes=declared.deletes,
            lists_files=declared.lists_files,
            caller_role=declared.caller_role,
            needs_confirmation=declared.needs_confirmation,
        )


class OperationList(Answer):
    """Every operation, in the order in which they run when several are due."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"items": [_EXPIRE]}]})

    items: list[DeclaredOperation]

    @classmethod
    def of(cls, declared: Iterable[OperationDeclaration]) -> Self:
        """Return the wire form."""
        return cls(items=[DeclaredOperation.from_domain(each) for each in declared])
