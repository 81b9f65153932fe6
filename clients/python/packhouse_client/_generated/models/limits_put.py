# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.limits_put_catalogs import LimitsPutCatalogs


T = TypeVar("T", bound="LimitsPut")


@_attrs_define
class LimitsPut:
    """Limits of the whole fleet. Absent or null: unlimited."""

    bandwidth: int | None | str | Unset = UNSET
    """ Bytes per second, read + written, of all rewrites together, re-dealt among those at work every second: what
    one can't use goes to the others. Needs `parallel_runs`: a run out of reach has an equal share. """
    catalogs: LimitsPutCatalogs | Unset = UNSET
    """ By catalog: how many runs it may have at once, and what they may move together. A run obeys the strictest of
    the limits of its table, its catalog and the fleet. """
    parallel_runs: int | None | Unset = UNSET
    """ Runs that workers advance at once. """
    requests: int | None | Unset = UNSET
    """ Object-store requests per second, dealt out in the same way. """

    def to_dict(self) -> dict[str, Any]:
        bandwidth: int | None | str | Unset
        if isinstance(self.bandwidth, Unset):
            bandwidth = UNSET
        else:
            bandwidth = self.bandwidth

        catalogs: dict[str, Any] | Unset = UNSET
        if not isinstance(self.catalogs, Unset):
            catalogs = self.catalogs.to_dict()

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
        if catalogs is not UNSET:
            field_dict["catalogs"] = catalogs
        if parallel_runs is not UNSET:
            field_dict["parallel_runs"] = parallel_runs
        if requests is not UNSET:
            field_dict["requests"] = requests

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.limits_put_catalogs import LimitsPutCatalogs  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_bandwidth(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        bandwidth = _parse_bandwidth(d.pop("bandwidth", UNSET))

        _catalogs = d.pop("catalogs", UNSET)
        catalogs: LimitsPutCatalogs | Unset
        if isinstance(_catalogs, Unset):
            catalogs = UNSET
        else:
            catalogs = LimitsPutCatalogs.from_dict(_catalogs)

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

        limits_put = cls(
            bandwidth=bandwidth,
            catalogs=catalogs,
            parallel_runs=parallel_runs,
            requests=requests,
        )

        return limits_put
