# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ProblemField")


@_attrs_define
class ProblemField:
    """One wrong field."""

    hint: None | str
    """ Remedy. """
    message: str
    """ Description of the error. """
    pointer: str
    """ JSON pointer into the body, or `query:`, `path:`, `header:` and a name. """
    value: Any
    """ The given value, if it is short and not a secret. """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        hint: None | str
        hint = self.hint

        message = self.message

        pointer = self.pointer

        value = self.value

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "hint": hint,
                "message": message,
                "pointer": pointer,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_hint(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        hint = _parse_hint(d.pop("hint"))

        message = d.pop("message")

        pointer = d.pop("pointer")

        value = d.pop("value")

        problem_field = cls(
            hint=hint,
            message=message,
            pointer=pointer,
            value=value,
        )

        problem_field.additional_properties = d
        return problem_field

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
