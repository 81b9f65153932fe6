# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SmallFileFlow")


@_attrs_define
class SmallFileFlow:
    """Small files that came and went between measurements of the last 24 hours."""

    made: int
    """ Small files that appeared. """
    made_per_hour: float
    """ Small files that appeared per hour. """
    removed: int
    """ Small files that disappeared. """
    removed_per_hour: float
    """ Small files that disappeared per hour. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        made = self.made

        made_per_hour = self.made_per_hour

        removed = self.removed

        removed_per_hour = self.removed_per_hour

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "made": made,
                "made_per_hour": made_per_hour,
                "removed": removed,
                "removed_per_hour": removed_per_hour,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        made = d.pop("made")

        made_per_hour = d.pop("made_per_hour")

        removed = d.pop("removed")

        removed_per_hour = d.pop("removed_per_hour")

        small_file_flow = cls(
            made=made,
            made_per_hour=made_per_hour,
            removed=removed,
            removed_per_hour=removed_per_hour,
        )

        small_file_flow.additional_properties = d
        return small_file_flow

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
