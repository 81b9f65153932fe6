# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ExplainedPartition")


@_attrs_define
class ExplainedPartition:
    """A partition, with its size."""

    file_count: int
    """ Live data files. """
    partition: str
    """ Canonical JSON of its values. """
    spec_id: int
    """ Id of the partition spec. """
    total_bytes: int
    """ Bytes of live data files. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        file_count = self.file_count

        partition = self.partition

        spec_id = self.spec_id

        total_bytes = self.total_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "file_count": file_count,
                "partition": partition,
                "spec_id": spec_id,
                "total_bytes": total_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        file_count = d.pop("file_count")

        partition = d.pop("partition")

        spec_id = d.pop("spec_id")

        total_bytes = d.pop("total_bytes")

        explained_partition = cls(
            file_count=file_count,
            partition=partition,
            spec_id=spec_id,
            total_bytes=total_bytes,
        )

        explained_partition.additional_properties = d
        return explained_partition

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
