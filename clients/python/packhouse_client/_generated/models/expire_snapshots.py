# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ExpireSnapshots")


@_attrs_define
class ExpireSnapshots:
    """Selection of the snapshots that are expired, and the interval.

    Branches, tags and the table's own retention always hold as well.

    """

    older_than: str
    """ Only snapshots older than this. """
    interval: str | Unset = "1d"
    """ Least time between two automatic expiries. """
    keep_last: int | Unset = 10
    """ Number of newest snapshots of each branch that are kept regardless of their age. """

    def to_dict(self) -> dict[str, Any]:
        older_than = self.older_than

        interval = self.interval

        keep_last = self.keep_last

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "older_than": older_than,
            }
        )
        if interval is not UNSET:
            field_dict["interval"] = interval
        if keep_last is not UNSET:
            field_dict["keep_last"] = keep_last

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        older_than = d.pop("older_than")

        interval = d.pop("interval", UNSET)

        keep_last = d.pop("keep_last", UNSET)

        expire_snapshots = cls(
            older_than=older_than,
            interval=interval,
            keep_last=keep_last,
        )

        return expire_snapshots
