# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="OpenBreaker")


@_attrs_define
class OpenBreaker:
    """A catalog in which no run starts automatically for now: runs of several tables in a row failed there."""

    catalog: str
    """ Name of the catalog. """
    failed_at: datetime.datetime
    """ Time at which the last run failed. """
    open_until: datetime.datetime
    """ Then one run is let through: its success closes the breaker. """
    probe_until: datetime.datetime | None
    """ Such a run was let through, and has time until then. """
    reason: str
    """ Of that run. """
    times_open: int
    """ In a row; it stays open twice as long each time, half an hour at most. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        catalog = self.catalog

        failed_at = self.failed_at.isoformat()

        open_until = self.open_until.isoformat()

        probe_until: None | str
        if isinstance(self.probe_until, datetime.datetime):
            probe_until = self.probe_until.isoformat()
        else:
            probe_until = self.probe_until

        reason = self.reason

        times_open = self.times_open

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "catalog": catalog,
                "failed_at": failed_at,
                "open_until": open_until,
                "probe_until": probe_until,
                "reason": reason,
                "times_open": times_open,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        catalog = d.pop("catalog")

        failed_at = datetime.datetime.fromisoformat(d.pop("failed_at"))

        open_until = datetime.datetime.fromisoformat(d.pop("open_until"))

        def _parse_probe_until(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                probe_until_type_0 = datetime.datetime.fromisoformat(data)

                return probe_until_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        probe_until = _parse_probe_until(d.pop("probe_until"))

        reason = d.pop("reason")

        times_open = d.pop("times_open")

        open_breaker = cls(
            catalog=catalog,
            failed_at=failed_at,
            open_until=open_until,
            probe_until=probe_until,
            reason=reason,
            times_open=times_open,
        )

        open_breaker.additional_properties = d
        return open_breaker

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
