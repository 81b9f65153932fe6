# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SettingChange")


@_attrs_define
class SettingChange:
    """One setting that would change, with where it comes from before and after."""

    after: Any
    """ Value after the change; null: none. """
    after_origin: str
    """ Origin of the value after. """
    before: Any
    """ Value before the change; null: none. """
    before_origin: str
    """ Origin of the value before. """
    setting: str
    """ Dotted name. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        after = self.after

        after_origin = self.after_origin

        before = self.before

        before_origin = self.before_origin

        setting = self.setting

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "after": after,
                "after_origin": after_origin,
                "before": before,
                "before_origin": before_origin,
                "setting": setting,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        after = d.pop("after")

        after_origin = d.pop("after_origin")

        before = d.pop("before")

        before_origin = d.pop("before_origin")

        setting = d.pop("setting")

        setting_change = cls(
            after=after,
            after_origin=after_origin,
            before=before,
            before_origin=before_origin,
            setting=setting,
        )

        setting_change.additional_properties = d
        return setting_change

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
