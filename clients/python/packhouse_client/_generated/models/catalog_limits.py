# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="CatalogLimits")


@_attrs_define
class CatalogLimits:
    """Limits of all rewrites on one catalog's tables; null is unlimited."""

    bandwidth: int | None
    """ Bytes per second, read + written. """
    parallel_runs: int | None
    """ Runs at once. """
    requests: int | None
    """ Object-store requests per second. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bandwidth: int | None
        bandwidth = self.bandwidth

        parallel_runs: int | None
        parallel_runs = self.parallel_runs

        requests: int | None
        requests = self.requests

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bandwidth": bandwidth,
                "parallel_runs": parallel_runs,
                "requests": requests,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_bandwidth(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        bandwidth = _parse_bandwidth(d.pop("bandwidth"))

        def _parse_parallel_runs(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        parallel_runs = _parse_parallel_runs(d.pop("parallel_runs"))

        def _parse_requests(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        requests = _parse_requests(d.pop("requests"))

        catalog_limits = cls(
            bandwidth=bandwidth,
            parallel_runs=parallel_runs,
            requests=requests,
        )

        catalog_limits.additional_properties = d
        return catalog_limits

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
