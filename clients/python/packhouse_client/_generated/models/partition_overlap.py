# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PartitionOverlap")


@_attrs_define
class PartitionOverlap:
    """Overlap of the files of one partition, by their bounds; of several columns the largest."""

    files: int
    """ Number of data files. """
    files_for_a_lookup: float
    """ Number of files that may contain a value, on average over all bounds. """
    overlap_depth: int
    """ The most files that may hold one value. """
    partition: str
    """ The partition's values as canonical JSON; `{}` for an unpartitioned table. """
    pruned_share: float
    """ Share of the files that a lookup need not look into. """
    spec_id: int
    """ Id of the partition spec. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        files = self.files

        files_for_a_lookup = self.files_for_a_lookup

        overlap_depth = self.overlap_depth

        partition = self.partition

        pruned_share = self.pruned_share

        spec_id = self.spec_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "files": files,
                "files_for_a_lookup": files_for_a_lookup,
                "overlap_depth": overlap_depth,
                "partition": partition,
                "pruned_share": pruned_share,
                "spec_id": spec_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        files = d.pop("files")

        files_for_a_lookup = d.pop("files_for_a_lookup")

        overlap_depth = d.pop("overlap_depth")

        partition = d.pop("partition")

        pruned_share = d.pop("pruned_share")

        spec_id = d.pop("spec_id")

        partition_overlap = cls(
            files=files,
            files_for_a_lookup=files_for_a_lookup,
            overlap_depth=overlap_depth,
            partition=partition,
            pruned_share=pruned_share,
            spec_id=spec_id,
        )

        partition_overlap.additional_properties = d
        return partition_overlap

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
