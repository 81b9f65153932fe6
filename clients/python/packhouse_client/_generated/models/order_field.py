# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="OrderField")


@_attrs_define
class OrderField:
    """A column to order by, with its field id in the table."""

    descending: bool
    """ Whether larger values come first. """
    field_id: int
    """ Id of the column in the table's schema. """
    name: str
    """ Name of the column. """
    nulls_first: bool
    """ Whether nulls come before values. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        descending = self.descending

        field_id = self.field_id

        name = self.name

        nulls_first = self.nulls_first

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "descending": descending,
                "field_id": field_id,
                "name": name,
                "nulls_first": nulls_first,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        descending = d.pop("descending")

        field_id = d.pop("field_id")

        name = d.pop("name")

        nulls_first = d.pop("nulls_first")

        order_field = cls(
            descending=descending,
            field_id=field_id,
            name=name,
            nulls_first=nulls_first,
        )

        order_field.additional_properties = d
        return order_field

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
