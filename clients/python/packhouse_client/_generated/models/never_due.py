# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="NeverDue")


@_attrs_define
class NeverDue:
    """Avoidable files that a rewrite would merge and that no rule makes due unless more files are written."""

    files: int
    """ Such files. """
    of_files: int
    """ All data files of the table. """
    partitions: int
    """ Partitions that have such files. """
    too_few_files: int
    """ Number of these files in partitions with fewer candidates than `rewrite.min_input_files`. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        files = self.files

        of_files = self.of_files

        partitions = self.partitions

        too_few_files = self.too_few_files

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "files": files,
                "of_files": of_files,
                "partitions": partitions,
                "too_few_files": too_few_files,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        files = d.pop("files")

        of_files = d.pop("of_files")

        partitions = d.pop("partitions")

        too_few_files = d.pop("too_few_files")

        never_due = cls(
            files=files,
            of_files=of_files,
            partitions=partitions,
            too_few_files=too_few_files,
        )

        never_due.additional_properties = d
        return never_due

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
