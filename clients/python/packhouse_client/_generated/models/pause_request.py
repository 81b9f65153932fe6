# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..models.pause_mode import PauseMode
from ..types import UNSET, Unset

T = TypeVar("T", bound="PauseRequest")


@_attrs_define
class PauseRequest:
    """A pause and why."""

    reason: str
    """ Shown wherever something waits for it. """
    mode: PauseMode | Unset = UNSET
    """ Effect on running work. """

    def to_dict(self) -> dict[str, Any]:
        reason = self.reason

        mode: str | Unset = UNSET
        if not isinstance(self.mode, Unset):
            mode = self.mode.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "reason": reason,
            }
        )
        if mode is not UNSET:
            field_dict["mode"] = mode

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        reason = d.pop("reason")

        _mode = d.pop("mode", UNSET)
        mode: PauseMode | Unset
        if isinstance(_mode, Unset):
            mode = UNSET
        else:
            mode = PauseMode(_mode)

        pause_request = cls(
            reason=reason,
            mode=mode,
        )

        return pause_request
