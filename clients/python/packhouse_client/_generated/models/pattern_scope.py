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

T = TypeVar("T", bound="PatternScope")


@_attrs_define
class PatternScope:
    """Every table whose dotted address fits."""

    kind: Literal["pattern"]
    """ The scope is a pattern of addresses. """
    pattern: str
    """ Over `catalog.namespace.name`: `*` any characters, dots too; `?` one character. """

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind

        pattern = self.pattern

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "kind": kind,
                "pattern": pattern,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        kind = cast(Literal["pattern"], d.pop("kind"))
        if kind != "pattern":
            raise ValueError(f"kind must match const 'pattern', got '{kind}'")

        pattern = d.pop("pattern")

        pattern_scope = cls(
            kind=kind,
            pattern=pattern,
        )

        return pattern_scope
