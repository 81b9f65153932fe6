"""Dry runs of operations besides rewriting on the wire."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field

from api.schemas.common import Answer, Instant
from api.schemas.policies.effects import Deletions
from api.schemas.runs.plans import RunPlan, read_plan
from engine.domain.runs.run import Operation
from engine.services.policies.acknowledgements import DeletionPreview


class UpkeepPlan(Answer):
    """Effect of a run of an operation besides `rewrite` now. Nothing was changed."""

    table_id: str
    operation: Literal[
        Operation.REWRITE_MANIFESTS,
        Operation.REWRITE_DELETES,
        Operation.EXPIRE_SNAPSHOTS,
        Operation.REMOVE_ORPHANS,
        Operation.DELETE_OLD_COMPACTIONS,
        Operation.RECLAIM,
        Operation.PURGE,
    ] = Field(description="The operation that is planned.")
    setting: str | None = Field(
        description="The setting that switches it on; null for a purge, which has none.",
        examples=["maintenance.expire_snapshots"],
    )
    enabled: bool
    count: int = Field(
        description="Number of things that it would change: manifests or delete files of a rewrite of "
        "them, snapshots of an expiry."
    )
    summary: str = Field(description="The same in words.")
    next_at: Instant | None = Field(
        description="Time from which there is more to do if nothing more is written; null: not without further writes."
    )
    details: RunPlan = Field(
        description="The plan, as a run would store it; one that deletes files also has the `removal`, as far as they "
        "can be found without a run."
    )
    deletions: Deletions | None = Field(
        description="What it would delete, with the token to submit it with; null: it needs no acknowledgement."
    )

    @classmethod
    def from_domain(cls, plan: Mapping[str, Any], deletions: DeletionPreview | None) -> Self:
        """Return the wire form."""
        shown = None if deletions is None else Deletions.from_domain(deletions)
        details = read_plan(plan["operation"], plan["details"])
        return cls.model_validate({**plan, "details": details, "deletions": shown})
