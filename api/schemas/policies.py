"""Policies on the wire. The document itself is the domain's: one definition of every setting."""

from typing import Any, Self

from pydantic import ConfigDict, Field

from api.schemas.common import Answer, Instant, JsonObject
from engine.domain.policies import EffectivePolicy as DomainEffectivePolicy
from engine.domain.policies import PolicyDocument, StoredPolicy

EXAMPLE: JsonObject = {
    "rewrite": {"target_file_bytes": "128MiB"},
    "limits": {"bandwidth": "50MB", "parallel_groups": 2},
}


class TablePolicy(Answer):
    """A table's own policy as stored. Sizes are answered in bytes, rates in bytes per second."""

    table_id: str
    version: int = Field(description="Grows with each write; the ETag is this in quotes.")
    updated_at: Instant
    updated_by: str
    policy: PolicyDocument = Field(description="The fields that are set; all others are inherited.")

    @classmethod
    def from_domain(cls, table_id: str, stored: StoredPolicy) -> Self:
        """Return the wire form."""
        return cls(
            table_id=table_id,
            version=stored.version,
            updated_at=stored.updated_at,
            updated_by=stored.updated_by,
            policy=stored.document,
        )


class Setting(Answer):
    """One effective setting."""

    value: Any = Field(description="Bytes, a count, a share, a word: as the policy has it.")
    origin: str = Field(description="`default`, `table property`, `derived` or `table`.")


class EffectivePolicy(Answer):
    """Every setting that holds for a table, by dotted name, with where it came from."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "table_id": "tbl_01jd2m6v8n4q0x7y3k5r9t1wbz",
                    "settings": {"rewrite.target_file_bytes": {"value": 134217728, "origin": "default"}},
                }
            ]
        }
    )

    table_id: str
    settings: dict[str, Setting]

    @classmethod
    def from_domain(cls, table_id: str, policy: DomainEffectivePolicy) -> Self:
        """Return the wire form."""
        settings = {
            name: Setting(value=value, origin=policy.origins[name]) for name, value in sorted(policy.values.items())
        }
        return cls(table_id=table_id, settings=settings)
