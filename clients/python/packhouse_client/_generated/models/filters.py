# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

if TYPE_CHECKING:
    from ..models.filtered_columns import FilteredColumns


T = TypeVar("T", bound="Filters")


@_attrs_define
class Filters:
    """By which columns queries filtered lately."""

    kind: Literal["filters"]
    """ Kind of the signal, which determines the other fields. """
    queries: list[FilteredColumns]
    """ Queries, by the columns that they filter by. """

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        queries = []
        for queries_item_data in self.queries:
            queries_item = queries_item_data.to_dict()
            queries.append(queries_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "queries": queries,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.filtered_columns import FilteredColumns  # noqa: PLC0415

        d = dict(src_dict)
        kind = cast(Literal["filters"], d.pop("kind"))
        if kind != "filters":
            raise ValueError(f"kind must match const 'filters', got '{kind}'")

        queries = []
        _queries = d.pop("queries")
        for queries_item_data in _queries:
            queries_item = FilteredColumns.from_dict(queries_item_data)

            queries.append(queries_item)

        filters = cls(
            kind=kind,
            queries=queries,
        )

        return filters
