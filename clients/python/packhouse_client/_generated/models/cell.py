# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.operation import Operation

T = TypeVar("T", bound="Cell")


@_attrs_define
class Cell:
    """Support of one operation, by one strategy on one engine, for tables of the format."""

    engine: None | str
    """ Null for operations that have no choice of engine. """
    operation: Operation
    """ Operation of a run on its table. The capability matrix shows which of them a table format supports. """
    possible: bool
    """ Whether it is supported. """
    reason: None | str
    """ Reason why it is not possible; null if it is. """
    strategy: None | str
    """ Null for operations that have no strategies. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        engine: None | str
        engine = self.engine

        operation = self.operation.value

        possible = self.possible

        reason: None | str
        reason = self.reason

        strategy: None | str
        strategy = self.strategy

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "engine": engine,
                "operation": operation,
                "possible": possible,
                "reason": reason,
                "strategy": strategy,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_engine(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        engine = _parse_engine(d.pop("engine"))

        operation = Operation(d.pop("operation"))

        possible = d.pop("possible")

        def _parse_reason(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        reason = _parse_reason(d.pop("reason"))

        def _parse_strategy(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        strategy = _parse_strategy(d.pop("strategy"))

        cell = cls(
            engine=engine,
            operation=operation,
            possible=possible,
            reason=reason,
            strategy=strategy,
        )

        cell.additional_properties = d
        return cell

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
