# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="DeleteRules")


@_attrs_define
class DeleteRules:
    """Deletes that make a data file a candidate regardless of its size, and removal of delete files."""

    files: int | None | Unset = UNSET
    """ Minimum number of delete files that apply to the data file. """
    ratio: float | None | Unset = UNSET
    """ Minimum share of the data file's rows that are deleted, from 0 to 1. """
    remove_dangling: bool | None | Unset = UNSET
    """ Also drop position-delete files of the rewritten partitions that no longer apply to any data file, in the
    same commit. Not passed to the table format's own procedure. """

    def to_dict(self) -> dict[str, Any]:
        files: int | None | Unset
        if isinstance(self.files, Unset):
            files = UNSET
        else:
            files = self.files

        ratio: float | None | Unset
        if isinstance(self.ratio, Unset):
            ratio = UNSET
        else:
            ratio = self.ratio

        remove_dangling: bool | None | Unset
        if isinstance(self.remove_dangling, Unset):
            remove_dangling = UNSET
        else:
            remove_dangling = self.remove_dangling

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if files is not UNSET:
            field_dict["files"] = files
        if ratio is not UNSET:
            field_dict["ratio"] = ratio
        if remove_dangling is not UNSET:
            field_dict["remove_dangling"] = remove_dangling

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_files(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        files = _parse_files(d.pop("files", UNSET))

        def _parse_ratio(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        ratio = _parse_ratio(d.pop("ratio", UNSET))

        def _parse_remove_dangling(data: object) -> bool | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | None | Unset, data)

        remove_dangling = _parse_remove_dangling(d.pop("remove_dangling", UNSET))

        delete_rules = cls(
            files=files,
            ratio=ratio,
            remove_dangling=remove_dangling,
        )

        return delete_rules
