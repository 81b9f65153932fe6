# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="FullEligibility")


@_attrs_define
class FullEligibility:
    """Conditions for a full rewrite of a partition without deletes. `force_full` of a run overrides it."""

    min_files: int | Unset = 3
    """ Minimum number of files in the partition. """
    more_small_than_large: bool | Unset = True
    """ The partition has more small files than large ones. """

    def to_dict(self) -> dict[str, Any]:
        min_files = self.min_files

        more_small_than_large = self.more_small_than_large

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if min_files is not UNSET:
            field_dict["min_files"] = min_files
        if more_small_than_large is not UNSET:
            field_dict["more_small_than_large"] = more_small_than_large

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        min_files = d.pop("min_files", UNSET)

        more_small_than_large = d.pop("more_small_than_large", UNSET)

        full_eligibility = cls(
            min_files=min_files,
            more_small_than_large=more_small_than_large,
        )

        return full_eligibility
