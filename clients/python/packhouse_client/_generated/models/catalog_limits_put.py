# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CatalogLimitsPut")


@_attrs_define
class CatalogLimitsPut:
    """Limits of all rewrites on one catalog's tables. Absent or null: unlimited."""

    bandwidth: int | None | str | Unset = UNSET
    """ Bytes per second, read + written. """
    parallel_runs: int | None | Unset = UNSET
    """ Runs that workers advance at once. """
    requests: int | None | Unset = UNSET
    """ Object-store requests per second. """

    def to_dict(self) -> dict[str, Any]:
        bandwidth: int | None | str | Unset
        if isinstance(self.bandwidth, Unset):
            bandwidth = UNSET
        else:
            bandwidth = self.bandwidth

        parallel_runs: int | None | Unset
        if isinstance(self.parallel_runs, Unset):
            parallel_runs = UNSET
        else:
            parallel_runs = self.parallel_runs

        requests: int | None | Unset
        if isinstance(self.requests, Unset):
            requests = UNSET
        else:
            requests = self.requests

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if bandwidth is not UNSET:
            field_dict["bandwidth"] = bandwidth
        if parallel_runs is not UNSET:
            field_dict["parallel_runs"] = parallel_runs
        if requests is not UNSET:
            field_dict["requests"] = requests

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_bandwidth(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        bandwidth = _parse_bandwidth(d.pop("bandwidth", UNSET))

        def _parse_parallel_runs(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        parallel_runs = _parse_parallel_runs(d.pop("parallel_runs", UNSET))

        def _parse_requests(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        requests = _parse_requests(d.pop("requests", UNSET))

        catalog_limits_put = cls(
            bandwidth=bandwidth,
            parallel_runs=parallel_runs,
            requests=requests,
        )

        return catalog_limits_put
