# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Cost")


@_attrs_define
class Cost:
    """Bytes and requests of a run that starts now."""

    bytes_read: int
    """ Bytes that would be read. """
    bytes_written: int
    """ Bytes that would be written. """
    ends_at: datetime.datetime | None
    """ Time at which a run requested now would end if a worker claimed it at once, with the windows that stop it.
    Null: held back without a known end. """
    files: int
    """ Number of data files. """
    requests: int
    """ To an object store, about. """
    seconds: float
    """ At work, without waiting. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bytes_read = self.bytes_read

        bytes_written = self.bytes_written

        ends_at: None | str
        if isinstance(self.ends_at, datetime.datetime):
            ends_at = self.ends_at.isoformat()
        else:
            ends_at = self.ends_at

        files = self.files

        requests = self.requests

        seconds = self.seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bytes_read": bytes_read,
                "bytes_written": bytes_written,
                "ends_at": ends_at,
                "files": files,
                "requests": requests,
                "seconds": seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        bytes_read = d.pop("bytes_read")

        bytes_written = d.pop("bytes_written")

        def _parse_ends_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ends_at_type_0 = datetime.datetime.fromisoformat(data)

                return ends_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ends_at = _parse_ends_at(d.pop("ends_at"))

        files = d.pop("files")

        requests = d.pop("requests")

        seconds = d.pop("seconds")

        cost = cls(
            bytes_read=bytes_read,
            bytes_written=bytes_written,
            ends_at=ends_at,
            files=files,
            requests=requests,
            seconds=seconds,
        )

        cost.additional_properties = d
        return cost

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
