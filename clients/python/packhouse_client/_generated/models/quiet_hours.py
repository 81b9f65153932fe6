# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..models.on_start import OnStart
from ..models.quiet_hours_days_item import QuietHoursDaysItem
from ..types import UNSET, Unset

T = TypeVar("T", bound="QuietHours")


@_attrs_define
class QuietHours:
    """A window of each week."""

    from_: str
    """ Local time at which it begins. """
    to: str
    """ Local time at which it ends; at or before `from`: on the next day. """
    days: list[QuietHoursDaysItem] | Unset = UNSET
    """ Days on which it begins; all when absent. """
    on_start: OnStart | Unset = UNSET
    """ Behaviour of a running rewrite when a window begins, mildest first. """
    time_zone: str | Unset = "UTC"
    """ IANA name. """

    def to_dict(self) -> dict[str, Any]:
        from_ = self.from_

        to = self.to

        days: list[str] | Unset = UNSET
        if not isinstance(self.days, Unset):
            days = []
            for days_item_data in self.days:
                days_item = days_item_data.value
                days.append(days_item)

        on_start: str | Unset = UNSET
        if not isinstance(self.on_start, Unset):
            on_start = self.on_start.value

        time_zone = self.time_zone

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "from": from_,
                "to": to,
            }
        )
        if days is not UNSET:
            field_dict["days"] = days
        if on_start is not UNSET:
            field_dict["on_start"] = on_start
        if time_zone is not UNSET:
            field_dict["time_zone"] = time_zone

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        from_ = d.pop("from")

        to = d.pop("to")

        _days = d.pop("days", UNSET)
        days: list[QuietHoursDaysItem] | Unset = UNSET
        if _days is not UNSET:
            days = []
            for days_item_data in _days:
                days_item = QuietHoursDaysItem(days_item_data)

                days.append(days_item)

        _on_start = d.pop("on_start", UNSET)
        on_start: OnStart | Unset
        if isinstance(_on_start, Unset):
            on_start = UNSET
        else:
            on_start = OnStart(_on_start)

        time_zone = d.pop("time_zone", UNSET)

        quiet_hours = cls(
            from_=from_,
            to=to,
            days=days,
            on_start=on_start,
            time_zone=time_zone,
        )

        return quiet_hours
