# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ExplainedSeal")


@_attrs_define
class ExplainedSeal:
    """Partitions by the policy's `seal`."""

    is_on: bool
    """ Whether the policy seals partitions. """
    next_sealed_at: datetime.datetime | None
    """ If nothing more is written. """
    sealed_partitions: int
    """ Partitions that are sealed. """
    unsealed_partitions: int
    """ Partitions that writers may still add files to. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        is_on = self.is_on

        next_sealed_at: None | str
        if isinstance(self.next_sealed_at, datetime.datetime):
            next_sealed_at = self.next_sealed_at.isoformat()
        else:
            next_sealed_at = self.next_sealed_at

        sealed_partitions = self.sealed_partitions

        unsealed_partitions = self.unsealed_partitions

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "is_on": is_on,
                "next_sealed_at": next_sealed_at,
                "sealed_partitions": sealed_partitions,
                "unsealed_partitions": unsealed_partitions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        is_on = d.pop("is_on")

        def _parse_next_sealed_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_sealed_at_type_0 = datetime.datetime.fromisoformat(data)

                return next_sealed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_sealed_at = _parse_next_sealed_at(d.pop("next_sealed_at"))

        sealed_partitions = d.pop("sealed_partitions")

        unsealed_partitions = d.pop("unsealed_partitions")

        explained_seal = cls(
            is_on=is_on,
            next_sealed_at=next_sealed_at,
            sealed_partitions=sealed_partitions,
            unsealed_partitions=unsealed_partitions,
        )

        explained_seal.additional_properties = d
        return explained_seal

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
