# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="SkippedPartition")


@_attrs_define
class SkippedPartition:
    """A partition that is left alone."""

    bytes_: int
    """ Bytes of these files. """
    files: int
    """ Number of data files. """
    partition: str
    """ The partition's values as canonical JSON; `{}` for an unpartitioned table. """
    reason: str
    """ The reason. """
    spec_id: int
    """ Id of the partition spec. """
    until: datetime.datetime | None
    """ Time at which the reason ends, for `cooling_down`; null: not known. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bytes_ = self.bytes_

        files = self.files

        partition = self.partition

        reason = self.reason

        spec_id = self.spec_id

        until: None | str
        if isinstance(self.until, datetime.datetime):
            until = self.until.isoformat()
        else:
            until = self.until

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bytes": bytes_,
                "files": files,
                "partition": partition,
                "reason": reason,
                "spec_id": spec_id,
                "until": until,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        bytes_ = d.pop("bytes")

        files = d.pop("files")

        partition = d.pop("partition")

        reason = d.pop("reason")

        spec_id = d.pop("spec_id")

        def _parse_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                until_type_0 = datetime.datetime.fromisoformat(data)

                return until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        until = _parse_until(d.pop("until"))

        skipped_partition = cls(
            bytes_=bytes_,
            files=files,
            partition=partition,
            reason=reason,
            spec_id=spec_id,
            until=until,
        )

        skipped_partition.additional_properties = d
        return skipped_partition

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
