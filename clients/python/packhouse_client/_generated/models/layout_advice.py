# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.layout import Layout

if TYPE_CHECKING:
    from ..models.column_use import ColumnUse


T = TypeVar("T", bound="LayoutAdvice")


@_attrs_define
class LayoutAdvice:
    """Recommended layout of the files, from the filters of queries (signals of kind `filters`, seven days)."""

    because: str
    """ Reason in words. """
    cluster_by: list[str]
    """ Columns to sort by, or to lay a curve over. """
    columns: list[ColumnUse]
    """ Columns other than partition columns, most used first. """
    full_scan_share: float | None
    """ Queries without a filter. """
    layout: Layout
    """ Recommended layout of the files. """
    partition_query_share: float | None
    """ Queries that name all partition columns. """
    query_count: int
    """ Queries that the advice is based on. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        because = self.because

        cluster_by = self.cluster_by

        columns = []
        for columns_item_data in self.columns:
            columns_item = columns_item_data.to_dict()
            columns.append(columns_item)

        full_scan_share: float | None
        full_scan_share = self.full_scan_share

        layout = self.layout.value

        partition_query_share: float | None
        partition_query_share = self.partition_query_share

        query_count = self.query_count

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "because": because,
                "cluster_by": cluster_by,
                "columns": columns,
                "full_scan_share": full_scan_share,
                "layout": layout,
                "partition_query_share": partition_query_share,
                "query_count": query_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.column_use import ColumnUse  # noqa: PLC0415

        d = dict(src_dict)
        because = d.pop("because")

        cluster_by = cast(list[str], d.pop("cluster_by"))

        columns = []
        _columns = d.pop("columns")
        for columns_item_data in _columns:
            columns_item = ColumnUse.from_dict(columns_item_data)

            columns.append(columns_item)

        def _parse_full_scan_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        full_scan_share = _parse_full_scan_share(d.pop("full_scan_share"))

        layout = Layout(d.pop("layout"))

        def _parse_partition_query_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        partition_query_share = _parse_partition_query_share(d.pop("partition_query_share"))

        query_count = d.pop("query_count")

        layout_advice = cls(
            because=because,
            cluster_by=cluster_by,
            columns=columns,
            full_scan_share=full_scan_share,
            layout=layout,
            partition_query_share=partition_query_share,
            query_count=query_count,
        )

        layout_advice.additional_properties = d
        return layout_advice

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
