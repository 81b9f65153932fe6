# Generated from openapi.yaml by clients/generate.py; do not edit.
from __future__ import annotations

from collections.abc import Mapping
from typing import (
    Any,
    Literal,
    TypeVar,
    cast,
)

from attrs import define as _attrs_define

T = TypeVar("T", bound="LabelScopeInput")


@_attrs_define
class LabelScopeInput:
    """Every table that has a label."""

    key: str
    """ The label's key; it has no colon. """
    kind: Literal["label"]
    """ Kind of the signal, which determines the other fields. """
    value: str
    """ The label's value; an empty one is a value, too. """

    def to_dict(self) -> dict[str, Any]:
        key = self.key

        kind = self.kind

        value = self.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "key": key,
                "kind": kind,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        key = d.pop("key")

        kind = cast(Literal["label"], d.pop("kind"))
        if kind != "label":
            raise ValueError(f"kind must match const 'label', got '{kind}'")

        value = d.pop("value")

        label_scope_input = cls(
            key=key,
            kind=kind,
            value=value,
        )

        return label_scope_input
