"""Plan of an automatic run: the partitions that the policy's rules make due at this moment.

Used by the coordinator to decide, by explain, and again by the run when it starts. Reads manifests: call in a thread.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

import pyarrow as pa

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions, Place
from engine.domain.runs.plans import Plan, SkippedPartition
from engine.formats.base import OpenTable
from engine.planning.due.evaluations import Evaluation, asks_overlap, evaluate_policy
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from engine.planning.measures.partitions import partition_files
from engine.planning.plans.file_groups import MAX_SKIPPED, make_plan
from engine.services.planning.orders import Orderable, order_keys, planned_order
from engine.stores.runs.histories import CommittedPartitions

NOT_DUE: Final = "not_due"


class Snapshot(Orderable, Protocol):
    """Methods of an open table that planning uses (`formats.base.OpenTable`)."""

    @property
    def head_snapshot_id(self) -> int | None:
        """Return the id of the head snapshot, None for an empty table."""

    @property
    def schema_id(self) -> int:
        """Return the id of the current schema."""

    def digest(self) -> pa.Table:
        """Return the table's live data files, in the schema `planning.measures.digest.FILE_DIGEST`."""

    def group_inputs(self, paths: Sequence[str]) -> Mapping[str, InputFile]:
        """Return the inputs by path."""


@dataclass(frozen=True, slots=True)
class DueFiles:
    """Files of the due partitions, in the schema `planning.measures.digest.FILE_DIGEST`, and the other partitions."""

    digest: pa.Table
    others: tuple[SkippedPartition, ...] = ()

    def add_to(self, plan: Plan) -> Plan:
        """Return a plan of the due files with the other partitions added as skipped."""
        skipped = (*plan.skipped, *self.others)[:MAX_SKIPPED]
        return replace(plan, skipped=skipped, skipped_total=plan.skipped_total + len(self.others))


@dataclass(frozen=True, slots=True)
class DuePlan:
    """The plan of an automatic run; `full`: due by settings of `rewrite.full`, otherwise by triggers."""

    plan: Plan
    full: bool


def evaluate_now(
    opened: OpenTable, policy: EffectivePolicy, rewritten: CommittedPartitions, now: datetime, hot: HotPartitions
) -> Evaluation:
    """Evaluate every rule of a policy on an open table."""
    figures = opened.figures()
    history = _history(rewritten, figures.committed_at_ms)
    order = planned_order(opened, policy)
    return evaluate_policy(
        opened.digest(),
        figures,
        history,
        policy,
        now_ms=_milliseconds(now),
        hot=hot,
        order=order,
        ranges=opened.order_ranges(order) if order is not None and asks_overlap(policy) else (),
    )


def due_files(
    opened: Snapshot,
    digest: pa.Table,
    evaluation: Evaluation,
    *,
    full: bool,
    also: AbstractSet[Place] = frozenset(),
) -> DueFiles:
    """Return the files in due partitions.

    Args:
        opened: the table that was evaluated.
        digest: files of the table to select from.
        evaluation: the table's present evaluation.
        full: select partitions due by settings of `rewrite.full`, otherwise those due by triggers.
        also: partitions to select whether they are due or not.
    """
    whole = partition_files(opened.digest())
    flags = evaluation.due_partitions(full=full).tolist()
    places = zip(whole.spec_ids.tolist(), whole.names, strict=True)
    due = {place for place, is_due in zip(places, flags, strict=True) if is_due} | also
    files = partition_files(digest)
    counts, sizes = files.count().tolist(), files.total(files.file_bytes).tolist()
    taken, others = [], []
    for at, place in enumerate(zip(files.spec_ids.tolist(), files.names, strict=True)):
        taken.append(place in due)
        if place not in due:
            others.append(SkippedPartition(place[1], place[0], counts[at], sizes[at], NOT_DUE))
    if all(taken):
        return DueFiles(digest)
    is_taken = pa.array(taken, pa.bool_()).take(pa.array(files.partition_of)) if taken else pa.array([], pa.bool_())
    return DueFiles(digest.filter(is_taken), tuple(sorted(others, key=lambda one: -one.files)))


def plan_due(
    opened: Snapshot, policy: EffectivePolicy, evaluation: Evaluation, hot: HotPartitions = NONE_HOT
) -> DuePlan | None:
    """Return the plan of an automatic run that begins now, None when no rule is due.

    Full rewrites come first, each kind in its own run: partitions due by triggers are not rewritten in full.
    """
    if not evaluation.is_due:
        return None
    if evaluation.wants_full and (full := _plan(opened, policy, evaluation, hot, full=True)).groups:
        return DuePlan(full, full=True)
    return DuePlan(_plan(opened, policy, evaluation, hot, full=False), full=False)


def _plan(opened: Snapshot, policy: EffectivePolicy, evaluation: Evaluation, hot: HotPartitions, *, full: bool) -> Plan:
    found = due_files(opened, opened.digest(), evaluation, full=full)
    order = planned_order(opened, policy)
    plan = make_plan(
        found.digest,
        policy=policy,
        base_snapshot_id=opened.head_snapshot_id,
        schema_id=opened.schema_id,
        inputs_of=opened.group_inputs,
        full=full,
        hot=hot,
        order=order,
        keys_of=order_keys(opened, order),
    )
    return found.add_to(plan)


def _history(rewritten: CommittedPartitions, committed_at_ms: Mapping[int, int]) -> RewriteHistory:
    """Return rewrites by the time of their snapshots, by which files are dated too; otherwise by the record's time."""
    return RewriteHistory(
        rewrites=[
            PartitionRewrite(
                each.spec_id,
                each.partition,
                committed_at_ms.get(each.snapshot_id, _milliseconds(each.recorded_at)),
                each.is_full,
            )
            for each in rewritten.partitions
        ],
        known_since_ms=None if rewritten.known_since is None else _milliseconds(rewritten.known_since),
    )


def _milliseconds(at: datetime) -> int:
    return round(at.timestamp() * 1000)
