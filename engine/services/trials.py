"""A trial: planning on the table's present state without doing anything; what dry runs and explain show.

Reads manifests and packs files: call in a thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from engine.domain.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.plans import FileGroup, Plan
from engine.domain.policies import EffectivePolicy
from engine.domain.run_requests import RunRequest
from engine.formats.base import Condition, OpenTable
from engine.planning.file_groups import make_plan
from engine.planning.run_statistics import RunStatistics
from engine.services.engines import Engine, choose_engine
from engine.services.orders import order_keys, planned_order
from engine.services.selections import selected_files

MAX_GROUPS_SHOWN: Final = 1000
EVERYTHING: Final = RunRequest()


@dataclass(frozen=True, slots=True)
class Trial:
    """The conditions of the rewrite on the table, and the plan that a run would begin with."""

    conditions: Sequence[Condition]
    plan: Plan

    @property
    def is_eligible(self) -> bool:
        """True when every condition holds."""
        return all(condition.holds for condition in self.conditions)


def try_plan(
    opened: OpenTable,
    policy: EffectivePolicy,
    known: RunStatistics,
    request: RunRequest = EVERYTHING,
    hot: HotPartitions = NONE_HOT,
) -> Trial:
    """Check the conditions and plan on the head snapshot; predictions go by what is known of earlier runs.

    Raises:
        InvalidInput: the request's predicate does not fit the table.
    """
    chosen = choose_engine(opened, policy)
    opened, policy = chosen.table, chosen.policy
    order = planned_order(opened, policy)
    plan = make_plan(
        selected_files(opened, request),
        policy=policy,
        base_snapshot_id=opened.head_snapshot_id,
        schema_id=opened.schema_id,
        inputs_of=opened.group_inputs,
        known=known,
        columns=len(opened.column_names()),
        is_native=chosen.engine is Engine.NATIVE,
        full=request.force_full,
        every_file=request.every_file,
        hot=hot.let_in() if request.force else hot,
        order=order,
        keys_of=order_keys(opened, order),
    )
    return Trial(chosen.conditions, plan)


def plan_document(plan: Plan, deferred: int) -> dict[str, Any]:
    """Return a plan as JSON-ready values, without file lists and with the first thousand groups.

    `deferred`: how many groups are left out of it for another day.
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
