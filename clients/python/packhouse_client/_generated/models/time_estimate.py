# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.estimate_source import EstimateSource
from ..models.run_kind import RunKind

T = TypeVar("T", bound="TimeEstimate")


@_attrs_define
class TimeEstimate:
    """Costs that seconds were predicted with: `run + (groups * group + files * file + bytes * byte) / lanes`.

    The part after `run` takes at least as long as the limits allow.

    """

    byte_seconds: float
    """ For each input byte. """
    evidence: str
    """ The same in words. """
    file_seconds: float
    """ For each input file. """
    group_seconds: float
    """ For each file group. """
    kind: RunKind
    """ The way of rewriting, as far as a plan knows it: what a byte costs depends on it. """
    lanes: int
    """ Tasks at the same time. """
    limit_bytes_per_second: float | None
    """ Of policy, catalog and fleet, read + written. """
    limit_requests_per_second: float | None
    """ Of policy, catalog and fleet, to the storage. """
    run_seconds: float
    """ Once for the run. """
    runs: int
    """ Number of attempts. """
    source: EstimateSource
    """ The runs that an estimate of time rests on, the least specific first. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        byte_seconds = self.byte_seconds

        evidence = self.evidence

        file_seconds = self.file_seconds

        group_seconds = self.group_seconds

        kind = self.kind.value

        lanes = self.lanes

        limit_bytes_per_second: float | None
        limit_bytes_per_second = self.limit_bytes_per_second

        limit_requests_per_second: float | None
        limit_requests_per_second = self.limit_requests_per_second

        run_seconds = self.run_seconds

        runs = self.runs

        source = self.source.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "byte_seconds": byte_seconds,
                "evidence": evidence,
                "file_seconds": file_seconds,
                "group_seconds": group_seconds,
                "kind": kind,
                "lanes": lanes,
                "limit_bytes_per_second": limit_bytes_per_second,
                "limit_requests_per_second": limit_requests_per_second,
                "run_seconds": run_seconds,
                "runs": runs,
                "source": source,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        byte_seconds = d.pop("byte_seconds")

        evidence = d.pop("evidence")

        file_seconds = d.pop("file_seconds")

        group_seconds = d.pop("group_seconds")

        kind = RunKind(d.pop("kind"))

        lanes = d.pop("lanes")

        def _parse_limit_bytes_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        limit_bytes_per_second = _parse_limit_bytes_per_second(d.pop("limit_bytes_per_second"))

        def _parse_limit_requests_per_second(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        limit_requests_per_second = _parse_limit_requests_per_second(d.pop("limit_requests_per_second"))

        run_seconds = d.pop("run_seconds")

        runs = d.pop("runs")

        source = EstimateSource(d.pop("source"))

        time_estimate = cls(
            byte_seconds=byte_seconds,
            evidence=evidence,
            file_seconds=file_seconds,
            group_seconds=group_seconds,
            kind=kind,
            lanes=lanes,
            limit_bytes_per_second=limit_bytes_per_second,
            limit_requests_per_second=limit_requests_per_second,
            run_seconds=run_seconds,
            runs=runs,
            source=source,
        )

        time_estimate.additional_properties = d
        return time_estimate

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
