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

T = TypeVar("T", bound="QueryLatency")


@_attrs_define
class QueryLatency:
    """Latencies of recent queries. At least one of the percentiles is given."""

    kind: Literal["query_latency"]
    """ Kind of the signal, which determines the other fields. """
    p50_seconds: float | None | Unset = UNSET
    """ Median of query latency in seconds. """
    p95_seconds: float | None | Unset = UNSET
    """ 95th percentile of query latency in seconds. """
    p99_seconds: float | None | Unset = UNSET
    """ 99th percentile of query latency in seconds. """
    query_count: int | None | Unset = UNSET
    """ Over how many queries. """

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        p50_seconds: float | None | Unset
        if isinstance(self.p50_seconds, Unset):
            p50_seconds = UNSET
        else:
            p50_seconds = self.p50_seconds

        p95_seconds: float | None | Unset
        if isinstance(self.p95_seconds, Unset):
            p95_seconds = UNSET
        else:
            p95_seconds = self.p95_seconds

        p99_seconds: float | None | Unset
        if isinstance(self.p99_seconds, Unset):
            p99_seconds = UNSET
        else:
            p99_seconds = self.p99_seconds

        query_count: int | None | Unset
        if isinstance(self.query_count, Unset):
            query_count = UNSET
        else:
            query_count = self.query_count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
            }
        )
        if p50_seconds is not UNSET:
            field_dict["p50_seconds"] = p50_seconds
        if p95_seconds is not UNSET:
            field_dict["p95_seconds"] = p95_seconds
        if p99_seconds is not UNSET:
            field_dict["p99_seconds"] = p99_seconds
        if query_count is not UNSET:
            field_dict["query_count"] = query_count

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["query_latency"], d.pop("kind"))
        if kind != "query_latency":
            raise ValueError(f"kind must match const 'query_latency', got '{kind}'")

        def _parse_p50_seconds(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        p50_seconds = _parse_p50_seconds(d.pop("p50_seconds", UNSET))

        def _parse_p95_seconds(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        p95_seconds = _parse_p95_seconds(d.pop("p95_seconds", UNSET))

        def _parse_p99_seconds(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        p99_seconds = _parse_p99_seconds(d.pop("p99_seconds", UNSET))

        def _parse_query_count(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        query_count = _parse_query_count(d.pop("query_count", UNSET))

        query_latency = cls(
            kind=kind,
            p50_seconds=p50_seconds,
            p95_seconds=p95_seconds,
            p99_seconds=p99_seconds,
            query_count=query_count,
        )

        return query_latency
