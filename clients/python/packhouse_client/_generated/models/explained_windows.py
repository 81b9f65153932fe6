# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.on_start import OnStart
from ..models.window_kind import WindowKind

T = TypeVar("T", bound="ExplainedWindows")


@_attrs_define
class ExplainedWindows:
    """Quiet hours and blackouts: how things stand now, and when the next window begins."""

    ends_at: datetime.datetime | None
    """ End of the active window; null: none is active. """
    inside: bool
    """ Whether a quiet hour or blackout is active. """
    kind: None | WindowKind
    """ Kind of the active window; null: in none. """
    next_start: datetime.datetime | None
    """ Start of the next window; null: none. """
    on_start: None | OnStart
    """ Behaviour of running work when the window begins; null: no window. """
    reason: None | str
    """ Reason of the active window as the policy gives it; null: none. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ends_at: None | str
        if isinstance(self.ends_at, datetime.datetime):
            ends_at = self.ends_at.isoformat()
        else:
            ends_at = self.ends_at

        inside = self.inside

        kind: None | str
        if isinstance(self.kind, WindowKind):
            kind = self.kind.value
        else:
            kind = self.kind

        next_start: None | str
        if isinstance(self.next_start, datetime.datetime):
            next_start = self.next_start.isoformat()
        else:
            next_start = self.next_start

        on_start: None | str
        if isinstance(self.on_start, OnStart):
            on_start = self.on_start.value
        else:
            on_start = self.on_start

        reason: None | str
        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ends_at": ends_at,
                "inside": inside,
                "kind": kind,
                "next_start": next_start,
                "on_start": on_start,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_ends_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                ends_at_type_0 = datetime.datetime.fromisoformat(data)

                return ends_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        ends_at = _parse_ends_at(d.pop("ends_at"))

        inside = d.pop("inside")

        def _parse_kind(data: object) -> None | WindowKind:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                kind_type_0 = WindowKind(data)

                return kind_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | WindowKind, data)

        kind = _parse_kind(d.pop("kind"))

        def _parse_next_start(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                next_start_type_0 = datetime.datetime.fromisoformat(data)

                return next_start_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        next_start = _parse_next_start(d.pop("next_start"))

        def _parse_on_start(data: object) -> None | OnStart:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                on_start_type_0 = OnStart(data)

                return on_start_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OnStart, data)

        on_start = _parse_on_start(d.pop("on_start"))

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        explained_windows = cls(
            ends_at=ends_at,
            inside=inside,
            kind=kind,
            next_start=next_start,
            on_start=on_start,
            reason=reason,
        )

        explained_windows.additional_properties = d
        return explained_windows

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
