# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.right import Right

T = TypeVar("T", bound="Grant")


@_attrs_define
class Grant:
    """Rights of one team on the tables of some namespaces of a catalog."""

    namespaces: list[str]
    """ Patterns of namespaces with their levels joined by dots. """
    rights: list[Right]
    """ Rights of the team. """
    team: str
    """ The team; `*` is every team. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        namespaces = self.namespaces

        rights = []
        for rights_item_data in self.rights:
            rights_item = rights_item_data.value
            rights.append(rights_item)

        team = self.team

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "namespaces": namespaces,
                "rights": rights,
                "team": team,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        namespaces = cast(list[str], d.pop("namespaces"))

        rights = []
        _rights = d.pop("rights")
        for rights_item_data in _rights:
            rights_item = Right(rights_item_data)

            rights.append(rights_item)

        team = d.pop("team")

        grant = cls(
            namespaces=namespaces,
            rights=rights,
            team=team,
        )

        grant.additional_properties = d
        return grant

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
