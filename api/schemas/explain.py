"""The explanation of a table on the wire: why it did or did not run, and what a run would do now."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field

from api.schemas.common import Answer
from api.schemas.policies import Setting
from api.schemas.runs import Run
from api.schemas.tables import Condition, Prediction


class RunNow(Answer):
    """What a run would come to now. `unknown`: the catalog does not answer, `detail` says why."""

    outcome: Literal["rewrite", "nothing_to_do", "refused", "disabled", "unknown"]
    detail: str | None = None
    base_snapshot_id: str | None = None
    schema_id: int | None = None
    plan_hash: str | None = None
    prediction: Prediction | None = None
    groups_total: int | None = None
    skipped_total: int | None = None
    skipped_reasons: dict[str, int] = Field(default={}, description="Skipped partitions by reason.")


class Explanation(Answer):
    """Why a table did or did not run, and what a run would do now."""

    table_id: str
    table: str = Field(examples=["lake.sales.orders"])
    summary: list[str] = Field(description="The answer in sentences.")
    settings: dict[str, Setting]
    eligible: bool | None = Field(description="Null while the catalog does not answer.")
    conditions: list[Condition]
    live_run: Run | None
    last_run: Run | None
    now: RunNow

    @classmethod
    def from_domain(cls, explanation: Mapping[str, Any]) -> Self:
        """Return the wire form."""
        live, last = explanation["live_run"], explanation["last_run"]
        return cls.model_validate(
            {
                **explanation,
                "live_run": None if live is None else Run.from_domain(live),
                "last_run": None if last is None else Run.from_domain(last),
            }
        )
