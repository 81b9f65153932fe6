# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Progress")


@_attrs_define
class Progress:
    """Progress of a run. Bytes are of inputs; the rate is the present one, read + written."""

    budget_bytes_per_second: float | None
    """ Bytes per second that its tasks may move together at present: the least of its table's limit and its shares
    of the limits of catalog and fleet. Null: unlimited, or no task reports. """
    bytes_finished: int
    """ Bytes of inputs of file groups that ended. """
    bytes_per_second: float | None
    """ Null while no task reports. """
    bytes_total: int
    """ Bytes of inputs of all file groups. """
    eta_seconds: float | None
    """ Null while there is no rate. """
    groups_finished: int
    """ File groups that ended. """
    groups_total: int
    """ File groups of the plan. """
    throttled_seconds: float
    """ Thread-seconds, summed over all tasks, in which reading or writing held back for a limit. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        budget_bytes_per_second: float | None
        budget_bytes_per_second = self.budget_bytes_per_second

        bytes_finished = self.bytes_finished

        bytes_per_second: float | None
        bytes_per_second = self.bytes_per_second

        bytes_total = self.bytes_total

        eta_seconds: float | None
        eta_seconds = self.eta_seconds

        groups_finished = self.groups_finished

        groups_total = self.groups_total

        throttled_seconds = self.throttled_seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "budget_bytes_per_second": budget_bytes_per_second,
                "bytes_finished": bytes_finished,
                "bytes_per_second": bytes_per_second,
                "bytes_total": bytes_total,
                "eta_seconds": eta_seconds,
                "groups_finished": groups_finished,
                "groups_total": groups_total,
                "throttled_seconds": throttled_seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_budget_bytes_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        budget_bytes_per_second = _parse_budget_bytes_per_second(d.pop("budget_bytes_per_second"))

        bytes_finished = d.pop("bytes_finished")

        def _parse_bytes_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        bytes_per_second = _parse_bytes_per_second(d.pop("bytes_per_second"))

        bytes_total = d.pop("bytes_total")

        def _parse_eta_seconds(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        eta_seconds = _parse_eta_seconds(d.pop("eta_seconds"))

        groups_finished = d.pop("groups_finished")

        groups_total = d.pop("groups_total")

        throttled_seconds = d.pop("throttled_seconds")

        progress = cls(
            budget_bytes_per_second=budget_bytes_per_second,
            bytes_finished=bytes_finished,
            bytes_per_second=bytes_per_second,
            bytes_total=bytes_total,
            eta_seconds=eta_seconds,
            groups_finished=groups_finished,
            groups_total=groups_total,
            throttled_seconds=throttled_seconds,
        )

        progress.additional_properties = d
        return progress

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
