# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PartitionHealth")


@_attrs_define
class PartitionHealth:
    """One partition that has something to better."""

    average_file_bytes: int
    """ Mean size of a live data file, in bytes. """
    avoidable_file_count: int
    """ Files that rewriting would save. """
    file_count: int
    """ Live data files. """
    files_with_deletes: int
    """ Live data files that deletes apply to. """
    large_file_count: int
    """ Live data files above `large_file_bytes`. """
    largest_small_file_share: float | None
    """ Bytes of the largest small file as a share of all small files'. Null without small files. """
    partition: str
    """ The partition's values as canonical JSON; `{}` for an unpartitioned table. """
    small_file_count: int
    """ Live data files below `small_file_bytes`. """
    small_row_group_file_count: int
    """ Files with small row groups. """
    spec_id: int
    """ Id of the partition spec. """
    total_bytes: int
    """ Bytes of live data files. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        average_file_bytes = self.average_file_bytes

        avoidable_file_count = self.avoidable_file_count

        file_count = self.file_count

        files_with_deletes = self.files_with_deletes

        large_file_count = self.large_file_count

        largest_small_file_share: float | None
        largest_small_file_share = self.largest_small_file_share

        partition = self.partition

        small_file_count = self.small_file_count

        small_row_group_file_count = self.small_row_group_file_count

        spec_id = self.spec_id

        total_bytes = self.total_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "average_file_bytes": average_file_bytes,
                "avoidable_file_count": avoidable_file_count,
                "file_count": file_count,
                "files_with_deletes": files_with_deletes,
                "large_file_count": large_file_count,
                "largest_small_file_share": largest_small_file_share,
                "partition": partition,
                "small_file_count": small_file_count,
                "small_row_group_file_count": small_row_group_file_count,
                "spec_id": spec_id,
                "total_bytes": total_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        average_file_bytes = d.pop("average_file_bytes")

        avoidable_file_count = d.pop("avoidable_file_count")

        file_count = d.pop("file_count")

        files_with_deletes = d.pop("files_with_deletes")

        large_file_count = d.pop("large_file_count")

        def _parse_largest_small_file_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        largest_small_file_share = _parse_largest_small_file_share(d.pop("largest_small_file_share"))

        partition = d.pop("partition")

        small_file_count = d.pop("small_file_count")

        small_row_group_file_count = d.pop("small_row_group_file_count")

        spec_id = d.pop("spec_id")

        total_bytes = d.pop("total_bytes")

        partition_health = cls(
            average_file_bytes=average_file_bytes,
            avoidable_file_count=avoidable_file_count,
            file_count=file_count,
            files_with_deletes=files_with_deletes,
            large_file_count=large_file_count,
            largest_small_file_share=largest_small_file_share,
            partition=partition,
            small_file_count=small_file_count,
            small_row_group_file_count=small_row_group_file_count,
            spec_id=spec_id,
            total_bytes=total_bytes,
        )

        partition_health.additional_properties = d
        return partition_health

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
