"""Partitions that a policy's rules make due at this moment, and their files.

Used by the coordinator to decide, by explain, and again by the run when it starts. Reads manifests: call in a thread.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import pyarrow as pa

from engine.domain.runs.hot_partitions import HotPartitions, Place
from engine.domain.runs.plans import Plan, SkippedPartition
from engine.domain.tables.orders import RowOrdering
from engine.planning.due.evaluations import Evaluation, asks_overlap, evaluate_policy
from engine.planning.due.partition_decisions import NOT_DUE
from engine.planning.measures.ordered_files import are_unordered
from engine.planning.measures.partition_metrics import PartitionRewrite, RewriteHistory
from engine.planning.measures.partitions import Flags, partition_files
from engine.planning.plans.file_groups import MAX_SKIPPED
from engine.services.planning.engines import EngineChoice
from engine.services.planning.orders import planned_order
from engine.stores.runs.histories import CommittedPartitions


@dataclass(frozen=True, slots=True)
class DueFiles:
    """Files of the due partitions, in the schema `planning.measures.digest.FILE_DIGEST`, and the other partitions.

    `reordered`: partitions in which files that are not in the order are candidates; None: all partitions.
    `other_unordered_files`: files of the other partitions that are not in the order.
    """

    digest: pa.Table
    others: tuple[SkippedPartition, ...] = ()
    reordered: AbstractSet[Place] | None = None
    other_unordered_files: int = 0

    def add_to(self, plan: Plan) -> Plan:
        """Return a plan of the due files with the other partitions added as skipped."""
        skipped = (*plan.skipped, *self.others)[:MAX_SKIPPED]
        unordered = plan.unordered_files
        return replace(
            plan,
            skipped=skipped,
            skipped_total=plan.skipped_total + len(self.others),
            unordered_files=None if unordered is None else unordered + self.other_unordered_files,
        )


def evaluate_now(chosen: EngineChoice, rewritten: CommittedPartitions, now: datetime, hot: HotPartitions) -> Evaluation:
    """Evaluate every rule of a table's policy."""
    opened, policy = chosen.table, chosen.policy
    figures = opened.figures()
    history = _history(rewritten, figures.committed_at_ms)
    order = planned_order(opened, policy)
    return evaluate_policy(
        chosen.engine.digest(),
        figures,
        history,
        policy,
        now_ms=_milliseconds(now),
        hot=hot,
        order=order,
        ranges=opened.order_ranges(order) if order is not None and asks_overlap(policy) else (),
        grouping=chosen.traits.grouping,
    )


def due_files(
    every: pa.Table,
    digest: pa.Table,
    evaluation: Evaluation,
    *,
    full: bool,
    order: RowOrdering | None = None,
    also: AbstractSet[Place] = frozenset(),
    also_reordered: bool = False,
) -> DueFiles:
    """Return the files in due partitions.

    Args:
        every: all files of the table, as they were evaluated.
        digest: those to select from.
        evaluation: the table's present evaluation.
        full: select partitions due by settings of `rewrite.full`, otherwise those due by triggers.
        order: the order of rows that the policy requests; None without one.
        also: partitions to select whether they are due or not.
        also_reordered: in these partitions, files that are not in the order are candidates.
    """
    whole = partition_files(every)
    places = list(zip(whole.spec_ids.tolist(), whole.names, strict=True))
    due = {*_flagged(places, evaluation.due_partitions(full=full)), *also}
    reordered = {*_flagged(places, evaluation.reordered), *(also if also_reordered else ())}
    files = partition_files(digest)
    counts, sizes = files.count().tolist(), files.total(files.file_bytes).tolist()
    taken, others = [], []
    for at, place in enumerate(zip(files.spec_ids.tolist(), files.names, strict=True)):
        taken.append(place in due)
        if place not in due:
            others.append(SkippedPartition(place[1], place[0], counts[at], sizes[at], NOT_DUE))
    if all(taken):
        return DueFiles(digest, reordered=reordered)
    is_taken = np.array(taken, np.bool_)[files.partition_of]
    return DueFiles(
        digest.filter(pa.array(is_taken)),
        tuple(sorted(others, key=lambda one: -one.files)),
        reordered,
        other_unordered_files=int((are_unordered(files, order) & ~is_taken).sum()),
    )


def _flagged(places: Sequence[Place], flags: Flags) -> set[Place]:
    return {place for place, is_flagged in zip(places, flags.tolist(), strict=True) if is_flagged}


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
