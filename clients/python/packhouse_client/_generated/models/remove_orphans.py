# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="RemoveOrphans")


@_attrs_define
class RemoveOrphans:
    """Removal of files that no snapshot refers to; never of files younger than twice the longest run."""

    interval: str | Unset = "7d"
    """ Time between searches. """
    older_than: str | Unset = "3d"
    """ Only files older than this, at least a day. """
    quarantine: str | Unset = "7d"
    """ Time that files stay in quarantine before they are deleted. """

    def to_dict(self) -> dict[str, Any]:
        interval = self.interval

        older_than = self.older_than

        quarantine = self.quarantine

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if interval is not UNSET:
            field_dict["interval"] = interval
        if older_than is not UNSET:
            field_dict["older_than"] = older_than
        if quarantine is not UNSET:
            field_dict["quarantine"] = quarantine

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        interval = d.pop("interval", UNSET)

        older_than = d.pop("older_than", UNSET)

        quarantine = d.pop("quarantine", UNSET)

        remove_orphans = cls(
            interval=interval,
            older_than=older_than,
            quarantine=quarantine,
        )

        return remove_orphans
