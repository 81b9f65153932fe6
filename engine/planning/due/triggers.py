"""Evaluation of a policy's rules: the partitions that each rule makes due, and the measured value of each condition.

A partition is due when the conditions of a rule hold for it (`planning.due.rule_logic` joins them) and no guard holds
it back. Guards, in this order:

- `unchanged`: the rule requires changed input and no file was added since the partition's last rewrite, or the
  partition has fewer than two files. Otherwise a rule about old files would fire forever on a partition that a rewrite
  can't improve.
- `not_sealed`: the partition is not sealed by the policy's `seal`: writers may still add files.
- partitions that planning would skip, for its own reasons (`planning.plans.candidates.SkipReason`), and files left by
  rewrites that another one would hardly improve (`planning.due.remainders`).
- `cooling_down`: other writers won the last race for it (`domain.runs.hot_partitions`).

A rule that is not due shows the nearest partition: the one that fails the fewest conditions, then the one whose
measured values are nearest to the operands, in proportion.

Time alone can make a rule due: ages increase, partitions get sealed and cool down. `RuleState.due_in_seconds` is the
time until the first partition is due if nothing more is written.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, Protocol

import numpy as np

from engine.domain.policies import Metric, MetricKind
from engine.planning.due.rule_logic import Branch, Term, conjunction, distances, holding, is_met
from engine.planning.measures.partition_metrics import NOTHING_TO_MEASURE, Floats, PartitionMetrics
from engine.planning.measures.partitions import Flags

MAX_DUE_SHOWN: Final = 20
COOLING_DOWN: Final = "cooling_down"
_GROWING: Final = frozenset(metric.value for metric in Metric if metric.kind is MetricKind.DURATION)
"""Metrics that increase with time, by one second per second."""

LEAST_FILES: Final = 2
"""The least files of a partition for a rule with `input_changed`: a single file has nothing to merge with."""


class RuleCondition(Protocol):
    """One condition of a rule; the interface of `domain.policies.triggers.TriggerCondition`."""

    @property
    def metric(self) -> str:
        """The name of the metric."""

    @property
    def operator(self) -> str:
        """`at_least`, `above`, `at_most` or `below`."""

    @property
    def wanted(self) -> float:
        """The operand: bytes, seconds, a count or a share."""


@dataclass(frozen=True, slots=True)
class Check:
    """A built-in condition, not written in a policy."""

    metric: str
    operator: str
    wanted: float


@dataclass(frozen=True, slots=True)
class Rule:
    """A named rule. `needs_change`: see the guard `unchanged`.

    `logic` joins the conditions by their positions; None: all of them must hold.
    """

    name: str
    conditions: Sequence[RuleCondition]
    needs_change: bool = False
    logic: Branch | None = None

    @property
    def joined(self) -> Branch:
        """The logic that joins the conditions."""
        return self.logic or conjunction(len(self.conditions))


@dataclass(frozen=True, slots=True)
class MeasuredCondition:
    """One condition in one partition. `measured` is None if it can't be measured or never happened; see `detail`.

    `holds`: the comparison is true. `is_negated`: it must not hold. `is_met`: the rule's requirement is met; if the
    figure can't be measured, neither a comparison nor its negation is. `is_bound`: the true value may be greater (see
    `planning.measures.partition_metrics`). `path`: its position in the rule, as a JSON pointer.
    """

    metric: str
    operator: str
    wanted: float
    measured: float | None
    holds: bool
    is_bound: bool = False
    detail: str | None = None
    is_negated: bool = False
    is_met: bool = False
    path: str = ""


@dataclass(frozen=True, slots=True)
class PartitionRef:
    """A partition with its size, for messages."""

    spec_id: int
    partition: str
    file_count: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class RuleState:
    """The state of a rule on a table. `shown`: the partition of the measured conditions, None for the whole table.

    `due`: the first of `due_total` partitions, those with most files first. `held_back`: partitions for which the
    conditions hold, by the guard that holds them back. `due_in_seconds`: see above; 0 when it is due, None when only
    writers can make it due. `partitions`: flags of the due ones; of a rule for the whole table, of all that no guard
    holds back. `cools_in_seconds`: seconds until the first partition held back only by its cool-down is due, None
    without any. `due_in_time`: flags of the partitions that are due now or that time alone makes due. `logic` joins the
    conditions by their positions. `guards`: by partition, the guard that holds it back where the conditions hold; empty
    for a rule for the whole table.
    """

    name: str
    is_due: bool
    due_total: int
    due: tuple[PartitionRef, ...]
    held_back: Mapping[str, int]
    shown: PartitionRef | None
    conditions: tuple[MeasuredCondition, ...]
    due_in_seconds: float | None
    partitions: Flags = field(repr=False, compare=False)
    due_in_time: Flags = field(repr=False, compare=False)
    logic: Branch
    cools_in_seconds: float | None = None
    guards: Sequence[str | None] = field(default=(), repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Guards:
    """By partition: seconds until it is sealed and has cooled down (0: now), and why planning would skip it."""

    sealed_in_seconds: Floats
    skip_reasons: Sequence[str | None]
    cools_in_seconds: Floats | None = None

    @property
    def cools_in(self) -> Floats:
        """By partition: `cools_in_seconds`, 0 for all if it is not given."""
        return np.zeros_like(self.sealed_in_seconds) if self.cools_in_seconds is None else self.cools_in_seconds

    @property
    def is_sealed(self) -> Flags:
        """By partition: whether it is sealed now."""
        sealed: Flags = self.sealed_in_seconds <= 0
        return sealed

    @property
    def is_worth_it(self) -> Flags:
        """By partition: whether planning would select it."""
        return np.array([reason is None for reason in self.skip_reasons], dtype=np.bool_)


def is_percent(metric: str) -> bool:
    """Return whether a metric is a percentage, by its name: only built-in ones are; policies use shares from 0 to 1."""
    return metric.endswith("_percent")


def evaluate(rule: Rule, metrics: PartitionMetrics, guards: Guards) -> RuleState:
    """Return the partitions that a rule makes due; if all its metrics are of the table, whether the table is due."""
    if all(condition.metric in metrics.table for condition in rule.conditions):
        return _of_table(rule, metrics, guards)
    values = [_values(condition.metric, metrics) for condition in rule.conditions]
    met = partial(_met, [_judged(*pair) for pair in zip(rule.conditions, values, strict=True)])
    all_hold = holding(rule.joined, met)
    reasons = _guarded(rule, metrics, guards, all_hold)
    is_due = all_hold & np.array([reason is None for reason in reasons], dtype=np.bool_)
    shown = _nearest(rule, values, met, _busiest_first(metrics, is_due if is_due.any() else np.ones_like(is_due)))
    waits = _waits(rule, metrics, guards, values)
    cooling = [guards.cools_in[at] for at, reason in enumerate(reasons) if reason == COOLING_DOWN]
    return RuleState(
        name=rule.name,
        is_due=bool(is_due.any()),
        due_total=int(is_due.sum()),
        due=tuple(_ref(metrics, at) for at in _busiest_first(metrics, is_due)[:MAX_DUE_SHOWN]),
        held_back=_counted(reasons[at] for at in np.flatnonzero(all_hold).tolist()),
        shown=None if shown is None else _ref(metrics, shown),
        conditions=_all_measured(rule, metrics, shown),
        due_in_seconds=0.0 if is_due.any() else _first(waits),
        partitions=is_due,
        due_in_time=np.isfinite(waits),
        logic=rule.joined,
        cools_in_seconds=float(min(cooling)) if cooling else None,
        guards=reasons,
    )


def _of_table(rule: Rule, metrics: PartitionMetrics, guards: Guards) -> RuleState:
    conditions = _all_measured(rule, metrics, None)
    is_due = _is_met(rule, conditions)
    flags = guards.is_sealed & guards.is_worth_it & is_due
    in_time = guards.is_worth_it & is_due
    due_in = 0.0 if is_due else _ages_into(rule, metrics)
    return RuleState(rule.name, is_due, 0, (), {}, None, conditions, due_in, flags, in_time, rule.joined)


def _ages_into(rule: Rule, metrics: PartitionMetrics) -> float | None:
    """Return the seconds until the table's ages alone satisfy a rule for the whole table, None if they never do."""
    growing = [each for each in rule.conditions if each.metric in _GROWING]
    passes = (each.wanted - metrics.table[each.metric] + margin for each in growing for margin in (0.0, 1.0))
    for after in sorted(each for each in passes if each > 0):
        later = {name: value + after if name in _GROWING else value for name, value in metrics.table.items()}
        if _is_met(rule, _all_measured(rule, replace(metrics, table=later), None)):
            return after
    return None


def _is_met(rule: Rule, conditions: Sequence[MeasuredCondition]) -> bool:
    return is_met(rule.joined, lambda term: conditions[term.at].is_met)


def _judged(condition: RuleCondition, measured: Floats) -> tuple[Flags, Flags]:
    """Return by partition whether a condition holds, and whether it fails; neither where no value was measured."""
    holds = _holds(condition, measured)
    return holds, ~holds & ~np.isnan(measured)


def _met(judged: Sequence[tuple[Flags, Flags]], term: Term) -> Flags:
    return judged[term.at][term.is_negated]


def _waits(rule: Rule, metrics: PartitionMetrics, guards: Guards, values: Sequence[Floats]) -> Floats:
    """Return by partition the seconds until it is due if nothing is written; infinite if time alone never makes it due.

    Conditions only change at instants when a growing metric passes its operand, so only these instants are evaluated.
    """
    begin = np.where(guards.is_worth_it & (_may_differ(metrics) | (not rule.needs_change)), 0.0, np.inf)
    begin = np.maximum(np.maximum(begin, guards.sealed_in_seconds), guards.cools_in)
    passed_in = [
        condition.wanted - measured if condition.metric in _GROWING else None
        for condition, measured in zip(rule.conditions, values, strict=True)
    ]

    def judged_at(instant: Floats, at: int) -> tuple[Flags, Flags]:
        condition, passes = rule.conditions[at], passed_in[at]
        if passes is None:
            return _judged(condition, values[at])
        is_past = passes <= instant
        grows_into = condition.operator in {"at_least", "above"}
        return (is_past, passes > instant) if grows_into else (passes > instant, is_past)

    best = np.full_like(begin, np.inf)
    for passes in (None, *(each for each in passed_in if each is not None)):
        instant = begin if passes is None else np.fmax(begin, passes)
        judged = [judged_at(instant, at) for at in range(len(values))]
        best = np.where(holding(rule.joined, partial(_met, judged)), np.minimum(best, instant), best)
    return best


def _first(waits: Floats) -> float | None:
    """Return the shortest wait, None when none ends."""
    first = float(waits.min()) if len(waits) else math.inf
    return first if math.isfinite(first) else None


def _may_differ(metrics: PartitionMetrics) -> Flags:
    flags: Flags = metrics.is_changed & (metrics.values["file_count"] >= LEAST_FILES)
    return flags


def _values(metric: str, metrics: PartitionMetrics) -> Floats:
    partitions = len(metrics.files.names)
    if metric in metrics.table:
        return np.full(partitions, metrics.table[metric])
    return metrics.values.get(metric, np.full(partitions, np.nan))


def _holds(condition: RuleCondition, measured: Floats) -> Flags:
    """Compare by partition; NaN (nothing was measured) holds for no operator."""
    match condition.operator:
        case "at_least":
            flags: Flags = measured >= condition.wanted
        case "above":
            flags = measured > condition.wanted
        case "at_most":
            flags = measured <= condition.wanted
        case "below":
            flags = measured < condition.wanted
        case _ as unknown:
            message = f"no operator {unknown!r}"
            raise ValueError(message)
    return flags


def _guarded(rule: Rule, metrics: PartitionMetrics, guards: Guards, all_hold: Flags) -> list[str | None]:
    """Return the guard that holds each partition back, where the conditions hold."""
    reasons: list[str | None] = [None] * len(all_hold)
    may_differ, is_sealed, cools_in = _may_differ(metrics), guards.is_sealed, guards.cools_in
    for at in np.flatnonzero(all_hold).tolist():
        if rule.needs_change and not may_differ[at]:
            reasons[at] = "unchanged"
        elif not is_sealed[at]:
            reasons[at] = "not_sealed"
        else:
            reasons[at] = guards.skip_reasons[at] or (COOLING_DOWN if cools_in[at] > 0 else None)
    return reasons


def _nearest(rule: Rule, values: Sequence[Floats], met: Callable[[Term], Flags], among: Sequence[int]) -> int | None:
    """Return the partition that fails the fewest conditions by the least; the first of equal ones."""
    if not among:
        return None

    def failing(term: Term) -> Floats:
        gap = _gap(values[term.at], rule.conditions[term.at].wanted) / (len(rule.conditions) + 1)
        distance: Floats = np.where(met(term), 0.0, 1.0 + gap)
        return distance

    return among[int(np.argmin(distances(rule.joined, failing)[list(among)]))]


def _gap(measured: Floats, wanted: float) -> Floats:
    """Return the distance of a value from the operand, 0 to 1, in proportion to the larger; 1 without a value."""
    finite = np.where(np.isfinite(measured), measured, 0.0)
    larger = np.maximum(np.maximum(np.abs(finite), abs(wanted)), 1e-9)
    gap: Floats = np.where(np.isfinite(measured), np.abs(finite - wanted) / larger, 1.0)
    return gap


def _busiest_first(metrics: PartitionMetrics, flags: Flags) -> list[int]:
    """Return flagged partitions, most small files first, then most files, then in their own order."""
    order = np.lexsort((-metrics.values["file_count"], -metrics.values["small_file_count"]))
    chosen: list[int] = order[flags[order]].tolist()
    return chosen


def _all_measured(rule: Rule, metrics: PartitionMetrics, partition: int | None) -> tuple[MeasuredCondition, ...]:
    """Return the conditions of a rule as measured in a partition (None: on the table), with their place in the rule."""
    terms = {term.at: term for term in rule.joined.terms()}
    found = []
    for at, condition in enumerate(rule.conditions):
        measured, fails, term = *_measured(condition, metrics, partition), terms[at]
        is_met = fails if term.is_negated else measured.holds
        found.append(replace(measured, is_negated=term.is_negated, is_met=is_met, path=term.path))
    return tuple(found)


def _measured(
    condition: RuleCondition, metrics: PartitionMetrics, partition: int | None
) -> tuple[MeasuredCondition, bool]:
    """Return a measured condition, and whether it fails; without a measured value it neither holds nor fails."""
    metric = str(condition.metric)
    said = (metric, condition.operator, condition.wanted)
    if metric in metrics.not_applicable:
        return MeasuredCondition(*said, measured=None, holds=False, detail=metrics.not_applicable[metric]), False
    if metric not in metrics.table and partition is None:
        return MeasuredCondition(*said, measured=None, holds=False, detail="the table has no files"), False
    value = _values(metric, metrics)[partition] if partition is not None else metrics.table[metric]
    holds, fails = (bool(flags[0]) for flags in _judged(condition, np.array([value])))
    if math.isnan(value):
        return MeasuredCondition(*said, measured=None, holds=False, detail=NOTHING_TO_MEASURE[metric]), False
    if math.isinf(value):
        return MeasuredCondition(*said, measured=None, holds=holds, detail="never happened"), fails
    is_bound = partition is not None and metric in metrics.bounds and bool(metrics.bounds[metric][partition])
    return MeasuredCondition(*said, measured=float(value), holds=holds, is_bound=is_bound), fails


def _ref(metrics: PartitionMetrics, at: int) -> PartitionRef:
    return PartitionRef(
        spec_id=int(metrics.files.spec_ids[at]),
        partition=metrics.files.names[at],
        file_count=int(metrics.values["file_count"][at]),
        total_bytes=int(metrics.values["total_bytes"][at]),
    )


def _counted(reasons: Iterable[str | None]) -> Mapping[str, int]:
    counts: dict[str, int] = {}
    for reason in reasons:
        if reason is not None:
            counts[str(reason)] = counts.get(str(reason), 0) + 1
    return counts
