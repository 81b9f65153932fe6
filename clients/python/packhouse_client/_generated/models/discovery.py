# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.discovered_table import DiscoveredTable
    from ..models.discovery_counts import DiscoveryCounts


T = TypeVar("T", bound="Discovery")


@_attrs_define
class Discovery:
    """The tables of a catalog that match, in order of their addresses."""

    counts: DiscoveryCounts
    """ Tables that match, by outcome. """
    examined: int
    """ Tables of the catalog that were looked at, at most 10000; below admin those that it may discover. """
    tables: list[DiscoveredTable]
    """ Tables that match the pattern. """
    truncated: bool
    """ True when the catalog has more. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        counts = self.counts.to_dict()

        examined = self.examined

        tables = []
        for tables_item_data in self.tables:
            tables_item = tables_item_data.to_dict()
            tables.append(tables_item)

        truncated = self.truncated

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "counts": counts,
                "examined": examined,
                "tables": tables,
                "truncated": truncated,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.discovered_table import DiscoveredTable  # noqa: PLC0415
        from ..models.discovery_counts import DiscoveryCounts  # noqa: PLC0415

        d = dict(src_dict)
        counts = DiscoveryCounts.from_dict(d.pop("counts"))

        examined = d.pop("examined")

        tables = []
        _tables = d.pop("tables")
        for tables_item_data in _tables:
            tables_item = DiscoveredTable.from_dict(tables_item_data)

            tables.append(tables_item)

        truncated = d.pop("truncated")

        discovery = cls(
            counts=counts,
            examined=examined,
            tables=tables,
            truncated=truncated,
        )

        discovery.additional_properties = d
        return discovery

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
