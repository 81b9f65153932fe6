# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Reclaim")


@_attrs_define
class Reclaim:
    """Retention of history and superseded files; older ones are removed."""

    retention: str
    """ History older than this can't be queried any more. """
    compact_blocking: bool | Unset = True
    """ First rewrite the files that keep older files from being removed. """

    def to_dict(self) -> dict[str, Any]:
        retention = self.retention

        compact_blocking = self.compact_blocking

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "retention": retention,
            }
        )
        if compact_blocking is not UNSET:
            field_dict["compact_blocking"] = compact_blocking

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        retention = d.pop("retention")

        compact_blocking = d.pop("compact_blocking", UNSET)

        reclaim = cls(
            retention=retention,
            compact_blocking=compact_blocking,
        )

        return reclaim
