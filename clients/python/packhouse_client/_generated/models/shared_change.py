# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.affected_table import AffectedTable
    from ..models.setting_change import SettingChange


T = TypeVar("T", bound="SharedChange")


@_attrs_define
class SharedChange:
    """Settings that would change alike for some tables."""

    example: AffectedTable
    """ A table of which settings would change. """
    settings: list[SettingChange]
    """ Settings that change. """
    table_count: int
    """ Tables for which they change in this way. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        example = self.example.to_dict()

        settings = []
        for settings_item_data in self.settings:
            settings_item = settings_item_data.to_dict()
            settings.append(settings_item)

        table_count = self.table_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "example": example,
                "settings": settings,
                "table_count": table_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.affected_table import AffectedTable  # noqa: PLC0415
        from ..models.setting_change import SettingChange  # noqa: PLC0415

        d = dict(src_dict)
        example = AffectedTable.from_dict(d.pop("example"))

        settings = []
        _settings = d.pop("settings")
        for settings_item_data in _settings:
            settings_item = SettingChange.from_dict(settings_item_data)

            settings.append(settings_item)

        table_count = d.pop("table_count")

        shared_change = cls(
            example=example,
            settings=settings,
            table_count=table_count,
        )

        shared_change.additional_properties = d
        return shared_change

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
