# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ChainAnchor")


@_attrs_define
class ChainAnchor:
    """The last link that was pruned; the chain is verified from it on."""

    hash_: str
    """ The hash before the oldest kept entry. """
    retained_since: datetime.datetime
    """ Every entry after this instant is kept. """
    sequence: int
    """ Position in the chain; the next link is the oldest that is kept. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        hash_ = self.hash_

        retained_since = self.retained_since.isoformat()

        sequence = self.sequence

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "hash": hash_,
                "retained_since": retained_since,
                "sequence": sequence,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        hash_ = d.pop("hash")

        retained_since = datetime.datetime.fromisoformat(d.pop("retained_since"))

        sequence = d.pop("sequence")

        chain_anchor = cls(
            hash_=hash_,
            retained_since=retained_since,
            sequence=sequence,
        )

        chain_anchor.additional_properties = d
        return chain_anchor

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
