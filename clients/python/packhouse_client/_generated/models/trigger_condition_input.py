# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.metric import Metric
from ..types import UNSET, Unset

T = TypeVar("T", bound="TriggerConditionInput")


@_attrs_define
class TriggerConditionInput:
    """One comparison: a metric and exactly one of `at_least`, `above`, `at_most`, `below`."""

    metric: Metric
    """ Figures that conditions compare. Most are measured for each partition (or bucket), some for the whole table.
    """
    above: float | int | None | str | Unset = UNSET
    """ The figure is more than this. """
    at_least: float | int | None | str | Unset = UNSET
    """ The figure is this or more. """
    at_most: float | int | None | str | Unset = UNSET
    """ The figure is this or less. """
    below: float | int | None | str | Unset = UNSET
    """ The figure is less than this. """

    def to_dict(self) -> dict[str, Any]:
        metric = self.metric.value

        above: float | int | None | str | Unset
        if isinstance(self.above, Unset):
            above = UNSET
        else:
            above = self.above

        at_least: float | int | None | str | Unset
        if isinstance(self.at_least, Unset):
            at_least = UNSET
        else:
            at_least = self.at_least

        at_most: float | int | None | str | Unset
        if isinstance(self.at_most, Unset):
            at_most = UNSET
        else:
            at_most = self.at_most

        below: float | int | None | str | Unset
        if isinstance(self.below, Unset):
            below = UNSET
        else:
            below = self.below

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "metric": metric,
            }
        )
        if above is not UNSET:
            field_dict["above"] = above
        if at_least is not UNSET:
            field_dict["at_least"] = at_least
        if at_most is not UNSET:
            field_dict["at_most"] = at_most
        if below is not UNSET:
            field_dict["below"] = below

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        metric = Metric(d.pop("metric"))

        def _parse_above(data: object) -> float | int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | int | None | str | Unset, data)

        above = _parse_above(d.pop("above", UNSET))

        def _parse_at_least(data: object) -> float | int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | int | None | str | Unset, data)

        at_least = _parse_at_least(d.pop("at_least", UNSET))

        def _parse_at_most(data: object) -> float | int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | int | None | str | Unset, data)

        at_most = _parse_at_most(d.pop("at_most", UNSET))

        def _parse_below(data: object) -> float | int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | int | None | str | Unset, data)

        below = _parse_below(d.pop("below", UNSET))

        trigger_condition_input = cls(
            metric=metric,
            above=above,
            at_least=at_least,
            at_most=at_most,
            below=below,
        )

        return trigger_condition_input
