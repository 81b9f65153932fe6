"""The decision of an automatic run on each partition: rewrite it now and into how many files, or the reason why not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Self

from engine.domain.runs.hot_partitions import HotPartitions, Place
from engine.domain.runs.plans import Plan
from engine.planning.due.evaluations import Evaluation
from engine.planning.measures.partitions import Flags
from engine.planning.plans.candidates import SkipReason

NOT_DUE: Final = "not_due"
FULL_FIRST: Final = "full_first"
"""Triggers make it due, and the next run is a full rewrite of other partitions."""


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
    """The decisions on all partitions of a table at one instant, in the order of `measures.partitions`."""

    decided_at: datetime
    due: Sequence[tuple[str, Flags]]
    guards: Sequence[Sequence[str | None]]
    planned: Mapping[Place, PlannedWork]
    skipped: Mapping[Place, str]
    hot: HotPartitions

    @classmethod
    def of(cls, evaluation: Evaluation, plan: Plan | None, hot: HotPartitions) -> Self:
        """Return the decisions of an evaluation and of the plan of the run that it starts, None if no rule is due."""
        planned: dict[Place, PlannedWork] = {}
        for group in () if plan is None else plan.groups:
            before = planned.get(group.place, PlannedWork())
            planned[group.place] = PlannedWork(
                before.input_files + len(group.inputs),
                before.input_bytes + group.input_bytes,
                before.predicted_outputs + group.predicted_outputs,
            )
        skipped = () if plan is None else plan.skipped
        return cls(
            decided_at=hot.now,
            due=[(rule.name, rule.partitions) for rule in evaluation.rules if rule.is_due],
            guards=[rule.guards for rule in evaluation.rules if rule.guards],
            planned=planned,
            skipped={(each.spec_id, each.partition): each.reason for each in skipped},
            hot=hot,
        )

    def at(self, index: int, place: Place) -> PartitionDecision:
        """Return the decision on a partition; `index`: its position among all."""
        rules = [name for name, partitions in self.due if partitions[index]]
        work = self.planned.get(place)
        return PartitionDecision(
            rules=rules,
            reason=None if work is not None else self._reason(index, place, is_due=bool(rules)),
            work=work,
            cools_until=self.hot.cooling_until(place),
        )

    def _reason(self, index: int, place: Place, *, is_due: bool) -> str:
        if not is_due:
            return next((str(of[index]) for of in self.guards if of[index] is not None), NOT_DUE)
        # a plan lists a limited number of skipped partitions: those that it plans later are the most
        skipped = self.skipped.get(place, SkipReason.LATER)
        return FULL_FIRST if skipped == NOT_DUE else str(skipped)
