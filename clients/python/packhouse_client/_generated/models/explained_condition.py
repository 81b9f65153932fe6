# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.explained_condition_operator import ExplainedConditionOperator
from ..models.explained_condition_unit import ExplainedConditionUnit

T = TypeVar("T", bound="ExplainedCondition")


@_attrs_define
class ExplainedCondition:
    """One condition of a rule, measured in the rule's `partition`."""

    detail: None | str
    """ Reason why there is no measured value; null: there is one. """
    holds: bool
    """ Whether the comparison is true. """
    is_lower_bound: bool
    """ The true value may be greater: the history does not reach back far enough. """
    is_negated: bool
    """ The condition is below `not`: the rule needs the comparison to be false. Where nothing can be measured
    neither the comparison nor its opposite counts as true. """
    measured: float | None
    """ Null: nothing to measure, or it never happened; see `detail`. """
    metric: str
    """ Name of the measured metric. """
    operator: ExplainedConditionOperator
    """ Comparison of the measured value with the wanted one. """
    path: str
    """ Place of the condition in the rule, as a JSON pointer. """
    unit: ExplainedConditionUnit
    """ Unit of both values. """
    wanted: float
    """ Value of the policy. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        detail: None | str
        detail = self.detail

        holds = self.holds

        is_lower_bound = self.is_lower_bound

        is_negated = self.is_negated

        measured: float | None
        measured = self.measured

        metric = self.metric

        operator = self.operator.value

        path = self.path

        unit = self.unit.value

        wanted = self.wanted

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "detail": detail,
                "holds": holds,
                "is_lower_bound": is_lower_bound,
                "is_negated": is_negated,
                "measured": measured,
                "metric": metric,
                "operator": operator,
                "path": path,
                "unit": unit,
                "wanted": wanted,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        holds = d.pop("holds")

        is_lower_bound = d.pop("is_lower_bound")

        is_negated = d.pop("is_negated")

        def _parse_measured(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        measured = _parse_measured(d.pop("measured"))

        metric = d.pop("metric")

        operator = ExplainedConditionOperator(d.pop("operator"))

        path = d.pop("path")

        unit = ExplainedConditionUnit(d.pop("unit"))

        wanted = d.pop("wanted")

        explained_condition = cls(
            detail=detail,
            holds=holds,
            is_lower_bound=is_lower_bound,
            is_negated=is_negated,
            measured=measured,
            metric=metric,
            operator=operator,
            path=path,
            unit=unit,
            wanted=wanted,
        )

        explained_condition.additional_properties = d
        return explained_condition

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
