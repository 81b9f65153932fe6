# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.affected_table import AffectedTable
    from ..models.due_table import DueTable


T = TypeVar("T", bound="DueTables")


@_attrs_define
class DueTables:
    """Tables that would become due, by their last measurements; no table was read."""

    count: int
    """ Tables that are due. """
    never_measured: list[AffectedTable]
    """ The first hundred; GET their health to measure them. """
    never_measured_count: int
    """ Affected tables that were never measured. """
    tables: list[DueTable]
    """ The first hundred. """
    untold_count: int
    """ Affected tables for which the last measurement is not sufficient: their triggers ask for ages, deletes or
    other bounds of sizes; and those beyond the first ten thousand. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        count = self.count

        never_measured = []
        for never_measured_item_data in self.never_measured:
            never_measured_item = never_measured_item_data.to_dict()
            never_measured.append(never_measured_item)

        never_measured_count = self.never_measured_count

        tables = []
        for tables_item_data in self.tables:
            tables_item = tables_item_data.to_dict()
            tables.append(tables_item)

        untold_count = self.untold_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "count": count,
                "never_measured": never_measured,
                "never_measured_count": never_measured_count,
                "tables": tables,
                "untold_count": untold_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.affected_table import AffectedTable  # noqa: PLC0415
        from ..models.due_table import DueTable  # noqa: PLC0415

        d = dict(src_dict)
        count = d.pop("count")

        never_measured = []
        _never_measured = d.pop("never_measured")
        for never_measured_item_data in _never_measured:
            never_measured_item = AffectedTable.from_dict(never_measured_item_data)

            never_measured.append(never_measured_item)

        never_measured_count = d.pop("never_measured_count")

        tables = []
        _tables = d.pop("tables")
        for tables_item_data in _tables:
            tables_item = DueTable.from_dict(tables_item_data)

            tables.append(tables_item)

        untold_count = d.pop("untold_count")

        due_tables = cls(
            count=count,
            never_measured=never_measured,
            never_measured_count=never_measured_count,
            tables=tables,
            untold_count=untold_count,
        )

        due_tables.additional_properties = d
        return due_tables

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
