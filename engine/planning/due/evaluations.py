"""Evaluation of a policy's triggers, full-rewrite rules and seal on one table: due partitions, reasons of the others.

The coordinator uses it to start runs, runs use it for planning, and explain shows it. Call it in a thread.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from engine.domain.policies import OFF, RECLAIM, EffectivePolicy
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions
from engine.domain.tables.orders import ORDERED_STRATEGIES, RowOrdering
from engine.planning.due.cooling import cools_in_seconds
from engine.planning.due.full_rewrites import (
    NOT_ELIGIBLE,
    full_rules,
    has_eligible_bucket,
    is_eligible,
    with_amplification,
)
from engine.planning.due.new_rows import new_row_rules
from engine.planning.due.remainders import REMAINDER, are_remainders
from engine.planning.due.rule_logic import logic_of
from engine.planning.due.seals import SealRule, Seals, find_seals
from engine.planning.due.triggers import Check, Guards, Rule, RuleState, evaluate
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.ordered_files import are_unordered
from engine.planning.measures.overlaps import ColumnRanges, measure_overlap
from engine.planning.measures.partition_metrics import PartitionMetrics, RewriteHistory, measure_partitions
from engine.planning.measures.partitions import Flags, PartitionedFiles, partition_files
from engine.planning.measures.tiers import tier_rules, with_fullest_tier
from engine.planning.plans.candidates import SkipReason, find_candidates
from engine.planning.plans.groupings import PACKED, FullScope, Grouping
from engine.planning.plans.rewrite_limits import RewriteLimits


@dataclass(frozen=True, slots=True)
class SealState:
    """Sealed and open partitions. `next_at_ms`: when the next one is sealed if nothing more is written to it."""

    rule: SealRule
    sealed: int
    not_sealed: int
    next_at_ms: int | None

    @property
    def is_on(self) -> bool:
        """Whether the policy has a seal; False: every partition may be rewritten at any time."""
        return self.rule != SealRule()


@dataclass(frozen=True, slots=True)
class NeverDue:
    """Avoidable files that a rewrite would merge and that no rule makes due unless more files are written.

    `too_few_files`: those of them in partitions with fewer candidates than `rewrite.min_input_files`. `of_files`: all
    data files of the table.
    """

    files: int = 0
    partitions: int = 0
    too_few_files: int = 0
    of_files: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The state of every rule on the table; any rule can make the table due.

    `reordered`: flags of partitions that triggers on `unordered_share` make due: files that are not in the order are
    candidates in these partitions only.
    """

    triggers: Sequence[RuleState]
    full: Sequence[RuleState]
    seal: SealState
    reordered: Flags
    never_due: NeverDue = NeverDue()

    @property
    def wants_full(self) -> bool:
        """Whether a setting of `rewrite.full` is due: full rewrites come first, each kind in a separate run."""
        return any(rule.is_due for rule in self.full)

    @property
    def due_in_seconds(self) -> float | None:
        """Seconds until the first rule is due if nothing is written: 0 now, None never."""
        waits = [rule.due_in_seconds for rule in self.rules if rule.due_in_seconds is not None]
        return min(waits, default=None)

    def due_partitions(self, *, full: bool) -> Flags:
        """Return flags of partitions (order of `measures.partitions`) that triggers, or full rules, make due."""
        flags = [rule.partitions for rule in (self.full if full else self.triggers) if rule.is_due]
        return np.logical_or.reduce(flags) if flags else np.zeros(self.seal.sealed + self.seal.not_sealed, np.bool_)

    @property
    def rules(self) -> Sequence[RuleState]:
        """All rules, triggers first."""
        return (*self.triggers, *self.full)

    @property
    def cools_in_seconds(self) -> float | None:
        """Seconds until the first partition that a rule would make due has cooled down; None when none cools down."""
        waits = [rule.cools_in_seconds for rule in self.rules if rule.cools_in_seconds is not None]
        return min(waits, default=None)

    @property
    def is_due(self) -> bool:
        """Whether at least one rule is due."""
        return any(rule.is_due for rule in self.rules)


def evaluate_policy(
    digest: pa.Table,
    figures: TableMeasures,
    history: RewriteHistory,
    policy: EffectivePolicy,
    *,
    now_ms: int,
    hot: HotPartitions = NONE_HOT,
    order: RowOrdering | None = None,
    ranges: Sequence[ColumnRanges] = (),
    grouping: Grouping = PACKED,
) -> Evaluation:
    """Evaluate every rule of a policy on a table.

    Args:
        digest: live data files, with the schema `planning.measures.digest.FILE_DIGEST`.
        figures: figures of the table as a whole.
        history: rewrites of the table, from the record.
        policy: its triggers, `rewrite.full.*`, `seal` and sizes.
        now_ms: the present instant, milliseconds since 1970.
        hot: partitions that lost races to other writers, in their state at this instant.
        order: the order that the policy requests for the table's rows.
        ranges: value ranges of the order's columns, in the order of the digest; only where `asks_overlap`.
        grouping: the file groups of the engine that would rewrite the table.
    """
    moves_to = figures.current_spec_id if policy.moves_to_current_spec else None
    limits = replace(RewriteLimits.of(policy), order=order, output_spec_id=moves_to)
    limits = limits.grouped(grouping, policy, figures.committed_at_ms.values())
    files = partition_files(digest)
    is_impossible = order is None and policy.strategy in ORDERED_STRATEGIES
    metrics = measure_partitions(
        digest,
        files,
        figures,
        history,
        now_ms=now_ms,
        small_bytes=limits.small_bytes,
        large_bytes=limits.large_bytes,
        small_row_group_bytes=limits.small_row_group_bytes,
        overlap=measure_overlap(files, ranges) if ranges else None,
        unordered=None if is_impossible else are_unordered(files, order),
    )
    seal = _seal_rule(policy.values["seal"])
    seals = find_seals(metrics, figures.times, seal, now_ms=now_ms)
    sealed_in = np.maximum(0.0, (seals.sealed_from_ms - now_ms) / 1000)
    cools_in = cools_in_seconds(files, hot)
    reasons = _reasons(metrics, limits, reordered=np.zeros(len(files.names), np.bool_))
    by_trigger, reordered = _judge_triggers(policy, metrics, limits, Guards(sealed_in, reasons, cools_in))
    in_full = Guards(sealed_in, _full_reasons(policy, metrics, limits), cools_in)
    amplified = with_amplification(metrics, has_levels=figures.last_level is not None)
    overlaps = [replace(rule, needs_change=True) for rule in trigger_rules(policy) if _asks_overlap(rule)]
    whole = [
        *(evaluate(rule, metrics, Guards(sealed_in, _whole_reasons(metrics, limits), cools_in)) for rule in overlaps),
        *(evaluate(rule, amplified, in_full) for rule in full_rules(policy.values, limits.buckets)),
        *(evaluate(rule, metrics, in_full) for rule in _reclaim_rules(policy) if limits.buckets is not None),
    ]
    return Evaluation(
        triggers=by_trigger,
        full=whole,
        seal=_seal_state(seal, seals),
        reordered=reordered,
        never_due=_never_due(files, limits, reasons, [*by_trigger, *whole]),
    )


def _judge_triggers(
    policy: EffectivePolicy, metrics: PartitionMetrics, limits: RewriteLimits, guards: Guards
) -> tuple[list[RuleState], Flags]:
    """Return the states of triggers, and flags of the partitions that those on `unordered_share` make due.

    `guards`: of rules for which the order of rows is no reason to rewrite a file.
    """
    rules = [rule for rule in trigger_rules(policy) if not _asks_overlap(rule)]
    for_order = guards
    if any(map(_asks_order, rules)):
        for_order = replace(guards, skip_reasons=_reasons(metrics, limits, reordered=None))
    tiered = with_fullest_tier(metrics, limits) if limits.tiers else metrics
    states = [evaluate(rule, tiered, for_order if _asks_order(rule) else guards) for rule in rules]
    reordered = [state.partitions for rule, state in zip(rules, states, strict=True) if _asks_order(rule)]
    reclaim = _reclaim_rules(policy) if limits.buckets is None else ()
    more = (*reclaim, *tier_rules(limits), *new_row_rules(policy, limits))
    states += [evaluate(rule, tiered, guards) for rule in more]
    return states, np.logical_or.reduce([np.zeros(len(metrics.files.names), np.bool_), *reordered])


def trigger_rules(policy: EffectivePolicy) -> list[Rule]:
    """Return the rules of an effective policy's `triggers`."""
    found = []
    for rule in policy.document().triggers or ():
        conditions, logic = logic_of(rule)
        found.append(Rule(rule.name, conditions, needs_change=rule.input_changed, logic=logic))
    return found


def _reclaim_rules(policy: EffectivePolicy) -> list[Rule]:
    """Return the rule of `maintenance.reclaim`: files that keep deleted rows for longer than its retention are due.

    In a key table with sorted runs it is a rule for full rewrites: only these merge deltas into the last level.
    """
    reclaim = policy.values[RECLAIM]
    if reclaim == OFF or not reclaim["compact_blocking"]:
        return []
    return [Rule(RECLAIM, [Check("blocking_age", "at_least", float(reclaim["retention"]))])]


def asks_overlap(policy: EffectivePolicy) -> bool:
    """Return whether a rule depends on the overlap of files, which requires reading bounds from all manifests."""
    return any(_asks_overlap(rule) for rule in trigger_rules(policy))


def asks_order(policy: EffectivePolicy) -> bool:
    """Return whether a rule depends on the order of rows, without which no automatic run rewrites a file for it."""
    return any(_asks_order(rule) for rule in trigger_rules(policy))


def asks_old_specs(policy: EffectivePolicy) -> bool:
    """Return whether a rule depends on the number of files under older partition specs."""
    return any(_asks(rule, "old_spec_file_count") for rule in trigger_rules(policy))


def _asks(rule: Rule, metric: str) -> bool:
    return any(str(check.metric) == metric for check in rule.conditions)


def _asks_overlap(rule: Rule) -> bool:
    """Return whether a rule depends on the overlap of files; it then makes whole partitions due.

    Overlap is only removed by rewriting all files of a partition together. Such a rule does not fire again until new
    files arrive, when the effect of the rewrite can be measured.
    """
    return _asks(rule, "overlap_depth")


def _asks_order(rule: Rule) -> bool:
    """Return whether a rule depends on the order of rows; files that are not in the order are then candidates."""
    return _asks(rule, "unordered_share")


def _never_due(
    files: PartitionedFiles, limits: RewriteLimits, reasons: Sequence[str | None], rules: Sequence[RuleState]
) -> NeverDue:
    """Count avoidable files of partitions that are not due, now or by time alone, where a rewrite would merge some."""
    in_time = np.logical_or.reduce([rule.due_in_time for rule in rules]) if rules else np.zeros(len(reasons), np.bool_)
    is_short = np.array([reason == SkipReason.TOO_FEW_FILES for reason in reasons], dtype=np.bool_)
    is_worth_it = np.array([reason is None for reason in reasons], dtype=np.bool_) | is_short
    avoidable = np.where(~in_time & is_worth_it, files.avoidable(files.file_bytes < limits.small_bytes), 0)
    return NeverDue(
        files=int(avoidable.sum()),
        partitions=int(np.count_nonzero(avoidable)),
        too_few_files=int(avoidable[is_short].sum()),
        of_files=len(files.file_bytes),
    )


def _reasons(
    metrics: PartitionMetrics, limits: RewriteLimits, *, reordered: Flags | None
) -> Sequence[SkipReason | str | None]:
    """Return the reason why an automatic rewrite would skip each partition, None where it would not.

    `reordered`: as in `find_candidates`.
    """
    candidates = find_candidates(metrics.files, limits, reordered=reordered)
    remainders = are_remainders(metrics, candidates)
    kept = zip(candidates.reasons, remainders.tolist(), strict=True)
    return [reason or (REMAINDER if is_left else None) for reason, is_left in kept]


def _whole_reasons(metrics: PartitionMetrics, limits: RewriteLimits) -> Sequence[SkipReason | None]:
    return find_candidates(metrics.files, limits, full=True).reasons


def _full_reasons(
    policy: EffectivePolicy, metrics: PartitionMetrics, limits: RewriteLimits
) -> Sequence[SkipReason | str | None]:
    """Return the reason why a full rewrite would skip each partition, None where it would not."""
    reasons = _whole_reasons(metrics, limits)
    eligibility = policy.full_eligibility
    if eligibility is None or not limits.is_full_guarded:
        return reasons
    if limits.full_scope is FullScope.UNSIZED:
        eligible = has_eligible_bucket(metrics, limits, **eligibility)
    else:
        eligible = is_eligible(metrics, **eligibility)
    return [reason or (None if fits else NOT_ELIGIBLE) for reason, fits in zip(reasons, eligible, strict=True)]


def _seal_rule(value: Mapping[str, float | None] | str) -> SealRule:
    return SealRule() if isinstance(value, str) and value == OFF else SealRule(**value)  # type: ignore[arg-type]


def _seal_state(rule: SealRule, seals: Seals) -> SealState:
    waiting = seals.sealed_from_ms[~seals.is_sealed]
    return SealState(
        rule=rule,
        sealed=int(np.count_nonzero(seals.is_sealed)),
        not_sealed=len(waiting),
        next_at_ms=int(waiting.min()) if len(waiting) else None,
    )
