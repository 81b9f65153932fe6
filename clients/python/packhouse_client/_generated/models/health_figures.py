# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="HealthFigures")


@_attrs_define
class HealthFigures:
    """Figures of the files, as they were measured last."""

    avoidable_file_count: int
    """ Files that rewriting would save. """
    file_count: int
    """ Live data files. """
    measured_at: datetime.datetime
    """ Time of the measurement. """
    score: float
    """ Health score from 0 to 100; 100: nothing to improve. """
    small_file_count: int
    """ Live data files below `small_file_bytes`. """
    total_bytes: int
    """ Bytes of live data files. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        avoidable_file_count = self.avoidable_file_count

        file_count = self.file_count

        measured_at = self.measured_at.isoformat()

        score = self.score

        small_file_count = self.small_file_count

        total_bytes = self.total_bytes

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "avoidable_file_count": avoidable_file_count,
                "file_count": file_count,
                "measured_at": measured_at,
                "score": score,
                "small_file_count": small_file_count,
                "total_bytes": total_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        avoidable_file_count = d.pop("avoidable_file_count")

        file_count = d.pop("file_count")

        measured_at = datetime.datetime.fromisoformat(d.pop("measured_at"))

        score = d.pop("score")

        small_file_count = d.pop("small_file_count")

        total_bytes = d.pop("total_bytes")

        health_figures = cls(
            avoidable_file_count=avoidable_file_count,
            file_count=file_count,
            measured_at=measured_at,
            score=score,
            small_file_count=small_file_count,
            total_bytes=total_bytes,
        )

        health_figures.additional_properties = d
        return health_figures

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
