"""The decision of an automatic run on each partition: rewrite it now and into how many files, or the reason why not."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final, Self

import numpy as np

from engine.domain.runs.hot_partitions import HotPartitions, Place
from engine.domain.runs.plans import Plan
from engine.planning.due.evaluations import Evaluation
from engine.planning.measures.partitions import Flags, Ints
from engine.planning.plans.candidates import SkipReason

NOT_DUE: Final = "not_due"
FULL_FIRST: Final = "full_first"
"""Triggers make it due, and the next run is a full rewrite of other partitions."""

NO_FULL: Final = SkipReason.AS_GOOD_AS_IT_GETS
"""Only rules for full rewrites make it due, and a full rewrite would change nothing."""


@dataclass(frozen=True, slots=True)
class PlannedWork:
    """The file groups of one partition in a plan: inputs, and the predicted number of output files."""

    input_files: int = 0
    input_bytes: int = 0
    predicted_outputs: int = 0


@dataclass(frozen=True, slots=True)
class PartitionDecision:
    """The decision on one partition.

    `rules`: names of the rules that make it due. `reason`: why a run that starts now leaves it alone, None if it
    rewrites the partition; `work` is then its part of the plan. `cools_until`: the end of its cool-down, None without.
    """

    rules: Sequence[str]
    reason: str | None
    work: PlannedWork | None
    cools_until: datetime | None

    @property
    def is_due(self) -> bool:
        """Whether a rule makes the partition due."""
        return bool(self.rules)


@dataclass(frozen=True, slots=True)
class PartitionDecisions:
    """The decisions on all partitions of a table at one instant, as vectors over partitions.

    `due`: the rules that are due, each with flags of the partitions that it makes due. `reasons`: None for those that a
    run which starts now rewrites. `work`: by partition, the fields of `PlannedWork`.
    """

    decided_at: datetime
    due: Sequence[tuple[str, Flags]]
    reasons: Sequence[str | None]
    work: Ints
    hot: HotPartitions

    @classmethod
    def of(
        cls,
        places: Sequence[Place],
        evaluation: Evaluation,
        plan: Plan | None,
        hot: HotPartitions,
        *,
        full: bool = False,
    ) -> Self:
        """Return the decisions of an evaluation and of the plan of the run that it starts.

        Args:
            places: all partitions, in the order of `measures.partitions`.
            evaluation: every rule of the policy on the table.
            plan: None if no rule is due.
            hot: partitions that lost races to other writers, in their state at the instant of the evaluation.
            full: whether the plan is one of a full rewrite.
        """
        due = [(rule.name, rule.partitions) for rule in evaluation.rules if rule.is_due]
        index = {place: at for at, place in enumerate(places)}
        work = np.zeros((len(places), len(fields(PlannedWork))), np.int64)
        reasons = _guarded(len(places), evaluation)
        considered = evaluation.due_partitions(full=full)
        for _, partitions in due:
            for at in np.flatnonzero(partitions & ~considered).tolist():
                reasons[at] = FULL_FIRST if full else NO_FULL
        for at in np.flatnonzero(considered).tolist():
            reasons[at] = SkipReason.LATER  # a plan lists a limited number of skipped partitions: most are these
        for left in () if plan is None else plan.skipped:
            at = index[left.spec_id, left.partition]
            if considered[at]:
                reasons[at] = left.reason
        for group in () if plan is None else plan.groups:
            at = index[group.place]
            work[at] += (len(group.inputs), group.input_bytes, group.predicted_outputs)
            reasons[at] = None
        return cls(hot.now, due, reasons, work, hot)

    def at(self, index: int, place: Place) -> PartitionDecision:
        """Return the decision on a partition; `index`: its position among all."""
        reason = self.reasons[index]
        return PartitionDecision(
            rules=[name for name, partitions in self.due if partitions[index]],
            reason=None if reason is None else str(reason),
            work=PlannedWork(*self.work[index].tolist()) if reason is None else None,
            cools_until=self.hot.cooling_until(place),
        )


def _guarded(count: int, evaluation: Evaluation) -> list[str | None]:
    """Return by partition the guard of the first rule whose conditions hold, `NOT_DUE` where those of none do."""
    reasons: list[str | None] = [NOT_DUE] * count
    for rule in reversed(evaluation.rules):
        for at, guard in enumerate(rule.guards):
            if guard is not None:
                reasons[at] = guard
    return reasons
