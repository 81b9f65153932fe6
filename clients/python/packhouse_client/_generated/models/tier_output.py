# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="TierOutput")


@_attrs_define
class TierOutput:
    """A size class: files merge only with files of the same tier, and the output belongs to the next tier."""

    below_bytes: int
    """ Files below this size, down to the bound of the tier before. """
    files: int
    """ Number of files at which the tier is due. """

    def to_dict(self) -> dict[str, Any]:
        below_bytes = self.below_bytes

        files = self.files

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "below_bytes": below_bytes,
                "files": files,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        below_bytes = d.pop("below_bytes")

        files = d.pop("files")

        tier_output = cls(
            below_bytes=below_bytes,
            files=files,
        )

        return tier_output
