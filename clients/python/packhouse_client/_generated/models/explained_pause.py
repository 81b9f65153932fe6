# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.explained_pause_scope import ExplainedPauseScope

T = TypeVar("T", bound="ExplainedPause")


@_attrs_define
class ExplainedPause:
    """An active pause. `stops`: running work is interrupted; otherwise groups in flight finish."""

    at: datetime.datetime
    """ Start of the pause. """
    by: str
    """ Caller that paused. """
    reason: str
    """ The reason. """
    scope: ExplainedPauseScope
    """ Scope of the pause. """
    stops: bool
    """ True: running work stops. False: it ends what it began. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        at = self.at.isoformat()

        by = self.by

        reason = self.reason

        scope = self.scope.value

        stops = self.stops

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "at": at,
                "by": by,
                "reason": reason,
                "scope": scope,
                "stops": stops,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        at = datetime.datetime.fromisoformat(d.pop("at"))

        by = d.pop("by")

        reason = d.pop("reason")

        scope = ExplainedPauseScope(d.pop("scope"))

        stops = d.pop("stops")

        explained_pause = cls(
            at=at,
            by=by,
            reason=reason,
            scope=scope,
            stops=stops,
        )

        explained_pause.additional_properties = d
        return explained_pause

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
