# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ChainHead")


@_attrs_define
class ChainHead:
    """The last link of the chain. Keep it elsewhere from time to time: it proves that nothing was cut off since."""

    hash_: str
    """ SHA-256 in hexadecimal digits. """
    sealed_at: datetime.datetime
    """ Time at which the link was added. """
    sequence: int
    """ Position, from 1. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        hash_ = self.hash_

        sealed_at = self.sealed_at.isoformat()

        sequence = self.sequence

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "hash": hash_,
                "sealed_at": sealed_at,
                "sequence": sequence,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        hash_ = d.pop("hash")

        sealed_at = datetime.datetime.fromisoformat(d.pop("sealed_at"))

        sequence = d.pop("sequence")

        chain_head = cls(
            hash_=hash_,
            sealed_at=sealed_at,
            sequence=sequence,
        )

        chain_head.additional_properties = d
        return chain_head

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
