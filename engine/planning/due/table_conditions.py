"""Conditions on figures of a whole table, for operations that work on its metadata and not on its partitions."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from engine.domain.policies import MetricKind, TriggerCondition
from engine.planning.due.triggers import MeasuredCondition
from engine.planning.measures.digest import TableMeasures
from engine.planning.measures.partition_metrics import NOTHING_TO_MEASURE


def table_values(figures: TableMeasures, now_ms: int, *, unreferenced_bytes: float = math.nan) -> Mapping[str, float]:
    """Return the metrics that conditions of upkeep compare, by name; NaN: nothing to measure.

    Args:
        figures: of the table's metadata.
        now_ms: the present instant, milliseconds since 1970.
        unreferenced_bytes: bytes of orphans that the last search left.
    """
    return {
        "snapshot_count": float(figures.snapshot_count),
        "manifest_count": float(figures.manifest_count),
        "average_manifest_bytes": float(figures.average_manifest_bytes),
        "metadata_bytes": float(figures.metadata_bytes),
        "delete_file_count": float(figures.delete_file_count),
        "oldest_snapshot_age": figures.oldest_snapshot_age(now_ms),
        "unreferenced_bytes": unreferenced_bytes,
    }


def measure_conditions(
    conditions: Sequence[TriggerCondition], values: Mapping[str, float]
) -> tuple[MeasuredCondition, ...]:
    """Return each condition with its measured value; one that has none does not hold."""
    return tuple(_measured(each, values[each.metric], f"/{at}") for at, each in enumerate(conditions))


def holds_in_seconds(conditions: Sequence[TriggerCondition], values: Mapping[str, float]) -> float | None:
    """Return the seconds until all conditions hold if nothing is written: 0 if they do now, None for never."""
    growing = [each for each in conditions if each.metric.kind is MetricKind.DURATION]
    passes = [each.wanted - values[each.metric] for each in growing]

    def all_hold(after: float) -> bool:
        return all(
            each.holds(values[each.metric] + (after if each.metric.kind is MetricKind.DURATION else 0.0))
            for each in conditions
        )

    return first_instant(all_hold, passes)


def first_instant(holds: Callable[[float], bool], passes: Iterable[float]) -> float | None:
    """Return the first of now (0) and the seconds at which ages reach or exceed their operands at which `holds`."""
    instants = (after for each in passes if math.isfinite(each) for after in (each, each + 1.0) if after > 0)
    return next((after for after in (0.0, *sorted(instants)) if holds(after)), None)


def _measured(condition: TriggerCondition, value: float, path: str) -> MeasuredCondition:
    said = (condition.metric.value, condition.operator, condition.wanted)
    if math.isnan(value):
        detail = NOTHING_TO_MEASURE.get(condition.metric, "not measured")
        return MeasuredCondition(*said, measured=None, holds=False, detail=detail, path=path)
    holds = condition.holds(value)
    return MeasuredCondition(*said, measured=value, holds=holds, is_met=holds, path=path)
