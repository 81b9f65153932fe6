# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ExplainedSchedule")


@_attrs_define
class ExplainedSchedule:
    """Times at which the policy has the table looked at."""

    cron: str
    """ Cron expression at whose times the table is looked at; `off`: none. """
    cron_next_at: datetime.datetime | None
    """ Next of these times; null: none. """
    last_start_at: datetime.datetime | None
    """ Start of the last run that changed the table; null: none. """
    min_interval_seconds: int | None
    """ Shortest time between automatic runs; null: none. """
    time_zone: str
    """ IANA name of the time zone. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        cron = self.cron

        cron_next_at: None | str
        if isinstance(self.cron_next_at, datetime.datetime):
            cron_next_at = self.cron_next_at.isoformat()
        else:
            cron_next_at = self.cron_next_at

        last_start_at: None | str
        if isinstance(self.last_start_at, datetime.datetime):
            last_start_at = self.last_start_at.isoformat()
        else:
            last_start_at = self.last_start_at

        min_interval_seconds: int | None
        min_interval_seconds = self.min_interval_seconds

        time_zone = self.time_zone

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "cron": cron,
                "cron_next_at": cron_next_at,
                "last_start_at": last_start_at,
                "min_interval_seconds": min_interval_seconds,
                "time_zone": time_zone,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        cron = d.pop("cron")

        def _parse_cron_next_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                cron_next_at_type_0 = datetime.datetime.fromisoformat(data)

                return cron_next_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        cron_next_at = _parse_cron_next_at(d.pop("cron_next_at"))

        def _parse_last_start_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                last_start_at_type_0 = datetime.datetime.fromisoformat(data)

                return last_start_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        last_start_at = _parse_last_start_at(d.pop("last_start_at"))

        def _parse_min_interval_seconds(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        min_interval_seconds = _parse_min_interval_seconds(d.pop("min_interval_seconds"))

        time_zone = d.pop("time_zone")

        explained_schedule = cls(
            cron=cron,
            cron_next_at=cron_next_at,
            last_start_at=last_start_at,
            min_interval_seconds=min_interval_seconds,
            time_zone=time_zone,
        )

        explained_schedule.additional_properties = d
        return explained_schedule

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
