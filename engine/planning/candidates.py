"""Which files are worth rewriting, and why whole partitions are left alone. Vectors over the digest, no objects.

A file is a candidate when it is small, too large (and so is split), or burdened with deletes. A partition is taken
when its candidates are enough and come to fewer files than they are now; a delete or a split is reason enough alone.
In full, every file is a candidate, and two of them are reason enough: one file that would come out as one never is.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from engine.domain.policies import EffectivePolicy
from engine.planning.estimates import output_counts
from engine.planning.partitions import Flags, Ints, PartitionedFiles


class SkipReason(StrEnum):
    """Why a partition is left alone."""

    WELL_SIZED = "well_sized"  # no file is small, too large or burdened with deletes
    TOO_FEW_FILES = "too_few_files"  # fewer candidates than rewrite.min_input_files
    AS_GOOD_AS_IT_GETS = "as_good_as_it_gets"  # a rewrite would not make fewer files
    EXCLUDED_ABOVE = "excluded_above"  # what could be rewritten is above rewrite.exclude_above_bytes
    EQUALITY_DELETES = "equality_deletes"  # the kernel does not apply them
    ENCRYPTED = "encrypted"  # the kernel does not read encrypted files
    NOT_PARQUET = "not_parquet"  # the kernel reads Parquet only
    LATER = "later"  # the run takes it when what gains more is done
    COOLING_DOWN = "cooling_down"  # other writers won the last race for it


@dataclass(frozen=True, slots=True)
class RewriteLimits:
    """The policy's figures for planning; bytes, None is off.

    `group_bytes` is at least the target: a group smaller than the file it is to make could never make it.
    """

    target_bytes: int
    small_bytes: int
    large_bytes: int | None
    exclude_above_bytes: int | None
    min_input_files: int
    group_bytes: int
    delete_files: int
    delete_ratio: float
    parallel_groups: int

    @staticmethod
    def of(policy: EffectivePolicy) -> "RewriteLimits":
        """Return the figures of an effective policy."""
        values = policy.values
        target = int(values["rewrite.target_file_bytes"])
        return RewriteLimits(
            target_bytes=target,
            small_bytes=int(values["rewrite.small_file_bytes"]),
            large_bytes=policy.bytes_of("rewrite.large_file_bytes"),
            exclude_above_bytes=policy.bytes_of("rewrite.exclude_above_bytes"),
            min_input_files=int(values["rewrite.min_input_files"]),
            group_bytes=max(target, int(values["rewrite.max_group_bytes"])),
            delete_files=int(values["rewrite.deletes.files"]),
            delete_ratio=float(values["rewrite.deletes.ratio"]),
            parallel_groups=policy.parallel_groups,
        )


@dataclass(frozen=True, slots=True)
class Candidates:
    """Flags over files and over partitions.

    `is_candidate`: to be put in a group (only files of taken partitions). `is_forced`: a delete or a split is reason
    enough. `reasons`: by partition, None where it is taken.
    """

    is_candidate: Flags
    is_forced: Flags
    reasons: tuple[SkipReason | None, ...]


_REFUSED: Final = (SkipReason.NOT_PARQUET, SkipReason.ENCRYPTED, SkipReason.EXCLUDED_ABOVE)
"""Reasons that a file alone can give, strongest first."""


def find_candidates(files: PartitionedFiles, limits: RewriteLimits, *, full: bool = False) -> Candidates:
    """Return what is worth rewriting under `limits`; `full`: all that can be, also files of the right size."""
    forced = _burdened(files, limits) | _too_large(files, limits)
    wanted = forced | (files.file_bytes < limits.small_bytes) | full
    allowed, refused = _allowed(files, limits)
    wanted_here, forced_here = wanted & allowed, forced & allowed
    blocked = files.count(files.equality_deletes > 0) > 0

    count, has_forced = files.count(wanted_here), files.count(forced_here) > 0
    has_forced |= full & (count > 1)
    gain = count - output_counts(files.total(files.file_bytes, wanted_here), limits.target_bytes)
    reasons: list[SkipReason | None] = [None] * len(files.names)
    _set(reasons, ~has_forced & (count < limits.min_input_files), SkipReason.TOO_FEW_FILES)
    _set(reasons, ~has_forced & (gain < 1), SkipReason.AS_GOOD_AS_IT_GETS)
    _set(reasons, count == 0, SkipReason.WELL_SIZED)
    for reason in reversed(_REFUSED):
        _set(reasons, (count == 0) & (files.count(wanted & refused[reason]) > 0), reason)
    _set(reasons, blocked, SkipReason.EQUALITY_DELETES)

    taken = np.array([reason is None for reason in reasons], dtype=np.bool_)[files.partition_of]
    return Candidates(wanted_here & taken, forced_here & taken, tuple(reasons))


def _burdened(files: PartitionedFiles, limits: RewriteLimits) -> Flags:
    by_ratio = files.deleted_rows >= limits.delete_ratio * files.record_count
    flags: Flags = (files.delete_files >= limits.delete_files) | (by_ratio & (files.deleted_rows > 0))
    return flags


def _too_large(files: PartitionedFiles, limits: RewriteLimits) -> Flags:
    """Too large, and splitting makes at least two files: else it would be rewritten for ever without a change."""
    if limits.large_bytes is None:
        return np.zeros(len(files.file_bytes), dtype=np.bool_)
    splits: Flags = output_counts(files.file_bytes, limits.target_bytes) > 1
    return splits & (files.file_bytes > limits.large_bytes)


def _allowed(files: PartitionedFiles, limits: RewriteLimits) -> tuple[Flags, dict[SkipReason, Flags]]:
    above = limits.exclude_above_bytes
    refused: dict[SkipReason, Flags] = {
        SkipReason.NOT_PARQUET: ~files.is_parquet,
        SkipReason.ENCRYPTED: files.is_encrypted,
        SkipReason.EXCLUDED_ABOVE: np.zeros_like(files.is_parquet) if above is None else files.file_bytes > above,
    }
    return ~np.logical_or.reduce(list(refused.values())), refused


def _set(reasons: list[SkipReason | None], where: Ints | Flags, reason: SkipReason) -> None:
    for partition in np.flatnonzero(where).tolist():
        reasons[partition] = reason
