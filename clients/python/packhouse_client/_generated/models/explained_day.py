# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ExplainedDay")


@_attrs_define
class ExplainedDay:
    """Bytes of inputs in rolling 24 hours; null is unlimited."""

    frees_at: datetime.datetime | None
    """ Time at which the oldest of the used bytes are 24 hours old. """
    limit: int | None
    """ The limit; null: none. """
    remaining: int | None
    """ Bytes that may still be taken now; null: no limit. """
    used: int | None
    """ Bytes that runs took in the last 24 hours; null: no limit. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        frees_at: None | str
        if isinstance(self.frees_at, datetime.datetime):
            frees_at = self.frees_at.isoformat()
        else:
            frees_at = self.frees_at

        limit: int | None
        limit = self.limit

        remaining: int | None
        remaining = self.remaining

        used: int | None
        used = self.used

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "frees_at": frees_at,
                "limit": limit,
                "remaining": remaining,
                "used": used,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_frees_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                frees_at_type_0 = datetime.datetime.fromisoformat(data)

                return frees_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        frees_at = _parse_frees_at(d.pop("frees_at"))

        def _parse_limit(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        limit = _parse_limit(d.pop("limit"))

        def _parse_remaining(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        remaining = _parse_remaining(d.pop("remaining"))

        def _parse_used(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        used = _parse_used(d.pop("used"))

        explained_day = cls(
            frees_at=frees_at,
            limit=limit,
            remaining=remaining,
            used=used,
        )

        explained_day.additional_properties = d
        return explained_day

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
