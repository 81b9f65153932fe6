# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ExplainedSetting")


@_attrs_define
class ExplainedSetting:
    """One setting that holds for the table."""

    acted_on: bool
    """ False: kept and shown, without an effect in this version. """
    origin: str
    """ Layer that sets it. """
    value: Any
    """ As policies write it; sizes in bytes. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        acted_on = self.acted_on

        origin = self.origin

        value = self.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "acted_on": acted_on,
                "origin": origin,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        acted_on = d.pop("acted_on")

        origin = d.pop("origin")

        value = d.pop("value")

        explained_setting = cls(
            acted_on=acted_on,
            origin=origin,
            value=value,
        )

        explained_setting.additional_properties = d
        return explained_setting

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
