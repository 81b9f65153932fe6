# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.right import Right
from ..types import UNSET, Unset

T = TypeVar("T", bound="GrantWrite")


@_attrs_define
class GrantWrite:
    """Rights of one team on the tables of some namespaces of a catalog."""

    rights: list[Right]
    """ `discover`: list the tables. `register`: register tables for its own teams. `read`: read registered tables
    of other teams without changing them. """
    team: str
    """ The team; `*` is every team. """
    namespaces: list[str] | Unset = UNSET
    """ Patterns of namespaces with their levels joined by dots: `*` is any characters, `?` is one. `sales` covers
    that namespace, `sales.*` those inside it, `*` all. """

    def to_dict(self) -> dict[str, Any]:
        rights = []
        for rights_item_data in self.rights:
            rights_item = rights_item_data.value
            rights.append(rights_item)

        team = self.team

        namespaces: list[str] | Unset = UNSET
        if not isinstance(self.namespaces, Unset):
            namespaces = self.namespaces

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rights": rights,
                "team": team,
            }
        )
        if namespaces is not UNSET:
            field_dict["namespaces"] = namespaces

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rights = []
        _rights = d.pop("rights")
        for rights_item_data in _rights:
            rights_item = Right(rights_item_data)

            rights.append(rights_item)

        team = d.pop("team")

        namespaces = cast(list[str], d.pop("namespaces", UNSET))

        grant_write = cls(
            rights=rights,
            team=team,
            namespaces=namespaces,
        )

        return grant_write
