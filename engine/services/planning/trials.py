"""Planning of rewrites: for a run, and as a read-only trial for dry runs and explain.

Reads manifests and packs files: call in a thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import pyarrow as pa

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.runs.plans import FileGroup, Plan
from engine.domain.runs.requests import RunRequest
from engine.formats.base import Condition, OpenTable
from engine.planning.plans.file_groups import make_plan
from engine.planning.predictions.run_statistics import RunStatistics
from engine.services.planning.engines import Chosen, Engine, choose_engine
from engine.services.planning.orders import order_keys, planned_order
from engine.services.planning.selections import selected_files

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
    digest = selected_files(chosen.table, request)
    return Trial(chosen.conditions, plan_files(chosen, digest, request, known, hot.let_in() if request.force else hot))


def plan_files(chosen: Chosen, digest: pa.Table, request: RunRequest, known: RunStatistics, hot: HotPartitions) -> Plan:
    """Plan the rewrite of a table's files with the chosen engine."""
    table, policy = chosen.table, chosen.policy
    order = planned_order(table, policy)
    return make_plan(
        digest,
        policy=policy,
        base_snapshot_id=table.head_snapshot_id,
        schema_id=table.schema_id,
        inputs_of=table.group_inputs,
        known=known,
        columns=len(table.column_names()),
        is_native=chosen.engine is Engine.NATIVE,
        full=request.force_full,
        every_file=request.every_file,
        hot=hot,
        order=order,
        keys_of=order_keys(table, order),
    )


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
