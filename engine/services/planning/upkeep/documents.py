"""Measured conditions and the state of upkeep as documents, for explanations and for the overview of a table."""

from collections.abc import Mapping
from typing import Any, Final

from engine.domain.policies import Metric, MetricKind
from engine.planning.due.triggers import MeasuredCondition, is_percent
from engine.services.planning.upkeep.states import UpkeepState

_UNITS: Final = {
    MetricKind.COUNT: "count",
    MetricKind.RATIO: "ratio",
    MetricKind.SIZE: "bytes",
    MetricKind.DURATION: "seconds",
}


def condition_document(condition: MeasuredCondition) -> Mapping[str, Any]:
    """Return a condition as JSON-ready values, with the unit of its metric."""
    metric = condition.metric
    unit = "percent" if is_percent(metric) else _UNITS[Metric[metric.upper()].kind]
    return {
        "metric": metric,
        "unit": unit,
        "operator": condition.operator,
        "wanted": condition.wanted,
        "measured": condition.measured,
        "is_lower_bound": condition.is_bound,
        "holds": condition.holds,
        "is_negated": condition.is_negated,
        "path": condition.path,
        "detail": condition.detail,
    }


def upkeep_document(state: UpkeepState) -> Mapping[str, Any]:
    """Return the state of an operation as JSON-ready values."""
    return {
        "operation": state.operation,
        "setting": state.setting,
        "due": state.is_due,
        "due_at": state.due_at,
        "detail": state.words,
        "blocked": state.blocked,
        "conditions": [condition_document(each) for each in state.conditions],
    }
