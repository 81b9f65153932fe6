# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.order_field import OrderField
    from ..models.partition_overlap import PartitionOverlap


T = TypeVar("T", bound="OrderHealth")


@_attrs_define
class OrderHealth:
    """The order that the policy puts rows into, and how far files overlap in it."""

    columns: list[OrderField]
    """ Columns that rows are ordered by. """
    partitions: list[PartitionOverlap]
    """ At most 20, the deepest first. """
    partitions_total: int
    """ Partitions in total. """
    strategy: str
    """ Strategy of the policy. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        columns = []
        for columns_item_data in self.columns:
            columns_item = columns_item_data.to_dict()
            columns.append(columns_item)

        partitions = []
        for partitions_item_data in self.partitions:
            partitions_item = partitions_item_data.to_dict()
            partitions.append(partitions_item)

        partitions_total = self.partitions_total

        strategy = self.strategy

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "columns": columns,
                "partitions": partitions,
                "partitions_total": partitions_total,
                "strategy": strategy,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.order_field import OrderField  # noqa: PLC0415
        from ..models.partition_overlap import PartitionOverlap  # noqa: PLC0415

        d = dict(src_dict)
        columns = []
        _columns = d.pop("columns")
        for columns_item_data in _columns:
            columns_item = OrderField.from_dict(columns_item_data)

            columns.append(columns_item)

        partitions = []
        _partitions = d.pop("partitions")
        for partitions_item_data in _partitions:
            partitions_item = PartitionOverlap.from_dict(partitions_item_data)

            partitions.append(partitions_item)

        partitions_total = d.pop("partitions_total")

        strategy = d.pop("strategy")

        order_health = cls(
            columns=columns,
            partitions=partitions,
            partitions_total=partitions_total,
            strategy=strategy,
        )

        order_health.additional_properties = d
        return order_health

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
