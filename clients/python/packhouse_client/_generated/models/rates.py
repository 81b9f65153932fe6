# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Rates")


@_attrs_define
class Rates:
    """Rates to hold; null is unlimited."""

    bytes_per_second: float | None
    """ Bytes read and written per second; null: no limit. """
    requests_per_second: float | None
    """ Requests to the store per second; null: no limit. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bytes_per_second: float | None
        bytes_per_second = self.bytes_per_second

        requests_per_second: float | None
        requests_per_second = self.requests_per_second

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bytes_per_second": bytes_per_second,
                "requests_per_second": requests_per_second,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_bytes_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        bytes_per_second = _parse_bytes_per_second(d.pop("bytes_per_second"))

        def _parse_requests_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        requests_per_second = _parse_requests_per_second(d.pop("requests_per_second"))

        rates = cls(
            bytes_per_second=bytes_per_second,
            requests_per_second=requests_per_second,
        )

        rates.additional_properties = d
        return rates

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
