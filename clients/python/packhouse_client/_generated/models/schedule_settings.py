# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="ScheduleSettings")


@_attrs_define
class ScheduleSettings:
    """Times at which the table is looked at, in addition to looks after its commits."""

    cron: Literal["off"] | None | str | Unset = UNSET
    """ More times at which the table is looked at: minute, hour, day of month, month, day of week. """
    min_interval: None | str | Unset = UNSET
    """ Shortest time from the start of a run that changed the table to the next automatic run. """
    time_zone: None | str | Unset = UNSET
    """ IANA name of the time zone of `cron`. """
    urgent_after: Literal["off"] | None | str | Unset = UNSET
    """ After this wait a due partition ignores quiet hours and goes first. """

    def to_dict(self) -> dict[str, Any]:
        cron: Literal["off"] | None | str | Unset
        if isinstance(self.cron, Unset):
            cron = UNSET
        else:
            cron = self.cron

        min_interval: None | str | Unset
        if isinstance(self.min_interval, Unset):
            min_interval = UNSET
        else:
            min_interval = self.min_interval

        time_zone: None | str | Unset
        if isinstance(self.time_zone, Unset):
            time_zone = UNSET
        else:
            time_zone = self.time_zone

        urgent_after: Literal["off"] | None | str | Unset
        if isinstance(self.urgent_after, Unset):
            urgent_after = UNSET
        else:
            urgent_after = self.urgent_after

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if cron is not UNSET:
            field_dict["cron"] = cron
        if min_interval is not UNSET:
            field_dict["min_interval"] = min_interval
        if time_zone is not UNSET:
            field_dict["time_zone"] = time_zone
        if urgent_after is not UNSET:
            field_dict["urgent_after"] = urgent_after

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_cron(data: object) -> Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                cron_type_0 = cast(Literal["off"], data)
                if cron_type_0 != "off":
                    raise ValueError(f"cron_type_0 must match const 'off', got '{cron_type_0}'")
                return cron_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | str | Unset, data)

        cron = _parse_cron(d.pop("cron", UNSET))

        def _parse_min_interval(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        min_interval = _parse_min_interval(d.pop("min_interval", UNSET))

        def _parse_time_zone(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        time_zone = _parse_time_zone(d.pop("time_zone", UNSET))

        def _parse_urgent_after(data: object) -> Literal["off"] | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not data == "off":
                    raise TypeError()
                urgent_after_type_0 = cast(Literal["off"], data)
                if urgent_after_type_0 != "off":
                    raise ValueError(f"urgent_after_type_0 must match const 'off', got '{urgent_after_type_0}'")
                return urgent_after_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Literal["off"] | None | str | Unset, data)

        urgent_after = _parse_urgent_after(d.pop("urgent_after", UNSET))

        schedule_settings = cls(
            cron=cron,
            min_interval=min_interval,
            time_zone=time_zone,
            urgent_after=urgent_after,
        )

        return schedule_settings
