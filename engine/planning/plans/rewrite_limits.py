"""The policy's sizes and limits for planning."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from engine.domain.policies import EffectivePolicy, Strategy
from engine.domain.tables.orders import ORDERED_STRATEGIES, RowOrdering
from engine.planning.measures.partition_health import SizeRules
from engine.planning.plans.groupings import (
    ArrivalWindows,
    FullScope,
    Grouping,
    MergedRuns,
    Packed,
    WholePartitions,
    WholeUnits,
)
from engine.planning.plans.run_candidates import BucketRule

GROUP_SETTING: Final = "rewrite.max_group_bytes (rewrite.max_ordered_bytes where rows are put into order)"
"""The setting that limits the size of file groups, for messages."""

NO_LIMIT: Final = 2**62
"""Bytes of a file group without a limit."""


@dataclass(frozen=True, slots=True)
class TierLimit:
    """A size class: files below `below_bytes`, and the number of files that makes it due."""

    below_bytes: int
    files: int


@dataclass(frozen=True, slots=True)
class RewriteLimits:
    """Limits of a rewrite. Sizes are bytes, None is off.

    `group_bytes` is at least the target, as a smaller group could never fill a file. For ordered rows it is the size of
    a group that is put into one order. `tiers` is empty unless the strategy is `tiered`. `order_bins_by`: `locality`,
    `fill` or `arrival`. `order`: the order of rows, resolved for the table; `every_file`: a full rewrite includes files
    that would only be encoded again, as requested; `output_spec_id`: the partition spec to which files of other specs
    move, None if they stay (`make_plan` adds these three). `buckets`: when a bucket is rewritten, None where sizes
    of files decide. `takes_partitions`: a partition with candidates is rewritten with all of its files, or not at all.
    `full_scope`: the files of a full rewrite.
    """

    target_bytes: int
    small_bytes: int
    large_bytes: int | None
    exclude_above_bytes: int | None
    min_input_files: int
    group_bytes: int
    delete_files: int
    delete_ratio: float
    small_row_group_bytes: int | None
    parallel_groups: int
    order_bins_by: str = "locality"
    tiers: tuple[TierLimit, ...] = ()
    is_window: bool = False
    time_span_ms: int | None = None
    order: RowOrdering | None = None
    every_file: bool = False
    output_spec_id: int | None = None
    buckets: BucketRule | None = None
    takes_partitions: bool = False
    full_scope: FullScope = FullScope.EVERY_FILE

    @staticmethod
    def of(policy: EffectivePolicy) -> "RewriteLimits":
        """Return the limits of an effective policy."""
        values = policy.values
        target = policy.target_bytes
        strategy, span = policy.strategy, policy.seconds_of("rewrite.max_time_span")
        most = "rewrite.max_ordered_bytes" if strategy in ORDERED_STRATEGIES else "rewrite.max_group_bytes"
        return RewriteLimits(
            target_bytes=target,
            small_bytes=policy.small_bytes,
            large_bytes=policy.large_bytes,
            exclude_above_bytes=policy.bytes_of("rewrite.exclude_above_bytes"),
            min_input_files=policy.min_input_files,
            group_bytes=max(target, int(values[most])),
            delete_files=int(values["rewrite.deletes.files"]),
            delete_ratio=float(values["rewrite.deletes.ratio"]),
            small_row_group_bytes=policy.small_row_group_bytes,
            parallel_groups=policy.parallel_groups,
            order_bins_by="arrival" if strategy is Strategy.WINDOW else str(values["rewrite.order_bins_by"]),
            tiers=tuple(map(_tier, values["rewrite.tiers"])) if strategy is Strategy.TIERED else (),
            is_window=strategy is Strategy.WINDOW,
            time_span_ms=None if span is None else 1000 * span,
        )

    def grouped(
        self, grouping: Grouping, policy: EffectivePolicy, committed_at_ms: Collection[int] = ()
    ) -> "RewriteLimits":
        """Return these limits for the file groups of an engine, given the times of the table's newest commits."""
        whole = replace(self, group_bytes=NO_LIMIT, parallel_groups=1)
        match grouping:
            case Packed(full_scope):
                limits = replace(self, full_scope=full_scope)
                return replace(limits, is_window=False, tiers=()) if limits.has_vectors else limits
            case ArrivalWindows(full_scope):
                limits = replace(self, full_scope=full_scope, is_window=True, order_bins_by="arrival")
                return replace(limits, tiers=(), time_span_ms=None)
            case WholePartitions():
                return replace(whole, takes_partitions=True, is_window=False, tiers=(), time_span_ms=None)
            case WholeUnits():
                return whole
            case MergedRuns(lifts_level0, last_level, full_scope):
                rule = BucketRule.of(policy, committed_at_ms, lifts_new=lifts_level0, last_level=last_level)
                # a bucket is one group, whatever the strategy: two groups of one bucket are a conflict
                limits = replace(whole, is_window=False, tiers=(), time_span_ms=None)
                return replace(limits, full_scope=full_scope, buckets=rule)
            case _:
                assert_never(grouping)

    @property
    def sizes(self) -> SizeRules:
        """The sizes by which files are small or over-large."""
        return SizeRules(self.small_bytes, self.large_bytes, self.small_row_group_bytes)

    @property
    def least_in_full(self) -> int:
        """The least number of files for a full rewrite: a single file that would not change is skipped."""
        return 1 if self.order is not None or self.every_file else 2

    @property
    def is_full_guarded(self) -> bool:
        """Whether `rewrite.full.eligibility` applies: not to sorted runs, nor where vectors have to be applied."""
        return self.buckets is None and not self.has_vectors

    @property
    def has_vectors(self) -> bool:
        """Whether files of an append table can have deletion vectors.

        Those of a partition that have one are rewritten in one group: their vectors can be in one index file, which a
        commit replaces once only. In a table with a primary key, a bucket is one group.
        """
        return self.full_scope is FullScope.FROM_FIRST_UNSIZED and self.buckets is None

    @property
    def candidate_bytes(self) -> int:
        """The size below which files are candidates: the small-file size, or the largest bound of the tiers."""
        return self.tiers[-1].below_bytes if self.tiers else self.small_bytes


def _tier(value: Mapping[str, Any]) -> TierLimit:
    return TierLimit(int(value["below_bytes"]), int(value["files"]))
