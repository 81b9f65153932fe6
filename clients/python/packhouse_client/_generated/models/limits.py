# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.limits_catalogs import LimitsCatalogs


T = TypeVar("T", bound="Limits")


@_attrs_define
class Limits:
    """Limits of the whole fleet; null is unlimited. A change of rates reaches running rewrites in about 3 seconds."""

    bandwidth: int | None
    """ Bytes per second, read + written. """
    catalogs: LimitsCatalogs
    """ Limits of single catalogs, by name. """
    parallel_runs: int | None
    """ Runs at work at the same time; null: no limit. """
    requests: int | None
    """ Object-store requests per second. """
    updated_at: datetime.datetime
    """ Time of its last change. """
    updated_by: str
    """ Caller that changed it last. """
    version: int
    """ Grows with each write; the ETag is this in quotes. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        bandwidth: int | None
        bandwidth = self.bandwidth

        catalogs = self.catalogs.to_dict()

        parallel_runs: int | None
        parallel_runs = self.parallel_runs

        requests: int | None
        requests = self.requests

        updated_at = self.updated_at.isoformat()

        updated_by = self.updated_by

        version = self.version

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "bandwidth": bandwidth,
                "catalogs": catalogs,
                "parallel_runs": parallel_runs,
                "requests": requests,
                "updated_at": updated_at,
                "updated_by": updated_by,
                "version": version,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.limits_catalogs import LimitsCatalogs  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_bandwidth(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        bandwidth = _parse_bandwidth(d.pop("bandwidth"))

        catalogs = LimitsCatalogs.from_dict(d.pop("catalogs"))

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

        updated_at = datetime.datetime.fromisoformat(d.pop("updated_at"))

        updated_by = d.pop("updated_by")

        version = d.pop("version")

        limits = cls(
            bandwidth=bandwidth,
            catalogs=catalogs,
            parallel_runs=parallel_runs,
            requests=requests,
            updated_at=updated_at,
            updated_by=updated_by,
            version=version,
        )

        limits.additional_properties = d
        return limits

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
