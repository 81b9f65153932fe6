# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.order_column_direction_type_0 import OrderColumnDirectionType0
from ..models.order_column_nulls_type_0 import OrderColumnNullsType0
from ..types import UNSET, Unset

T = TypeVar("T", bound="OrderColumn")


@_attrs_define
class OrderColumn:
    """A column to order by, with its direction where the strategy is `sort`."""

    name: str
    """ Name, dotted where nested. """
    direction: None | OrderColumnDirectionType0 | Unset = UNSET
    """ For `sort` only; `asc` when absent. """
    nulls: None | OrderColumnNullsType0 | Unset = UNSET
    """ For `sort` only; when absent `first` ascending, `last` descending. """

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        direction: None | str | Unset
        if isinstance(self.direction, Unset):
            direction = UNSET
        elif isinstance(self.direction, OrderColumnDirectionType0):
            direction = self.direction.value
        else:
            direction = self.direction

        nulls: None | str | Unset
        if isinstance(self.nulls, Unset):
            nulls = UNSET
        elif isinstance(self.nulls, OrderColumnNullsType0):
            nulls = self.nulls.value
        else:
            nulls = self.nulls

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
            }
        )
        if direction is not UNSET:
            field_dict["direction"] = direction
        if nulls is not UNSET:
            field_dict["nulls"] = nulls

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        def _parse_direction(data: object) -> None | OrderColumnDirectionType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                direction_type_0 = OrderColumnDirectionType0(data)

                return direction_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OrderColumnDirectionType0 | Unset, data)

        direction = _parse_direction(d.pop("direction", UNSET))

        def _parse_nulls(data: object) -> None | OrderColumnNullsType0 | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                nulls_type_0 = OrderColumnNullsType0(data)

                return nulls_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OrderColumnNullsType0 | Unset, data)

        nulls = _parse_nulls(d.pop("nulls", UNSET))

        order_column = cls(
            name=name,
            direction=direction,
            nulls=nulls,
        )

        return order_column
