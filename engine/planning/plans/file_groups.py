"""The plan: candidates of each partition packed into file groups, and the reasons of skipped partitions.

Python objects are made only for files in groups. The same digest in any row order gives the same plan. Guards: a group
is kept only if it results in fewer files or contains a file whose deletes or size force it; in a full rewrite also if
it contains several files, or if every file is requested.

The plan of a very large table contains the partitions with the highest gain, and leaves the others for later (`parts`).
A partition that cools down after a lost race is skipped, and a hot partition gets smaller groups.
"""

import heapq
from collections.abc import Callable, Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import numpy as np
import pyarrow as pa

from engine.domain.policies import EffectivePolicy
from engine.domain.runs.files import InputFile
from engine.domain.runs.hot_partitions import NONE_HOT, HotPartitions, Place
from engine.domain.runs.plans import FileGroup, Plan, SkippedPartition
from engine.domain.runs.times import RunKind, TimeEstimate
from engine.domain.tables.keys import DeclaredKey
from engine.domain.tables.orders import RowOrdering
from engine.planning.due.cooling import leave_cooling, shrunk_groups
from engine.planning.measures.ordered_files import are_unordered
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles, partition_files
from engine.planning.plans.bin_packing import pack
from engine.planning.plans.candidates import CandidateFlags, SkipReason, find_candidates
from engine.planning.plans.groupings import PACKED, Grouping
from engine.planning.plans.parts import MOST_FILES, left_for_later, parts_of
from engine.planning.plans.rewrite_limits import NO_LIMIT, RewriteLimits
from engine.planning.predictions.estimates import output_count, predict
from engine.planning.predictions.output_sizes import metadata_bytes
from engine.planning.predictions.run_statistics import NO_STATISTICS, RunStatistics

MAX_SKIPPED: Final = 1000
"""The most skipped partitions that a plan lists; `Plan.skipped_total` counts all."""


@dataclass(frozen=True, slots=True)
class _Bin:
    """A future group: rows of the digest in the order to read them, and their partition."""

    rows: Ints
    partition: int
    bytes: int
    outputs: int
    forced: bool
    full: bool  # of a full rewrite, with at least the number of files that it requires

    @property
    def gain(self) -> int:
        """The number of files by which the table gets smaller."""
        return len(self.rows) - self.outputs

    @property
    def is_worth_it(self) -> bool:
        return self.forced or self.gain >= 1 or self.full


def make_plan(
    digest: pa.Table,
    *,
    policy: EffectivePolicy,
    base_snapshot_id: int | None,
    schema_id: int,
    inputs_of: Callable[[Sequence[str]], Mapping[str, InputFile]],
    known: RunStatistics = NO_STATISTICS,
    columns: int = 0,
    grouping: Grouping = PACKED,
    native_lanes: int | None = None,
    full: bool = False,
    every_file: bool = False,
    hot: HotPartitions = NONE_HOT,
    most_files: int = MOST_FILES,
    order: RowOrdering | None = None,
    reordered: AbstractSet[Place] | None = None,
    keys_of: Callable[[pa.ChunkedArray], Ints] | None = None,
    output_spec_id: int | None = None,
    committed_at_ms: Collection[int] = (),
) -> Plan:
    """Plan the rewrite of a snapshot.

    Args:
        digest: live data files, with the schema `planning.measures.digest.FILE_DIGEST`.
        policy: sizes, guards and limits; the caller checks whether it is enabled.
        base_snapshot_id: the snapshot of the digest; None for an empty table.
        schema_id: the current schema.
        inputs_of: returns the inputs for paths of the digest, with their deletes; called once, with all paths.
        known: statistics of earlier runs, for predictions.
        columns: number of leaf columns of the schema, for the size of files' metadata; 0: unknown.
        grouping: the file groups of the engine that rewrites them.
        native_lanes: the groups that the format's own engine rewrites at a time; None: the kernel rewrites them.
        full: include every file of the digest, also well-sized ones.
        every_file: in a full rewrite, include files that would only be encoded again.
        hot: partitions that lost races to other writers.
        most_files: approximate limit of candidates in the plan; at least one partition is included.
        order: the order of rows in outputs; None: strategies without an order.
        reordered: partitions in which files that are not in the order are candidates; None: all partitions.
        keys_of: returns the first key of files (by path) in the order; called only if a partition needs several groups.
        output_spec_id: the partition spec to which files of other specs move; None: they stay in theirs.
        committed_at_ms: times of the table's newest commits, for groups that merge sorted runs.
    """
    limits = replace(RewriteLimits.of(policy), order=order, every_file=every_file, output_spec_id=output_spec_id)
    limits = limits.grouped(grouping, policy, committed_at_ms)
    files = partition_files(digest)
    found = find_candidates(files, limits, full=full, reordered=_flags_of(files, reordered))
    chosen = leave_cooling(files, found, hot)
    shrunk = shrunk_groups(files, limits, hot)
    for part, others in parts_of(files, chosen, most_files):
        packed, later = _pack_all(files, part, limits, shrunk, full=full, keys_of=keys_of), others
        if packed:
            break
    groups = _groups(files, packed, inputs_of, output_spec_id)
    skipped = _skipped(files, chosen, frozenset(one.partition for one in packed), later, hot)
    shares = _live_shares(files, packed)
    calibration = replace(known.calibration, metadata_bytes=_metadata_bytes(files, packed, columns))
    lanes = native_lanes or policy.parallel_groups
    kind = RunKind.NATIVE if native_lanes else _kind(groups, order, policy)
    time = TimeEstimate(kind, known.costs(kind), min(lanes, max(1, len(groups))), policy.budget().at_most(known.limit))
    return Plan(
        base_snapshot_id=base_snapshot_id,
        schema_id=schema_id,
        groups=groups,
        skipped=tuple(skipped[:MAX_SKIPPED]),
        skipped_total=len(skipped),
        prediction=predict(groups, live_share=shares, time=time, calibration=calibration),
        calibration=calibration,
        time=time,
        shrunk_partitions=_count_shrunk(packed, shrunk),
        later=left_for_later(files, chosen, later),
        order=order,
        unordered_files=None if order is None else int(are_unordered(files, order).sum()),
        reordered_files=sum(int(chosen.is_for_order[one.rows].sum()) for one in packed),
    )


def _flags_of(files: PartitionedFiles, places: AbstractSet[Place] | None) -> Flags | None:
    """Return, by partition, whether it is among the places; None: all are."""
    if places is None:
        return None
    return np.array([place in places for place in zip(files.spec_ids.tolist(), files.names, strict=True)], np.bool_)


def _kind(groups: Sequence[FileGroup], order: RowOrdering | None, policy: EffectivePolicy) -> RunKind:
    if order is not None:
        return RunKind(order.strategy)
    if DeclaredKey.of(policy.values) is not None:
        return RunKind.DECODE
    is_decoded = any(group.output_spec_id is not None or any(each.deletes for each in group.inputs) for group in groups)
    return RunKind.DECODE if is_decoded else RunKind.PACK


def _metadata_bytes(files: PartitionedFiles, packed: Sequence[_Bin], columns: int) -> int:
    """Return the approximate metadata bytes per file of the plan."""
    if not packed:
        return 0
    rows = np.concatenate([one.rows for one in packed])
    return metadata_bytes(files.file_bytes[rows], files.record_count[rows], columns)


def _pack_all(
    files: PartitionedFiles,
    chosen: CandidateFlags,
    limits: RewriteLimits,
    shrunk: Mapping[int, int],
    *,
    full: bool,
    keys_of: Callable[[pa.ChunkedArray], Ints] | None,
) -> list[_Bin]:
    """Return the worthwhile bins, partition by partition."""
    members = _members(files, chosen)
    if keys_of is not None and any(files.file_bytes[rows].sum() > limits.group_bytes for rows in members.values()):
        # neighbours in the order go into one group, so that ordered files overlap less with each rewrite
        keys = keys_of(files.paths)
        members = {unit: rows[np.argsort(keys[rows], kind="stable")] for unit, rows in members.items()}
        limits = replace(limits, order_bins_by="arrival")

    def packing(unit: int, at_least: int) -> list[_Bin]:
        rows = members[unit]
        partition = int(files.partition_of[rows[0]])
        own = replace(limits, group_bytes=shrunk.get(partition, limits.group_bytes))
        if partition in moving:  # files that arrived together have rows of few partitions in common
            own = replace(own, order_bins_by="arrival")
        if unit in with_vectors:
            own, at_least = replace(own, group_bytes=NO_LIMIT), 1
        return _pack_one(rows, files, chosen.is_forced, own, at_least=at_least, full=full)

    moving = _moving(files, limits)
    with_vectors = {unit for unit, rows in members.items() if limits.has_vectors and files.delete_files[rows[0]]}
    packed = {unit: packing(unit, 1) for unit in members}
    fixed = with_vectors | {unit for unit, rows in members.items() if int(files.partition_of[rows[0]]) in moving}
    staying = {unit: bins for unit, bins in packed.items() if unit not in fixed}
    for unit, wanted in _more_for_parallel_tasks(packed, limits, staying).items():
        split = packing(unit, wanted)
        if _outcome(split) >= _outcome(packed[unit]):
            packed[unit] = split
    return sorted((one for bins in packed.values() for one in bins), key=lambda one: one.partition)


def _moving(files: PartitionedFiles, limits: RewriteLimits) -> AbstractSet[int]:
    """Return the partitions whose rows move to another partition spec."""
    if limits.output_spec_id is None:
        return frozenset()
    return frozenset(np.flatnonzero(files.spec_ids != limits.output_spec_id).tolist())


def _members(files: PartitionedFiles, chosen: CandidateFlags) -> dict[int, Ints]:
    """Return the candidates by merge unit, each in the order of arrival."""
    ordered = files.in_order_of_arrival(chosen.is_candidate)
    if not len(ordered):
        return {}
    ordered = ordered[np.argsort(chosen.unit_of[ordered], kind="stable")]
    owner = chosen.unit_of[ordered]
    starts = np.flatnonzero(np.diff(owner, prepend=-1))
    return dict(zip(owner[starts].tolist(), np.split(ordered, starts[1:]), strict=True))


def _pack_one(
    rows: Ints, files: PartitionedFiles, is_forced: Flags, limits: RewriteLimits, *, at_least: int, full: bool
) -> list[_Bin]:
    packed = pack(
        files.file_bytes[rows],
        capacity=limits.group_bytes,
        target=limits.target_bytes,
        at_least=at_least,
        order_by=limits.order_bins_by,
    )
    bins = [_bin(rows[positions], files, is_forced, limits, full=full) for positions in packed]
    return [candidate for candidate in bins if candidate.is_worth_it]


def _bin(rows: Ints, files: PartitionedFiles, is_forced: Flags, limits: RewriteLimits, *, full: bool) -> _Bin:
    total = int(files.file_bytes[rows].sum())
    outputs = output_count(total, limits.target_bytes)
    is_full = full and len(rows) >= limits.least_in_full
    return _Bin(rows, int(files.partition_of[rows[0]]), total, outputs, bool(is_forced[rows].any()), is_full)


def _outcome(bins: Sequence[_Bin]) -> tuple[int, int]:
    """Return the quality of a packing: files in forced bins, then files saved. A split must not reduce it."""
    return sum(len(b.rows) for b in bins if b.forced or b.full), sum(b.gain for b in bins)


def _more_for_parallel_tasks(
    packed: Mapping[int, Sequence[_Bin]], limits: RewriteLimits, staying: Mapping[int, Sequence[_Bin]]
) -> dict[int, int]:
    """Return the units to cut into more groups, with their numbers, if a plan has fewer than `parallel_groups` groups.

    Only units in `staying`: a group that moves to another spec makes at least one file in each of its partitions. Each
    additional group goes to the unit with the largest groups; each group keeps at least one output, which is 5/6 of a
    target.
    """
    lacking = limits.parallel_groups - sum(len(bins) for bins in packed.values())
    if lacking <= 0 or limits.order is not None:  # groups of one partition would overlap
        return {}
    heap = [(-sum(b.bytes for b in bins) / len(bins), unit) for unit, bins in staying.items() if bins]
    groups = {unit: len(bins) for unit, bins in packed.items()}
    heapq.heapify(heap)
    wanted: dict[int, int] = {}
    while heap and lacking > 0:
        _, unit = heapq.heappop(heap)
        total = sum(b.bytes for b in packed[unit])
        if groups[unit] >= output_count(total, limits.target_bytes):
            continue
        groups[unit] += 1
        lacking -= 1
        wanted[unit] = groups[unit]
        heapq.heappush(heap, (-total / groups[unit], unit))
    return wanted


def _count_shrunk(packed: Sequence[_Bin], shrunk: Mapping[int, int]) -> int:
    sizes: dict[int, int] = {}
    for one in packed:
        sizes[one.partition] = sizes.get(one.partition, 0) + one.bytes
    return sum(sizes.get(partition, 0) > most for partition, most in shrunk.items())


def _groups(
    files: PartitionedFiles,
    packed: Sequence[_Bin],
    inputs_of: Callable[[Sequence[str]], Mapping[str, InputFile]],
    output_spec_id: int | None,
) -> tuple[FileGroup, ...]:
    """Return the file groups, numbered from 0 in the order of partitions."""
    if not packed:
        return ()
    paths = files.paths.take(pa.array(np.concatenate([one.rows for one in packed]))).to_pylist()
    inputs = inputs_of(paths)
    groups: list[FileGroup] = []
    start = 0
    for one in packed:
        named = paths[start : start + len(one.rows)]
        start += len(one.rows)
        spec_id = int(files.spec_ids[one.partition])
        group = FileGroup(
            ordinal=len(groups),
            spec_id=spec_id,
            partition=files.names[one.partition],
            inputs=tuple(inputs[path] for path in named),
            predicted_outputs=one.outputs,
            output_spec_id=None if spec_id == output_spec_id else output_spec_id,
            level0_file_count=int(((files.level[one.rows] == 0) & (files.bucket[one.rows] >= 0)).sum()),
        )
        groups.append(group)
    return tuple(groups)


def _live_shares(files: PartitionedFiles, packed: Sequence[_Bin]) -> list[float]:
    shares = []
    for one in packed:
        records = np.maximum(1, files.record_count[one.rows])
        live = 1 - np.minimum(1.0, files.deleted_rows[one.rows] / records)
        shares.append(float((files.file_bytes[one.rows] * live).sum()) / max(1, one.bytes))
    return shares


def _skipped(
    files: PartitionedFiles,
    chosen: CandidateFlags,
    taken: AbstractSet[int],
    later: Ints,
    hot: HotPartitions,
) -> list[SkippedPartition]:
    """Return partitions without a group, those with most files first."""
    in_later = set(later.tolist())
    counts, sizes = files.count().tolist(), files.total(files.file_bytes).tolist()
    skipped = [
        SkippedPartition(
            partition=name,
            spec_id=int(files.spec_ids[at]),
            files=counts[at],
            bytes=sizes[at],
            # the partition has candidates, but no single group results in fewer files
            reason=str(chosen.reasons[at] or (SkipReason.LATER if at in in_later else SkipReason.AS_GOOD_AS_IT_GETS)),
            until=_until(chosen.reasons[at], (int(files.spec_ids[at]), name), hot),
        )
        for at, name in enumerate(files.names)
        if at not in taken
    ]
    return sorted(skipped, key=lambda one: (-one.files, one.spec_id, one.partition))


def _until(reason: SkipReason | None, place: Place, hot: HotPartitions) -> datetime | None:
    return hot.cooling_until(place) if reason is SkipReason.COOLING_DOWN else None
