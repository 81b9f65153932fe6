# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="LiveRate")


@_attrs_define
class LiveRate:
    """Current rate of all running rewrites, including those of other teams' tables: the limits cover all of them."""

    bytes_per_second: float
    """ Read + written, over about 10 seconds. """
    bytes_per_second_limit: int | None
    """ Limit of that rate; null: none. """
    catalog: None | str
    """ Null: all catalogs. """
    requests_per_second_limit: int | None
    """ Limit of requests to stores per second; null: none. """
    runs: int
    """ Runs that report at present. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bytes_per_second = self.bytes_per_second

        bytes_per_second_limit: int | None
        bytes_per_second_limit = self.bytes_per_second_limit

        catalog: None | str
        catalog = self.catalog

        requests_per_second_limit: int | None
        requests_per_second_limit = self.requests_per_second_limit

        runs = self.runs

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bytes_per_second": bytes_per_second,
                "bytes_per_second_limit": bytes_per_second_limit,
                "catalog": catalog,
                "requests_per_second_limit": requests_per_second_limit,
                "runs": runs,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        bytes_per_second = d.pop("bytes_per_second")

        def _parse_bytes_per_second_limit(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        bytes_per_second_limit = _parse_bytes_per_second_limit(d.pop("bytes_per_second_limit"))

        def _parse_catalog(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        catalog = _parse_catalog(d.pop("catalog"))

        def _parse_requests_per_second_limit(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        requests_per_second_limit = _parse_requests_per_second_limit(d.pop("requests_per_second_limit"))

        runs = d.pop("runs")

        live_rate = cls(
            bytes_per_second=bytes_per_second,
            bytes_per_second_limit=bytes_per_second_limit,
            catalog=catalog,
            requests_per_second_limit=requests_per_second_limit,
            runs=runs,
        )

        live_rate.additional_properties = d
        return live_rate

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
