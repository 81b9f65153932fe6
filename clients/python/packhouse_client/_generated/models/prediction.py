# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="Prediction")


@_attrs_define
class Prediction:
    """Predicted figures of the plan's execution."""

    input_bytes: int
    """ Bytes of the input files. """
    input_files: int
    """ Input files. """
    input_rows: int
    """ Rows of the input files, from metadata. """
    output_bytes: int
    """ Bytes of the output files. """
    output_files: int
    """ Output files. """
    seconds: float
    """ Time at work, without waiting; `time_estimate` has its basis. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        input_bytes = self.input_bytes

        input_files = self.input_files

        input_rows = self.input_rows

        output_bytes = self.output_bytes

        output_files = self.output_files

        seconds = self.seconds

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "input_bytes": input_bytes,
                "input_files": input_files,
                "input_rows": input_rows,
                "output_bytes": output_bytes,
                "output_files": output_files,
                "seconds": seconds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        input_bytes = d.pop("input_bytes")

        input_files = d.pop("input_files")

        input_rows = d.pop("input_rows")

        output_bytes = d.pop("output_bytes")

        output_files = d.pop("output_files")

        seconds = d.pop("seconds")

        prediction = cls(
            input_bytes=input_bytes,
            input_files=input_files,
            input_rows=input_rows,
            output_bytes=output_bytes,
            output_files=output_files,
            seconds=seconds,
        )

        prediction.additional_properties = d
        return prediction

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
