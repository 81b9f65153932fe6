# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="FilteredColumns")


@_attrs_define
class FilteredColumns:
    """Queries that filtered by exactly these columns."""

    columns: list[str]
    """ Empty: queries without a filter. """
    query_count: int
    """ Queries with this filter. """

    def to_dict(self) -> dict[str, Any]:
        columns = self.columns

        query_count = self.query_count

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "columns": columns,
                "query_count": query_count,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        columns = cast(list[str], d.pop("columns"))

        query_count = d.pop("query_count")

        filtered_columns = cls(
            columns=columns,
            query_count=query_count,
        )

        return filtered_columns
