"""All operations of a table's upkeep on the wire."""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field

from api.schemas.common import Answer, Instant
from api.schemas.tables.explanation import UpkeepFields
from api.schemas.tables.health import MetadataHealth
from engine.domain.runs.run import RunState


class LastUpkeep(Answer):
    """The newest run of an operation, live or ended."""

    id: str = Field(description="The run's id.", examples=["run_01jd2m6v8n4q0x7y3k5r9t1wbz"])
    state: RunState = Field(description="State of the run.")
    reason: str | None = Field(description="Code of the reason why it ended or waits.")
    detail: str | None = Field(description="The result or the reason in words.")
    created_at: Instant = Field(description="Time of its submission.")
    finished_at: Instant | None = Field(description="Time at which it ended.")


class UpkeepOperation(UpkeepFields):
    """An operation besides `rewrite`: its setting, the effect of a run now, and the newest run."""

    is_on: bool = Field(description="Whether the policy has it switched on.")
    value: Any = Field(description="Value of the setting, as policies write it; `off`: switched off.", examples=["off"])
    origin: str = Field(description="Layer that sets it.", examples=["default"])
    assumed: Any = Field(
        description="Value of the setting with which an operation that is off was judged; null if it is on.",
        examples=[{"older_than": "5d", "keep_last": 10}],
    )
    count: int = Field(description="Number of manifests, delete files or snapshots that a run would change now.")
    superseded_bytes: int = Field(
        description="Upper bound of the bytes of files that only the snapshots to remove need; 0 without any."
    )
    last_run: LastUpkeep | None = Field(description="Null: there was none.")


class TableUpkeep(Answer):
    """Upkeep of a table besides rewriting. Nothing was changed."""

    table_id: str
    measured_at: Instant
    snapshot_id: str | None
    enabled: bool = Field(description="False: the policy has `enabled: false`, so no run starts.")
    metadata: MetadataHealth = Field(description="Size of the metadata and of the history.")
    operations: list[UpkeepOperation] = Field(
        description="Every operation that a policy can switch on, in the order in which they run. One that is off is "
        "never due, and shows its effect with the value `assumed`."
    )

    @classmethod
    def from_domain(cls, overview: Mapping[str, Any]) -> Self:
        """Return the wire form."""
        return cls.model_validate({**overview, "metadata": MetadataHealth.from_domain(overview["metadata"])})
