# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="Seal")


@_attrs_define
class Seal:
    """Rewrite sealed partitions only: give exactly one of the two fields."""

    after: None | str | Unset = UNSET
    """ Time after the end of the partition's own time window. """
    quiet_for: None | str | Unset = UNSET
    """ Time since the last commit to the partition. """

    def to_dict(self) -> dict[str, Any]:
        after: None | str | Unset
        if isinstance(self.after, Unset):
            after = UNSET
        else:
            after = self.after

        quiet_for: None | str | Unset
        if isinstance(self.quiet_for, Unset):
            quiet_for = UNSET
        else:
            quiet_for = self.quiet_for

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if after is not UNSET:
            field_dict["after"] = after
        if quiet_for is not UNSET:
            field_dict["quiet_for"] = quiet_for

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_after(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        after = _parse_after(d.pop("after", UNSET))

        def _parse_quiet_for(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        quiet_for = _parse_quiet_for(d.pop("quiet_for", UNSET))

        seal = cls(
            after=after,
            quiet_for=quiet_for,
        )

        return seal
