# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.hold import Hold


T = TypeVar("T", bound="NextEligible")


@_attrs_define
class NextEligible:
    """Earliest start of a run: the latest end of everything that holds it back, now if nothing does."""

    at: datetime.datetime | None
    """ Null when it is not known: see `reason`. """
    held_by: list[Hold]
    """ Everything that prevents a run now. """
    reason: None | str
    """ Reason why the time is not known; null: it is known. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        at: None | str
        if isinstance(self.at, datetime.datetime):
            at = self.at.isoformat()
        else:
            at = self.at

        held_by = []
        for held_by_item_data in self.held_by:
            held_by_item = held_by_item_data.to_dict()
            held_by.append(held_by_item)

        reason: None | str
        reason = self.reason

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "at": at,
                "held_by": held_by,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.hold import Hold  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                at_type_0 = datetime.datetime.fromisoformat(data)

                return at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        at = _parse_at(d.pop("at"))

        held_by = []
        _held_by = d.pop("held_by")
        for held_by_item_data in _held_by:
            held_by_item = Hold.from_dict(held_by_item_data)

            held_by.append(held_by_item)

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        next_eligible = cls(
            at=at,
            held_by=held_by,
            reason=reason,
        )

        next_eligible.additional_properties = d
        return next_eligible

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
