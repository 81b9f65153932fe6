"""Candidates: the files worth rewriting, and the reasons of skipped partitions. Vectors over the digest, no objects.

A file is a candidate when it is small, too large (and therefore split), affected by many deletes, made of small row
groups (`planning.measures.row_groups`), not in the requested order (`planning.measures.ordered_files`), or under an
older partition spec that its rows are to leave (`RewriteLimits.output_spec_id`). Candidates are selected by merge unit
(`planning.plans.merge_units`; for most strategies a whole partition): when a unit has enough candidates and they result
in fewer files. Any reason other than small size is sufficient for a single file. In a full rewrite, every file is a
candidate, and two files are sufficient; a file that would result in one file is only rewritten to put its rows into an
order that they are not in, or if every file is requested. In append tables of Paimon, a full rewrite leaves files of
the right size without deletes, unless every file is requested (`groupings.FullScope`). Where partitions are only
replaced as a whole (`RewriteLimits.takes_partitions`), all files of a selected one are candidates, and a refused file
holds it back.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from engine.planning.measures.ordered_files import are_in_order, are_unordered
from engine.planning.measures.partitions import Flags, Ints, PartitionedFiles
from engine.planning.measures.row_groups import have_small_row_groups
from engine.planning.plans.groupings import FullScope
from engine.planning.plans.merge_units import merge_units
from engine.planning.plans.rewrite_limits import RewriteLimits
from engine.planning.plans.run_candidates import in_due_buckets
from engine.planning.predictions.estimates import output_counts


class SkipReason(StrEnum):
    """The reason why a partition is skipped."""

    WELL_SIZED = "well_sized"  # no file is a candidate
    FEW_RUNS = "few_runs"  # no bucket has rewrite.key_tables.sorted_run_trigger sorted runs
    TOO_FEW_FILES = "too_few_files"  # fewer candidates than rewrite.min_input_files
    AS_GOOD_AS_IT_GETS = "as_good_as_it_gets"  # a rewrite would not make fewer files
    EXCLUDED_ABOVE = "excluded_above"  # all candidates are above rewrite.exclude_above_bytes
    EQUALITY_DELETES = "equality_deletes"  # the kernel does not apply them
    ENCRYPTED = "encrypted"  # the kernel does not read encrypted files
    NOT_PARQUET = "not_parquet"  # the kernel reads Parquet only
    OUTSIDE_FILES = "outside_files"  # a file outside the table's location, which the catalog does not allow
    OTHER_FORMAT = "other_format"  # its folder has the metadata of another table format
    UNKNOWN_STORAGE = "unknown_storage"  # its entry in the catalog is not that of plain data files
    SHARED_LOCATION = "shared_location"  # its folder is another partition's, inside of it or around it
    REPEATED_VALUES = "repeated_values"  # another partition has the same values
    OUTSIDE_LOCATION = "outside_location"  # its folder is not in the table's, though the catalog allows its files
    LONG_NAMES = "long_names"  # the record of a rewrite could not be stored
    NESTED_FILES = "nested_files"  # files in folders below its own, which not every engine reads
    LATER = "later"  # the run rewrites it after partitions with a higher gain
    COOLING_DOWN = "cooling_down"  # other writers won the last race for it


@dataclass(frozen=True, slots=True)
class CandidateFlags:
    """Flags over files and over partitions.

    `is_candidate`: to be put in a group (only files of selected units). `is_forced`: deletes, a split, small row
    groups, the order or the partition spec are sufficient reason. `is_for_order`: candidates that would not be any if
    the order were no reason. `unit_of`: the merge unit of each file. `outputs`: by partition, the predicted number of
    outputs. `reasons`: by partition, None where it is selected.
    """

    is_candidate: Flags
    is_forced: Flags
    is_for_order: Flags
    unit_of: Ints
    outputs: Ints
    reasons: tuple[SkipReason | None, ...]


_REFUSED: Final = (SkipReason.NOT_PARQUET, SkipReason.ENCRYPTED, SkipReason.EXCLUDED_ABOVE)
"""Reasons that a single file can cause, strongest first."""


def find_candidates(
    files: PartitionedFiles, limits: RewriteLimits, *, full: bool = False, reordered: Flags | None = None
) -> CandidateFlags:
    """Return the files worth rewriting under `limits`.

    Args:
        files: the table's files.
        limits: sizes, limits and the requested order.
        full: select all eligible files, including well-sized ones.
        reordered: by partition, whether files that are not in the order are candidates; None: in all partitions.
    """
    unordered = are_unordered(files, limits.order)
    if reordered is not None:
        unordered &= reordered[files.partition_of]
    whole = _taken_whole(files, limits, full=full)
    found = _find(files, limits, unordered, whole, full=full)
    if limits.takes_partitions:
        touched = files.count(found.is_candidate) > 0
        found = _find(files, limits, unordered, touched, full=bool(touched.all()))
    if not unordered.any():
        return found
    others = _find(files, limits, np.zeros_like(unordered), whole, full=full)
    return replace(found, is_for_order=found.is_candidate & ~others.is_candidate)


def _find(
    files: PartitionedFiles, limits: RewriteLimits, unordered: Flags, in_full: Flags, *, full: bool
) -> CandidateFlags:
    """Return the candidates; `in_full`: by partition, whether all of its files are; `full`: the rewrite is in full."""
    wanted, forced = _wanted(files, limits, unordered, in_full, full=full)
    allowed, refused = _allowed(files, limits)
    wanted_here, forced_here = wanted & allowed, forced & allowed
    has_outside = files.count(files.is_outside) > 0
    blocked = (files.count(files.equality_deletes > 0) > 0) | has_outside | files.is_refused
    is_incomplete = (files.count(~allowed) > 0) & limits.takes_partitions

    units = merge_units(files, wanted_here, forced_here, limits, full=full)
    count = units.count(wanted_here)
    outputs = output_counts(units.total(files.file_bytes, wanted_here), limits.target_bytes)
    has_forced = (units.count(forced_here) > 0) | (in_full[units.partition_of] & (count >= limits.least_in_full))
    is_enough = has_forced | (count >= units.least_files)
    taken = (count > 0) & is_enough & (has_forced | (count > outputs))
    taken &= ~(blocked | is_incomplete)[units.partition_of]

    def has_any(of: Flags) -> Flags:
        return units.in_partitions(of & (count > 0), len(files.names)) > 0

    wanted_count = files.count(wanted_here)
    reasons: list[SkipReason | None] = [None] * len(files.names)
    is_left = ~has_any(taken)
    _set(reasons, is_left, SkipReason.TOO_FEW_FILES)
    _set(reasons, is_left & ~has_any(count > outputs), SkipReason.AS_GOOD_AS_IT_GETS)
    _set(reasons, wanted_count == 0, SkipReason.WELL_SIZED if limits.buckets is None else SkipReason.FEW_RUNS)
    for reason in reversed(_REFUSED):
        _set(reasons, (wanted_count == 0) & (files.count(wanted & refused[reason]) > 0), reason)
        _set(reasons, is_incomplete & (files.count(refused[reason]) > 0), reason)
    _set_blocked(reasons, files, blocked, has_outside)
    chosen = taken[units.unit_of]
    return CandidateFlags(
        wanted_here & chosen,
        forced_here & chosen,
        np.zeros_like(chosen),
        units.unit_of,
        units.in_partitions(np.where(taken, outputs, 0), len(files.names)),
        tuple(reasons),
    )


def _wanted(
    files: PartitionedFiles, limits: RewriteLimits, unordered: Flags, in_full: Flags, *, full: bool
) -> tuple[Flags, Flags]:
    """Return flags of candidates by size and reason, and of those with a sufficient reason."""
    if limits.buckets is not None:
        due = in_due_buckets(files, limits.buckets, full=full)
        return due, due
    repaired = have_small_row_groups(files, limits.small_row_group_bytes)
    moved = files.are_of_other_specs(limits.output_spec_id)
    applied = (files.delete_files > 0) & (full and limits.has_vectors)
    forced = applied | _burdened(files, limits) | _too_large(files, limits) | repaired | unordered | moved
    wanted = forced | (files.file_bytes < limits.candidate_bytes) | in_full[files.partition_of]
    return (wanted & (forced | ~left_in_full(files, limits)) if full else wanted), forced


def left_in_full(files: PartitionedFiles, limits: RewriteLimits) -> Flags:
    """Return flags of files of the right size without deletes that a full rewrite leaves, by the table's scope."""
    if limits.full_scope is FullScope.EVERY_FILE or limits.every_file:
        return np.zeros(len(files.file_bytes), dtype=np.bool_)
    sized: Flags = ~limits.sizes.are_small(files) & (files.delete_files == 0) & (files.equality_deletes == 0)
    return sized if limits.full_scope is FullScope.UNSIZED else sized & are_leading(files, sized)


def are_leading(files: PartitionedFiles, flags: Flags) -> Flags:
    """Return flags of the files before the first unflagged one of their bucket (or partition), in order of arrival.

    Paimon's core skips these of a full compaction (`BucketedAppendCompactManager.FullCompactTask`).
    """
    order, (bucket_of, partitions) = files.in_buckets_by_arrival(), files.number_buckets()
    others = np.cumsum(~flags[order])
    before = np.full(len(partitions), len(order), np.int64)
    np.minimum.at(before, bucket_of[order], others - ~flags[order])
    found = np.zeros_like(flags)
    found[order] = others == before[bucket_of[order]]
    return found


def _taken_whole(files: PartitionedFiles, limits: RewriteLimits, *, full: bool) -> Flags:
    """Return flags of partitions whose files are all candidates; not for the order if they are already in it."""
    if full and limits.buckets is None and limits.order is not None and not limits.every_file:
        return ~are_in_order(files, limits.order, group_bytes=limits.group_bytes)
    return np.full(len(files.names), full and limits.buckets is None, dtype=np.bool_)


def _burdened(files: PartitionedFiles, limits: RewriteLimits) -> Flags:
    by_ratio = files.deleted_rows >= limits.delete_ratio * files.record_count
    flags: Flags = (files.delete_files >= limits.delete_files) | (by_ratio & (files.deleted_rows > 0))
    return flags


def _too_large(files: PartitionedFiles, limits: RewriteLimits) -> Flags:
    """Return flags of too large files that a split makes at least two of; others would be rewritten without change."""
    splits: Flags = output_counts(files.file_bytes, limits.target_bytes) > 1
    return splits & limits.sizes.are_large(files)


def _allowed(files: PartitionedFiles, limits: RewriteLimits) -> tuple[Flags, dict[SkipReason, Flags]]:
    above = limits.exclude_above_bytes
    refused: dict[SkipReason, Flags] = {
        SkipReason.NOT_PARQUET: ~files.is_parquet,
        SkipReason.ENCRYPTED: files.is_encrypted,
        SkipReason.EXCLUDED_ABOVE: np.zeros_like(files.is_parquet) if above is None else files.file_bytes > above,
    }
    return ~np.logical_or.reduce(list(refused.values())), refused


def _set_blocked(reasons: list[SkipReason | None], files: PartitionedFiles, blocked: Flags, has_outside: Flags) -> None:
    """Set the reasons of partitions that can't be rewritten, whatever the limits are; the format's own is strongest."""
    _set(reasons, blocked, SkipReason.EQUALITY_DELETES)
    _set(reasons, has_outside, SkipReason.OUTSIDE_FILES)
    for partition, code in files.refusals.items():
        reasons[partition] = SkipReason(code)


def _set(reasons: list[SkipReason | None], where: Ints | Flags, reason: SkipReason) -> None:
    for partition in np.flatnonzero(where).tolist():
        reasons[partition] = reason
