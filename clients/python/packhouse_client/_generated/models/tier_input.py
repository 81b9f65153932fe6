# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="TierInput")


@_attrs_define
class TierInput:
    """A class of sizes: files merge only with others of their tier, and the output lands in the next."""

    below_bytes: int | str
    """ Files below this size, down to the bound of the tier before. """
    files: int
    """ So many make the tier due. """

    def to_dict(self) -> dict[str, Any]:
        below_bytes: int | str
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

        def _parse_below_bytes(data: object) -> int | str:
            return cast(int | str, data)

        below_bytes = _parse_below_bytes(d.pop("below_bytes"))

        files = d.pop("files")

        tier_input = cls(
            below_bytes=below_bytes,
            files=files,
        )

        return tier_input
