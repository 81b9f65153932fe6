"""Which partitions a policy's rules make due, and how near the others came: each condition with what was measured.

A partition is due when every condition of a rule holds for it and no guard holds it back. Guards, in this order:

- `unchanged`: the rule asks for changed input and no file came since the partition's last rewrite, or it has fewer
  than two files. Else a rule about old files would fire for ever on a partition that can't get any better.
- `not_sealed`: the policy's `seal` says that somebody may still write to it.
- what planning would leave alone anyway, by its own reasons (`planning.candidates.SkipReason`).

A rule that is not due shows the partition that came nearest: the one that fails the fewest conditions, then the one
whose measured values lie nearest to the wanted ones, in proportion.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from engine.planning.partition_metrics import NOT_APPLICABLE, NOTHING_TO_MEASURE, Floats, PartitionMetrics
from engine.planning.partitions import Flags

MAX_DUE_SHOWN: Final = 20
LEAST_FILES: Final = 2
"""A partition of one file has nothing to merge: a rule with `input_changed` passes it over."""


class Comparison(Protocol):
    """One condition of a rule, as the policy's models have it (`domain.policies.triggers.TriggerCondition`)."""

    @property
    def metric(self) -> str:
        """The measured figure."""

    @property
    def operator(self) -> str:
        """`at_least`, `above`, `at_most` or `below`."""

    @property
    def wanted(self) -> float:
        """What it is compared with: bytes, seconds, a count or a share."""


@dataclass(frozen=True, slots=True)
class Check:
    """A condition that is built in rather than written in a policy."""

    metric: str
    operator: str
    wanted: float


@dataclass(frozen=True, slots=True)
class Rule:
    """A named conjunction. `needs_change`: see the guard `unchanged`."""

    name: str
    conditions: Sequence[Comparison]
    needs_change: bool = False


@dataclass(frozen=True, slots=True)
class MeasuredCondition:
    """One condition in one partition. `measured` None: there is nothing to measure, or it never happened; see `detail`.

    `is_bound`: the true value may be greater (see `planning.partition_metrics`).
    """

    metric: str
    operator: str
    wanted: float
    measured: float | None
    holds: bool
    is_bound: bool = False
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionRef:
    """A partition, with what makes its size imaginable."""

    spec_id: int
    partition: str
    file_count: int
    total_bytes: int


@dataclass(frozen=True, slots=True)
class RuleState:
    """A rule on a table now. `shown`: the partition that the conditions were measured in, None for the whole table.

    `due`: the first of `due_total` partitions, those with most files first. `held_back`: partitions for which the
    conditions hold, by the guard that stops them.
    """

    name: str
    is_due: bool
    due_total: int
    due: tuple[PartitionRef, ...]
    held_back: Mapping[str, int]
    shown: PartitionRef | None
    conditions: tuple[MeasuredCondition, ...]


@dataclass(frozen=True, slots=True)
class Guards:
    """By partition: whether it is sealed, and why planning would leave it alone (None: it would not)."""

    is_sealed: Flags
    skip_reasons: Sequence[str | None]


def evaluate(rule: Rule, metrics: PartitionMetrics, guards: Guards) -> RuleState:
    """Return which partitions a rule makes due; with metrics of the table alone, whether the table is due."""
    if all(condition.metric in metrics.table for condition in rule.conditions):
        return _of_table(rule, metrics)
    values = [_values(condition.metric, metrics) for condition in rule.conditions]
    held = [_holds(condition, measured) for condition, measured in zip(rule.conditions, values, strict=True)]
    all_hold: Flags = np.logical_and.reduce(held)
    reasons = _guarded(rule, metrics, guards, all_hold)
    is_due = all_hold & np.array([reason is None for reason in reasons], dtype=np.bool_)
    shown = _nearest(rule, values, held, _busiest_first(metrics, is_due if is_due.any() else np.ones_like(is_due)))
    return RuleState(
        name=rule.name,
        is_due=bool(is_due.any()),
        due_total=int(is_due.sum()),
        due=tuple(_ref(metrics, at) for at in _busiest_first(metrics, is_due)[:MAX_DUE_SHOWN]),
        held_back=_counted(reasons[at] for at in np.flatnonzero(all_hold).tolist()),
        shown=None if shown is None else _ref(metrics, shown),
        conditions=tuple(_measured(condition, metrics, shown) for condition in rule.conditions),
    )


def _of_table(rule: Rule, metrics: PartitionMetrics) -> RuleState:
    conditions = tuple(_measured(condition, metrics, None) for condition in rule.conditions)
    is_due = all(condition.holds for condition in conditions)
    return RuleState(rule.name, is_due, 0, (), {}, None, conditions)


def _values(metric: str, metrics: PartitionMetrics) -> Floats:
    partitions = len(metrics.files.names)
    if metric in metrics.table:
        return np.full(partitions, metrics.table[metric])
    return metrics.values.get(metric, np.full(partitions, np.nan))


def _holds(condition: Comparison, measured: Floats) -> Flags:
    """Compare by partition; NaN, which nothing was measured of, holds for no operator."""
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
    """Return the guard that holds each partition back, of those for which the conditions hold."""
    reasons: list[str | None] = [None] * len(all_hold)
    may_differ = metrics.is_changed & (metrics.values["file_count"] >= LEAST_FILES)
    for at in np.flatnonzero(all_hold).tolist():
        if rule.needs_change and not may_differ[at]:
            reasons[at] = "unchanged"
        elif not guards.is_sealed[at]:
            reasons[at] = "not_sealed"
        else:
            reasons[at] = guards.skip_reasons[at]
    return reasons


def _nearest(rule: Rule, values: Sequence[Floats], held: Sequence[Flags], among: Sequence[int]) -> int | None:
    """Return the partition that fails the fewest conditions by the least; of equal ones the first."""
    if not among:
        return None
    failed = np.zeros(len(held[0]))
    gaps = np.zeros(len(held[0]))
    for condition, measured, holds in zip(rule.conditions, values, held, strict=True):
        failed += ~holds
        gaps += np.where(holds, 0.0, _gap(measured, condition.wanted))
    distance = (failed + gaps / (len(rule.conditions) + 1))[list(among)]
    return among[int(np.argmin(distance))]


def _gap(measured: Floats, wanted: float) -> Floats:
    """Return how far a value is from the wanted one, 0 to 1, in proportion to the larger; 1 where there is no value."""
    finite = np.where(np.isfinite(measured), measured, 0.0)
    larger = np.maximum(np.maximum(np.abs(finite), abs(wanted)), 1e-9)
    gap: Floats = np.where(np.isfinite(measured), np.abs(finite - wanted) / larger, 1.0)
    return gap


def _busiest_first(metrics: PartitionMetrics, flags: Flags) -> list[int]:
    """Return flagged partitions, those with most small files first, then most files, then in their own order."""
    order = np.lexsort((-metrics.values["file_count"], -metrics.values["small_file_count"]))
    chosen: list[int] = order[flags[order]].tolist()
    return chosen


def _measured(condition: Comparison, metrics: PartitionMetrics, partition: int | None) -> MeasuredCondition:
    metric = str(condition.metric)
    said = (metric, condition.operator, condition.wanted)
    if metric in NOT_APPLICABLE:
        return MeasuredCondition(*said, measured=None, holds=False, detail=NOT_APPLICABLE[metric])
    if metric not in metrics.table and partition is None:
        return MeasuredCondition(*said, measured=None, holds=False, detail="the table has no files")
    value = _values(metric, metrics)[partition] if partition is not None else metrics.table[metric]
    holds = bool(_holds(condition, np.array([value]))[0])
    if math.isnan(value):
        return MeasuredCondition(*said, measured=None, holds=False, detail=NOTHING_TO_MEASURE[metric])
    if math.isinf(value):
        return MeasuredCondition(*said, measured=None, holds=holds, detail="never happened")
    is_bound = partition is not None and metric in metrics.bounds and bool(metrics.bounds[metric][partition])
    return MeasuredCondition(*said, measured=float(value), holds=holds, is_bound=is_bound)


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
