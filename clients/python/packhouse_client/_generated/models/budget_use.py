# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="BudgetUse")


@_attrs_define
class BudgetUse:
    """Bytes that rewrites read in the last 24 hours, and the limit of the fleet."""

    moved_bytes_limit: int | None
    """ The fleet's bandwidth over a day (read + written); null: none. """
    rewritten_bytes: int
    """ Bytes of files that rewrites read. """
    used_share: float | None
    """ Share of that limit that was used, from 0; null: no limit. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        moved_bytes_limit: int | None
        moved_bytes_limit = self.moved_bytes_limit

        rewritten_bytes = self.rewritten_bytes

        used_share: float | None
        used_share = self.used_share

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "moved_bytes_limit": moved_bytes_limit,
                "rewritten_bytes": rewritten_bytes,
                "used_share": used_share,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_moved_bytes_limit(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        moved_bytes_limit = _parse_moved_bytes_limit(d.pop("moved_bytes_limit"))

        rewritten_bytes = d.pop("rewritten_bytes")

        def _parse_used_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        used_share = _parse_used_share(d.pop("used_share"))

        budget_use = cls(
            moved_bytes_limit=moved_bytes_limit,
            rewritten_bytes=rewritten_bytes,
            used_share=used_share,
        )

        budget_use.additional_properties = d
        return budget_use

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
