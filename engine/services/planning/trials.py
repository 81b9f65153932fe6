"""Trial of a rewrite for dry runs and explain: conditions and plan, read-only.

Reads manifests and packs files: call in a thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.runs.plans import FileGroup, Plan
from engine.domain.runs.requests import RunRequest
from engine.formats.base import Condition, OpenTable
from engine.planning.predictions.run_statistics import RunStatistics
from engine.services.planning.engines import choose_engine
from engine.services.planning.planner import plan_run

MAX_GROUPS_SHOWN: Final = 1000
EVERYTHING: Final = RunRequest()


@dataclass(frozen=True, slots=True)
class Trial:
    """The conditions of a rewrite on the table, and the plan that a run would begin with."""

    conditions: Sequence[Condition]
    plan: Plan

    @property
    def is_eligible(self) -> bool:
        """Whether every condition holds."""
        return all(condition.holds for condition in self.conditions)


def try_plan(
    opened: OpenTable,
    policy: EffectivePolicy,
    known: RunStatistics,
    request: RunRequest = EVERYTHING,
    hot: HotPartitions = NONE_HOT,
) -> Trial:
    """Check the conditions and plan on the head snapshot; predictions use the statistics of earlier runs.

    Raises:
        InvalidInput: the request's predicate does not fit the table.
    """
    chosen = choose_engine(opened, policy)
    plan = plan_run(chosen, request, known, hot.without_cool_down() if request.include_cooling else hot)
    return Trial(chosen.conditions, plan)


def plan_document(plan: Plan, deferred: int) -> dict[str, Any]:
    """Return a plan as JSON-ready values, without file lists and with the first 1,000 groups.

    `deferred`: number of groups that the daily budget defers.
    """
    return {
        "base_snapshot_id": None if plan.base_snapshot_id is None else str(plan.base_snapshot_id),
        "schema_id": plan.schema_id,
        "plan_hash": plan.digest(),
        "prediction": asdict(plan.prediction),
        "calibration": asdict(plan.calibration),
        "time_estimate": plan.time.document(),
        "groups_total": len(plan.groups),
        "deferred_groups": deferred,
        "shrunk_partitions": plan.shrunk_partitions,
        "unordered_files": plan.unordered_files,
        "reordered_files": plan.reordered_files,
        "moved_files": plan.moved_files,
        "later": asdict(plan.later),
        "groups": [_group_document(group) for group in plan.groups[:MAX_GROUPS_SHOWN]],
        "skipped_total": plan.skipped_total,
        "skipped": [asdict(partition) for partition in plan.skipped],
    }


def _group_document(group: FileGroup) -> Mapping[str, Any]:
    return {
        "ordinal": group.ordinal,
        "spec_id": group.spec_id,
        "partition": group.partition,
        "input_files": len(group.inputs),
        "input_bytes": group.input_bytes,
        "input_rows": group.input_rows,
        "predicted_outputs": group.predicted_outputs,
    }
