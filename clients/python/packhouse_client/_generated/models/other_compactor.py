# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="OtherCompactor")


@_attrs_define
class OtherCompactor:
    """Another program that replaced data files of the table in the last day, from the table's history."""

    application: None | str
    """ Application of the last snapshot; null when it did not name itself. """
    count: int
    """ Number of its snapshots that replaced files, among the newest two hundred. """
    engine: str
    """ Engine that wrote the snapshots. """
    last_at: datetime.datetime
    """ Time of the last one; null: never. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        application: None | str
        application = self.application

        count = self.count

        engine = self.engine

        last_at = self.last_at.isoformat()

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "application": application,
                "count": count,
                "engine": engine,
                "last_at": last_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_application(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        application = _parse_application(d.pop("application"))

        count = d.pop("count")

        engine = d.pop("engine")

        last_at = datetime.datetime.fromisoformat(d.pop("last_at"))

        other_compactor = cls(
            application=application,
            count=count,
            engine=engine,
            last_at=last_at,
        )

        other_compactor.additional_properties = d
        return other_compactor

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
