# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..models.op import Op
from ..types import UNSET, Unset

T = TypeVar("T", bound="Comparison")


@_attrs_define
class Comparison:
    """One column compared: with `value`, with `values` (`in`, `not_in`), or with neither (`is_null`, `is_not_null`)."""

    column: str
    """ The partition's source column. """
    op: Op
    """ Comparison of a column with a value. """
    value: bool | float | int | None | str | Unset = UNSET
    """ Value to compare with. """
    values: list[bool | float | int | str] | None | Unset = UNSET
    """ Values of `in` and `not_in`. """

    def to_dict(self) -> dict[str, Any]:
        column = self.column

        op = self.op.value

        value: bool | float | int | None | str | Unset
        if isinstance(self.value, Unset):
            value = UNSET
        else:
            value = self.value

        values: list[bool | float | int | str] | None | Unset
        if isinstance(self.values, Unset):
            values = UNSET
        elif isinstance(self.values, list):
            values = []
            for values_type_0_item_data in self.values:
                values_type_0_item: bool | float | int | str
                values_type_0_item = values_type_0_item_data
                values.append(values_type_0_item)

        else:
            values = self.values

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "column": column,
                "op": op,
            }
        )
        if value is not UNSET:
            field_dict["value"] = value
        if values is not UNSET:
            field_dict["values"] = values

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        column = d.pop("column")

        op = Op(d.pop("op"))

        def _parse_value(data: object) -> bool | float | int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | float | int | None | str | Unset, data)

        value = _parse_value(d.pop("value", UNSET))

        def _parse_values(data: object) -> list[bool | float | int | str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                values_type_0 = []
                _values_type_0 = data
                for values_type_0_item_data in _values_type_0:

                    def _parse_values_type_0_item(data: object) -> bool | float | int | str:
                        return cast(bool | float | int | str, data)

                    values_type_0_item = _parse_values_type_0_item(values_type_0_item_data)

                    values_type_0.append(values_type_0_item)

                return values_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[bool | float | int | str] | None | Unset, data)

        values = _parse_values(d.pop("values", UNSET))

        comparison = cls(
            column=column,
            op=op,
            value=value,
            values=values,
        )

        return comparison
