# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.format_name import FormatName

if TYPE_CHECKING:
    from ..models.cell import Cell
    from ..models.refused_setting import RefusedSetting


T = TypeVar("T", bound="Format")


@_attrs_define
class Format:
    """Operations that this version supports for tables of one format, with the reason for each that it does not."""

    capabilities: list[Cell]
    """ Supported and unsupported combinations of operation, strategy and engine. """
    format_: FormatName
    """ Every table format that Packhouse is made for; a catalog can be created for those that are served. """
    refused_settings: list[RefusedSetting]
    """ Settings that policies of such tables can't have. """
    served: bool
    """ True when catalogs of this format can be created. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        capabilities = []
        for capabilities_item_data in self.capabilities:
            capabilities_item = capabilities_item_data.to_dict()
            capabilities.append(capabilities_item)

        format_ = self.format_.value

        refused_settings = []
        for refused_settings_item_data in self.refused_settings:
            refused_settings_item = refused_settings_item_data.to_dict()
            refused_settings.append(refused_settings_item)

        served = self.served

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "capabilities": capabilities,
                "format": format_,
                "refused_settings": refused_settings,
                "served": served,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.cell import Cell  # noqa: PLC0415
        from ..models.refused_setting import RefusedSetting  # noqa: PLC0415

        d = dict(src_dict)
        capabilities = []
        _capabilities = d.pop("capabilities")
        for capabilities_item_data in _capabilities:
            capabilities_item = Cell.from_dict(capabilities_item_data)

            capabilities.append(capabilities_item)

        format_ = FormatName(d.pop("format"))

        refused_settings = []
        _refused_settings = d.pop("refused_settings")
        for refused_settings_item_data in _refused_settings:
            refused_settings_item = RefusedSetting.from_dict(refused_settings_item_data)

            refused_settings.append(refused_settings_item)

        served = d.pop("served")

        format_ = cls(
            capabilities=capabilities,
            format_=format_,
            refused_settings=refused_settings,
            served=served,
        )

        format_.additional_properties = d
        return format_

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
