# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Calibration")


@_attrs_define
class Calibration:
    """By what predictions were multiplied: measured by predicted, the median of the table's last runs (at most ten)."""

    output_bytes: float
    """ Factor of output bytes. """
    output_files: float
    """ Factor of output files. """
    runs: int
    """ So many were measured. """
    seconds: float
    """ Factor of seconds. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        output_bytes = self.output_bytes

        output_files = self.output_files

        runs = self.runs

        seconds = self.seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "output_bytes": output_bytes,
                "output_files": output_files,
                "runs": runs,
                "seconds": seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        output_bytes = d.pop("output_bytes")

        output_files = d.pop("output_files")

        runs = d.pop("runs")

        seconds = d.pop("seconds")

        calibration = cls(
            output_bytes=output_bytes,
            output_files=output_files,
            runs=runs,
            seconds=seconds,
        )

        calibration.additional_properties = d
        return calibration

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
