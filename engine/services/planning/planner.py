"""The plan of a rewrite on an open table: the same for runs, dry runs, explain and the coordinator.

All of them plan with the table's engine and with the statistics of earlier runs; their predictions differ only where
the requested files, the table or the statistics do. Reads manifests and packs files: call in a thread.
"""

from collections.abc import Collection
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from engine.domain.runs.hot_partitions import HotPartitions, Place
from engine.domain.runs.plans import Plan
from engine.domain.runs.requests import RunRequest
from engine.formats.base import Engine
from engine.planning.due.evaluations import Evaluation
from engine.planning.plans.file_groups import make_plan
from engine.planning.plans.groupings import MergedRuns
from engine.planning.predictions.run_statistics import RunStatistics
from engine.services.planning.due_partitions import DueFiles, due_files
from engine.services.planning.engines import EngineChoice
from engine.services.planning.orders import order_keys, planned_order
from engine.services.planning.selections import selected_files


@dataclass(frozen=True, slots=True)
class DuePlan:
    """The plan of an automatic run; `full`: due by settings of `rewrite.full`, otherwise by triggers."""

    plan: Plan
    full: bool


def plan_run(
    chosen: EngineChoice,
    request: RunRequest,
    known: RunStatistics,
    hot: HotPartitions,
    *,
    due: Evaluation | None = None,
    begun: AbstractSet[Place] = frozenset(),
    begun_for_order: bool = False,
    done: Collection[str] = (),
) -> Plan:
    """Plan the rewrite of the files that a request names, on the head snapshot.

    Args:
        chosen: the engine, the table, and the policy.
        request: its partitions and kind; `only_due` needs `due`.
        known: statistics of earlier runs, for predictions.
        hot: partitions that lost races to other writers.
        due: the table's present evaluation, to plan due partitions only; None: all that the request names.
        begun: partitions to plan whether they are due or not: earlier attempts of the run began them.
        begun_for_order: earlier attempts of the run rewrote files only to put their rows into the order.
        done: paths of files to leave out: earlier attempts of the run rewrote or wrote them.

    Raises:
        InvalidInput: the request's predicate does not fit the table.
    """
    table, order = chosen.table, planned_order(chosen.table, chosen.policy)
    traits, is_native = chosen.traits, chosen.traits.name is Engine.NATIVE
    digest = chosen.engine.digest()
    found = DueFiles(selected_files(table, digest, request))
    if due is not None:
        found = due_files(
            digest, found.digest, due, full=request.force_full, order=order, also=begun, also_reordered=begun_for_order
        )
    plan = make_plan(
        _without(found.digest, done),
        policy=chosen.policy,
        base_snapshot_id=table.head_snapshot_id,
        schema_id=table.schema_id,
        inputs_of=table.group_inputs,
        known=known,
        columns=len(table.column_names()),
        grouping=traits.grouping,
        native_lanes=traits.at_once or chosen.policy.parallel_groups if is_native else None,
        full=request.force_full,
        every_file=request.every_file,
        hot=hot,
        order=order,
        reordered=found.reordered,
        keys_of=order_keys(table, order),
        output_spec_id=_output_spec(chosen),
        committed_at_ms=table.figures().committed_at_ms.values() if isinstance(traits.grouping, MergedRuns) else (),
    )
    return found.add_to(plan)


def plan_due(chosen: EngineChoice, evaluation: Evaluation, known: RunStatistics, hot: HotPartitions) -> DuePlan | None:
    """Return the plan of an automatic run that begins now, None when no rule is due.

    Full rewrites come first, each kind in its own run: partitions due by triggers are not rewritten in full.
    """
    if not evaluation.is_due:
        return None
    if evaluation.wants_full:
        full = plan_run(chosen, RunRequest(force_full=True, only_due=True), known, hot, due=evaluation)
        if full.groups:
            return DuePlan(full, full=True)
    return DuePlan(plan_run(chosen, RunRequest(only_due=True), known, hot, due=evaluation), full=False)


def _output_spec(chosen: EngineChoice) -> int | None:
    """Return the partition spec to which files of other specs move; None if they stay.

    The table format's procedure is only called for tables without files of other specs.
    """
    moves = chosen.policy.moves_to_current_spec and chosen.traits.name is not Engine.NATIVE
    return chosen.table.current_spec_id if moves else None


def _without(digest: pa.Table, paths: Collection[str]) -> pa.Table:
    if not paths:
        return digest
    return digest.filter(pc.invert(pc.is_in(digest["path"], value_set=pa.array(paths, pa.string()))))
