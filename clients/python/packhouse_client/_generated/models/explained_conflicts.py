# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.hot_partition import HotPartition
    from ..models.other_compactor import OtherCompactor


T = TypeVar("T", bound="ExplainedConflicts")


@_attrs_define
class ExplainedConflicts:
    """File groups that runs of the table lost to other writers lately."""

    committed_groups: int
    """ Of runs that ended in these days, the newest hundred at most. """
    conflict_rate: float | None
    """ Lost file groups of all that these runs tried to commit. """
    cooling_partitions_total: int
    """ Number of partitions that runs skip now because they lost races. """
    cooling_until: datetime.datetime | None
    """ A run that lost everything waits until then. """
    count: int
    """ Runs that lost file groups. """
    days: int
    """ Days that these figures cover. """
    hot_partitions: list[HotPartition]
    """ The first twenty, those that cool down longest first. """
    hot_partitions_total: int
    """ Partitions whose last race was lost. """
    last_at: datetime.datetime | None
    """ Time of the last one; null: never. """
    last_reason: None | str
    """ Reason of the last one; null: none. """
    lost_groups: int
    """ File groups lost to other writers. """
    other_compactors: list[OtherCompactor]
    """ Two compactors on the same partitions make each other's commits fail; empty while the table can't be read.
    """
    wasted_bytes: int
    """ Bytes that these runs wrote and discarded. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        committed_groups = self.committed_groups

        conflict_rate: float | None
        conflict_rate = self.conflict_rate

        cooling_partitions_total = self.cooling_partitions_total

        cooling_until: None | str
        if isinstance(self.cooling_until, datetime.datetime):
            cooling_until = self.cooling_until.isoformat()
        else:
            cooling_until = self.cooling_until

        count = self.count

        days = self.days

        hot_partitions = []
        for hot_partitions_item_data in self.hot_partitions:
            hot_partitions_item = hot_partitions_item_data.to_dict()
            hot_partitions.append(hot_partitions_item)

        hot_partitions_total = self.hot_partitions_total

        last_at: None | str
        if isinstance(self.last_at, datetime.datetime):
            last_at = self.last_at.isoformat()
        else:
            last_at = self.last_at

        last_reason: None | str
        last_reason = self.last_reason

        lost_groups = self.lost_groups

        other_compactors = []
        for other_compactors_item_data in self.other_compactors:
            other_compactors_item = other_compactors_item_data.to_dict()
            other_compactors.append(other_compactors_item)

        wasted_bytes = self.wasted_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "committed_groups": committed_groups,
                "conflict_rate": conflict_rate,
                "cooling_partitions_total": cooling_partitions_total,
                "cooling_until": cooling_until,
                "count": count,
                "days": days,
                "hot_partitions": hot_partitions,
                "hot_partitions_total": hot_partitions_total,
                "last_at": last_at,
                "last_reason": last_reason,
                "lost_groups": lost_groups,
                "other_compactors": other_compactors,
                "wasted_bytes": wasted_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.hot_partition import HotPartition  # noqa: PLC0415
        from ..models.other_compactor import OtherCompactor  # noqa: PLC0415

        d = dict(src_dict)
        committed_groups = d.pop("committed_groups")

        def _parse_conflict_rate(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        conflict_rate = _parse_conflict_rate(d.pop("conflict_rate"))

        cooling_partitions_total = d.pop("cooling_partitions_total")

        def _parse_cooling_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                cooling_until_type_0 = datetime.datetime.fromisoformat(data)

                return cooling_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        cooling_until = _parse_cooling_until(d.pop("cooling_until"))

        count = d.pop("count")

        days = d.pop("days")

        hot_partitions = []
        _hot_partitions = d.pop("hot_partitions")
        for hot_partitions_item_data in _hot_partitions:
            hot_partitions_item = HotPartition.from_dict(hot_partitions_item_data)

            hot_partitions.append(hot_partitions_item)

        hot_partitions_total = d.pop("hot_partitions_total")

        def _parse_last_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_at = _parse_last_at(d.pop("last_at"))

        def _parse_last_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        last_reason = _parse_last_reason(d.pop("last_reason"))

        lost_groups = d.pop("lost_groups")

        other_compactors = []
        _other_compactors = d.pop("other_compactors")
        for other_compactors_item_data in _other_compactors:
            other_compactors_item = OtherCompactor.from_dict(other_compactors_item_data)

            other_compactors.append(other_compactors_item)

        wasted_bytes = d.pop("wasted_bytes")

        explained_conflicts = cls(
            committed_groups=committed_groups,
            conflict_rate=conflict_rate,
            cooling_partitions_total=cooling_partitions_total,
            cooling_until=cooling_until,
            count=count,
            days=days,
            hot_partitions=hot_partitions,
            hot_partitions_total=hot_partitions_total,
            last_at=last_at,
            last_reason=last_reason,
            lost_groups=lost_groups,
            other_compactors=other_compactors,
            wasted_bytes=wasted_bytes,
        )

        explained_conflicts.additional_properties = d
        return explained_conflicts

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
