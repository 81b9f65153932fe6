"""Effects of lost races on a plan: partitions in cool-down are skipped, and hot partitions get smaller file groups."""

from dataclasses import replace

import numpy as np

from engine.domain.runs.hot_partitions import HotPartitions
from engine.planning.measures.partition_metrics import Floats
from engine.planning.measures.partitions import PartitionedFiles
from engine.planning.plans.candidates import CandidateFlags, SkipReason
from engine.planning.plans.rewrite_limits import RewriteLimits


def leave_cooling(files: PartitionedFiles, chosen: CandidateFlags, hot: HotPartitions) -> CandidateFlags:
    """Return the candidates without those in partitions that are cooling down."""
    cools = cools_in_seconds(files, hot) > 0
    if not cools.any():
        return chosen
    reasons = tuple(
        SkipReason.COOLING_DOWN if reason is None and is_cooling else reason
        for reason, is_cooling in zip(chosen.reasons, cools.tolist(), strict=True)
    )
    warm = ~cools[files.partition_of]
    return replace(chosen, is_candidate=chosen.is_candidate & warm, is_forced=chosen.is_forced & warm, reasons=reasons)


def shrunk_groups(files: PartitionedFiles, limits: RewriteLimits, hot: HotPartitions) -> dict[int, int]:
    """Return the size limit of file groups in bytes, by partition, where it is less than the policy's."""
    found: dict[int, int] = {}
    if limits.takes_partitions:
        return found
    for at, place in _places(files, hot):
        allowed = hot.group_bytes(place, limits.group_bytes, least=limits.target_bytes)
        if allowed < limits.group_bytes:
            found[at] = allowed
    return found


def cools_in_seconds(files: PartitionedFiles, hot: HotPartitions) -> Floats:
    """Return the remaining cool-down of each partition in seconds, 0 without one."""
    seconds = np.zeros(len(files.names))
    for at, place in _places(files, hot):
        until = hot.cooling_until(place)
        if until is not None:
            seconds[at] = (until - hot.now).total_seconds()
    return seconds


def _places(files: PartitionedFiles, hot: HotPartitions) -> list[tuple[int, tuple[int, str]]]:
    """Return the hot partitions among those of the files, each with its index."""
    if not hot.by_place:
        return []
    places = zip(files.spec_ids.tolist(), files.names, strict=True)
    return [(at, place) for at, place in enumerate(places) if place in hot.by_place]
