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

T = TypeVar("T", bound="RewriteManifests")


@_attrs_define
class RewriteManifests:
    """Merging of manifests: at each `interval`, and when there are many small ones."""

    above_count: int | Unset = 100
    """ Also merge when there are more manifests than this, and they are small. """
    average_below_percent: int | Unset = 25
    """ Manifests are small if they average below this percentage of the table's target for manifests. """
    interval: Literal["off"] | str | Unset = "7d"
    """ Time between rewrites of manifests. """

    def to_dict(self) -> dict[str, Any]:
        above_count = self.above_count

        average_below_percent = self.average_below_percent

        interval: Literal["off"] | str | Unset
        if isinstance(self.interval, Unset):
            interval = UNSET
        else:
            interval = self.interval

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if above_count is not UNSET:
            field_dict["above_count"] = above_count
        if average_below_percent is not UNSET:
            field_dict["average_below_percent"] = average_below_percent
        if interval is not UNSET:
            field_dict["interval"] = interval

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        above_count = d.pop("above_count", UNSET)

        average_below_percent = d.pop("average_below_percent", UNSET)

        def _parse_interval(data: object) -> Literal["off"] | str | Unset:
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                interval_type_0 = cast(Literal["off"], data)
                if interval_type_0 != "off":
                    raise ValueError(f"interval_type_0 must match const 'off', got '{interval_type_0}'")
                return interval_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | str | Unset, data)

        interval = _parse_interval(d.pop("interval", UNSET))

        rewrite_manifests = cls(
            above_count=above_count,
            average_below_percent=average_below_percent,
            interval=interval,
        )

        return rewrite_manifests
