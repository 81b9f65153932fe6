# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Calibration")


@_attrs_define
class Calibration:
    """Corrections of the predicted sizes of outputs: measured by predicted, the median of the table's last ten runs."""

    metadata_bytes: int
    """ Of each file: footer, page headers, dictionaries. Inputs are counted without them, outputs with. """
    output_bytes: float
    """ Factor of the rows' bytes, without the metadata of files. """
    output_files: float
    """ Factor. """
    runs: int
    """ Runs that were measured. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        metadata_bytes = self.metadata_bytes

        output_bytes = self.output_bytes

        output_files = self.output_files

        runs = self.runs

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "metadata_bytes": metadata_bytes,
                "output_bytes": output_bytes,
                "output_files": output_files,
                "runs": runs,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        metadata_bytes = d.pop("metadata_bytes")

        output_bytes = d.pop("output_bytes")

        output_files = d.pop("output_files")

        runs = d.pop("runs")

        calibration = cls(
            metadata_bytes=metadata_bytes,
            output_bytes=output_bytes,
            output_files=output_files,
            runs=runs,
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
