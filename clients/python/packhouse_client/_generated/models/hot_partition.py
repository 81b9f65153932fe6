# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="HotPartition")


@_attrs_define
class HotPartition:
    """A partition whose last race against other writers was lost."""

    cools_until: datetime.datetime
    """ Runs leave it alone until then, unless they are forced. """
    is_cooling: bool
    """ Whether runs skip it now. """
    losses: int
    """ Attempts in a row that lost groups of it. """
    lost_at: datetime.datetime
    """ Time at which the last race was lost. """
    max_group_bytes: int
    """ Size limit of its file groups, halved for each lost race. """
    partition: str
    """ Canonical JSON of its values. """
    reason: str
    """ The reason. """
    run_id: str
    """ The run that lost last. """
    spec_id: int
    """ Id of the partition spec. """
    wasted_bytes: int
    """ Bytes that these attempts wrote and discarded. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        cools_until = self.cools_until.isoformat()

        is_cooling = self.is_cooling

        losses = self.losses

        lost_at = self.lost_at.isoformat()

        max_group_bytes = self.max_group_bytes

        partition = self.partition

        reason = self.reason

        run_id = self.run_id

        spec_id = self.spec_id

        wasted_bytes = self.wasted_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "cools_until": cools_until,
                "is_cooling": is_cooling,
                "losses": losses,
                "lost_at": lost_at,
                "max_group_bytes": max_group_bytes,
                "partition": partition,
                "reason": reason,
                "run_id": run_id,
                "spec_id": spec_id,
                "wasted_bytes": wasted_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        cools_until = datetime.datetime.fromisoformat(d.pop("cools_until"))

        is_cooling = d.pop("is_cooling")

        losses = d.pop("losses")

        lost_at = datetime.datetime.fromisoformat(d.pop("lost_at"))

        max_group_bytes = d.pop("max_group_bytes")

        partition = d.pop("partition")

        reason = d.pop("reason")

        run_id = d.pop("run_id")

        spec_id = d.pop("spec_id")

        wasted_bytes = d.pop("wasted_bytes")

        hot_partition = cls(
            cools_until=cools_until,
            is_cooling=is_cooling,
            losses=losses,
            lost_at=lost_at,
            max_group_bytes=max_group_bytes,
            partition=partition,
            reason=reason,
            run_id=run_id,
            spec_id=spec_id,
            wasted_bytes=wasted_bytes,
        )

        hot_partition.additional_properties = d
        return hot_partition

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
