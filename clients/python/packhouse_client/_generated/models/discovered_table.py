# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.discovery_outcome import DiscoveryOutcome

T = TypeVar("T", bound="DiscoveredTable")


@_attrs_define
class DiscoveredTable:
    """A table of the catalog that matches."""

    detail: None | str
    """ Reason why it was refused or not tried. """
    name: str
    """ Its name. """
    namespace: list[str]
    """ Levels of the namespace, outer first. """
    outcome: DiscoveryOutcome
    """ Result of a discovery for one table. """
    table_id: None | str
    """ Of a registered table that the caller may read. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        detail: None | str
        detail = self.detail

        name = self.name

        namespace = self.namespace

        outcome = self.outcome.value

        table_id: None | str
        table_id = self.table_id

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "detail": detail,
                "name": name,
                "namespace": namespace,
                "outcome": outcome,
                "table_id": table_id,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_detail(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        detail = _parse_detail(d.pop("detail"))

        name = d.pop("name")

        namespace = cast(list[str], d.pop("namespace"))

        outcome = DiscoveryOutcome(d.pop("outcome"))

        def _parse_table_id(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        table_id = _parse_table_id(d.pop("table_id"))

        discovered_table = cls(
            detail=detail,
            name=name,
            namespace=namespace,
            outcome=outcome,
            table_id=table_id,
        )

        discovered_table.additional_properties = d
        return discovered_table

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
