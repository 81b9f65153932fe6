# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Races")


@_attrs_define
class Races:
    """File groups of runs that ended in the last 24 hours."""

    conflict_rate: float | None
    """ Lost groups of all; null without any. """
    groups_committed: int
    """ File groups that were committed. """
    groups_lost: int
    """ Lost to other writers. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        conflict_rate: float | None
        conflict_rate = self.conflict_rate

        groups_committed = self.groups_committed

        groups_lost = self.groups_lost

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "conflict_rate": conflict_rate,
                "groups_committed": groups_committed,
                "groups_lost": groups_lost,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_conflict_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        conflict_rate = _parse_conflict_rate(d.pop("conflict_rate"))

        groups_committed = d.pop("groups_committed")

        groups_lost = d.pop("groups_lost")

        races = cls(
            conflict_rate=conflict_rate,
            groups_committed=groups_committed,
            groups_lost=groups_lost,
        )

        races.additional_properties = d
        return races

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
