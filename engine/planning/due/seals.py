"""Sealed partitions: no more writes to them are expected, so that rewrites do not conflict with writers.

`after`: this time has passed since the end of the partition's own time window, by the time field of its spec, in UTC.
`quiet_for`: nothing was committed to the partition for this time. Late data opens a sealed partition again: it is
sealed once the same time has passed since the late commit. A partition without a time window (no time field in its
spec, or a null in it) has no end to wait for, and its writers may never pause: `after` counts from the commit of its
oldest small file that no rewrite wrote. What is then rewritten beside the writers is what they committed in that time;
a run has the lease of its table, so a partition is never rewritten by two at once.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import numpy as np

from engine.domain.values.partitions import time_ordinal, time_start
from engine.planning.measures.digest import PartitionTime
from engine.planning.measures.partition_metrics import PartitionMetrics
from engine.planning.measures.partitions import Flags, Ints

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NO_END: Final = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class SealRule:
    """Conditions for sealed partitions, in seconds: one of the two, or neither (every partition may be rewritten)."""

    after: float | None = None
    quiet_for: float | None = None


@dataclass(frozen=True, slots=True)
class Seals:
    """By partition: whether it is sealed, and when it is (milliseconds since 1970) if nothing more is written."""

    is_sealed: Flags
    sealed_from_ms: Ints


def find_seals(metrics: PartitionMetrics, times: Mapping[int, PartitionTime], rule: SealRule, *, now_ms: int) -> Seals:
    """Return the sealed partitions under a rule; `times` has the time field of each spec that has one."""
    partitions = len(metrics.files.names)
    if rule.after is None and rule.quiet_for is None:
        return Seals(np.ones(partitions, dtype=np.bool_), np.zeros(partitions, dtype=np.int64))
    sealed_from = metrics.newest_ms + _milliseconds(rule.quiet_for or 0)
    if rule.after is not None:
        ends = _window_ends(metrics, times)
        begins = np.where(ends == _NO_END, metrics.waiting_ms, np.maximum(ends, metrics.newest_ms))
        sealed_from = np.maximum(sealed_from, begins + _milliseconds(rule.after))
    return Seals(sealed_from <= now_ms, sealed_from)


def window_end(partition: str, time: PartitionTime) -> datetime | None:
    """Return the end of a partition's time window; None for a null, or a value that is not a time."""
    value = json.loads(partition).get(time.field)
    try:
        return time_start(time_ordinal(value, time.unit) + 1, time.unit)
    except (TypeError, ValueError, OverflowError):
        return None


def _window_ends(metrics: PartitionMetrics, times: Mapping[int, PartitionTime]) -> Ints:
    """Return the end of each partition's time window, `_NO_END` where it has none."""
    ends = np.full(len(metrics.files.names), _NO_END, dtype=np.int64)
    for at, (spec_id, partition) in enumerate(zip(metrics.files.spec_ids.tolist(), metrics.files.names, strict=True)):
        time = times.get(spec_id)
        end = None if time is None else window_end(partition, time)
        if end is not None:
            ends[at] = _milliseconds((end - _EPOCH).total_seconds())
    return ends


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
