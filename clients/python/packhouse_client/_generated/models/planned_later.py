# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PlannedLater")


@_attrs_define
class PlannedLater:
    """Partitions that the run plans later: it rewrites those of a very large table in parts, most beneficial first."""

    bytes_: int
    """ Bytes of these files. """
    files: int
    """ In these partitions, those that it may rewrite. """
    partitions: int
    """ Partitions that are planned later. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bytes_ = self.bytes_

        files = self.files

        partitions = self.partitions

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bytes": bytes_,
                "files": files,
                "partitions": partitions,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        bytes_ = d.pop("bytes")

        files = d.pop("files")

        partitions = d.pop("partitions")

        planned_later = cls(
            bytes_=bytes_,
            files=files,
            partitions=partitions,
        )

        planned_later.additional_properties = d
        return planned_later

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
