# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="PlannedGroup")


@_attrs_define
class PlannedGroup:
    """A file group that a run would rewrite."""

    input_bytes: int
    """ Bytes of the input files. """
    input_files: int
    """ Input files. """
    input_rows: int
    """ Rows of the input files, from metadata. """
    ordinal: int
    """ Position in the plan, from 0. """
    partition: str
    """ The partition's values as canonical JSON; `{}` for an unpartitioned table. """
    predicted_outputs: int
    """ Output files that the plan expects. """
    spec_id: int
    """ Id of the partition spec. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        input_bytes = self.input_bytes

        input_files = self.input_files

        input_rows = self.input_rows

        ordinal = self.ordinal

        partition = self.partition

        predicted_outputs = self.predicted_outputs

        spec_id = self.spec_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "input_bytes": input_bytes,
                "input_files": input_files,
                "input_rows": input_rows,
                "ordinal": ordinal,
                "partition": partition,
                "predicted_outputs": predicted_outputs,
                "spec_id": spec_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        input_bytes = d.pop("input_bytes")

        input_files = d.pop("input_files")

        input_rows = d.pop("input_rows")

        ordinal = d.pop("ordinal")

        partition = d.pop("partition")

        predicted_outputs = d.pop("predicted_outputs")

        spec_id = d.pop("spec_id")

        planned_group = cls(
            input_bytes=input_bytes,
            input_files=input_files,
            input_rows=input_rows,
            ordinal=ordinal,
            partition=partition,
            predicted_outputs=predicted_outputs,
            spec_id=spec_id,
        )

        planned_group.additional_properties = d
        return planned_group

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
