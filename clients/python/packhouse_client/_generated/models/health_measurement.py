# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="HealthMeasurement")


@_attrs_define
class HealthMeasurement:
    """Health of the table in one snapshot."""

    average_file_bytes: int
    """ Mean size of a live data file, in bytes. """
    avoidable_file_count: int
    """ Files that rewriting would save. """
    benefit_per_cost: float
    """ Read cost that one scan saves, in bytes for each byte rewritten, times the chance that a file group is
    committed, by those that its runs committed and lost to other writers in seven days. """
    file_count: int
    """ Live data files. """
    files_with_deletes: int
    """ Live data files that deletes apply to. """
    id: int
    """ Identifier; stable. """
    is_latest: bool
    """ Whether it is the newest measurement of the table. """
    large_file_count: int
    """ Live data files above `large_file_bytes`. """
    measured_at: datetime.datetime
    """ Time of the measurement. """
    partition_count: int
    """ Partitions with live data files. """
    score: int
    """ Health score from 0 to 100; 100: nothing to improve. """
    small_file_change: int
    """ Small files more or less than in the measurement before. """
    small_file_count: int
    """ Live data files below `small_file_bytes`. """
    snapshot_id: None | str
    """ Snapshot that it refers to; null: none. """
    total_bytes: int
    """ Bytes of live data files. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        average_file_bytes = self.average_file_bytes

        avoidable_file_count = self.avoidable_file_count

        benefit_per_cost = self.benefit_per_cost

        file_count = self.file_count

        files_with_deletes = self.files_with_deletes

        id = self.id

        is_latest = self.is_latest

        large_file_count = self.large_file_count

        measured_at = self.measured_at.isoformat()

        partition_count = self.partition_count

        score = self.score

        small_file_change = self.small_file_change

        small_file_count = self.small_file_count

        snapshot_id: None | str
        snapshot_id = self.snapshot_id

        total_bytes = self.total_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "average_file_bytes": average_file_bytes,
                "avoidable_file_count": avoidable_file_count,
                "benefit_per_cost": benefit_per_cost,
                "file_count": file_count,
                "files_with_deletes": files_with_deletes,
                "id": id,
                "is_latest": is_latest,
                "large_file_count": large_file_count,
                "measured_at": measured_at,
                "partition_count": partition_count,
                "score": score,
                "small_file_change": small_file_change,
                "small_file_count": small_file_count,
                "snapshot_id": snapshot_id,
                "total_bytes": total_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        average_file_bytes = d.pop("average_file_bytes")

        avoidable_file_count = d.pop("avoidable_file_count")

        benefit_per_cost = d.pop("benefit_per_cost")

        file_count = d.pop("file_count")

        files_with_deletes = d.pop("files_with_deletes")

        id = d.pop("id")

        is_latest = d.pop("is_latest")

        large_file_count = d.pop("large_file_count")

        measured_at = datetime.datetime.fromisoformat(d.pop("measured_at"))

        partition_count = d.pop("partition_count")

        score = d.pop("score")

        small_file_change = d.pop("small_file_change")

        small_file_count = d.pop("small_file_count")

        def _parse_snapshot_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        snapshot_id = _parse_snapshot_id(d.pop("snapshot_id"))

        total_bytes = d.pop("total_bytes")

        health_measurement = cls(
            average_file_bytes=average_file_bytes,
            avoidable_file_count=avoidable_file_count,
            benefit_per_cost=benefit_per_cost,
            file_count=file_count,
            files_with_deletes=files_with_deletes,
            id=id,
            is_latest=is_latest,
            large_file_count=large_file_count,
            measured_at=measured_at,
            partition_count=partition_count,
            score=score,
            small_file_change=small_file_change,
            small_file_count=small_file_count,
            snapshot_id=snapshot_id,
            total_bytes=total_bytes,
        )

        health_measurement.additional_properties = d
        return health_measurement

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
