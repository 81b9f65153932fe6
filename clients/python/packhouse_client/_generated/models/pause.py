# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.pause_mode import PauseMode

T = TypeVar("T", bound="Pause")


@_attrs_define
class Pause:
    """A pause that is on."""

    mode: PauseMode
    """ Effect on running work. """
    paused_at: datetime.datetime
    """ Start of the pause. """
    paused_by: str
    """ Caller that paused. """
    reason: str
    """ The reason. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        mode = self.mode.value

        paused_at = self.paused_at.isoformat()

        paused_by = self.paused_by

        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "mode": mode,
                "paused_at": paused_at,
                "paused_by": paused_by,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        mode = PauseMode(d.pop("mode"))

        paused_at = datetime.datetime.fromisoformat(d.pop("paused_at"))

        paused_by = d.pop("paused_by")

        reason = d.pop("reason")

        pause = cls(
            mode=mode,
            paused_at=paused_at,
            paused_by=paused_by,
            reason=reason,
        )

        pause.additional_properties = d
        return pause

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
