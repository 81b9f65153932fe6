# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="LimitSettingsInput")


@_attrs_define
class LimitSettingsInput:
    """Limits on what a table's rewrites move, enforced while they run."""

    available_bandwidth: int | Literal["off"] | None | str | Unset = UNSET
    """ Bytes per second that `share_percent` is a share of. """
    bandwidth: int | Literal["unlimited"] | None | str | Unset = UNSET
    """ Bytes per second, read + written. """
    bytes_per_day: int | Literal["unlimited"] | None | str | Unset = UNSET
    """ Bytes read by rewrites in any rolling 24 hours. """
    parallel_groups: int | None | Unset = UNSET
    """ Groups of this table at once. """
    requests: int | Literal["unlimited"] | None | Unset = UNSET
    """ Object-store requests per second. """
    share_percent: float | Literal["off"] | None | Unset = UNSET
    """ Bandwidth limit as a percentage of `available_bandwidth`; the lower of both limits applies. """

    def to_dict(self) -> dict[str, Any]:
        available_bandwidth: int | Literal["off"] | None | str | Unset
        if isinstance(self.available_bandwidth, Unset):
            available_bandwidth = UNSET
        else:
            available_bandwidth = self.available_bandwidth

        bandwidth: int | Literal["unlimited"] | None | str | Unset
        if isinstance(self.bandwidth, Unset):
            bandwidth = UNSET
        else:
            bandwidth = self.bandwidth

        bytes_per_day: int | Literal["unlimited"] | None | str | Unset
        if isinstance(self.bytes_per_day, Unset):
            bytes_per_day = UNSET
        else:
            bytes_per_day = self.bytes_per_day

        parallel_groups: int | None | Unset
        if isinstance(self.parallel_groups, Unset):
            parallel_groups = UNSET
        else:
            parallel_groups = self.parallel_groups

        requests: int | Literal["unlimited"] | None | Unset
        if isinstance(self.requests, Unset):
            requests = UNSET
        else:
            requests = self.requests

        share_percent: float | Literal["off"] | None | Unset
        if isinstance(self.share_percent, Unset):
            share_percent = UNSET
        else:
            share_percent = self.share_percent

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if available_bandwidth is not UNSET:
            field_dict["available_bandwidth"] = available_bandwidth
        if bandwidth is not UNSET:
            field_dict["bandwidth"] = bandwidth
        if bytes_per_day is not UNSET:
            field_dict["bytes_per_day"] = bytes_per_day
        if parallel_groups is not UNSET:
            field_dict["parallel_groups"] = parallel_groups
        if requests is not UNSET:
            field_dict["requests"] = requests
        if share_percent is not UNSET:
            field_dict["share_percent"] = share_percent

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_available_bandwidth(data: object) -> int | Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                available_bandwidth_type_0 = cast(Literal["off"], data)
                if available_bandwidth_type_0 != "off":
                    raise ValueError(
                        f"available_bandwidth_type_0 must match const 'off', got '{available_bandwidth_type_0}'"
                    )
                return available_bandwidth_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["off"] | None | str | Unset, data)

        available_bandwidth = _parse_available_bandwidth(d.pop("available_bandwidth", UNSET))

        def _parse_bandwidth(data: object) -> int | Literal["unlimited"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "unlimited":
                    raise TypeError()
                bandwidth_type_0 = cast(Literal["unlimited"], data)
                if bandwidth_type_0 != "unlimited":
                    raise ValueError(f"bandwidth_type_0 must match const 'unlimited', got '{bandwidth_type_0}'")
                return bandwidth_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["unlimited"] | None | str | Unset, data)

        bandwidth = _parse_bandwidth(d.pop("bandwidth", UNSET))

        def _parse_bytes_per_day(data: object) -> int | Literal["unlimited"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "unlimited":
                    raise TypeError()
                bytes_per_day_type_0 = cast(Literal["unlimited"], data)
                if bytes_per_day_type_0 != "unlimited":
                    raise ValueError(f"bytes_per_day_type_0 must match const 'unlimited', got '{bytes_per_day_type_0}'")
                return bytes_per_day_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["unlimited"] | None | str | Unset, data)

        bytes_per_day = _parse_bytes_per_day(d.pop("bytes_per_day", UNSET))

        def _parse_parallel_groups(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        parallel_groups = _parse_parallel_groups(d.pop("parallel_groups", UNSET))

        def _parse_requests(data: object) -> int | Literal["unlimited"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "unlimited":
                    raise TypeError()
                requests_type_0 = cast(Literal["unlimited"], data)
                if requests_type_0 != "unlimited":
                    raise ValueError(f"requests_type_0 must match const 'unlimited', got '{requests_type_0}'")
                return requests_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(int | Literal["unlimited"] | None | Unset, data)

        requests = _parse_requests(d.pop("requests", UNSET))

        def _parse_share_percent(data: object) -> float | Literal["off"] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                share_percent_type_0 = cast(Literal["off"], data)
                if share_percent_type_0 != "off":
                    raise ValueError(f"share_percent_type_0 must match const 'off', got '{share_percent_type_0}'")
                return share_percent_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(float | Literal["off"] | None | Unset, data)

        share_percent = _parse_share_percent(d.pop("share_percent", UNSET))

        limit_settings_input = cls(
            available_bandwidth=available_bandwidth,
            bandwidth=bandwidth,
            bytes_per_day=bytes_per_day,
            parallel_groups=parallel_groups,
            requests=requests,
            share_percent=share_percent,
        )

        return limit_settings_input
